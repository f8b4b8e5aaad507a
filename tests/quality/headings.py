"""Judged sets from Markdown headings: a search for a page's own heading should find the page.

Meant above all for languages that are written without spaces.

    python3 headings.py TREE OUT [--languages ja,zh-cn,ko] [--most N] [--seed SEED] [--misses N]

TREE has a directory of Markdown for each language. For each language the script writes
`queries.jsonl` and `qrels.tsv` into OUT/LANGUAGE, for `findling eval`. Queries are titles and
headings; every page with that title or heading is relevant. The `kind` of a query is `script` if it
has a letter that is not Latin, else `latin` (options, names of functions). At most N (500) queries
of a language are drawn, by SEED.

If the environment variable FINDLING names the program, each language is built without vectors and
searched. A line then says for how many of 100 queries a relevant page was first, among the first
three, among the first ten, and how many queries found nothing. `--misses` lists queries whose page
was not among the first three. Needs the standard library only; the same input gives the same sets.
"""

import argparse
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SUFFIXES = (".md", ".mdx")
# Longer headings are text rather than names.
MAX_CHARS = 80


def plain(text):
    """A heading as a reader sees it, without Markdown."""
    text = re.sub(r"\s*\{#[^}]*\}\s*$|\s+#+\s*$", "", text)
    code = []

    def keep(match):
        code.append(match[2])
        return f"\0{len(code) - 1}\0"

    text = re.sub(r"(`+)\s?(.+?)\s?\1", keep, text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"</?[A-Za-z][^>]*>|\{/\*.*?\*/\}|<!--.*?-->", " ", text)
    text = re.sub(r"(\*{1,3}|_{2,3})(\S.*?)\1", r"\2", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(text))
    text = re.sub(r"\0(\d+)\0", lambda m: code[int(m[1])], text)
    return " ".join(text.split())


def titles_of(source):
    """The title and the headings of a page."""
    front = re.match(r"---\n(.*?)\n---\n", source, re.S)
    if front:
        title = re.search(r"^title:\s*(.+?)\s*$", front[1], re.M)
        if title and title[1][0] not in "|>":
            yield re.sub(r"^(['\"])(.*)\1$", r"\2", title[1])
        source = source[front.end() :]
    fence = None
    for line in source.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
        elif mark:
            fence = mark[1]
        elif heading := re.match(r"#{1,4}\s+(.+)$", line):
            yield plain(heading[1])


def collect(tree):
    """The text in its first form and its pages, by the text in lower case."""
    found = {}
    for path in sorted(tree.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            page = path.relative_to(tree).as_posix()
            for text in titles_of(
                path.read_text(encoding="utf8", errors="replace").replace("\r\n", "\n")
            ):
                if re.search(r"[^\W_]", text) and len(text) <= MAX_CHARS:
                    found.setdefault(text.casefold(), (text, set()))[1].add(page)
    return found


def draw(found, most, seed):
    queries = []
    for folded, (text, pages) in found.items():
        key = hashlib.sha256(folded.encode()).hexdigest()[:12]
        kind = "script" if re.search(r"[^\W\d_\u0000-\u024f]", text) else "latin"
        queries.append(
            (hashlib.sha256(f"{seed} {key}".encode()).hexdigest(), key, text, kind, sorted(pages))
        )
    return [query[1:] for query in sorted(queries)[:most]]


def write(out, queries):
    out.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"_id": key, "text": text, "kind": kind}, ensure_ascii=False)
        for key, text, kind, _ in queries
    )
    (out / "queries.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf8")
    grades = (f"{key}\t{page}\t1\n" for key, _, _, pages in queries for page in pages)
    (out / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(grades), encoding="utf8"
    )


def findling(program, *args):
    run = subprocess.run([program, *map(str, args)], capture_output=True, text=True)
    # Exit status 3 means that some pages could not be read.
    if run.returncode not in (0, 3):
        sys.exit(f"{program} {args[0]} failed: {run.stderr.strip()}")
    return run.stdout


def ranks(program, tree, language, sets):
    """The pages found for each query."""
    with tempfile.TemporaryDirectory() as scratch:
        bundle = Path(scratch) / "bundle"
        findling(
            program,
            "build",
            tree,
            "-o",
            bundle,
            "--no-client",
            "--encoder",
            "none",
            "--language",
            language,
            "--quiet",
        )
        queries = sets / "queries.jsonl"
        options = [
            "--mode",
            "lexical",
            "--query-encoder",
            "none",
            "--limit",
            "10",
            "--format",
            "json",
        ]
        answers = findling(program, "search", bundle, "--batch", queries, *options)
    answers = map(json.loads, answers.splitlines())
    return {
        answer["_id"]: [(page["id"], page["title"]) for page in answer["results"]]
        for answer in answers
    }


def report(name, queries, found, n_misses):
    def share(kinds, test):
        places = [test(found[key], pages) for key, _, kind, pages in queries if kind in kinds]
        return f"{100 * sum(places) / len(places):7.1f}" if places else "      -"

    for label, kinds in (
        ("all", ("script", "latin")),
        ("script", ("script",)),
        ("latin", ("latin",)),
    ):
        n = sum(kind in kinds for _, _, kind, _ in queries)
        among = [
            share(kinds, lambda got, pages, k=k: any(page in pages for page, _ in got[:k]))
            for k in (1, 3, 10)
        ]
        print(
            f"{name:<9}{label:<8}{n:>6}{''.join(among)}{share(kinds, lambda got, pages: not got)}"
        )
    misses = [
        query for query in queries if not any(page in query[3] for page, _ in found[query[0]][:3])
    ]
    for key, text, _, pages in misses[:n_misses]:
        print(
            f"  {text!r} -> {', '.join(pages[:3])};"
            f" found {', '.join(page for page, _ in found[key][:3]) or 'nothing'}"
        )


def main():
    arguments = argparse.ArgumentParser(
        description="Judged queries from the headings of Markdown pages."
    )
    arguments.add_argument(
        "tree", type=Path, help="a directory with a directory of Markdown for each language"
    )
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--languages", default="ja,zh-cn,ko")
    arguments.add_argument(
        "--most", type=int, default=500, metavar="N", help="at most N queries for each language"
    )
    arguments.add_argument("--seed", default="1")
    arguments.add_argument("--misses", type=int, default=0, metavar="N")
    options = arguments.parse_args()
    program = os.environ.get("FINDLING")
    if program:
        print(
            f"{'language':<9}{'queries':<8}{'n':>6}{'first':>7}{'in 3':>7}{'in 10':>7}{'none':>7}"
        )
    for language in options.languages.split(","):
        tree = options.tree / language
        if not tree.is_dir():
            sys.exit(f"{tree}: expected a directory, found none")
        queries = draw(collect(tree), options.most, options.seed)
        if not queries:
            sys.exit(f"{tree}: expected headings in {' or '.join(SUFFIXES)} files, found none")
        write(options.out / language, queries)
        if program:
            report(
                language,
                queries,
                ranks(program, tree, language, options.out / language),
                options.misses,
            )
        else:
            print(f"{language}: {len(queries)} queries")


if __name__ == "__main__":
    main()
