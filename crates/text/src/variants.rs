//! Words with two spellings: British and American English, and German umlauts written out.
//!
//! British and American spellings get the American stem: a reader who types "behaviour" wants the
//! page that says "behavior". Verbs in `-ise` are respelled before stemming, because Snowball
//! removes `-ize` and not `-ise`. All other rules apply to stems, where few rules are enough. The
//! result need not be a word; it only has to be the same for both spellings.

/// Ends of stems: British, American. A stem with less than two letters before the end (`our`,
/// `four`) stays.
const ENDS: [(&str, &str); 4] =
    [("our", "or"), ("ourit", "orit"), ("ourabl", "orabl"), ("ogu", "og")];

/// Endings after the `is` of `organise` or the `ys` of `analyse`, longest first.
const VERBAL: [&str; 10] =
    ["ational", "ations", "ation", "able", "ing", "ers", "er", "ed", "es", "e"];

/// Roots in `is` that American English spells in the same way. All other roots of more than five
/// letters have an American spelling in `iz`.
const ALWAYS_IS: [&str; 29] = [
    "apprais",
    "televis",
    "treatis",
    "advertis",
    "advis",
    "bitwis",
    "clockwis",
    "compris",
    "compromis",
    "concis",
    "demis",
    "devis",
    "disguis",
    "enterpris",
    "exercis",
    "expertis",
    "franchis",
    "improvis",
    "likewis",
    "merchandis",
    "otherwis",
    "pairwis",
    "paradis",
    "precis",
    "premis",
    "promis",
    "revis",
    "supervis",
    "surpris",
];

/// Greek and Latin diphthongs anywhere in a stem: British, American.
const INSIDE: [(&str, &str); 12] = [
    ("aem", "em"),
    ("aest", "est"),
    ("aetio", "etio"),
    ("archae", "arche"),
    ("caec", "cec"),
    ("faec", "fec"),
    ("foet", "fet"),
    ("gynae", "gyne"),
    ("oedem", "edem"),
    ("oest", "est"),
    ("paed", "ped"),
    ("rrhoe", "rrhe"),
];

/// Whole stems that follow no rule: British, American.
const WHOLE: [(&str, &str); 11] = [
    ("aluminium", "aluminum"),
    ("artefact", "artifact"),
    ("centr", "center"),
    ("defenc", "defens"),
    ("fibr", "fiber"),
    ("grey", "gray"),
    ("judgement", "judgment"),
    ("licenc", "licens"),
    ("litr", "liter"),
    ("programm", "program"),
    ("theatr", "theater"),
];

/// Returns the spelling with `z` of a British verb in `-ise` or `-yse`, or of a word derived from
/// one.
pub(crate) fn verb(word: &str) -> Option<String> {
    let (root, end) = VERBAL.iter().find_map(|end| Some((word.strip_suffix(end)?, end)))?;
    let stem = root.strip_suffix('s')?;
    let twin = stem.ends_with('y') && root.len() > 4
        || stem.ends_with('i') && root.len() > 5 && !ALWAYS_IS.contains(&root);
    twin.then(|| format!("{stem}z{end}"))
}

/// Returns a German word with umlauts for `ae`, `oe` and `ue`, as the stemmer expects them. Letters
/// after a vowel or q (`neue`, `quer`) and letters that begin an ending (`Statuen`) stay.
pub(crate) fn umlauts(word: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) =
        rest.find("ae").into_iter().chain(rest.find("oe")).chain(rest.find("ue")).min()
    {
        let before = out.chars().chain(rest[..at].chars()).next_back();
        let behind = &rest[at + 2..];
        let umlaut = match rest.as_bytes()[at] {
            b'a' => 'ä',
            b'o' => 'ö',
            _ => 'ü',
        };
        out.push_str(&rest[..at]);
        if before.is_some_and(|c| "aeiouäöüq".contains(c)) || matches!(behind, "" | "n" | "s") {
            out.push_str(&rest[at..at + 2]);
        } else {
            out.push(umlaut);
        }
        rest = behind;
    }
    if rest.len() == word.len() {
        return None;
    }
    out.push_str(rest);
    Some(out)
}

/// Replaces a British stem by the American one. Other stems stay.
pub(crate) fn fold(stem: &mut String) {
    if stem.len() < 4 || !stem.is_ascii() {
        return;
    }
    if let Some((_, american)) = WHOLE.iter().find(|(british, _)| stem == british) {
        stem.clear();
        stem.push_str(american);
        return;
    }
    for (british, american) in INSIDE {
        if let Some(at) = stem.find(british) {
            stem.replace_range(at..at + british.len(), american);
        }
    }
    let end =
        ENDS.iter().find(|(british, _)| stem.len() > british.len() + 1 && stem.ends_with(british));
    if let Some((british, american)) = end {
        stem.truncate(stem.len() - british.len());
        stem.push_str(american);
    }
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;

    fn term(word: &str) -> String {
        let mut term = String::new();
        Analyzer::for_language("en").analyze(word, |token| term = token.term.to_string());
        term
    }

    #[test]
    fn both_spellings_give_one_term() {
        for (british, american) in [
            ("colour", "color"),
            ("colours", "colors"),
            ("coloured", "colored"),
            ("behavioural", "behavioral"),
            ("favourites", "favorites"),
            ("favourable", "favorable"),
            ("colourise", "colorize"),
            ("optimise", "optimize"),
            ("optimisations", "optimizations"),
            ("organising", "organizing"),
            ("serialiser", "serializer"),
            ("analyse", "analyze"),
            ("analysing", "analyzing"),
            ("catalogue", "catalog"),
            ("dialogues", "dialogs"),
            ("centre", "center"),
            ("centred", "centered"),
            ("licence", "license"),
            ("artefacts", "artifacts"),
            ("programme", "program"),
            ("leukaemia", "leukemia"),
            ("haematology", "hematology"),
            ("anaesthetics", "anesthetics"),
            ("labelled", "labeled"),
            ("cancelling", "canceling"),
        ] {
            assert_eq!(term(british), term(american), "{british}, {american}");
        }
    }

    #[test]
    fn other_words_keep_their_terms() {
        for (word, expect) in [
            ("four", "four"),
            ("hours", "hour"),
            ("source", "sourc"),
            ("promise", "promis"),
            ("precise", "precis"),
            ("raise", "rais"),
            ("noise", "nois"),
            ("basis", "basi"),
            ("system", "system"),
            ("keys", "key"),
            ("size", "size"),
            ("this", "this"),
        ] {
            assert_eq!(term(word), expect, "{word}");
        }
    }
}
