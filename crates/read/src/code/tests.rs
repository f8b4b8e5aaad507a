//! Whole files of each language: their sections, and rules that hold for the sections of any file.

#[cfg(feature = "code")]
use findling_bundle::AttributeValue;
use proptest::prelude::*;

use super::languages;
use super::sections;
use findling_page::page::Section;

fn read(name: &str, text: &str) -> Vec<Section> {
    sections::of(text, languages::of_name(name.as_ref()), false)
}

/// Returns the headings of the sections with their lines.
#[cfg(feature = "code")]
fn outline(name: &str, text: &str) -> Vec<String> {
    read(name, text)
        .iter()
        .map(|section| format!("{} {}", section.anchor.as_deref().unwrap(), section.heading))
        .collect()
}

/// Returns the lines that an anchor names, from 0, the end exclusive.
fn lines_of(anchor: &str) -> std::ops::Range<usize> {
    let mut numbers = anchor.split('-').map(|part| part[1..].parse::<usize>().unwrap());
    let first = numbers.next().unwrap();
    first - 1..numbers.next().unwrap_or(first)
}

/// Checks that every line that is not blank is in one section, and that a section's text ends with
/// its lines.
fn check(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let mut covered = 0;
    for section in read(name, text) {
        let span = lines_of(section.anchor.as_deref().unwrap());
        assert!(span.start >= covered, "{name}: {span:?} overlaps what ends at {covered}");
        let between = &lines[covered..span.start];
        assert!(between.iter().all(|line| line.trim().is_empty()), "{name}: {between:?} is lost");
        covered = span.end;
        let blocks: Vec<&str> = section.blocks.iter().map(|block| &*block.text).collect();
        let (text, source) = (blocks.join("\n"), lines[span].join("\n"));
        assert!(text.ends_with(&source), "{name}: {text} does not end with {source}");
    }
    let rest = &lines[covered.min(lines.len())..];
    assert!(rest.iter().all(|line| line.trim().is_empty()), "{name}: {rest:?} is lost");
}

#[test]
#[cfg(feature = "code")]
fn rust_functions_and_the_methods_of_a_type_are_sections() {
    let text = include_str!("fixtures/pool.rs");
    assert_eq!(
        outline("pool.rs", text),
        [
            "L1-L3 ",
            "L5-L8 MAX, MIN",
            "L10-L14 Pool",
            "L16-L21 Pool::acquire",
            "L23-L28 Pool::release",
            "L30-L33 open",
            "L35-L41 tests, tests::opens",
        ]
    );
    let acquire = &read("pool.rs", text)[3];
    assert_eq!(acquire.blocks[0].text, "impl<T> Pool<T> {");
    assert_eq!(acquire.blocks[1].text, "    /// Takes a connection, waiting for one.");
    assert!(acquire.blocks[2].text.starts_with("    #[inline]\n    pub fn acquire(&self)"));
}

#[test]
#[cfg(feature = "code")]
fn sections_have_kinds_symbols_and_lines() {
    let told = |name: &str, text: &str| -> Vec<String> {
        let of = |section: &Section, name: &str| match section.attributes.get(name) {
            Some(AttributeValue::Strings(set)) => set.join(" "),
            Some(AttributeValue::Number(number)) => number.to_string(),
            other => format!("{other:?}"),
        };
        let all = |section| {
            ["line", "end_line", "kind", "symbol"].map(|name| of(section, name)).join(": ")
        };
        read(name, text).iter().map(all).collect()
    };
    let rust = told("pool.rs", include_str!("fixtures/pool.rs"));
    assert_eq!(rust[0], "1: 3: None: None");
    assert_eq!(rust[1], "5: 8: constant: MAX MIN");
    assert_eq!(rust[3], "16: 21: method: Pool::acquire");
    assert_eq!(rust[6], "35: 41: function module: tests tests::opens");
    let script = told("store.ts", include_str!("fixtures/store.ts"));
    assert_eq!(script[1], "3: 6: interface: Options");
    assert_eq!(script[2], "8: 11: function: open", "a constant that is a function");
    assert_eq!(script[7], "25: 27: function: legacy.parse");
    let mixed = told("a.rs", "const A: u8 = 1;\ntype B = u8;\n");
    assert_eq!(mixed, ["1: 2: constant type: A B"]);
}

#[test]
#[cfg(feature = "code")]
fn python_doc_strings_are_prose_and_decorators_belong_to_what_they_decorate() {
    let text = include_str!("fixtures/cache.py");
    assert_eq!(
        outline("cache.py", text),
        ["L1-L3 ", "L6-L9 Cache", "L11-L14 Cache.size", "L16-L18 Cache.clear", "L21-L25 load"]
    );
    let load = &read("cache.py", text)[4];
    let blocks: Vec<&str> = load.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(blocks[0], "@retry(3)\nasync def load(path):");
    assert_eq!(blocks[1], "    \"\"\"Reads a cache from a file.\"\"\"");
    assert_eq!(blocks[2], "\n    return Cache(path)");
}

#[test]
#[cfg(feature = "code")]
fn arrow_functions_and_exports_are_functions_of_their_names() {
    let text = include_str!("fixtures/store.ts");
    assert_eq!(
        outline("store.ts", text),
        [
            "L1 ",
            "L3-L6 Options",
            "L8-L11 open",
            "L13-L14 Store",
            "L15 Store.constructor",
            "L16-L18 Store.read",
            "L20-L24 Store.close",
            "L25-L27 legacy.parse",
        ]
    );
}

#[test]
#[cfg(feature = "code")]
fn every_language_gives_qualified_names() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "a.go",
            "package a\n\n// Get reads.\nfunc (p *Pool[T]) Get() {\n}\n\ntype Pool struct {\n}\n",
            &["L1 ", "L3-L5 Pool.Get", "L7-L8 Pool"],
        ),
        (
            "A.java",
            "class A {\n  int x;\n\n  @Override\n  void run() {\n  }\n\n  enum E { B }\n}\n",
            &["L1-L2 A", "L4-L6 A.run", "L8-L9 A.E"],
        ),
        (
            "a.c",
            "#ifdef X\nstatic int *find(int a)\n{\n}\n#endif\n\
             struct point {\n  int x;\n} origin;\n",
            &["L1 ", "L2-L4 find", "L5 #endif", "L6-L8 point"],
        ),
        (
            "a.cpp",
            "namespace n {\ntemplate <class T>\nclass List {\n  void push(T x) {\n  }\n};\n}\n\
             void n::List::pop() {\n}\n",
            &["L1-L3 n, n::List", "L4-L7 n::List::push", "L8-L9 n::List::pop"],
        ),
        (
            "a.cs",
            "namespace N {\n  class A {\n    void Run() {\n    }\n  }\n}\n",
            &["L1-L2 N, N.A", "L3-L6 N.A.Run"],
        ),
        (
            "a.rb",
            "module M\n  class A\n    def run\n    end\n\n    def self.make\n    end\n  end\nend\n",
            &["L1-L2 M, M.A", "L3-L4 M.A.run", "L6-L9 M.A.make"],
        ),
        (
            "a.php",
            "<?php\nnamespace N;\nclass A {\n  function run() {\n  }\n}\nfunction f() {\n}\n",
            &["L1-L2 ", "L3-L6 A, A::run", "L7-L8 f"],
        ),
        ("a.sh", "set -e\n\n# Builds.\nbuild() {\n  make\n}\n", &["L1 ", "L3-L6 build"]),
        (
            "a.lua",
            "local M = {}\n\nfunction M.open(x)\nend\n\nM.close = function()\nend\n",
            &["L1 ", "L3-L4 M.open", "L6-L7 M.close"],
        ),
        (
            "a.jsx",
            "export default class A {\n  static go = () => {\n  }\n}\n\
             module.exports.f = function () {\n}\n",
            &["L1-L4 A, A.go", "L5-L6 module.exports.f"],
        ),
    ];
    for (name, text, wanted) in cases {
        assert_eq!(outline(name, text), *wanted, "{name}");
        check(name, text);
    }
}

#[test]
#[cfg(feature = "code")]
fn a_long_function_is_cut_between_statements_and_each_part_repeats_its_declaration() {
    let statement = |i: usize| format!("    if ready({i}) {{\n        step({i});\n    }}\n");
    let body: String = (0..60).map(statement).collect();
    let text = format!("/// Runs all.\nfn run(\n    a: u8,\n) {{\n{body}}}\n");
    check("run.rs", &text);
    let sections = read("run.rs", &text);
    assert!(sections.len() > 1);
    for section in &sections[1..] {
        assert_eq!(section.heading, "run");
        assert_eq!(section.blocks[0].text, "fn run(\n    a: u8,\n) {");
        let part = section.blocks[1].text.trim_start();
        assert!(part.starts_with("if ready("), "{part}");
    }
}

#[test]
fn files_without_a_grammar_are_cut_at_blank_lines() {
    let paragraph = |i: usize| format!("task {i}:\n  one\n  two\n  three\n\n");
    let text: String = (0..30).map(paragraph).collect();
    check("a.zig", &text);
    let sections = read("a.zig", &text);
    assert!(sections.len() > 2);
    assert!(sections[1..].iter().all(|section| section.heading.starts_with("task ")));
}

#[test]
fn damaged_code_is_still_covered() {
    for name in ["a.rs", "a.py", "a.ts", "a.go", "a.cpp", "a.java", "a.rb", "a.sh"] {
        check(name, "fn broken( {{{ class def ;;; \"\n\n}}} end\n# x\n");
        check(name, "");
        check(name, "\n\n\n");
        check(name, &"{".repeat(5000));
        check(name, &"class A { void f() {\n".repeat(300));
    }
}

/// The name of each language that has a grammar, with pieces of code in it.
const LANGUAGES: [(&str, &[&str]); 14] = [
    (
        "a.rs",
        &[
            "/// Doc.\npub fn one(a: u8) -> u8 {\n    a + 1\n}\n",
            "impl<T> Pool<T> {\n",
            "}\n",
            "const A: u8 = 1;\nconst B: u8 = 2;\n",
            "#[cfg(test)]\nmod tests {\n    use super::*;\n",
            "macro_rules! m { () => {} }\n",
        ],
    ),
    (
        "a.py",
        &[
            "@cached\nasync def one(a):\n    \"\"\"Doc.\"\"\"\n    return a\n",
            "class Pool(Base):\n    size = 1\n\n    def get(self):\n        pass\n",
            "if True:\n    def inner(): pass\n",
            "A = [\n    1,\n]\n",
            "import os\nfrom a import b\n",
        ],
    ),
    (
        "a.js",
        &[
            "/** Doc. */\nexport async function one(a) {\n  return a;\n}\n",
            "export const two = (a) => {\n  return a;\n};\n",
            "class Pool extends Base {\n  #size = 1;\n  get size() { return 1; }\n}\n",
            "module.exports.three = function () {};\n",
            "if (a) {\n",
        ],
    ),
    (
        "a.ts",
        &[
            "export interface A { b: string; }\n",
            "type B = { c: number };\n",
            "export abstract class Pool<T> {\n  abstract get(): T;\n  put(a: T): void {}\n}\n",
            "declare module 'x' {\n",
            "namespace N { export function f() {} }\n",
        ],
    ),
    (
        "a.tsx",
        &[
            "export function View({ a }: Props) {\n  return <b>{a}</b>;\n}\n",
            "const x = <T,>(a: T) => a;\n",
            "export default class A extends React.Component {\n  render() { return <i/>; }\n}\n",
        ],
    ),
    (
        "a.java",
        &[
            "package a.b;\nimport java.util.*;\n",
            "/** Doc. */\n@Deprecated\npublic class Pool<T> {\n  int size;\n",
            "  T get() {\n    return t;\n  }\n",
            "}\n",
            "interface A { void run(); }\n",
            "record Point(int x, int y) {}\nenum E { A, B }\n",
        ],
    ),
    (
        "a.go",
        &[
            "package a\n\nimport (\n\t\"fmt\"\n)\n",
            "// Get reads.\nfunc (p *Pool[T]) Get() (T, error) {\n\treturn p.t, nil\n}\n",
            "type Pool[T any] struct {\n\tt T\n}\n",
            "const (\n\tA = iota\n\tB\n)\n",
            "var x = func() {}\n",
        ],
    ),
    (
        "a.c",
        &[
            "#include <stdio.h>\n#define MAX(a, b) \\\n  ((a) > (b) ? (a) : (b))\n",
            "/* Doc. */\nstatic int *find(const char *a)\n{\n  return 0;\n}\n",
            "struct point {\n  int x;\n};\n",
            "#ifdef X\n",
            "#endif\n",
            "typedef int (*visit)(void);\n",
        ],
    ),
    (
        "a.cpp",
        &[
            "namespace n {\n",
            "template <class T>\nclass List : public Base {\npublic:\n  void push(T x) { }\n};\n",
            "}\n",
            "n::List::~List() = default;\nauto f = [](int a) { return a; };\n",
            "enum class E { A };\n",
        ],
    ),
    (
        "a.cs",
        &[
            "using System;\nnamespace N;\n",
            "/// <summary>Doc.</summary>\npublic class A : B {\n  public int X { get; set; }\n",
            "  void Run() {\n  }\n}\n",
            "record R(int A);\ninterface I { void F(); }\n",
            "#region r\n",
        ],
    ),
    (
        "a.rb",
        &[
            "module M\n  class A < B\n    attr_reader :x\n    def run(a)\n      a\n    end\n",
            "end\n",
            "# Doc.\ndef self.make\nend\n",
            "A = <<~TEXT\n  def not_code\nTEXT\n",
            "task :x do\n  y\nend\n",
        ],
    ),
    (
        "a.php",
        &[
            "<?php\nnamespace N;\n",
            "/** Doc. */\nfinal class A extends B {\n  use T;\n",
            "  public function run(): int {\n    return 1;\n  }\n}\n",
            "function f() {\n}\n",
            "?>\n<p>text</p>\n<?php\n",
            "interface I { const X = 1; }\n",
        ],
    ),
    (
        "a.sh",
        &[
            "#!/bin/sh\nset -e\n",
            "# Builds.\nbuild() {\n  make \"$@\"\n}\n",
            "function two { :; }\n",
            "cat <<EOF\nbuild() {\nEOF\n",
            "if [ -n \"$A\" ]; then\n  b\nfi\n",
        ],
    ),
    (
        "a.lua",
        &[
            "local M = {}\n",
            "--- Doc.\nfunction M.open(x)\n  return x\nend\n",
            "M.close = function()\nend\n",
            "local s = [[\nfunction not_code()\n]]\n",
            "function M:get()\nend\n",
        ],
    ),
];

/// Generates code of a language: its pieces in any order, indented, cut, with comments and other
/// characters between them.
fn code() -> impl Strategy<Value = (&'static str, String)> {
    const BETWEEN: [&str; 8] =
        ["\n", "\n\n\n", "", "// note\n", "# note\n", "日本 é\n", "\t \n", "}}}\n"];
    let piece = (any::<prop::sample::Index>(), 0_usize..BETWEEN.len(), 0_usize..3, 0_u8..8);
    (0..LANGUAGES.len(), prop::collection::vec(piece, 0..24), any::<bool>()).prop_map(
        |(which, pieces, windows)| {
            let (name, known) = LANGUAGES[which];
            let mut text = String::new();
            for (piece, between, indent, cut) in pieces {
                let piece = piece.get(known);
                let piece = if cut == 0 { &piece[..piece.len() / 2] } else { piece };
                let indent = "  ".repeat(indent);
                for line in piece.split_inclusive('\n') {
                    text.push_str(&indent);
                    text.push_str(line);
                }
                text.push_str(BETWEEN[between]);
            }
            (name, if windows { text.replace('\n', "\r\n") } else { text })
        },
    )
}

#[test]
#[cfg(feature = "code")]
fn every_language_with_a_grammar_is_generated() {
    let mut names: Vec<&str> = LANGUAGES
        .iter()
        .map(|(name, _)| languages::of_name(name.as_ref()).expect("a language").name)
        .collect();
    names.sort_unstable();
    assert_eq!(names, languages::parsed_names());
    // Unchanged pieces are covered too.
    for (name, pieces) in LANGUAGES {
        for piece in pieces {
            check(name, piece);
        }
        check(name, &pieces.concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sections_cover_generated_code_of_every_language((name, text) in code()) {
        check(name, &text);
    }

    #[test]
    fn sections_cover_any_text(
        text in "([a-z(){};:#\"' \t]{0,12}(\n|\r\n)){0,60}",
        which in 0_usize..=LANGUAGES.len(),
    ) {
        check(LANGUAGES.get(which).map_or("a.zig", |(name, _)| name), &text);
    }
}
