//! Text to tokens.

use crate::identifier::{self, Chunk};
use crate::normalise::{fold_lower_into, lower_into};
use crate::rules::{Rules, primary_subtag};
use crate::segment::{for_each_pair, next_run};
use crate::stop::StopWords;
use crate::variants;

/// The most bytes a term can have. What is longer (hashes, encoded blobs) is cut at a character
/// boundary.
pub const MAX_TERM_BYTES: usize = 64;

/// Texts shorter than this (queries) are analysed without filling the stem cache.
const CACHE_FROM_BYTES: usize = 256;

/// Slots of the stem cache; a power of two. Zipf's law gives the first thousands of words most of a
/// text.
const CACHE_SLOTS: usize = 4096;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A word, or two neighbouring characters of a script written without spaces.
    Word,
    /// A word that hardly distinguishes texts of the analyzer's language: indexed like any other,
    /// but a query may do without it.
    Stop,
    /// An identifier as a whole, at the position of its first part. The parts follow.
    Whole,
    /// A part of an identifier.
    Part,
}

/// One occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What to index or to look up.
    pub term: &'a str,
    /// First byte in the text.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// Number of the word in the text, from 0. An identifier's whole shares that of its first
    /// part.
    pub position: u32,
    /// What it is.
    pub kind: TokenKind,
}

/// Turns text into tokens, by the rules of one language. Holds reused buffers, therefore `&mut`;
/// cheap to make.
///
/// A word is made lower case, stemmed by Snowball where the language has a stemmer, and freed of
/// diacritics. Stop words are flagged, not dropped, and not stemmed. Identifiers come whole and by
/// parts. Text beyond 4 GB is not read.
pub struct Analyzer {
    language: String,
    terms: Terms,
    chunk: Chunk,
    whole: String,
}

impl Analyzer {
    /// The analyzer for a language, BCP 47 (`en`, `pt-BR`). A language without a stemmer gets none.
    pub fn for_language(bcp47: &str) -> Analyzer {
        let language = primary_subtag(bcp47);
        let terms = Terms {
            rules: Rules::of(&language),
            turkic: matches!(&*language, "tr" | "az"),
            english: language == "en",
            cache: Vec::new(),
            lower: String::new(),
            term: String::new(),
        };
        Analyzer { language, terms, chunk: Chunk::default(), whole: String::new() }
    }

    /// The language's primary subtag, lower case: `pt` for `pt-BR`.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Calls `sink` with each token, in order of position; returns how many positions there are.
    pub fn analyze(&mut self, text: &str, mut sink: impl FnMut(Token<'_>)) -> u32 {
        self.each_token(text, &mut sink)
    }

    /// One function for all sinks, each of which would be a copy of some 2 kB in every reader's
    /// download.
    fn each_token(&mut self, text: &str, sink: &mut dyn FnMut(Token<'_>)) -> u32 {
        let text = cut(text, u32::MAX as usize);
        let Analyzer { terms, chunk, whole, .. } = self;
        if text.len() >= CACHE_FROM_BYTES && terms.cache.is_empty() {
            terms.cache.resize_with(CACHE_SLOTS, Slot::default);
        }
        let mut position = 0;
        let mut at = 0;
        while let Some(run) = next_run(text, at) {
            let mut emit = |(start, end): (usize, usize), term: &str, kind, position| {
                if !term.is_empty() {
                    sink(Token { term, start: start as u32, end: end as u32, position, kind });
                }
            };
            if run.unspaced {
                for_each_pair(text, run, |start, end| {
                    emit((start, end), terms.plain(&text[start..end]), TokenKind::Word, position);
                    position += 1;
                });
                at = run.end;
                continue;
            }
            chunk.read(text, run, terms.english, at);
            if chunk.is_identifier() {
                whole.clear();
                let has_digit =
                    identifier::whole_into(&text[chunk.start..chunk.end], chunk.verbatim, whole);
                let term = if chunk.verbatim || has_digit {
                    terms.plain(whole)
                } else {
                    terms.word(whole).0
                };
                emit((chunk.start, chunk.end), term, TokenKind::Whole, position);
                let last = chunk.last_component(text);
                for (i, &(start, end)) in chunk.parts.iter().enumerate() {
                    if Some(i) == last {
                        // `gc.is_finalized` is asked for as `is_finalized` too.
                        whole.clear();
                        let has_digit =
                            identifier::whole_into(&text[start..chunk.end], false, whole);
                        let term = if has_digit { terms.plain(whole) } else { terms.word(whole).0 };
                        emit((start, chunk.end), term, TokenKind::Whole, position);
                    }
                    emit((start, end), terms.word(&text[start..end]).0, TokenKind::Part, position);
                    position += 1;
                }
            } else {
                for &(start, end) in &chunk.parts {
                    let (term, is_stop) = terms.word(&text[start..end]);
                    let kind = if is_stop { TokenKind::Stop } else { TokenKind::Word };
                    emit((start, end), term, kind, position);
                    position += 1;
                }
            }
            at = chunk.end;
        }
        position
    }
}

/// Words to terms.
struct Terms {
    rules: Rules,
    turkic: bool,
    english: bool,
    cache: Vec<Slot>,
    lower: String,
    term: String,
}

/// A place of the direct-mapped cache: the last word that fell on it, and its term.
#[derive(Default)]
struct Slot {
    lower: String,
    term: String,
    is_stop: bool,
}

impl Terms {
    /// The term of a word, and whether it is a stop word.
    #[inline]
    fn word(&mut self, word: &str) -> (&str, bool) {
        let hash = self.lower(word);
        if self.cache.is_empty() {
            let is_stop = self.derive();
            return (&self.term, is_stop);
        }
        let place = hash as usize & (CACHE_SLOTS - 1);
        if self.cache[place].lower != self.lower {
            let is_stop = self.derive();
            let slot = &mut self.cache[place];
            slot.lower.clone_from(&self.lower);
            slot.term.clone_from(&self.term);
            slot.is_stop = is_stop;
        }
        let slot = &self.cache[place];
        (&slot.term, slot.is_stop)
    }

    /// The term of what is no word of a language.
    fn plain(&mut self, text: &str) -> &str {
        self.lower(text);
        self.term.clear();
        fold_lower_into(&self.lower, &mut self.term);
        cut_in_place(&mut self.term);
        &self.term
    }

    /// Puts `word` into `self.lower`; returns a hash of it.
    #[inline]
    fn lower(&mut self, word: &str) -> u32 {
        // What is cut off here could not be seen in the term; the margin is for what folding
        // shortens.
        let word = cut(word, 4 * MAX_TERM_BYTES);
        self.lower.clear();
        if word.is_ascii() && !self.turkic {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            lower_into(word, self.turkic, &mut self.lower);
        }
        let mut hash = 0x811c_9dc5_u32;
        for &byte in self.lower.as_bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        hash ^ hash >> 15
    }

    /// From `self.lower` to `self.term`.
    fn derive(&mut self) -> bool {
        let mut lower = &*self.lower;
        self.term.clear();
        let mut is_stop = self.rules.stop_words.contains(lower);
        if !is_stop
            && self.english
            && let Some(contraction) = contraction(lower, self.rules.stop_words)
        {
            (lower, is_stop) = (contraction, true);
        }
        if !is_stop && self.english {
            lower = lower.strip_suffix("'s").unwrap_or(lower);
        }
        match &self.rules.stemmer {
            Some(stemmer)
                if !is_stop && lower.len() > 2 && !lower.bytes().any(|b| b.is_ascii_digit()) =>
            {
                let twin = if self.english {
                    // English words are as good without their accents, and stemmed alike only
                    // without.
                    let mut plain = String::with_capacity(lower.len());
                    fold_lower_into(lower, &mut plain);
                    Some(variants::verb(&plain).unwrap_or(plain))
                } else {
                    self.rules.respell.and_then(|respell| respell(lower))
                };
                fold_lower_into(&stemmer.stem(twin.as_deref().unwrap_or(lower)), &mut self.term);
                if self.english {
                    variants::fold(&mut self.term);
                }
            }
            _ => fold_lower_into(lower, &mut self.term),
        }
        cut_in_place(&mut self.term);
        is_stop
    }
}

/// The stop word that `word` is without its apostrophe: `whats`, `dont`. Only those that are no
/// words besides, as `ill` is.
fn contraction(word: &str, stop_words: StopWords) -> Option<&'static str> {
    if !(4..=8).contains(&word.len()) || !(word.ends_with("nt") || word.ends_with('s')) {
        return None;
    }
    let same = |stop: &&str| {
        let mut letters = stop.bytes().filter(|b| *b != b'\'');
        stop.len() == word.len() + 1
            && stop.as_bytes().get(word.len() - 1) == Some(&b'\'')
            && word.bytes().all(|b| letters.next() == Some(b))
    };
    stop_words.iter().find(same)
}

/// The beginning of `text`, at most `len` bytes.
fn cut(text: &str, len: usize) -> &str {
    if text.len() <= len { text } else { &text[..text.floor_char_boundary(len)] }
}

fn cut_in_place(term: &mut String) {
    if term.len() > MAX_TERM_BYTES {
        term.truncate(term.floor_char_boundary(MAX_TERM_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, expect: &str) {
        let mut got = Vec::new();
        Analyzer::for_language(language).analyze(text, |t| {
            let mark = match t.kind {
                TokenKind::Word => "",
                TokenKind::Stop => "?",
                TokenKind::Whole => "=",
                TokenKind::Part => "+",
            };
            got.push(format!("{}{mark}{}", t.position, t.term));
        });
        assert_eq!(got.join(" "), expect, "{language}: {text}");
    }

    #[test]
    fn english_prose() {
        check("en", "", "");
        check("en", "Sharing the threads' data.", "0share 1?the 2thread 3data");
        check("en", "Rust’s caching, don't panic", "0rust 1cach 2?don't 3panic");
        check("en", "whats new, dont ill shed", "0?what's 1new 2?don't 3ill 4shed");
        check("en", "naïve café", "0naiv 1cafe");
        check("en", "résumé resume", "0resum 1resum");
        check("en", "O'Reilly", "0o'reilli");
        check("en", "end. Next", "0end 1next");
    }

    #[test]
    fn names_come_whole_and_by_parts() {
        check("en", "HashMap", "0=hashmap 0+hash 1+map");
        check("en", "hashmap", "0hashmap");
        check("en", "XMLHttpRequest", "0=xmlhttprequest 0+xml 1+http 2+request");
        check("en", "try_into_iter x", "0=tryintoit 0+tri 1+into 2+iter 3x");
        check("en", "MAX_LEN", "0=maxlen 0+max 1+len");
        check("en", "std::sync::Mutex", "0=stdsyncmutex 0+std 1+sync 2+mutex");
        check("en", "gc.is_finalized()", "0=gcisfin 0+gc 1=isfin 1+is 2+final");
        check("en", "os.path.join", "0=ospathjoin 0+os 1+path 2+join");
        check("en", "Base64Encoder", "0=base64encoder 0+base64 1+encod");
        check(
            "en",
            "pre-commit preCommit",
            "0=precommit 0+pre 1+commit 2=precommit 2+pre 3+commit",
        );
        check("en", "read-only\u{2011}file", "0=readonlyfil 0+read 1+onli 2+file");
    }

    #[test]
    fn plurals_of_acronyms_and_units_stay_whole() {
        check("en", "URLs APIs IPv4 GHz SHA256 2D", "0url 1api 2ipv4 3ghz 4sha256 52d");
    }

    #[test]
    fn codes_versions_and_dates() {
        check("en", "error[E0382]: moved", "0error 1e0382 2move");
        check("en", "Python 3.11.2.", "0python 1=3.11.2 1+3 2+11 3+2");
        check("en", "v1.2", "0=v1.2 0+v1 1+2");
        check("en", "2021-03-04", "0=2021-03-04 0+2021 1+03 2+04");
        check(
            "en",
            "1,000 1000 1,2 10,000,000",
            "0=1000 0+1 1+000 21000 31 42 5=10000000 5+10 6+000 7+000",
        );
        check("en", "utf-8 utf8", "0=utf8 0+utf 1+8 2utf8");
    }

    #[test]
    fn marks_that_make_a_name() {
        check("en", "--force-with-lease", "0=--force-with-lease 0+forc 1+with 2+leas");
        check("en", "use `-rf` or (-v)", "0use 1=-rf 1+rf 2?or 3=-v 3+v");
        check("en", "one--two - three -4", "0one 1two 2three 34");
        check("en", "def __init__(self)", "0def 1=__init__ 1+init 2self");
        check("en", ".gitignore *.rs ...so", "0=.gitignore 0+gitignor 1=.rs 1+rs 2?so");
        check("en", "C++ and C#, i++; issue #12", "0=c++ 0+c 1?and 2=c# 2+c 3=i++ 3+i 4issu 512");
    }

    #[test]
    fn languages() {
        check("de", "Die Häuser der Straße", "0?die 1haus 2?der 3strass");
        check(
            "de",
            "Größe groesse Müller Mueller neue Statuen",
            "0gross 1gross 2mull 3mull 4neu 5statu",
        );
        check("fr", "l'avion décollait", "0?l 1avion 2decoll");
        check("xx", "Wörter laufend", "0worter 1laufend");
        check("tr", "IŞIK İstanbul'da", "0isik 1istanbul 2da");
        check("ja", "全文検索", "0全文 1文検 2検索");
        check("ja", "ﾒﾓﾘ ﾊﾞｸﾞ", "0メモ 1モリ 2バグ");
        check("ja", "Rustの検索 x", "0rust 1の検 2検索 3x");
        check("ru", "Угнетённые и", "0угнетен 1?и");
    }

    #[test]
    fn long_terms_are_cut() {
        let mut lens = Vec::new();
        Analyzer::for_language("de").analyze(&"ö".repeat(500), |t| lens.push(t.term.len()));
        assert_eq!(lens, [MAX_TERM_BYTES]);
        Analyzer::for_language("en")
            .analyze(&"abcDef".repeat(500), |t| assert!(t.term.len() <= MAX_TERM_BYTES));
    }

    proptest::proptest! {
        #[test]
        fn tokens_are_in_order_inside_the_text(text in "(\\PC|[a-zA-Z0-9_.:'# +-]){0,80}", language in "en|de|fr|tr|ja|el|ar") {
            let mut last = (0, 0);
            let n = Analyzer::for_language(&language).analyze(&text, |t| {
                assert!(!t.term.is_empty() && t.term.len() <= MAX_TERM_BYTES);
                assert!(text.get(t.start as usize..t.end as usize).is_some_and(|s| !s.is_empty()));
                assert!(t.position >= last.0 && t.position <= last.0 + 1 && t.start >= last.1);
                last = (t.position, t.start);
            });
            assert!(n >= last.0);
        }

        // The cache and a reused analyzer change nothing.
        #[test]
        fn long_texts_are_analysed_like_short_ones(words in proptest::collection::vec("[a-zA-Z'é-]{1,9}", 200..400)) {
            let mut short = Vec::new();
            let mut analyzer = Analyzer::for_language("en");
            for word in &words {
                analyzer.analyze(word, |t| short.push((t.term.to_string(), t.kind)));
            }
            let mut long = Vec::new();
            let text = words.join("\n, ");
            let text = text + &" ".repeat(CACHE_FROM_BYTES);
            analyzer.analyze(&text, |t| long.push((t.term.to_string(), t.kind)));
            proptest::prop_assert_eq!(short, long);
        }
    }
}
