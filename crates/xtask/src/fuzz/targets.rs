//! The fuzz targets, each with its program and its limits.

/// A fuzz target.
pub struct Target {
    /// The name of the target, of its corpus and of its directories of seeds and regressions.
    pub name: &'static str,
    /// The program in `tests/fuzz/targets`. One program serves several targets: it is started under
    /// the target's name.
    pub program: &'static str,
    /// The limits of an input.
    pub limits: Limits,
}

/// The limits above which an input is a finding.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Largest length of an input in bytes.
    pub bytes: u32,
    /// Seconds for an input.
    pub seconds: u32,
    /// Megabytes of the process.
    pub megabytes: u32,
}

/// Bytes of a bundle and requests to it: the bundle under test has three pages.
const BUNDLE: Limits = Limits { bytes: 4096, seconds: 5, megabytes: 512 };

/// A file. The libraries that parse PDF and source code keep tables of tens of megabytes.
const FILE: Limits = Limits { bytes: 16_384, seconds: 10, megabytes: 1024 };

const fn of_bundle(name: &'static str) -> Target {
    Target { name, program: name, limits: BUNDLE }
}

const fn of_file(name: &'static str) -> Target {
    Target { name, program: "sources", limits: FILE }
}

/// The targets. Those of files stand in `tests/fuzz/kinds` too; a test compares the lists.
pub const TARGETS: [Target; 27] = [
    of_bundle("shards"),
    of_bundle("bytes"),
    of_bundle("requests"),
    of_file("html"),
    of_file("markdown"),
    of_file("mdx"),
    of_file("rst"),
    of_file("asciidoc"),
    of_file("org"),
    of_file("records"),
    of_file("bibtex"),
    of_file("ris"),
    of_file("csl"),
    of_file("sessions"),
    of_file("chats"),
    of_file("mbox"),
    of_file("notebook"),
    of_file("archive"),
    of_file("docx"),
    of_file("odt"),
    of_file("epub"),
    of_file("opf"),
    of_file("pdf"),
    of_file("rust"),
    of_file("python"),
    of_file("typescript"),
    of_file("cpp"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_file_has_a_target() {
        let kinds = include_str!("../../../../tests/fuzz/kinds/mod.rs");
        let table = kinds.split("pub const KINDS").nth(1).and_then(|rest| rest.split("];").next());
        let rows = table.unwrap_or_default().replace("entry(", "plain(");
        let rows = rows.split("plain(").skip(1).filter_map(|row| row.split('"').nth(1));
        let kinds: Vec<_> = rows.collect();
        let files = TARGETS.iter().filter(|target| target.program == "sources");
        assert_eq!(kinds, files.map(|target| target.name).collect::<Vec<_>>());
    }
}
