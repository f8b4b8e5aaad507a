//! Text to tokens.

use crate::identifier::{self, Chunk};
use crate::language_table::{primary_subtag, rules_of};
use crate::mark::{Mark, for_each_mark};
use crate::normalise::{fold_lower_into, lower_into};
use crate::rules::Rules;
use crate::segment::{for_each_pair, next_run};
use crate::variants;
use crate::word_list::WordList;

/// The most bytes of a term. Longer terms (hashes, encoded data) are cut at a character boundary.
pub const MAX_TERM_BYTES: usize = 64;

/// Texts shorter than this (queries) are analysed without the stem cache.
const MIN_CACHED_BYTES: usize = 256;

/// Slots of the stem cache; a power of two. By Zipf's law the few thousand most common words make
/// up most of a text.
const CACHE_SLOTS: usize = 4096;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A word, or two neighbouring characters of a script written without spaces.
    Word,
    /// A word that hardly distinguishes texts of the analyzer's language. It is indexed like any
    /// other word, but a query may do without it.
    Stop,
    /// An identifier as a whole, at the position of its first part. The parts follow.
    Whole,
    /// A part of an identifier.
    Part,
    /// An emoji, another symbol or an operator, at the position of the next word. It is not a
    /// word: it has no position of its own and does not count in the length of a text.
    Mark,
}

impl TokenKind {
    /// Returns whether a token of this kind counts in the length of a text: each position counts
    /// once.
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Whole | Self::Mark)
    }
}

/// One occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The term to index or to look up.
    pub term: &'a str,
    /// The first byte in the text.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The number of the word in the text, from 0. The whole of an identifier has the position of
    /// its first part.
    pub position: u32,
    /// The kind of token.
    pub kind: TokenKind,
}

/// Turns text into tokens, by the rules of one language. It holds reused buffers, so its methods
/// take `&mut`; it is cheap to make.
///
/// A word is made lower case, stemmed by Snowball if the language has a stemmer, and stripped of
/// diacritics. Stop words are flagged, not dropped, and not stemmed. Identifiers come as a whole
/// and by parts. Text beyond 4 GB is not read.
pub struct Analyzer {
    language: String,
    terms: Terms,
    chunk: Chunk,
    whole: String,
}

impl Analyzer {
    /// Returns the analyzer for a language by its BCP 47 tag (`en`, `pt-BR`). Words of a language
    /// without a stemmer are not stemmed.
    pub fn for_language(bcp47: &str) -> Analyzer {
        let language = primary_subtag(bcp47);
        let terms = Terms {
            rules: rules_of(&language),
            turkic: matches!(&*language, "tr" | "az"),
            english: language == "en",
            cache: Vec::new(),
            lower: String::new(),
            term: String::new(),
        };
        Analyzer { language, terms, chunk: Chunk::default(), whole: String::new() }
    }

    /// Returns the language's primary subtag, lower case: `pt` for `pt-BR`.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Calls `sink` with each token, in order of position. Returns the number of positions.
    /// Marks ([`TokenKind::Mark`]) are left out.
    pub fn analyze(&mut self, text: &str, mut sink: impl FnMut(Token<'_>)) -> u32 {
        self.each_token(text, false, &mut sink)
    }

    /// Analyses text as [`Analyzer::analyze`] does, with marks.
    pub fn analyze_with_marks(&mut self, text: &str, mut sink: impl FnMut(Token<'_>)) -> u32 {
        self.each_token(text, true, &mut sink)
    }

    /// Calls `sink` with each token. It is not generic, since a copy for each kind of sink would
    /// add 2 kB to every reader's download.
    fn each_token(&mut self, text: &str, marks: bool, sink: &mut dyn FnMut(Token<'_>)) -> u32 {
        let text = cut(text, u32::MAX as usize);
        let Analyzer { terms, chunk, whole, .. } = self;
        if text.len() >= MIN_CACHED_BYTES && terms.cache.is_empty() {
            terms.cache.resize_with(CACHE_SLOTS, Slot::default);
        }
        let mut tokens = Tokens { sink, marks, position: 0 };
        let mut at = 0;
        while let Some(run) = next_run(text, at) {
            if run.unspaced {
                tokens.marks(text, at, run.start);
                for_each_pair(text, run, |start, end| {
                    tokens.next((start, end), terms.plain(&text[start..end]), TokenKind::Word);
                });
                at = run.end;
                continue;
            }
            chunk.read(text, run, terms.english, at);
            tokens.marks(text, at, chunk.start);
            if chunk.is_identifier() {
                tokens.identifier(text, chunk, terms, whole);
            } else {
                for &(start, end) in &chunk.parts {
                    let (term, is_stop) = terms.word(&text[start..end]);
                    let kind = if is_stop { TokenKind::Stop } else { TokenKind::Word };
                    tokens.next((start, end), term, kind);
                }
            }
            at = chunk.next;
        }
        tokens.marks(text, at, text.len());
        tokens.position
    }
}

/// The tokens of a text on their way to the sink.
struct Tokens<'s> {
    sink: &'s mut dyn FnMut(Token<'_>),
    /// Whether marks are wanted.
    marks: bool,
    /// The position of the next word.
    position: u32,
}

impl Tokens<'_> {
    /// Emits a token at the position of the next word.
    fn here(&mut self, (start, end): (usize, usize), term: &str, kind: TokenKind) {
        if !term.is_empty() {
            let (start, end, position) = (start as u32, end as u32, self.position);
            (self.sink)(Token { term, start, end, position, kind });
        }
    }

    /// Emits a word, and moves on to the next position.
    fn next(&mut self, range: (usize, usize), term: &str, kind: TokenKind) {
        self.here(range, term, kind);
        self.position += 1;
    }

    /// Emits an identifier, whole and by its parts.
    fn identifier(&mut self, text: &str, chunk: &Chunk, terms: &mut Terms, whole: &mut String) {
        let mut add_whole = |(start, end), verbatim, terms: &mut Terms, tokens: &mut Self| {
            whole.clear();
            let has_digit = identifier::whole_into(&text[start..end], verbatim, whole);
            let plain = verbatim || has_digit;
            let term = if plain { terms.plain(whole) } else { terms.word(whole).0 };
            tokens.here((start, end), term, TokenKind::Whole);
        };
        add_whole((chunk.start, chunk.end), chunk.verbatim, terms, self);
        if let Some(number) = chunk.number() {
            add_whole(number, false, terms, self);
        }
        let last = chunk.last_component(text);
        for (i, &(start, end)) in chunk.parts.iter().enumerate() {
            if Some(i) == last {
                // Readers search for `gc.is_finalized` as `is_finalized` too.
                add_whole((start, chunk.end), false, terms, self);
            }
            self.next((start, end), terms.word(&text[start..end]).0, TokenKind::Part);
        }
    }

    /// Emits the marks between two words.
    #[inline]
    fn marks(&mut self, text: &str, from: usize, to: usize) {
        for_each_mark(text, (from, to), |range, mark| match mark {
            Mark::Sign(sign) if self.marks => self.here(range, sign, TokenKind::Mark),
            Mark::Sign(_) => {}
            Mark::Fraction(numerator, denominator) => {
                self.here(range, &format!("{numerator}/{denominator}"), TokenKind::Whole);
                self.next(range, numerator, TokenKind::Part);
                self.next(range, denominator, TokenKind::Part);
            }
        });
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

/// A slot of the direct-mapped cache: the last word that was put there, and its term.
#[derive(Default)]
struct Slot {
    lower: String,
    term: String,
    is_stop: bool,
}

impl Terms {
    /// Returns the term of a word, and whether it is a stop word.
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

    /// Returns the term of a text that is not a word of a language.
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
        // Terms are cut to fewer bytes anyway. The margin is for characters that folding shortens.
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

    /// Derives `self.term` from `self.lower`.
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
        match self.rules.stem {
            Some(stem)
                if !is_stop && lower.len() > 2 && !lower.bytes().any(|b| b.is_ascii_digit()) =>
            {
                let twin = if self.english {
                    // The English stemmer treats a word with accents differently.
                    let mut plain = String::with_capacity(lower.len());
                    fold_lower_into(lower, &mut plain);
                    Some(variants::verb(&plain).unwrap_or(plain))
                } else {
                    self.rules.respell.and_then(|respell| respell(lower))
                };
                fold_lower_into(&stem(twin.as_deref().unwrap_or(lower)), &mut self.term);
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

/// Returns the stop word that `word` is without its apostrophe: `whats`, `dont`. Not `ill`, which
/// is a word.
fn contraction(word: &str, stop_words: WordList) -> Option<&'static str> {
    if !(4..=8).contains(&word.len()) || !(word.ends_with("nt") || word.ends_with('s')) {
        return None;
    }
    let (before, last) = word.split_at(word.len() - 1);
    stop_words.find(&[before, "'", last].concat())
}

/// Returns the beginning of `text`, at most `len` bytes.
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
        Analyzer::for_language(language).analyze_with_marks(text, |t| {
            let mark = match t.kind {
                TokenKind::Word => "",
                TokenKind::Stop => "?",
                TokenKind::Whole => "=",
                TokenKind::Part => "+",
                TokenKind::Mark => "!",
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
    fn names_give_a_whole_and_parts() {
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
    fn plurals_of_acronyms_and_codes_are_one_word() {
        check("en", "URLs APIs IPv4 GHz SHA256 2x", "0url 1api 2ipv4 3ghz 4sha256 52x");
    }

    #[test]
    fn a_number_and_its_unit_are_one_name_with_or_without_a_space() {
        check("en", "64MB, 64 MB", "0=64mb 0+64 1+mb 2=64mb 2+64 3+mb");
        check("en", "64\u{a0}MB 64\u{202f}mb.", "0=64mb 0+64 1+mb 2=64mb 2+64 3+mb");
        check("en", "3.5GHz", "0=3.5ghz 0=3.5 0+3 1+5 2+ghz");
        check("en", "3.5 GHz", "0=3.5ghz 0=3.5 0+3 1+5 2+ghz");
        check("en", "1,250 km", "0=1250km 0=1250 0+1 1+250 2+km");
        check("en", "wait 30s or 30 s now", "0wait 1=30s 1+30 2+s 3?or 4=30s 4+30 5+s 6now");
        check("en", "5µs 5 μs", "0=5μs 0+5 1+μs 2=5μs 2+5 3+μs");
        check("ru", "64 МБ", "0=64мб 0+64 1+мб");
        check("fr", "512 Go", "0=512go 0+512 1+go");
        check("en", "40 m² 40m2", "0=40m2 0+40 1+m2 240m2");
        // No units.
        check("en", "1 to 5 in 3 steps", "01 1?to 25 3?in 43 5step");
        check("en", "3.11.2 s", "0=3.11.2 0+3 1+11 2+2 3s");
        check("en", "3 a 5 seconds", "03 1?a 25 3second");
        check("en", "0x1f 3f2a", "00x1f 13f2a");
    }

    #[test]
    fn digits_in_groups_are_one_number() {
        check("en", "2.750.000 2.750", "0=2750000 0+2 1+750 2+000 3=2.750 3+2 4+750");
        check("en", "1\u{202f}250\u{202f}000", "0=1250000 0+1 1+250 2+000");
        check("en", "1 250 000 x", "0=1250000 0+1 1+250 2+000 3x");
        check("en", "1'250'000 1’250", "0=1250000 0+1 1+250 2+000 3=1250 3+1 4+250");
        check("en", "12,50,000", "0=1250000 0+12 1+50 2+000");
        check("en", "8_400_000", "0=8400000 0+8 1+400 2+000");
        check("en", "1,234,567.89", "0=1234567.89 0+1 1+234 2+567 3+89");
        check("de", "1.234.567,89", "0=1234567 0+1 1+234 2+567 389");
        check("en", "192.168.100.200", "0=192.168.100.200 0+192 1+168 2+100 3+200");
    }

    #[test]
    fn fractions_are_their_numbers() {
        check("en", "5½ inches", "05 1=1/2 1+1 2+2 3inch");
        check("en", "5 1/2 inches", "05 1=1/2 1+1 2+2 3inch");
        check("en", "½", "0=1/2 0+1 1+2");
        check(
            "en",
            "1/2/2020 a/1/2 10.0.0.0/8",
            "01 12 22020 3?a 41 52 6=10.0.0.0 6+10 7+0 8+0 9+0 108",
        );
    }

    #[test]
    fn raised_and_lowered_digits_are_plain_ones() {
        check("en", "CO₂ m³ N₂O₄ x²", "0co2 1m3 2n2o4 3x2");
        check("en", "jitter¹ logged²³ on", "0jitter 1log 2?on");
        check("en", "log² 10⁵", "0=log2 0+log 110 25");
        check("en", "time-zone¹.", "0=timezon 0+time 1+zone");
        check("de", "Der Wert¹ ³", "0?der 1wert 23");
    }

    #[test]
    fn marks_are_tokens_without_a_position() {
        check("en", "=>", "0!=>");
        check("en", "🚀 marks releases", "0!🚀 0mark 1releas");
        check("en", "x => y", "0x 1!=> 1y");
        check("en", "Use `?.` here", "0use 1!?. 1?here");
        check("ja", "検索🚀", "0検索 1!🚀");
    }

    #[test]
    fn invisible_characters_do_not_divide_words() {
        check("en", "ferro\u{200b}magnetic", "0ferromagnet");
        check("en", "Lantern\u{200b}GridBuilder", "0=lanterngridbuild 0+lantern 1+grid 2+builder");
        check("en", "wind\u{feff}ward \u{feff}x", "0windward 1x");
        check("fa", "می\u{200c}شود میشود", "0ميشود 1ميشود");
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
    fn names_keep_the_marks_that_make_them() {
        check("en", "--force-with-lease", "0=--force-with-lease 0+forc 1+with 2+leas");
        check("en", "use `-rf` or (-v)", "0use 1=-rf 1+rf 2?or 3=-v 3+v");
        check("en", "one--two - three -4", "0one 1two 2three 34");
        check("en", "def __init__(self)", "0def 1=__init__ 1+init 2self");
        check("en", ".gitignore *.rs ...so", "0=.gitignore 0+gitignor 1=.rs 1+rs 2!... 2?so");
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
        check("fa", "فارسي فارسی مرکزى", "0فارسي 1فارسي 2مركزي");
        check("ar", "كتابي كتابی", "0كتاب 1كتاب");
        check("ar", "مستشفى مستشفي", "0مستشف 1مستشف");
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
        fn tokens_are_in_order_inside_the_text(
            text in "(\\PC|[a-zA-Z0-9_.:'# +-]|[0-9]{1,3}[., \u{a0}']|[½²₂=>?/🚀]){0,80}",
            language in "en|de|fr|tr|ja|el|ar",
        ) {
            let mut last = (0, 0);
            let n = Analyzer::for_language(&language).analyze_with_marks(&text, |t| {
                assert!(!t.term.is_empty() && t.term.len() <= MAX_TERM_BYTES);
                assert!(text.get(t.start as usize..t.end as usize).is_some_and(|s| !s.is_empty()));
                assert!(t.position >= last.0 && t.position <= last.0 + 1 && t.start >= last.1);
                last = (t.position, t.start);
            });
            assert!(n >= last.0);
        }

        // Neither the cache nor a reused analyzer changes the tokens.
        #[test]
        fn long_texts_are_analysed_like_short_ones(
            words in proptest::collection::vec("[a-zA-Z'é-]{1,9}", 200..400),
        ) {
            let mut short = Vec::new();
            let mut analyzer = Analyzer::for_language("en");
            for word in &words {
                analyzer.analyze(word, |t| short.push((t.term.to_string(), t.kind)));
            }
            let mut long = Vec::new();
            let text = words.join("\n, ");
            let text = text + &" ".repeat(MIN_CACHED_BYTES);
            analyzer.analyze(&text, |t| long.push((t.term.to_string(), t.kind)));
            proptest::prop_assert_eq!(short, long);
        }
    }
}
