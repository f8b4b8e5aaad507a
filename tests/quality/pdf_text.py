"""Compares what Findling reads of PDFs with poppler's `pdftotext`, and checks page numbers.

    python3 pdf_text.py DIRECTORY --findling PROGRAM [--pages N] [--json FILE]

DIRECTORY has born-digital PDFs, such as manuals of Debian's packages:

    apt-get download debian-policy developers-reference maint-guide libmpfr-doc nauty-doc \\
        bash-doc valgrind r-doc-pdf      # and unpack: dpkg -x

- **Word error**: page by page (at most N of a file, 60, at even distances), with `pdftotext` as the
  reference. `words`: words that are missing or superfluous, regardless of order. `order`: words
  that are missing, superfluous or in another place, by the alignment of `difflib`, which is an
  upper bound of the edit distance. Of the two orders of `pdftotext`, with and without `-raw`, the
  nearer one counts. Words are compared in lower case after NFKC; a word divided at the end of a
  line counts as one. Page numbers and running heads, which Findling leaves out on purpose and
  lists, are removed from both. Pages with fewer than 30 words are skipped.
- **Page numbers**: a hundred lines of ten words that occur on one page only are searched as
  phrases. The first section found must belong to that file and that page.

Needs the standard library, and `pdftotext` of poppler-utils.
"""

import argparse
import difflib
import hashlib
import itertools
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

MIN_WORDS = 30
PHRASE = 10


def words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())


def pages_of(path, *options):
    """The pages by pdftotext."""
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", *options, path, "-"], capture_output=True)
    if done.returncode:
        sys.exit(f"pdftotext {path}: {done.stderr.decode()}")
    return done.stdout.decode().split("\f")[:-1]


def without_frames(text, frames):
    """The words of a page without the lines that are left out, divided words joined."""
    kept = [line for line in text.split("\n") if tuple(words(line)) not in frames]
    return words(re.sub(r"(\w)[-\u00ad]\n\s*(?=[a-z])", r"\1", "\n".join(kept)))


def read(program, path):
    """The words of each page by Findling, and the lines that it leaves out of each."""
    done = subprocess.run([program, "inspect", "--extraction", path, "--json"], capture_output=True)
    report = json.loads(done.stdout)
    pages, frames, last = defaultdict(list), defaultdict(set), None
    for page in report["pages"]:
        for section in page["sections"]:
            number = int(section["attributes"]["page"])
            # A section that continues repeats its heading on the next page.
            if (section["heading"], section["level"]) != last:
                pages[number] += words(section["heading"])
            last = (section["heading"], section["level"])
            for block in section["blocks"]:
                pages[number] += words(block["text"])
        for left in page["leftOut"]:
            found = re.fullmatch(r"page (\d+)", left["element"] or "")
            if found:
                frames[int(found[1])].add(tuple(words(left["text"])))
    return pages, frames


def errors(found, expected):
    """The number of wrong words, regardless of order and in order."""
    a, b = Counter(found), Counter(expected)
    bag = max((a - b).total(), (b - a).total())
    matcher = difflib.SequenceMatcher(None, expected, found, autojunk=False)
    order = sum(max(i2 - i1, j2 - j1) for op, i1, i2, j1, j2 in matcher.get_opcodes()
                if op != "equal")
    return bag, order


def even(n, most):
    return range(n) if n <= most else sorted({at * n // most for at in range(most)})


def compare(program, path, most):
    pages, frames = read(program, path)
    layouts = [pages_of(path), pages_of(path, "-raw")]
    total = n_pages = bag = order = 0
    for at in even(len(layouts[0]), most):
        expected = [without_frames(layout[at], frames[at + 1]) for layout in layouts]
        if len(expected[0]) < MIN_WORDS:
            continue
        results = [errors(pages.get(at + 1, []), one) for one in expected]
        total += len(expected[0])
        n_pages += 1
        bag += min(one for one, _ in results)
        order += min(one for _, one in results)
    percent = lambda n: round(100 * n / max(total, 1), 2)
    return {"file": path.name, "pages": n_pages, "words": total, "wordsWrong": percent(bag),
            "orderWrong": percent(order), "counts": [bag, order]}


def phrases(files, n):
    """Lines of ten plain words that occur on one page only: words, file and page."""
    lines, pages = [], []
    for path in files:
        for number, text in enumerate(pages_of(path), 1):
            pages.append(" ".join(words(text)))
            runs = {" ".join(run) for line in text.split("\n") for run in [line.split()[:PHRASE]]
                    if len(run) == PHRASE and all(re.fullmatch(r"[A-Za-z]{2,}", w) for w in run)}
            lines += [(run, path.name, number) for run in runs]
    lines.sort(key=lambda line: hashlib.sha256(line[0].encode()).hexdigest())
    # Elsewhere the same words may be divided into other lines.
    once = (line for line in lines if sum(line[0].lower() in page for page in pages) == 1)
    return list(itertools.islice(once, n))


def check_pages(program, directory, files):
    wrong, asked = [], phrases(files, 100)
    with tempfile.TemporaryDirectory() as scratch:
        index, queries = Path(scratch) / "index", Path(scratch) / "queries.jsonl"
        subprocess.run([program, "build", directory, "-o", index, "--format", "pdf", "--encoder",
                        "none", "--no-client", "--quiet"], check=True, capture_output=True)
        queries.write_text("".join(
            json.dumps({"_id": str(at), "text": f'"{text}"'}) + "\n"
            for at, (text, _, _) in enumerate(asked)))
        out = subprocess.run([program, "search", index, "--batch", queries, "--format", "json"],
                             capture_output=True).stdout.decode()
    for line in out.splitlines():
        response = json.loads(line)
        text, file, number = asked[int(response["_id"])]
        found = [(page["id"], section["anchor"]) for page in response["results"]
                 for section in page["sections"]]
        if not found or not found[0][0].endswith(file) or found[0][1] != f"page={number}":
            wrong.append({"text": text, "file": file, "page": number, "found": found[:2]})
    return len(asked), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--findling", required=True)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    program = str(Path(args.findling).resolve())
    files = sorted(args.directory.rglob("*.pdf"))
    rows = []
    for path in files:
        rows.append(compare(program, path, args.pages))
        print(json.dumps(rows[-1]), flush=True)
    total = max(sum(row["words"] for row in rows), 1)
    sums = [sum(row["counts"][at] for row in rows) for at in (0, 1)]
    mean = [round(100 * count / total, 2) for count in sums]
    print(f"all: {total} words, {mean[0]} % wrong, {mean[1]} % wrong in their order")
    asked, wrong = check_pages(program, args.directory, files)
    print(f"pages: {asked - len(wrong)} of {asked} right")
    for one in wrong:
        print(json.dumps(one))
    if args.json:
        args.json.write_text(json.dumps({
            "files": rows, "words": total, "wordsWrong": mean[0], "orderWrong": mean[1],
            "phrases": asked, "pagesRight": asked - len(wrong), "wrong": wrong}, indent=1) + "\n")


if __name__ == "__main__":
    main()
