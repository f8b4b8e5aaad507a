//! Gathers the texts that a table is trained on: short texts that resemble queries.
//!
//! From pages: titles, headings (alone, with their page's title, and as questions), first
//! sentences, and spans of 2 to 25 words from anywhere. From `.txt` files: each line. Each text
//! occurs once; the seed decides the order.
//!
//! If there are more texts than needed, every input contributes the same number, or all its texts
//! if it has fewer. So a large manual does not outweigh small ones.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use findling_bundle::hash128;

use crate::page::{Page, Section};
use crate::progress::Progress;
use crate::random::SplitMix64;
use crate::sources::{self, Severity};

/// Longest text in words; longer texts are cut, because queries are short.
const MAX_WORDS: usize = 25;
/// Words of a section for each span taken from it.
const WORDS_PER_SPAN: usize = 30;

/// The languages of the pages that are trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// English and pages that declare no language: the teacher has its words only.
    English,
    /// All.
    All,
}

/// A heading and its text: for measuring, the heading is a query and the text the known result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownItem {
    /// Title and heading.
    pub query: String,
    /// The beginning of the section's text.
    pub text: String,
}

/// The gathered texts.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Texts to train on and to validate with.
    pub texts: Vec<String>,
    /// For measuring retrieval.
    pub known_items: Vec<KnownItem>,
    /// Pages read.
    pub n_pages: usize,
}

/// Reads `inputs` and gathers at most `max_texts` texts.
///
/// # Errors
/// If a `.txt` file cannot be read, or nothing was found.
pub fn gather(
    inputs: &[PathBuf],
    max_texts: usize,
    seed: u64,
    languages: Languages,
    progress: &dyn Progress,
) -> anyhow::Result<Gathered> {
    let mut gathered = Gathered::default();
    let mut seen = HashSet::new();
    let mut random = SplitMix64(seed);
    let mut of_input: Vec<Vec<String>> = Vec::new();
    for input in inputs {
        let mut candidates = Vec::new();
        if input.extension().is_some_and(|extension| extension == "txt") {
            let text = fs::read_to_string(input)
                .with_context(|| format!("cannot read {}", input.display()))?;
            candidates.extend(text.lines().map(str::to_owned));
        } else {
            // One input at a time, because many large sites need much memory.
            let pages = sources::read(
                std::slice::from_ref(input),
                &sources::Options::default(),
                &mut |problem| {
                    let message = format!("{}: {}", problem.path.display(), problem.reason);
                    if problem.severity == Severity::Error {
                        progress.warn(message)
                    } else {
                        progress.detail(message)
                    }
                },
            );
            gathered.n_pages += pages.len();
            for page in &pages {
                let is_english = is_english(&page.language);
                if is_english || languages == Languages::All {
                    from_page(page, seed, &mut candidates, &mut gathered.known_items);
                }
            }
        }
        candidates.retain_mut(|text| {
            *text = tidy(text);
            text.chars().any(char::is_alphabetic) && seen.insert(hash128(text.as_bytes()))
        });
        random.shuffle(&mut candidates);
        candidates.truncate(max_texts);
        of_input.push(candidates);
    }
    let cap = even_cap(of_input.iter().map(Vec::len).collect(), max_texts);
    let mut candidates: Vec<String> =
        of_input.into_iter().flat_map(|texts| texts.into_iter().take(cap)).collect();
    if inputs.len() > 1 {
        random.shuffle(&mut candidates);
    }
    candidates.truncate(max_texts);
    random.shuffle(&mut gathered.known_items);
    anyhow::ensure!(
        !candidates.is_empty(),
        "expected texts to train on in --texts, found none; give directories of HTML or Markdown, \
         .jsonl or .txt files"
    );
    gathered.texts = candidates;
    Ok(gathered)
}

/// Returns a limit for each of `lens`, so that the limited lengths add up to `total` or slightly
/// more.
fn even_cap(mut lens: Vec<usize>, total: usize) -> usize {
    lens.sort_unstable();
    let mut left = total;
    for (i, &len) in lens.iter().enumerate() {
        let share = left.div_ceil(lens.len() - i);
        if len >= share {
            return share;
        }
        left -= len;
    }
    total
}

/// Folds white space and cuts to [`MAX_WORDS`] words.
fn tidy(text: &str) -> String {
    text.split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" ")
}

fn from_page(page: &Page, seed: u64, texts: &mut Vec<String>, known: &mut Vec<KnownItem>) {
    let own = u64::from_le_bytes(hash128(page.id.as_bytes())[..8].try_into().unwrap_or_default());
    let mut random = SplitMix64(seed ^ own);
    texts.push(page.title.clone());
    for section in &page.sections {
        let prose = prose(section);
        let words: Vec<&str> = prose.split_whitespace().collect();
        if !section.heading.is_empty() {
            texts.push(section.heading.clone());
            if section.heading != page.title {
                texts.push(format!("{} {}", page.title, section.heading));
            }
            if is_english(&page.language) {
                texts.push(question(&section.heading, &mut random));
            }
        }
        if let Some(end) = prose.find(". ") {
            texts.push(prose[..=end].to_owned());
        }
        for _ in 0..words.len() / WORDS_PER_SPAN {
            let n = 2 + random.below(MAX_WORDS - 1);
            let start = random.below(words.len());
            texts.push(words[start..(start + n).min(words.len())].join(" "));
        }
        if section.heading.len() > 8 && words.len() >= 20 {
            known.push(KnownItem {
                query: format!("{} {}", page.title, section.heading),
                text: words[..words.len().min(100)].join(" "),
            });
        }
    }
}

/// Returns whether pages are in English, or declare no language.
fn is_english(language: &str) -> bool {
    language.is_empty() || language == "en" || language.starts_with("en-")
}

fn prose(section: &Section) -> String {
    let blocks: Vec<&str> = section
        .blocks
        .iter()
        .filter(|block| !block.is_code_block)
        .map(|block| block.text.as_str())
        .collect();
    blocks.join(" ")
}

/// Returns a heading as a question that a reader might ask.
fn question(heading: &str, random: &mut SplitMix64) -> String {
    const FORMS: [(&str, &str); 10] = [
        ("how do I ", "?"),
        ("what is ", "?"),
        ("how to ", ""),
        ("", " example"),
        ("how does ", " work?"),
        ("why ", "?"),
        ("when should I use ", "?"),
        ("what does ", " mean"),
        ("explain ", ""),
        ("difference between ", ""),
    ];
    let (before, behind) = FORMS[random.below(FORMS.len())];
    format!("{before}{}{behind}", heading.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::Languages::{All, English};
    use super::*;
    use crate::progress::Silent;

    fn site() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let words = "The borrow checker keeps references valid. ".repeat(20);
        fs::write(
            dir.path().join("a.md"),
            format!("# Ownership\n\n{words}\n\n## Moving values\n\n{words}\n"),
        )
        .unwrap();
        fs::write(dir.path().join("b.txt"), "a line of its own\n\n12345\n").unwrap();
        dir
    }

    #[test]
    fn texts_are_short_distinct_and_of_many_kinds() {
        let dir = site();
        let inputs = [dir.path().join("a.md"), dir.path().join("b.txt")];
        let gathered = gather(&inputs, 1000, 1, English, &Silent).unwrap();
        let has = |text: &str| gathered.texts.iter().any(|t| t == text);
        assert!(has("Ownership") && has("Moving values") && has("Ownership Moving values"));
        assert!(has("The borrow checker keeps references valid."));
        assert!(
            has("a line of its own") && !has("12345"),
            "a text without a letter teaches nothing"
        );
        assert!(gathered.texts.iter().all(|text| text.split(' ').count() <= MAX_WORDS));
        assert_eq!(gathered.texts.iter().collect::<HashSet<_>>().len(), gathered.texts.len());
        assert!(gathered.known_items.iter().any(|item| item.query == "Ownership Moving values"));
    }

    #[test]
    fn pages_in_other_languages_teach_a_teacher_that_has_their_words() {
        let dir = tempfile::tempdir().unwrap();
        let page = |language| {
            format!(
                "<html lang={language}><title>Leihe</title><main><h1>Leihe</h1>\
                 <p>Der Prüfer hält Verweise gültig. Mehr dazu.</p></main></html>"
            )
        };
        fs::write(dir.path().join("de.html"), page("de")).unwrap();
        let inputs = [dir.path().to_owned()];
        assert!(gather(&inputs, 100, 1, English, &Silent).is_err(), "nothing to train on");
        let texts = gather(&inputs, 100, 1, All, &Silent).unwrap().texts;
        assert!(texts.iter().any(|text| text.starts_with("Der Prüfer")), "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains('?')), "questions are English: {texts:?}");
    }

    #[test]
    fn inputs_give_alike() {
        assert_eq!(even_cap(vec![10, 2, 10], 12), 5);
        assert_eq!(even_cap(vec![10, 2, 10], 13), 6, "rounded up; the rest is cut");
        assert_eq!(even_cap(vec![1, 2], 12), 12);
        assert_eq!(even_cap(Vec::new(), 12), 12);
        let dir = tempfile::tempdir().unwrap();
        let lines =
            |what: &str, n: usize| (0..n).map(|i| format!("{what} {i}\n")).collect::<String>();
        let inputs = [dir.path().join("few.txt"), dir.path().join("many.txt")];
        fs::write(&inputs[0], lines("few", 5)).unwrap();
        fs::write(&inputs[1], lines("many", 500)).unwrap();
        let gathered = gather(&inputs, 20, 1, English, &Silent).unwrap();
        assert_eq!(gathered.texts.len(), 20);
        assert_eq!(gathered.texts.iter().filter(|text| text.starts_with("few")).count(), 5);
    }

    #[test]
    fn the_seed_decides_the_sample() {
        let dir = site();
        let inputs = [dir.path().join("a.md")];
        let run = |seed| gather(&inputs, 8, seed, English, &Silent).unwrap().texts;
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        assert_eq!(run(1).len(), 8);
    }

    #[test]
    fn nothing_to_train_on_is_an_error_that_says_what_to_name() {
        let dir = tempfile::tempdir().unwrap();
        let error = gather(&[dir.path().to_owned()], 8, 1, English, &Silent).unwrap_err();
        assert!(error.to_string().contains("--texts"), "{error}");
    }
}
