//! Programming languages: how a file's language is recognised, and which nodes of its grammar are
//! symbols.

#[cfg(feature = "code")]
mod c_family;
#[cfg(feature = "code")]
mod scripting;
#[cfg(feature = "code")]
mod typed;
#[cfg(feature = "code")]
mod web;

use std::path::Path;

#[cfg(feature = "code")]
pub(super) use super::symbols::Grammar;

/// An empty type: if the program was built without grammars, no language has one.
#[cfg(not(feature = "code"))]
pub(super) enum Grammar {}

/// A language.
pub(super) struct Language {
    /// The value of the attribute `language`.
    pub name: &'static str,
    extensions: &'static [&'static str],
    /// Whole names of files: `Makefile`.
    file_names: &'static [&'static str],
    /// Programs that a first line `#!` names.
    interpreters: &'static [&'static str],
    /// The grammar that finds its symbols; `None`: its files are cut at blank lines.
    pub grammar: Option<&'static Grammar>,
}

/// A grammar that the program was built with.
macro_rules! grammar {
    ($path:path) => {{
        #[cfg(feature = "code")]
        let grammar = Some(&$path);
        #[cfg(not(feature = "code"))]
        let grammar = None;
        grammar
    }};
}

const fn plain(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language { name, extensions, file_names: &[], interpreters: &[], grammar: None }
}

const fn parsed(
    name: &'static str,
    extensions: &'static [&'static str],
    interpreters: &'static [&'static str],
    grammar: Option<&'static Grammar>,
) -> Language {
    Language { name, extensions, file_names: &[], interpreters, grammar }
}

static LANGUAGES: &[Language] = &[
    parsed("rust", &["rs"], &[], grammar!(typed::RUST)),
    parsed("python", &["py", "pyi", "pyw"], &["python", "python3"], grammar!(scripting::PYTHON)),
    parsed("javascript", &["js", "mjs", "cjs", "jsx"], &["node"], grammar!(web::JAVASCRIPT)),
    parsed("typescript", &["ts", "mts", "cts"], &["deno", "bun"], grammar!(web::TYPESCRIPT)),
    parsed("tsx", &["tsx"], &[], grammar!(web::TSX)),
    parsed("java", &["java"], &[], grammar!(typed::JAVA)),
    parsed("go", &["go"], &[], grammar!(typed::GO)),
    parsed("c", &["c", "h"], &[], grammar!(c_family::C)),
    parsed("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx"], &[], grammar!(c_family::CPP)),
    parsed("csharp", &["cs"], &[], grammar!(typed::CSHARP)),
    parsed("ruby", &["rb", "rake", "gemspec"], &["ruby"], grammar!(scripting::RUBY)),
    parsed("php", &["php"], &["php"], grammar!(web::PHP)),
    parsed("bash", &["sh", "bash"], &["sh", "bash", "dash", "zsh"], grammar!(scripting::BASH)),
    parsed("lua", &["lua"], &["lua"], grammar!(scripting::LUA)),
    plain("assembly", &["s", "asm"]),
    plain("awk", &["awk"]),
    plain("batch", &["bat", "cmd"]),
    plain("clojure", &["clj", "cljs", "cljc", "edn"]),
    Language { file_names: &["CMakeLists.txt"], ..plain("cmake", &["cmake"]) },
    plain("crystal", &["cr"]),
    plain("css", &["css", "scss", "sass", "less"]),
    plain("cuda", &["cu", "cuh"]),
    plain("d", &["d"]),
    plain("dart", &["dart"]),
    Language { file_names: &["Dockerfile", "Containerfile"], ..plain("dockerfile", &[]) },
    plain("elixir", &["ex", "exs"]),
    plain("elm", &["elm"]),
    plain("erlang", &["erl", "hrl"]),
    plain("fish", &["fish"]),
    plain("fortran", &["f", "f90", "f95", "f03", "f08"]),
    plain("fsharp", &["fs", "fsi", "fsx"]),
    plain("glsl", &["glsl", "vert", "frag", "wgsl", "hlsl"]),
    plain("graphql", &["graphql", "gql"]),
    plain("groovy", &["groovy", "gradle"]),
    plain("haskell", &["hs", "lhs"]),
    plain("hcl", &["tf", "hcl"]),
    plain("ini", &["ini", "cfg", "conf", "properties"]),
    plain("json", &["json", "jsonc", "json5", "jsonl", "ndjson"]),
    plain("julia", &["jl"]),
    plain("kotlin", &["kt", "kts"]),
    plain("lisp", &["lisp", "el", "scm", "rkt"]),
    Language {
        file_names: &["Makefile", "makefile", "GNUmakefile", "Justfile", "justfile"],
        ..plain("make", &["mk"])
    },
    plain("meson", &["meson"]),
    plain("nim", &["nim"]),
    plain("nix", &["nix"]),
    plain("objective-c", &["m", "mm"]),
    plain("ocaml", &["ml", "mli"]),
    plain("pascal", &["pas", "pp"]),
    plain("perl", &["pl", "pm"]),
    plain("powershell", &["ps1", "psm1"]),
    plain("protobuf", &["proto"]),
    plain("r", &["r"]),
    plain("scala", &["scala", "sc"]),
    plain("solidity", &["sol"]),
    plain("sql", &["sql"]),
    plain("svelte", &["svelte"]),
    plain("swift", &["swift"]),
    plain("tcl", &["tcl"]),
    plain("thrift", &["thrift"]),
    plain("toml", &["toml"]),
    plain("verilog", &["v", "sv", "vhd", "vhdl"]),
    plain("vimscript", &["vim"]),
    plain("vue", &["vue"]),
    plain("xml", &["xml", "xsd", "xsl", "csproj", "fsproj", "vbproj", "props", "plist"]),
    plain("yaml", &["yaml", "yml"]),
    plain("zig", &["zig"]),
];

/// Languages of data and settings. Documents, sites and programs all have such files.
const DATA: &[&str] = &["ini", "json", "toml", "xml", "yaml"];

/// Languages of settings and styles that do not make a directory a program.
const BESIDE: &[&str] = &["batch", "cmake", "css", "dockerfile", "make", "meson"];

/// Languages of files that accompany rendered pages.
const OF_PAGES: &[&str] = &["javascript"];

/// Names of text files without an extension that people write about a program.
const PROSE: &[&str] = &[
    "README",
    "CHANGELOG",
    "CHANGES",
    "CONTRIBUTING",
    "HACKING",
    "HISTORY",
    "INSTALL",
    "NEWS",
    "TODO",
];

impl Language {
    /// Returns whether files of the language are data or settings.
    pub fn is_data(&self) -> bool {
        DATA.contains(&self.name)
    }

    /// Returns whether files of the language are parts of a program.
    pub fn is_program(&self) -> bool {
        !self.is_data() && !BESIDE.contains(&self.name)
    }

    /// Returns whether files of the language accompany rendered pages.
    pub fn is_of_pages(&self) -> bool {
        OF_PAGES.contains(&self.name)
    }
}

/// Returns whether a file without an extension is prose, according to its name.
pub(super) fn is_prose(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| PROSE.contains(&name))
}

/// Returns the language of a file by its name.
pub(super) fn of_name(path: &Path) -> Option<&'static Language> {
    let name = path.file_name()?.to_str()?;
    if let Some(named) = LANGUAGES.iter().find(|language| language.file_names.contains(&name)) {
        return Some(named);
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
}

/// Returns the languages that have a grammar, in the order of the alphabet.
#[cfg(all(test, feature = "code"))]
pub(super) fn parsed_names() -> Vec<&'static str> {
    let parsed = LANGUAGES.iter().filter(|language| language.grammar.is_some());
    let mut names: Vec<&str> = parsed.map(|language| language.name).collect();
    names.sort_unstable();
    names
}

/// Returns the language of a script by its first line: `#!/usr/bin/env python3`.
pub(super) fn of_first_line(text: &str) -> Option<&'static Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let program = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    LANGUAGES.iter().find(|language| {
        language.interpreters.iter().any(|name| {
            program
                .strip_prefix(name)
                .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> &'static str {
        of_name(Path::new(path)).map_or("", |language| language.name)
    }

    #[test]
    fn files_are_recognised_by_their_names() {
        assert_eq!(name("src/a.rs"), "rust");
        assert_eq!(name("A.HPP"), "cpp");
        assert_eq!(name("Dockerfile"), "dockerfile");
        assert_eq!(name("picture.png"), "");
        assert_eq!(name("rs"), "");
    }

    #[test]
    fn scripts_are_recognised_by_their_first_line() {
        let of = |text| of_first_line(text).map_or("", |language| language.name);
        assert_eq!(of("#!/bin/sh\n"), "bash");
        assert_eq!(of("#!/usr/bin/env python3.12\n"), "python");
        assert_eq!(of("#!/usr/bin/env -S FOO=1 node --flag\n"), "javascript");
        assert_eq!(of("#!/usr/bin/pythonic\n"), "");
        assert_eq!(of("no script"), "");
    }

    #[test]
    fn no_extension_belongs_to_two_languages() {
        let mut all: Vec<&str> =
            LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
