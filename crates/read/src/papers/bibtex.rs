//! BibTeX and BibLaTeX.

mod abbreviations;
mod entry;
mod links;

use biblatex::{Bibliography, ParseError, RawBibliography};

use self::abbreviations::{Abbreviations, Refused};
use self::entry::paper_of;
use super::paper::Paper;
use crate::Severity;
use crate::notes::Notes;
use crate::outline::shorten;

/// Deepest nesting of braces that is passed to the parser, which is recursive.
const MAX_DEPTH: usize = 100;

/// Maximum number of entries with a fault that are named.
const MAX_NAMED: usize = 5;

/// Maximum number of bytes of an entry's key in a message.
const MAX_KEY_BYTES: usize = 80;

/// Reads a bibliography. Entries that cannot be read are named and left out.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    if nests_too_deep(text) {
        return one_by_one(text, notes);
    }
    let read = RawBibliography::parse(text).and_then(|mut raw| {
        let mut abbreviations = Abbreviations::of(std::mem::take(&mut raw.abbreviations));
        let lines = Lines::of(text);
        let mut faults = Vec::new();
        let papers = papers_of(raw, &mut abbreviations, &|at| lines.at(at), &mut faults)?;
        Ok((papers, faults))
    });
    match read {
        Ok((papers, faults)) => {
            tell(faults, notes);
            papers
        }
        Err(_) => one_by_one(text, notes),
    }
}

/// Reads each entry separately, so that a damaged entry does not hide the others. References
/// between entries are then not followed.
fn one_by_one(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut strings = Vec::new();
    let mut found = Vec::new();
    for (line, entry) in entries(text) {
        let kind = entry.trim_start_matches('@').trim_start().to_ascii_lowercase();
        if kind.starts_with("comment") || kind.starts_with("preamble") {
            continue;
        }
        if nests_too_deep(entry) {
            notes.malformed(line, &format!("nests braces more than {MAX_DEPTH} levels deep"));
            continue;
        }
        match RawBibliography::parse(entry) {
            Ok(mut raw) => {
                strings.append(&mut raw.abbreviations);
                found.push((line, raw));
            }
            Err(error) => notes.malformed(line, &reason(&error)),
        }
    }
    let mut abbreviations = Abbreviations::of(strings);
    let mut faults = Vec::new();
    let mut papers = Vec::new();
    for (line, raw) in found {
        match papers_of(raw, &mut abbreviations, &|_| line, &mut faults) {
            Ok(read) => papers.extend(read),
            Err(error) => notes.malformed(line, &reason(&error)),
        }
    }
    tell(faults, notes);
    papers
}

/// A fault of an entry, which is read without the faulty part.
struct Fault {
    line: u64,
    key: String,
    what: String,
}

/// Returns the papers of a bibliography whose abbreviations are already resolved. Fields and links
/// that are endless or too large are left out and named in `faults`.
fn papers_of<'s>(
    mut raw: RawBibliography<'s>,
    abbreviations: &mut Abbreviations<'s>,
    line_at: &dyn Fn(usize) -> u64,
    faults: &mut Vec<Fault>,
) -> Result<Vec<Paper>, ParseError> {
    for entry in &mut raw.entries {
        let (line, key) = (line_at(entry.span.start), entry.v.key.v);
        entry.v.fields.retain_mut(|pair| {
            let what = match abbreviations.replace(std::mem::take(&mut pair.value.v)) {
                Ok(field) => {
                    pair.value.v = field;
                    return true;
                }
                Err(Refused::Circle) => "has an abbreviation that contains itself",
                Err(Refused::TooLarge) => "has abbreviations that stand for too much text",
            };
            let what = format!("its field `{}` {what}, and is left out", pair.key.v);
            faults.push(Fault { line, key: key.to_owned(), what });
            false
        });
    }
    for place in links::cut(&mut raw)? {
        let entry = &raw.entries[place];
        let what = "its `crossref` or `xdata` leads back to the entry or to too many others, and \
                    is not followed";
        let line = line_at(entry.span.start);
        faults.push(Fault { line, key: entry.v.key.v.to_owned(), what: what.to_owned() });
    }
    Ok(Bibliography::from_raw(raw)?.iter().map(paper_of).collect())
}

/// Reports the first faults and counts the others.
fn tell(mut faults: Vec<Fault>, notes: &mut Notes) {
    faults.sort_by_key(|fault| fault.line);
    let n_more = faults.len().saturating_sub(MAX_NAMED);
    for Fault { line, mut key, what } in faults.into_iter().take(MAX_NAMED) {
        shorten(&mut key, MAX_KEY_BYTES);
        notes.tell(Severity::Error, Some(line), format!("the entry `{key}`: {what}"));
    }
    if n_more > 0 {
        let reason = format!("has {n_more} more entries with such faults");
        notes.tell(Severity::Error, None, reason);
    }
}

/// The positions at which lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of a byte, from 1.
    fn at(&self, byte: usize) -> u64 {
        self.0.partition_point(|start| *start <= byte) as u64 + 1
    }
}

fn reason(error: &ParseError) -> String {
    format!("is no entry of BibTeX ({})", error.kind)
}

/// Returns the entries of a bibliography, which begin with `@` at the start of a line, with their
/// lines.
fn entries(text: &str) -> Vec<(u64, &str)> {
    let mut starts: Vec<(u64, usize)> = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if line.trim_start().starts_with('@') {
            starts.push((number, at));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([text.len()]);
    starts.iter().zip(ends).map(|(&(number, start), end)| (number, &text[start..end])).collect()
}

fn nests_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> (Vec<String>, Vec<u64>) {
        let mut notes = Notes::default();
        let papers = read(text, &mut notes);
        (papers.into_iter().map(|paper| paper.key).collect(), notes.lines())
    }

    #[test]
    fn a_damaged_entry_does_not_hide_the_others() {
        let text = "@string{jacm = {Journal of the ACM}}\n@article{a, title = {One}, journal = \
                    jacm}\n\n@article{b, title = {Two\n\n@book{c, title = {Three}}\n";
        assert_eq!(keys(text), (vec!["a".into(), "c".into()], vec![4]));
        let papers = read(text, &mut Notes::default());
        assert_eq!(papers[0].venue, "Journal of the ACM");
    }

    #[test]
    fn braces_without_end_are_no_danger() {
        let text = format!(
            "@article{{a, title = {}x{}}}\n@book{{b, title={{T}}}}\n",
            "{".repeat(100_000),
            "}".repeat(100_000)
        );
        assert_eq!(keys(&text), (vec!["b".into()], vec![1]));
        assert_eq!(keys("no entry at all"), (vec![], vec![]));
    }

    /// Returns the keys of the papers, and the number of faults that are named as errors.
    fn faults(text: &str) -> (Vec<String>, usize) {
        let mut notes = Notes::default();
        let papers = read(text, &mut notes);
        (papers.into_iter().map(|paper| paper.key).collect(), notes.n_errors())
    }

    /// Returns a text with two entries of the same key, so that each entry is read separately.
    fn with_a_repeated_key(text: &str) -> String {
        format!("{text}\n@book{{twice, title = {{T}}}}\n@book{{twice, title = {{T}}}}\n")
    }

    #[test]
    fn circles_are_cut_and_named_and_the_entries_are_read() {
        let circles = [
            "@string{a = a}\n@book{x, title = a}",
            "@string{a = \"1\" # a}\n@book{x, title = {T} # a}",
            "@string{a = b}\n@string{b = c # {x}}\n@string{c = {y} # a}\n@book{x, note = b}",
            "@string{jan = jan}\n@book{x, month = jan}",
            "@book{x, crossref = {x}}",
            "@book{x, CrossRef = \"x\"}",
            "@string{me = {x}}\n@book{x, crossref = me}",
            "@book{x, ids = {y, z}, crossref = {z}}",
            "@book{x, crossref = {{x}}}",
            "@xdata{x, xdata = {x}}",
            "@book{x, xdata = {none,x}}",
        ];
        for text in circles {
            assert_eq!(faults(text), (vec!["x".to_owned()], 1), "{text}");
            let alone = faults(&with_a_repeated_key(text));
            assert_eq!(alone, (["x", "twice", "twice"].map(str::to_owned).to_vec(), 1), "{text}");
        }
        let pairs = [
            "@book{x, crossref = {y}}\n@book{y, crossref = {x}}",
            "@book{x, xdata = {y}}\n@xdata{y, xdata = {x}}",
            "@book{x, xdata = {y}}\n@book{y, crossref = {x}}",
            "@book{x, crossref = {alias}}\n@book{y, ids = {alias}, crossref = {x}}",
        ];
        for text in pairs {
            assert_eq!(faults(text), (["x", "y"].map(str::to_owned).to_vec(), 1), "{text}");
        }
    }

    #[test]
    fn what_expands_without_measure_is_cut_and_named() {
        let repeated =
            |from: &str, to: &str| format!("@string{{{to} = {}}}\n", [from; 10].join("#"));
        let mut strings = "@string{s0 = {laughter}}\n".to_owned();
        (0..12).for_each(|i| strings += &repeated(&format!("s{i}"), &format!("s{}", i + 1)));
        let mut empty = "@string{s0 = {}}\n".to_owned();
        (0..12).for_each(|i| empty += &repeated(&format!("s{i}"), &format!("s{}", i + 1)));
        for text in [strings, empty] {
            let text =
                format!("{text}@book{{x, title = {{T}}, note = s12}}\n@book{{y, note = s2}}");
            assert_eq!(faults(&text), (vec!["x".to_owned(), "y".to_owned()], 1));
            assert_eq!(read(&text, &mut Notes::default())[0].title, "T");
        }
        // Each field is small enough, but together they are too large.
        let large = format!("@string{{s = {{{}}}}}\n", "x".repeat(1 << 19));
        let uses: String = (0..400).map(|i| format!("@book{{k{i}, note = s}}\n")).collect();
        assert_eq!(faults(&(large + &uses)).0.len(), 400);
        // Each entry names the next one twice: 2^60 copies.
        let doubled = (0..60).map(|i| format!("@xdata{{k{i}, xdata = {{k{0}, k{0}}}}}\n", i + 1));
        let (papers, n_faults) = faults(&doubled.collect::<String>());
        assert_eq!(papers.len(), 60);
        assert!(n_faults > 0);
        let many = format!(
            "@book{{x, xdata = {{{}}}}}\n@xdata{{a, title = {{T}}}}",
            "a,".repeat(1_000_000)
        );
        assert_eq!(faults(&many), (vec!["x".to_owned(), "a".to_owned()], 1));
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let n = 50_000;
        let strings: String = (0..n).map(|i| format!("@string{{s{} = s{i}}}\n", i + 1)).collect();
        let text = format!("{strings}@string{{s0 = {{end}}}}\n@book{{x, title = s{n}}}");
        assert_eq!(read(&text, &mut Notes::default())[0].title, "end");
        let chain: String =
            (0..n).map(|i| format!("@book{{k{i}, crossref = {{k{}}}}}\n", i + 1)).collect();
        let (papers, n_faults) = faults(&chain);
        assert_eq!((papers.len(), n_faults), (n, MAX_NAMED + 1));
    }

    #[test]
    fn links_within_limits_are_followed() {
        let text = "@string{pub = {Press}}\n@inproceedings{a, title={A}, crossref={p}}\n\
                    @proceedings{p, title={Proceedings}, publisher=pub # { of } # pub, year=2020, \
                    xdata={d}}\n@xdata{d, location={Here}}";
        let papers = read(text, &mut Notes::default());
        assert_eq!(papers[0].venue, "Proceedings");
        assert_eq!(papers[1].venue, "Press of Press");
        assert_eq!(faults(text).1, 0);
    }
}
