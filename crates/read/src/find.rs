//! The search for the files of inputs, and for the format of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::file::{File, matches_page, relative, relative_pattern};
use super::tree::{Fault, Tree};
use super::unknown_files::UnknownFiles;
use super::{
    Format, Options, Problem, Severity, api_description, code, conversations, documents, manual,
    papers,
};

/// The file that marks a bundle. Files beside it are the output of a build, so they are not input.
const BUNDLE_ENTRY: &str = "findling.idx";

/// Finds the files of all inputs, in the order of their ids.
pub(super) fn find(
    inputs: &[PathBuf],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<File> {
    let options = &options.within(inputs);
    let mut tell = |severity, path: &Path, reason: String| {
        on_problem(Problem { severity, path: path.to_owned(), line: None, reason });
    };
    let root = options.root.clone().or_else(|| common_root(inputs, &options.tree));
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for input in inputs {
        if let Err(error) = options.tree.len(input) {
            tell(Severity::Error, input, format!("cannot be read: {error}"));
            continue;
        }
        let found = if options.tree.is_dir(input) {
            walk(input, root.as_deref(), options, &mut tell)
        } else {
            match options.format.or_else(|| format_of_file(input, &options.tree)) {
                Some(format) => vec![(input.clone(), format)],
                None => {
                    tell(Severity::Error, input, not_read(input));
                    continue;
                }
            }
        };
        for (path, format) in found {
            let id = relative(&path, root.as_deref());
            if let Some(known) = files.get(&id) {
                if known.path != path {
                    tell(
                        Severity::Warning,
                        &path,
                        format!(
                            "is left out: it has the same path below the root as {}",
                            known.path.display()
                        ),
                    );
                }
                continue;
            }
            files.insert(id.clone(), File { id, path, format, package: None });
        }
    }
    files.into_values().collect()
}

/// Returns the message about a file of no known format.
fn not_read(path: &Path) -> String {
    match documents::remedy(path) {
        Some(remedy) => format!("is in a form that is not read; {remedy}"),
        None => "expected a .html, .md, .rst, .adoc, .org, .jsonl, .pdf, .docx, .odt, .epub, \
                 .ipynb or .txt file, a manual page, an OpenAPI description, source code, a \
                 conversation or a bibliography, found \
                 something else; give its format with --format html|markdown|rst|asciidoc|org|\
                 jsonl|code|chats|pdf|papers|documents"
            .to_owned(),
    }
}

/// Returns the directory that paths are relative to: the only directory given, or the deepest one
/// that contains all inputs.
fn common_root(inputs: &[PathBuf], tree: &Tree) -> Option<PathBuf> {
    let directory = |input: &PathBuf| {
        if tree.is_dir(input) { Some(input.clone()) } else { input.parent().map(Path::to_owned) }
    };
    let mut directories =
        inputs.iter().filter(|input| tree.len(input).is_ok()).filter_map(directory);
    let mut common = directories.next()?;
    for directory in directories {
        while !directory.starts_with(&common) {
            if !common.pop() {
                return None;
            }
        }
    }
    Some(common)
}

/// Returns the format of a file, by its name, and by its beginning if the name does not determine
/// it.
fn format_of_file(path: &Path, tree: &Tree) -> Option<Format> {
    if papers::is_bibliography(path, tree) {
        return Some(Format::Papers);
    }
    if api_description::is_one(path, tree) || manual::is_one(path, tree) {
        return Some(Format::Documents);
    }
    if conversations::is_conversations(path, tree) {
        return Some(Format::Chats);
    }
    Format::of_name(path).or_else(|| code::is_code(path).then_some(Format::Code))
}

/// Returns all files below a directory that have its format: the requested one, or else the format
/// of most files.
fn walk(
    directory: &Path,
    root: Option<&Path>,
    options: &Options,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<(PathBuf, Format)> {
    // A data set in the BEIR layout: its queries are not documents.
    let corpus = directory.join("corpus.jsonl");
    if options.format.is_none_or(|format| format == Format::Jsonl) && options.tree.is_file(&corpus)
    {
        return vec![(corpus, Format::Jsonl)];
    }
    if options.format == Some(Format::Code) {
        return walk_code(directory, root, options, tell);
    }
    let mut found = below(directory, root, options, tell);
    if options.format == Some(Format::Chats) {
        return all_as(
            Format::Chats,
            found.that(|path| conversations::has_name(path, &options.tree)),
            directory,
            tell,
        );
    }
    if options.format == Some(Format::Papers) {
        return all_as(
            Format::Papers,
            found.that(|path| papers::has_name(path, &options.tree)),
            directory,
            tell,
        );
    }
    if options.format.is_none()
        && let Some(files) = not_of_a_site(&found, directory, root, options, tell)
    {
        return files;
    }
    let unknown = std::mem::take(&mut found.unknown);
    let format = options.format.unwrap_or_else(|| found.most());
    let also = if options.format.is_none() { read_along(&found.named, format) } else { &[] };
    let (mut taken, mut left): (Vec<_>, Vec<_>) =
        found.named.into_iter().partition(|(_, found)| *found == format || also.contains(found));
    let texts = found.texts.into_iter().map(|path| (path, Format::Documents));
    let is_asked = options.format.is_none_or(|format| format == Format::Documents);
    if options.format.is_some_and(|format| matches!(format, Format::Rst | Format::Asciidoc)) {
        // Python, Django and git keep their documentation in files of this name.
        taken.extend(texts.map(|(path, _)| (path, format)));
    } else if is_asked && is_of_documents(&taken, format) {
        taken.extend(texts);
        for path in &found.refused {
            tell(Severity::Skipped, path, not_read(path));
        }
    } else {
        left.extend(texts);
    }
    for (path, _) in left {
        tell(
            Severity::Skipped,
            &path,
            format!("the directory is read as {}; choose with --format", format.title()),
        );
    }
    if taken.is_empty() {
        let reason = match options.format {
            Some(format) => format!("holds no {} files", format.title()),
            None => "expected .html, .md, .rst, .adoc, .org, .jsonl, .pdf, .docx, .odt, .epub, \
                     .ipynb or .txt files, manual pages, source code, conversations or a \
                     bibliography in it, \
                     found none"
                .to_owned(),
        };
        tell(Severity::Error, directory, reason);
    } else {
        unknown.tell(tell);
    }
    taken
}

/// Files below a directory.
#[derive(Default)]
struct Found {
    /// Files whose names show their format.
    named: Vec<(PathBuf, Format)>,
    /// Plain text files. Such files have many purposes and say nothing about their directory.
    texts: Vec<PathBuf>,
    /// Files in a form that is not read, although people keep text in it.
    refused: Vec<PathBuf>,
    /// Files whose names show that they may be conversations or papers.
    others: Vec<PathBuf>,
    /// Files of an unknown kind. For each extension: their number, and one of them.
    unknown: UnknownFiles,
}

impl Found {
    fn count(&self, format: Format) -> usize {
        self.named.iter().filter(|(_, found)| *found == format).count()
    }

    /// Returns the format of most files. On a tie the first format wins: if there are as many
    /// rendered pages as sources, the site shows the rendered pages.
    fn most(&self) -> Format {
        let formats = [
            Format::Documents,
            Format::Pdf,
            Format::Jsonl,
            Format::Org,
            Format::Asciidoc,
            Format::Rst,
            Format::Markdown,
            Format::Html,
        ];
        if self.named.is_empty() && !(self.texts.is_empty() && self.refused.is_empty()) {
            return Format::Documents;
        }
        let most = formats.into_iter().max_by_key(|format| self.count(*format));
        let most = most.unwrap_or(Format::Html);
        // Pages that authors write in several forms are one site.
        let n_markup = self.n_markup();
        let first = formats.into_iter().filter(|format| format.is_markup());
        match first.max_by_key(|format| self.count(*format)) {
            Some(markup) if !most.is_markup() && n_markup > self.count(most) => markup,
            _ => most,
        }
    }

    /// Returns the number of pages in formats that authors write.
    fn n_markup(&self) -> usize {
        self.named.iter().filter(|(_, format)| format.is_markup()).count()
    }

    /// Returns files with names of a kind, in the order of their paths.
    fn that(&self, is: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let named = self.named.iter().map(|(path, _)| path);
        let mut files: Vec<PathBuf> =
            named.chain(&self.others).chain(&self.texts).filter(|path| is(path)).cloned().collect();
        files.sort();
        files
    }
}

/// Returns all files below a directory that may be input.
fn below(
    directory: &Path,
    root: Option<&Path>,
    options: &Options,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Found {
    let mut found = Found::default();
    let tree = &options.tree;
    let is_left_out = |path: &Path, is_dir: bool| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if options.format == Some(Format::Chats) && conversations::is_kept_hidden(&name) {
            return false;
        }
        let is_excluded = || {
            let path = relative(path, root);
            options.exclude.iter().any(|pattern| matches_path(pattern, &path))
        };
        is_passed_over(path, is_dir, tree) || is_excluded()
    };
    let mut links_out = Vec::new();
    tree.walk(directory, &is_left_out, &mut |entry| match entry {
        Ok(path) => match Format::of_name(&path) {
            Some(_) if documents::is_plain(&path) => found.texts.push(path),
            Some(format) => found.named.push((path, format)),
            None if api_description::is_one(&path, tree) || manual::is_one(&path, tree) => {
                found.named.push((path, Format::Documents));
            }
            None if conversations::has_name(&path, tree) || papers::has_name(&path, tree) => {
                found.others.push(path);
            }
            None if documents::remedy(&path).is_some() => found.refused.push(path),
            None => found.unknown.note(path),
        },
        Err((path, Fault::LeadsOut)) => links_out.push(path),
        Err((path, Fault::LinksBackTo(above))) => {
            tell(Severity::Skipped, &path, format!("links back to {}", above.display()));
        }
        // A page that is missing is an error, a script is not.
        Err((path, Fault::Dangling)) if Format::of_name(&path).is_none() => {
            tell(Severity::Skipped, &path, "links to a file that is not there".to_owned());
        }
        Err((path, Fault::Dangling)) => {
            tell(Severity::Error, &path, "links to a file that is not there".to_owned());
        }
        Err((path, Fault::Unreadable(error))) => {
            tell(Severity::Error, &path, format!("cannot be read: {error}"));
        }
    });
    links_left_out(links_out, tell);
    found
}

/// Reports links that are not followed. Links to files of forms that are not read are reported only
/// to a user who asks for details.
pub(super) fn links_left_out(links: Vec<PathBuf>, tell: &mut dyn FnMut(Severity, &Path, String)) {
    let mut n_told = 0_usize;
    let mut n_more = 0_usize;
    let mut last = PathBuf::new();
    for path in links {
        // A directory has no extension that shows its contents.
        let is_wanted =
            path.is_dir() || Format::of_name(&path).is_some() || papers::has_own_name(&path);
        n_told += usize::from(is_wanted);
        if is_wanted && n_told > MAX_TOLD_LINKS {
            n_more += 1;
            last = path;
            continue;
        }
        let severity = if is_wanted { Severity::Warning } else { Severity::Skipped };
        tell(severity, &path, LEADS_OUT.to_owned());
    }
    if n_more > 0 {
        let reason = format!("{LEADS_OUT} (and so do {} more links)", n_more - 1);
        tell(Severity::Warning, &last, reason);
    }
}

/// Largest number of links out of an input that are named.
const MAX_TOLD_LINKS: usize = 5;

/// The message about a link that is not followed.
const LEADS_OUT: &str =
    "is left out: it is a link that leads out of the input; --follow-links follows such links";

/// Returns the files of a directory that is not a site, because most of it is code, conversations
/// or papers.
fn not_of_a_site(
    found: &Found,
    directory: &Path,
    root: Option<&Path>,
    options: &Options,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Option<Vec<(PathBuf, Format)>> {
    let chats = found.that(|path| conversations::has_name(path, &options.tree));
    // An export contains a page that displays it.
    if conversations::is_unpacked_export(directory, &options.tree) {
        return Some(chats.into_iter().map(|path| (path, Format::Chats)).collect());
    }
    if papers::is_library(directory, &options.tree) {
        let papers = found.that(|path| papers::has_name(path, &options.tree));
        return Some(papers.into_iter().map(|path| (path, Format::Papers)).collect());
    }
    let mut left = Vec::new();
    let code = walk_code(directory, root, options, &mut |severity, path, reason| {
        left.push((severity, path.to_owned(), reason));
    });
    let counts = code::Counts::of(directory, code.iter().map(|(path, _)| path.as_path()));
    let are_chats = chats.len() > counts.all_programs() && are_conversations(&chats, &options.tree);
    if !are_chats && code::is_repository(directory, &options.tree, &counts) {
        for (severity, path, reason) in left {
            tell(severity, &path, reason);
        }
        return Some(code);
    }
    // Rendered pages belong to a site, regardless of other files.
    if found.count(Format::Html) > 0 {
        return None;
    }
    let papers = found.that(|path| papers::has_name(path, &options.tree));
    if are_papers(&papers, found.n_markup(), &options.tree) {
        return Some(papers.into_iter().map(|path| (path, Format::Papers)).collect());
    }
    // Transcripts are Markdown too.
    let n_transcripts =
        chats.iter().filter(|path| Format::of_name(path).is_some_and(Format::is_markup)).count();
    let n_markup = found.n_markup().saturating_sub(n_transcripts);
    let are_chats = chats.len() > n_markup && are_conversations(&chats, &options.tree);
    are_chats.then(|| chats.into_iter().map(|path| (path, Format::Chats)).collect())
}

/// Returns the files of a directory that is read as one format.
fn all_as(
    format: Format,
    files: Vec<PathBuf>,
    directory: &Path,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<(PathBuf, Format)> {
    if files.is_empty() {
        tell(Severity::Error, directory, format!("holds no {}", format.title()));
    }
    files.into_iter().map(|path| (path, format)).collect()
}

/// Returns whether files that may contain papers do so: one of them is a bibliography, and they
/// outnumber the Markdown files, which may belong to the papers.
fn are_papers(files: &[PathBuf], n_markdown: usize, tree: &Tree) -> bool {
    files.len() > 2 * n_markdown
        && files.iter().take(MAX_SNIFFED).any(|path| papers::is_bibliography(path, tree))
}

/// Largest number of files of a directory that are opened to find out whether they are
/// conversations.
const MAX_SNIFFED: usize = 64;

/// Returns whether at least half of some files are conversations.
fn are_conversations(files: &[PathBuf], tree: &Tree) -> bool {
    let sniffed = &files[..files.len().min(MAX_SNIFFED)];
    let n_chats = sniffed.iter().filter(|path| conversations::is_conversations(path, tree)).count();
    n_chats * 2 >= sniffed.len() && n_chats > 0
}

/// Returns the files of code below a directory.
fn walk_code(
    directory: &Path,
    root: Option<&Path>,
    options: &Options,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<(PathBuf, Format)> {
    let is_excluded = |path: &Path| {
        let path = relative(path, root);
        options.exclude.iter().any(|pattern| matches_page(pattern, &path))
    };
    let files = code::walk(directory, &options.tree, &is_excluded, tell);
    if files.is_empty() {
        let reason = "holds no source code that .gitignore does not leave out".to_owned();
        tell(Severity::Error, directory, reason);
    }
    files.into_iter().map(|path| (path, Format::Code)).collect()
}

/// Returns whether a directory, from which these files are read, is a folder of documents and not
/// the source of a site.
fn is_of_documents(taken: &[(PathBuf, Format)], format: Format) -> bool {
    match format {
        Format::Documents | Format::Pdf => true,
        format if format.is_markup() => taken.iter().any(|(path, format)| {
            *format == Format::Pdf || *format == Format::Documents && documents::is_office(path)
        }),
        _ => false,
    }
}

/// Returns the formats that are read together with the format of most files. Notes, PDFs and
/// documents in one directory belong together. PDFs beside rendered pages are downloads, and the
/// pages describe them.
fn read_along(found: &[(PathBuf, Format)], format: Format) -> &'static [Format] {
    match format {
        Format::Html if is_mixed(found, format, Format::Markdown) => &[Format::Markdown],
        Format::Markdown if is_mixed(found, format, Format::Html) => &ALONG_WITH_HTML,
        Format::Markdown
        | Format::Rst
        | Format::Asciidoc
        | Format::Org
        | Format::Pdf
        | Format::Documents => &ALONG,
        Format::Html | Format::Jsonl | Format::Code | Format::Chats | Format::Papers => &[],
    }
}

/// Notes, PDFs and documents.
const ALONG: [Format; 6] =
    [Format::Markdown, Format::Rst, Format::Asciidoc, Format::Org, Format::Pdf, Format::Documents];

const ALONG_WITH_HTML: [Format; 6] =
    [Format::Html, Format::Rst, Format::Asciidoc, Format::Org, Format::Pdf, Format::Documents];

/// Returns whether files of the other format also belong to the site: they are at least a third of
/// the files, and none of them is the source of a rendered page.
fn is_mixed(found: &[(PathBuf, Format)], format: Format, other: Format) -> bool {
    let paths = |format| found.iter().filter(move |(_, found)| *found == format);
    let stems: BTreeSet<PathBuf> = paths(format).map(|(path, _)| path.with_extension("")).collect();
    let count = paths(other).count();
    count * 3 >= paths(format).count() + count
        && count > 0
        && paths(other).all(|(path, _)| !stems.contains(&path.with_extension("")))
}

/// Returns whether to skip a file: it is hidden, a dependency, or part of a bundle of an earlier
/// build.
fn is_passed_over(path: &Path, is_dir: bool, tree: &Tree) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.')
        || (is_dir && (name == "node_modules" || tree.is_file(&path.join(BUNDLE_ENTRY))))
}

/// Returns whether a pattern matches a path. The walk does not enter directories that match, so
/// paths below them need no test.
fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern = relative_pattern(pattern);
    pattern.split('/').count() == path.split('/').count() && matches_page(pattern, path)
}
