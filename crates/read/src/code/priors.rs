//! Factors for the scores of a repository's files, by their places: people rarely look for tests or
//! copies.
//!
//! Most questions are about the program. Tests, examples and copies of other programs say the same
//! words more often. A query with a word such as `test` is answered without these factors.

/// Factor of tests, benchmarks, fixtures and examples.
const BESIDE: f64 = 0.6;

/// Factor of code that comes from elsewhere: copies of other programs, generated files.
const ELSEWHERE: f64 = 0.5;

/// Factor of settings, data and declarations without bodies.
const DATA: f64 = 0.7;

/// Factor of prose about the program.
const PROSE: f64 = 0.8;

/// Directories of code that runs the program or shows it.
const BESIDE_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "testing",
    "testdata",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "fixture",
    "fixtures",
    "__fixtures__",
    "example",
    "examples",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "migrations",
    "fuzz",
];

/// Directories of code that comes from elsewhere.
const ELSEWHERE_DIRECTORIES: &[&str] = &[
    "vendor",
    "vendored",
    "third_party",
    "thirdparty",
    "third-party",
    "external",
    "_vendor",
    "generated",
    "gen",
    "dist",
];

/// Languages of settings and data.
const DATA_LANGUAGES: &[&str] = &["json", "toml", "yaml", "ini", "xml", "css"];

/// Languages of prose.
const PROSE_LANGUAGES: &[&str] =
    &["markdown", "restructuredtext", "asciidoc", "org", "html", "text"];

/// The languages that documents have, such as PDFs.
const DOCUMENT_LANGUAGES: &[&str] = &["pdf", "document"];

/// Returns whether files of a language are programs, not settings, data, prose or documents.
pub fn is_program(language: &str) -> bool {
    let others = [DATA_LANGUAGES, PROSE_LANGUAGES, DOCUMENT_LANGUAGES];
    !others.iter().any(|languages| languages.contains(&language))
}

/// Returns the factor of a file's score, by its path and language.
pub(super) fn of(path: &str, language: &str) -> f64 {
    let path = path.to_ascii_lowercase();
    let mut directories: Vec<&str> = path.split('/').collect();
    let name = directories.pop().unwrap_or_default();
    let is_in = |names: &[&str]| directories.iter().any(|directory| names.contains(directory));
    if is_in(ELSEWHERE_DIRECTORIES) {
        return ELSEWHERE;
    }
    if is_in(BESIDE_DIRECTORIES) || is_test(name) {
        return BESIDE;
    }
    let is_stub = name.ends_with(".pyi") || name.ends_with(".d.ts");
    if is_stub || DATA_LANGUAGES.contains(&language) {
        DATA
    } else if PROSE_LANGUAGES.contains(&language) {
        PROSE
    } else {
        1.0
    }
}

/// Returns whether tools recognise a file as tests or benchmarks by its name.
fn is_test(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let ends = ["_test", "_tests", "_spec", "-test", "_bench"];
    name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || matches!(stem, "test" | "tests" | "conftest")
        || ends.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn code_beside_the_program_counts_less() {
        for (path, language, expect) in [
            ("src/app.py", "python", 1.0),
            ("src/contest.py", "python", 1.0),
            ("src/latest/attestation.go", "go", 1.0),
            ("tests/test_app.py", "python", 0.6),
            ("src/app_test.go", "go", 0.6),
            ("src/app.test.ts", "typescript", 0.6),
            ("Examples/hello.rs", "rust", 0.6),
            ("benches/run.rs", "rust", 0.6),
            ("vendor/lib/tests/a.c", "c", 0.5),
            ("README.md", "markdown", 0.8),
            ("types/app.d.ts", "typescript", 0.7),
            ("package.json", "json", 0.7),
        ] {
            assert_eq!(of(path, language), expect, "{path}");
        }
    }
}
