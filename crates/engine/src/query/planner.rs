//! Plans a query: which terms of the lexicon to look up.
//!
//! The words of a query are analysed in every language of the bundle. Analyses of the same stretch
//! of text are alternatives of one [`Group`], which gets the score of the best one: a word counts
//! once, even if several languages have rules for it.

use std::ops::Range;

use findling_bundle::Synonym;

use findling_text::keys::{Name, add_other_numbers, form_key, symbol_key};
use findling_text::normalise::lower_case;
use findling_text::{Analyzer, COMPOUNDING, TokenKind, is_stop_word};

use super::plan::{Group, Phrase, QueryPlan, Slot};
use super::{Clause, ClauseKind, Query, synonyms};

/// Maximum number of groups of a query.
pub(crate) const MAX_TERMS: usize = 256;
/// Maximum number of terms in all phrases and exclusions of a query.
const MAX_PHRASE_TERMS: usize = 64;
/// Maximum number of words of a query that is compared with titles.
const MAX_NAME_WORDS: usize = 16;
/// Minimum length of a completed beginning, in characters. One is enough in scripts whose
/// characters are words, and with [`Completion::WordsAndLetter`].
const MIN_PREFIX_CHARS: usize = 2;

/// Whether the last word of a query is treated as the beginning of a longer word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    None,
    /// A beginning, if it has at least two characters.
    Words,
    /// A beginning, even if the query is a single letter.
    WordsAndLetter,
}

/// One stretch of a clause with its analyses.
struct Stretch {
    start: u32,
    end: u32,
    position: u32,
    kind: TokenKind,
    n_stop: u32,
    terms: Vec<String>,
}

impl QueryPlan {
    /// Analyses a query in the languages of a bundle. If `completion` is set, a last word that may
    /// be unfinished is completed.
    pub fn new(
        query: &Query,
        languages: &[String],
        synonyms: &[Synonym],
        completion: Completion,
    ) -> Self {
        let mut analyzers = analyzers(languages);
        let mut plan = Self { truncated: query.truncated, ..Self::default() };
        let last = query.clauses.len().wrapping_sub(1);
        (plan.names, plan.questions) = names(&mut analyzers, query);
        plan.symbols = symbols(&mut analyzers, query);
        let mut n_phrase_terms = 0;
        let mut sequence = Vec::new();
        let mut marks = Vec::new();
        for (i, clause) in query.clauses.iter().enumerate() {
            let mut stretches = stretches(&mut analyzers, &clause.text);
            let signs = stretches.extract_if(.., |stretch| stretch.kind == TokenKind::Mark);
            marks.extend(signs.filter(|_| !clause.excluded));
            if stretches.is_empty() {
                continue;
            }
            if clause.excluded || clause.kind == ClauseKind::Phrase {
                let phrase = phrase(&clause.text, &stretches, clause.kind);
                let phrases = if clause.excluded { &mut plan.excluded } else { &mut plan.phrases };
                // A repeated phrase is looked up once.
                if phrases.iter().all(|other| other.slots != phrase.slots) {
                    n_phrase_terms += phrase.slots.len();
                    if n_phrase_terms > MAX_PHRASE_TERMS {
                        plan.truncated = true;
                        break;
                    }
                    phrases.push(phrase);
                }
                if clause.excluded {
                    let option = option(clause, &mut analyzers);
                    plan.options.extend(option.map(|term| (i, term)));
                    continue;
                }
                // A phrase of one word is a required word.
            }
            plan.n_tokens += stretches.iter().filter(|s| s.kind.is_counted()).count() as u32;
            let open = completion != Completion::None && query.open_end && i == last;
            let is_letter_enough = completion == Completion::WordsAndLetter && last == 0;
            let shortest = if is_letter_enough { 1 } else { MIN_PREFIX_CHARS };
            let beginnings = if open { beginnings(&clause.text, shortest) } else { Vec::new() };
            let alone = plan.groups.is_empty() && stretches.len() == 1;
            for stretch in stretches {
                let stop = stretch.n_stop as f32 / analyzers.len() as f32;
                let beginning = beginnings.iter().find(|(start, end, whole, _)| {
                    (*start, *end, *whole)
                        == (stretch.start, stretch.end, stretch.kind == TokenKind::Whole)
                });
                let completed =
                    beginning.filter(|_| stop == 0.0 || alone).map(|(.., text)| text.clone());
                let completed = completed.or_else(|| lone_character(&stretch));
                let forms = forms(&clause.text, &stretch);
                let in_row = stretch.kind != TokenKind::Part;
                let named = in_row && is_named(&clause.text, &stretch);
                let Some(group) = plan.push(stretch, stop, completed, forms) else { return plan };
                plan.groups[group].named |= named;
                if in_row {
                    sequence.push(group);
                }
            }
        }
        plan.push_marks(marks);
        synonyms::expand(&mut plan, &sequence, synonyms, &mut analyzers);
        compounds(&mut plan, query, &mut analyzers);
        plan
    }

    /// Adds the marks of a query. If there are words, only symbols count, and they only add to the
    /// score.
    fn push_marks(&mut self, marks: Vec<Stretch>) {
        let has_words = !self.groups.is_empty();
        for mark in marks {
            let is_symbol = mark.terms.iter().all(|term| !term.is_ascii());
            if has_words && !is_symbol {
                continue;
            }
            let Some(place) = self.push(mark, 0.0, None, Vec::new()) else { return };
            self.groups[place].extra = has_words;
        }
    }

    /// Adds a word, or counts it again. Returns the index of its group; `None` if the plan is full.
    fn push(
        &mut self,
        stretch: Stretch,
        stop: f32,
        prefix: Option<String>,
        mut forms: Vec<String>,
    ) -> Option<usize> {
        let same = |group: &Group| group.terms == stretch.terms && group.prefix == prefix;
        if let Some(place) = self.groups.iter().position(same) {
            self.groups[place].count += 1;
            return Some(place);
        }
        if self.groups.len() == MAX_TERMS {
            self.truncated = true;
            return None;
        }
        let Stretch { terms, kind, .. } = stretch;
        let (synonyms, typed) = (Vec::new(), forms.len());
        add_other_numbers(&mut forms);
        self.groups.push(Group {
            terms,
            kind,
            stop,
            count: 1,
            prefix,
            forms,
            typed,
            synonyms,
            joined: Vec::new(),
            extra: false,
            named: false,
        });
        Some(self.groups.len() - 1)
    }
}

/// Returns the keys of titles that equal the query without its exclusions: with the stop words at
/// its beginning, and without them if other words are left.
fn names(analyzers: &mut [Analyzer], query: &Query) -> (Vec<String>, Vec<String>) {
    let words = &query.clauses;
    let is_name = words.iter().all(|clause| !clause.excluded);
    if !is_name || words.is_empty() || words.len() > MAX_NAME_WORDS {
        return Default::default();
    }
    let text = words.iter().map(|clause| clause.text.as_str()).collect::<Vec<_>>().join(" ");
    let (mut names, mut questions) = (Vec::new(), Vec::new());
    for analyzer in analyzers {
        let (mut name, mut question) = (Name::default(), Name::default());
        analyzer.analyze(&text, |token| {
            name.push(&token);
            question.push_behind_stops(&token);
        });
        names.extend(name.key().filter(|key| !names.contains(key)));
        let asks =
            |key: &String| question.has_stop() && !names.contains(key) && !questions.contains(key);
        questions.extend(question.key().filter(asks));
    }
    (names, questions)
}

/// Returns the keys of the symbol that equals a query as written.
fn symbols(analyzers: &mut [Analyzer], query: &Query) -> Vec<String> {
    let [clause] = query.clauses.as_slice() else { return Vec::new() };
    if clause.excluded || clause.kind != ClauseKind::Word {
        return Vec::new();
    }
    let mut symbols = Vec::new();
    for analyzer in analyzers {
        let key = symbol_key(analyzer, &clause.text);
        symbols.extend(key.filter(|key| !symbols.contains(key)));
    }
    symbols
}

/// Returns the term of an excluded word if it is an option: `-xzf`.
#[inline(never)]
fn option(clause: &Clause, analyzers: &mut [Analyzer]) -> Option<String> {
    let mut term = None;
    if clause.kind == ClauseKind::Word {
        let text = ["-", &clause.text].concat();
        analyzers.first_mut()?.analyze(&text, |token| {
            let is_option = token.start == 0 && token.term.starts_with('-');
            if is_option && token.kind == TokenKind::Whole {
                term = Some(token.term.to_string());
            }
        });
    }
    term
}

/// Fewest digits of a number that is taken as a code.
const MIN_NUMBER: usize = 3;
/// The most pairs of neighbours in a query that are looked up as one word.
const MAX_COMPOUNDS: usize = 3;
/// The most words of a query whose neighbours are looked up as one word in other languages.
const MAX_JOINED_WORDS: usize = 4;

/// Adds two neighbours as one word: `Daten Bank`, and in short queries of all languages `data
/// base`, `log in`. If the second is a stop word, the joined word is a separate word. Otherwise it
/// counts as each of the two words, so that a page that has both (such as a page with `data_base`)
/// gains nothing.
fn compounds(plan: &mut QueryPlan, query: &Query, analyzers: &mut [Analyzer]) {
    let word = |clause: &Clause| {
        let is_word =
            clause.kind == ClauseKind::Word && !clause.excluded && clause.text.chars().count() > 1;
        is_word && clause.text.chars().all(char::is_alphabetic)
    };
    let pairs = query.clauses.windows(2).filter(|pair| pair.iter().all(word));
    for pair in pairs.take(MAX_COMPOUNDS) {
        let second = lower_case(&pair[1].text);
        let text = format!("{}{second}", pair[0].text);
        let (mut compounds, mut joined) = (Vec::new(), Vec::new());
        let mut is_own_word = false;
        for analyzer in analyzers.iter_mut() {
            let language = analyzer.language().to_owned();
            let terms = if COMPOUNDING.contains(&language.as_str()) {
                &mut compounds
            } else if query.clauses.len() <= MAX_JOINED_WORDS
                && !is_stop_word(&language, &lower_case(&pair[0].text))
            {
                is_own_word |= is_stop_word(&language, &second);
                &mut joined
            } else {
                continue;
            };
            // Words of two scripts do not form one word, and neither do parts of one word.
            analyzer.analyze(&text, |token| {
                let is_whole = token.start == 0 && token.end as usize == text.len();
                if is_whole && terms.iter().all(|term| term != token.term) {
                    terms.push(token.term.to_string());
                }
            });
        }
        // On a site in several languages a word counts as much as on a site in one.
        compounds.retain(|term| !joined.contains(term));
        if !compounds.is_empty() {
            plan.groups.push(Group::extra(compounds));
        }
        if joined.is_empty() {
            continue;
        }
        if is_own_word {
            plan.groups.push(Group::joined(joined));
        } else {
            stand_for(&mut plan.groups, pair, &joined, analyzers);
        }
    }
}

/// Makes a pair written as one word count as each of its words.
fn stand_for(groups: &mut [Group], pair: &[Clause], joined: &[String], analyzers: &mut [Analyzer]) {
    for clause in pair {
        for analyzer in analyzers.iter_mut() {
            analyzer.analyze(&clause.text, |token| {
                for group in groups.iter_mut().filter(|group| !group.extra) {
                    if group.terms.iter().any(|term| term == token.term) {
                        group.joined.extend(joined.iter().cloned());
                    }
                }
            });
        }
    }
}

/// Returns whether a stretch of `text` is spelt like a name in code, a code, an option, a version
/// or a file: with a digit, a sign inside or in front, or a capital letter after another letter. A
/// plain number needs three digits.
fn is_named(text: &str, stretch: &Stretch) -> bool {
    let (start, end) = (stretch.start as usize, stretch.end as usize);
    let (Some(spelt), Some(behind)) = (text.get(start..end), text.get(end..)) else { return false };
    let n_digits = spelt.bytes().filter(u8::is_ascii_digit).count();
    let is_number = n_digits == spelt.len();
    let mut letters = spelt.chars();
    letters.next();
    n_digits > if is_number { MIN_NUMBER - 1 } else { 0 }
        || spelt.starts_with('-')
        || spelt.contains(['_', '.', ':'])
        || letters.any(char::is_uppercase) && !behind.starts_with(':')
        || behind.starts_with("()")
}

/// Returns the keys of the form in which a stretch of `text` is spelt.
fn forms(text: &str, stretch: &Stretch) -> Vec<String> {
    if stretch.n_stop > 0 || stretch.kind == TokenKind::Whole {
        return Vec::new();
    }
    let spelt = text.get(stretch.start as usize..stretch.end as usize).unwrap_or_default();
    stretch.terms.iter().filter_map(|term| form_key(term, spelt)).collect()
}

/// Returns an analyzer for each language that has rules of its own, at least one.
pub(crate) fn analyzers(languages: &[String]) -> Vec<Analyzer> {
    let mut analyzers: Vec<Analyzer> = Vec::new();
    for language in languages {
        let analyzer = Analyzer::for_language(language);
        if analyzers.iter().all(|other| other.language() != analyzer.language()) {
            analyzers.push(analyzer);
        }
    }
    if analyzers.is_empty() {
        analyzers.push(Analyzer::for_language("und"));
    }
    analyzers
}

/// Returns the analyses of a text, by stretch.
fn stretches(analyzers: &mut [Analyzer], text: &str) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for analyzer in analyzers {
        // Analyses come in the same order of stretches, so the search continues at the last match.
        // Two numbers of one analysis share a stretch if a fraction is written as one character.
        let mut from = 0;
        let n_before = stretches.len();
        analyzer.analyze_with_marks(text, |token| {
            let whole = token.kind == TokenKind::Whole;
            let known = (from..n_before).find(|&i| {
                let s = &stretches[i];
                (s.start, s.end, s.kind == TokenKind::Whole) == (token.start, token.end, whole)
            });
            let i = match known {
                Some(i) => i,
                None if stretches.len() > MAX_TERMS => return,
                None => {
                    let (start, end, position) = (token.start, token.end, token.position);
                    let kind = token.kind;
                    stretches.push(Stretch {
                        start,
                        end,
                        position,
                        kind,
                        n_stop: 0,
                        terms: Vec::new(),
                    });
                    stretches.len() - 1
                }
            };
            from = if i + 1 == stretches.len() && known.is_none() { from } else { i + 1 };
            let stretch = &mut stretches[i];
            stretch.n_stop += u32::from(token.kind == TokenKind::Stop);
            if stretch.kind == TokenKind::Stop {
                stretch.kind = token.kind;
            }
            if stretch.terms.iter().all(|term| term != token.term) {
                stretch.terms.push(token.term.to_string());
            }
        });
        if analyzer.language() == "ar" {
            add_other_endings(analyzer, text, &mut stretches);
        }
    }
    stretches
}

/// Adds the terms of the words of a text with a final `ة` in place of `ه`, and vice versa, because
/// many Arabic writers leave out the dots.
fn add_other_endings(analyzer: &mut Analyzer, text: &str, stretches: &mut [Stretch]) {
    for stretch in stretches {
        let word = text.get(stretch.start as usize..stretch.end as usize).unwrap_or_default();
        let (stem, ending) = match (word.strip_suffix('ه'), word.strip_suffix('ة')) {
            (Some(stem), _) => (stem, "ة"),
            (_, Some(stem)) => (stem, "ه"),
            _ => continue,
        };
        analyzer.analyze(&[stem, ending].concat(), |token| {
            if stretch.terms.iter().all(|term| term != token.term) {
                stretch.terms.push(token.term.to_string());
            }
        });
    }
}

/// Returns the byte ranges of the words of a text that no analysis knows. Parts of names count as
/// words, unless the whole name is known. Stop words are left out.
pub(crate) fn unknown(
    analyzers: &mut [Analyzer],
    text: &str,
    known: impl Fn(&str) -> bool,
) -> Vec<Range<usize>> {
    let stretches = stretches(analyzers, text);
    let is_known = |stretch: &Stretch| stretch.terms.iter().any(|term| known(term));
    let mut unknown = Vec::new();
    let mut whole: Option<(u32, bool)> = None;
    for stretch in &stretches {
        if stretch.kind == TokenKind::Whole {
            whole = Some((stretch.end, is_known(stretch)));
            continue;
        }
        if stretch.kind == TokenKind::Mark {
            continue;
        }
        let within_known = whole.is_some_and(|(end, known)| known && stretch.end <= end);
        if !within_known && stretch.n_stop == 0 && !is_known(stretch) {
            unknown.push(stretch.start as usize..stretch.end as usize);
        }
    }
    unknown
}

/// Returns the stretches that end at the end of the text, as (start, end, whole), with their text,
/// folded but not stemmed. Those with fewer than `shortest` characters are left out.
fn beginnings(text: &str, shortest: usize) -> Vec<(u32, u32, bool, String)> {
    let mut found = Vec::new();
    Analyzer::for_language("und").analyze(text, |token| {
        let long_enough =
            token.term.chars().count() >= shortest || token.term.starts_with(is_ideographic);
        if token.end as usize == text.len() && long_enough && token.kind != TokenKind::Mark {
            found.push((
                token.start,
                token.end,
                token.kind == TokenKind::Whole,
                token.term.to_string(),
            ));
        }
    });
    found
}

/// Returns a single character of a script whose words are indexed by pairs of characters, because
/// it can begin a pair.
fn lone_character(stretch: &Stretch) -> Option<String> {
    let term = stretch.terms.first().filter(|_| stretch.kind == TokenKind::Word)?;
    let mut chars = term.chars();
    let first = chars.next()?;
    (chars.next().is_none() && is_ideographic(first)).then(|| term.clone())
}

fn is_ideographic(c: char) -> bool {
    c >= '\u{2e80}'
}

#[doc(alias = "deferred")]
#[inline(never)]
fn phrase(text: &str, stretches: &[Stretch], kind: ClauseKind) -> Phrase {
    // An excluded identifier is meant as a whole; in a phrase its parts follow each other, as in
    // texts.
    let whole = stretches.iter().find(|s| s.kind == TokenKind::Whole);
    let slots = match whole {
        Some(whole) if kind == ClauseKind::Word => {
            vec![Slot { offset: 0, terms: whole.terms.clone() }]
        }
        _ => {
            let placed = || stretches.iter().filter(|s| s.kind.is_counted());
            let first = placed().map(|s| s.position).min().unwrap_or(0);
            let mut slots: Vec<Slot> = Vec::new();
            for stretch in placed() {
                let offset = stretch.position - first;
                match slots.iter_mut().find(|slot| slot.offset == offset) {
                    Some(slot) => slot.terms.extend(stretch.terms.iter().cloned()),
                    None => slots.push(Slot { offset, terms: stretch.terms.clone() }),
                }
            }
            slots
        }
    };
    Phrase { text: text.to_string(), slots }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn plan(text: &str, languages: &[&str], prefix: bool) -> QueryPlan {
        let languages: Vec<String> = languages.iter().map(|l| l.to_string()).collect();
        let completion = if prefix { Completion::Words } else { Completion::None };
        QueryPlan::new(&parse(text, |_| false), &languages, &[], completion)
    }

    fn terms(plan: &QueryPlan) -> Vec<String> {
        plan.groups.iter().map(|group| group.terms.join("|")).collect()
    }

    #[test]
    fn a_word_twice_counts_twice() {
        let plan = plan("data of data", &["en"], false);
        assert_eq!(terms(&plan), ["data", "of", "dataof"]);
        assert_eq!(plan.groups[0].count, 2);
        assert_eq!(plan.n_tokens, 3);
    }

    #[test]
    fn a_sentence_has_a_stop_word_and_three_others() {
        for (text, expect) in [
            ("how do I share data between threads", true),
            ("stop two threads writing the same memory at once", true),
            ("share data threads memory", false),
            ("the mutex guard", false),
            ("the mutex mutex mutex", true),
            ("to be or not to be", false),
            // An identifier counts as one word, regardless of the number of its parts.
            ("the checkpoint_completion_target setting", false),
            ("", false),
        ] {
            assert_eq!(plan(text, &["en"], false).is_sentence(), expect, "{text}");
        }
    }

    #[test]
    fn a_question_begins_with_stop_words() {
        for (text, expect) in [
            ("what is a mutex", 3),
            ("mutex", 0),
            ("mutex of what", 0),
            ("to be or not to be", 0),
            ("the cat the hat", 0),
        ] {
            assert_eq!(plan(text, &["en"], false).leading_stops(), expect, "{text}");
        }
    }

    #[test]
    fn a_question_has_the_name_behind_its_first_words() {
        let question = plan("how can I change my password", &["en"], false);
        assert_eq!(question.questions, plan("change my password", &["en"], false).names);
        assert_eq!(plan("change my password", &["en"], false).questions, [""; 0]);
        assert_eq!(
            plan("the password", &["en"], false).questions,
            [""; 0],
            "compared by its words"
        );
    }

    #[test]
    fn languages_give_alternatives() {
        let plan = plan("sharing", &["en", "de", "en-GB"], false);
        assert_eq!(terms(&plan), ["share|sharing"]);
    }

    #[test]
    fn arabic_words_are_asked_for_with_either_ending() {
        assert_eq!(plan("المدينه", &["ar"], false).groups[0].terms, ["مدينه", "مدين"]);
        assert_eq!(plan("المدينة", &["ar"], false).groups[0].terms, ["مدين", "مدينه"]);
        assert_eq!(plan("المدينه", &["fa"], false).groups[0].terms, ["المدينه"]);
    }

    #[test]
    fn two_words_as_one_count_alike_beside_a_compounding_language() {
        let joined = |query: &str, languages: &[&str]| -> Vec<(Vec<String>, u32)> {
            let groups = plan(query, languages, false).groups.into_iter();
            let words = |group: Group| ([group.terms, group.synonyms].concat(), group.count);
            groups.filter(|group| group.extra).map(words).collect()
        };
        let one = |word: &str, count| [(vec![word.to_owned()], count)];
        assert_eq!(joined("log in", &["en"]), one("login", 3));
        assert_eq!(joined("log in", &["en", "de", "nl"]), joined("log in", &["en"]));
        assert_eq!(joined("daten bank", &["de", "nl"]), one("datenbank", 1));
    }

    #[test]
    fn two_words_as_one_stand_for_each_of_them() {
        for languages in [&["en"][..], &["en", "de"]] {
            let groups = plan("data base", languages, false).groups;
            let words: Vec<_> = groups.iter().map(|group| group.terms[0].as_str()).collect();
            assert_eq!(words, ["data", "base"], "no word beside them");
            for group in &groups {
                assert!(group.joined.contains(&"databas".to_owned()), "{group:?}");
            }
        }
    }

    #[test]
    fn words_of_two_scripts_are_not_joined() {
        let groups = plan("backup コマンド", &["en", "ja"], false).groups;
        assert!(groups.iter().all(|group| group.joined.is_empty() && !group.extra), "{groups:?}");
    }

    #[test]
    fn stop_words_of_some_languages_weigh_less() {
        let plan = plan("die hard", &["en", "de"], false);
        assert_eq!(plan.groups[0].stop, 0.5);
        assert_eq!(plan.groups[1].stop, 0.0);
    }

    #[test]
    fn repeated_phrases_and_exclusions_are_planned_once() {
        let plan = plan(&"\"state of the art\" -less ".repeat(100), &["en"], false);
        assert_eq!((plan.phrases.len(), plan.excluded.len(), plan.truncated), (1, 1, false));
        assert_eq!(plan.groups[0].count, 100);
    }

    #[test]
    fn phrases_keep_their_stop_words_and_also_score() {
        let plan = plan("\"state of the art\" -\"no way\" -less", &["en"], false);
        assert_eq!(plan.phrases.len(), 1);
        let offsets: Vec<u32> = plan.phrases[0].slots.iter().map(|slot| slot.offset).collect();
        assert_eq!(offsets, [0, 1, 2, 3]);
        assert_eq!(plan.groups.len(), 4);
        let excluded: Vec<_> = plan.excluded.iter().map(|phrase| phrase.slots.len()).collect();
        assert_eq!(excluded, [2, 1]);
    }

    #[test]
    fn only_an_open_last_word_is_completed() {
        let prefixes = |text| {
            plan(text, &["en"], true)
                .groups
                .iter()
                .filter_map(|group| group.prefix.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(prefixes("share concurrenc"), ["concurrenc"]);
        assert_eq!(prefixes("share concurrency "), [""; 0]);
        assert_eq!(prefixes("share c"), [""; 0]);
        assert_eq!(prefixes("the"), ["the"]);
        assert_eq!(prefixes("share the"), [""; 0]);
    }

    #[test]
    fn one_letter_is_completed_if_it_is_the_query_and_that_is_asked_for() {
        let prefixes = |text, completion| {
            let languages = ["en".to_owned()];
            let plan = QueryPlan::new(&parse(text, |_| false), &languages, &[], completion);
            plan.groups.into_iter().filter_map(|group| group.prefix).collect::<Vec<_>>()
        };
        assert_eq!(prefixes("c", Completion::WordsAndLetter), ["c"]);
        assert_eq!(prefixes("a", Completion::WordsAndLetter), ["a"]);
        assert_eq!(prefixes("c", Completion::Words), [""; 0]);
        assert_eq!(prefixes("c ", Completion::WordsAndLetter), [""; 0]);
        assert_eq!(prefixes("share c", Completion::WordsAndLetter), [""; 0]);
        assert_eq!(prefixes("co", Completion::WordsAndLetter), ["co"]);
    }

    #[test]
    fn an_excluded_identifier_is_meant_as_a_whole() {
        let plan = plan("map -HashMap", &["en"], false);
        assert_eq!(plan.excluded[0].slots, [Slot { offset: 0, terms: vec!["hashmap".into()] }]);
    }

    #[test]
    fn terms_are_capped() {
        let text: Vec<String> = (0..400).map(|i| format!("w{i}")).collect();
        let plan = plan(&text.join(" "), &["en"], false);
        assert_eq!(plan.groups.len(), MAX_TERMS);
        assert!(plan.truncated);
    }
}
