"""Turns a documentation's own index into a judged set for `findling eval`.

    python3 known_items.py TREE OUT [--kind all|identifier|entry] [--split dev|test] [--limit N]
                           [--typos SEED [--untyped DIR]]

TREE is a directory of rendered HTML with DocBook's `bookindex.html` (PostgreSQL) or Sphinx's
`genindex*.html` (Python). The script writes `queries.jsonl` and `qrels.tsv` into the directory OUT.
It prints which pages to exclude from the bundle, because the index itself would answer every query.

- Each entry of the index is a query, and every page that the entry links to is relevant. A
  sub-entry is combined with the entry above it, in a natural order: "index" / "partial" becomes
  "partial index", "rule" / "for DELETE" becomes "rule for DELETE".
- If an entry says what its name is ("close() (bdb.Bdb method)", "port configuration parameter"),
  the whole text is a query. If the name is an identifier, the name alone is a query too; then all
  pages of entries with that name are relevant.
- Omitted: "see" and "see also", symbols without a letter or digit, entries without an existing
  page.
- Queries that differ only in case are one query. Ids are hashes of the text, and split and sample
  depend on the id alone, so they stay the same for another version of the documentation.

The `kind` of a query is `identifier` for one word with `_`, `.`, `(`, `)`, a digit, an inner
capital or a leading hyphen; every other query is an `entry`. With `--typos`, one word of at least
five letters in each query gets one typo anywhere in the word: a letter replaced, deleted, inserted,
or swapped with its neighbour. Queries without such a word are omitted. `--untyped` writes the same
queries without typos, to compare with. Needs the standard library only; the same input gives the
same output.
"""

import argparse
import hashlib
import json
import random
import re
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

# The kind that an entry names after an identifier.
KINDS = re.compile(
    r" (?:(?:[\w.-]+ )?command line option|configuration parameter"
    r"|environment variable|storage parameter)$"
)
# Entries that are the kind of their sub-entries: "module" / "uu" is the module uu.
CLASSES = {
    "built-in function",
    "environment variable",
    "exception",
    "keyword",
    "module",
    "object",
    "operator",
    "protocol",
    "statement",
}
# A sub-entry that begins with one of these words follows the entry above it; a sub-entry that
# ends with one precedes it.
JOINTS = {
    "after",
    "against",
    "and",
    "as",
    "at",
    "before",
    "between",
    "by",
    "during",
    "for",
    "from",
    "in",
    "into",
    "of",
    "on",
    "or",
}
JOINTS |= {
    "per",
    "through",
    "to",
    "under",
    "using",
    "versus",
    "via",
    "vs",
    "vs.",
    "when",
    "with",
    "within",
    "without",
}
# Nouns of action: "window function" / "invocation" is the invocation of window functions.
DEEDS = re.compile(r"^[a-z]+(?:tion|sion|ment|ance)s?$")
MIN_LETTERS = 5


class Entry:
    """An entry of an index: its text, its links, and the entry above it."""

    def __init__(self, above):
        self.above = above
        self.raw = ""
        self.links = []

    @property
    def text(self):
        return " ".join(self.raw.split()).rstrip(", ")


class Index(HTMLParser):
    """Reads entries from nested lists.

    In DocBook the text of a link is a page's title; in Sphinx the first link contains the entry's
    text.
    """

    def __init__(self, sphinx):
        super().__init__(convert_charrefs=True)
        self.list, self.item = ("ul", "li") if sphinx else ("dl", "dt")
        self.scope = ("table", "indextable") if sphinx else ("div", "index")
        self.sphinx = sphinx
        self.entries = []
        self.inside = False
        self.depth = 0
        self.open = {}
        self.in_link = False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        classes = (attrs.get("class") or "").split()
        if tag == self.scope[0] and self.scope[1] in classes:
            self.inside = True
        elif not self.inside:
            return
        elif tag == self.list:
            self.depth += 1
        elif tag == self.item:
            entry = Entry(self.open.get(self.depth - 1))
            self.open[self.depth] = entry
            self.entries.append(entry)
        elif tag == "a" and self.depth in self.open:
            entry = self.open[self.depth]
            self.in_link = not (self.sphinx and not entry.links)
            if attrs.get("href") and (self.sphinx or "indexterm" in classes):
                entry.links.append(attrs["href"])

    def handle_endtag(self, tag):
        if tag == self.list and self.depth > 0:
            self.open.pop(self.depth, None)
            self.depth -= 1
        elif tag == self.scope[0] and self.sphinx:
            # Nothing after DocBook's index has definition lists, so only Sphinx needs this.
            self.inside = False
        elif tag == "a":
            self.in_link = False

    def handle_data(self, data):
        if self.depth in self.open and not self.in_link:
            self.open[self.depth].raw += data


def sources(tree):
    """The files of a tree's index, whether Sphinx wrote them, and the patterns to exclude them."""
    if (tree / "bookindex.html").is_file():
        return [tree / "bookindex.html"], False, ["bookindex.html"]
    for found in [
        [tree / "genindex-all.html"],
        sorted(tree.glob("genindex-*.html")),
        [tree / "genindex.html"],
    ]:
        if found and found[0].is_file():
            return found, True, ["genindex*.html", "py-modindex.html"]
    sys.exit(f"{tree}: expected DocBook's bookindex.html or Sphinx's genindex.html in it")


def joined(above, below):
    """A sub-entry combined with the entry above it, in the order that a person would type."""
    words = below.split()
    initials = "".join(word[0] for word in above.split())
    if words[0] in (above, initials):
        return below
    if words[0].lower() in JOINTS or below.startswith("("):
        return f"{above} {below}"
    if words[-1].lower() in JOINTS or above in CLASSES:
        return f"{below} {above}"
    if any(word.lower() in JOINTS for word in words) or DEEDS.search(below):
        return f"{above} {below}"
    # Sphinx's triples: "search" / "path, module" is the module search path.
    front, comma, behind = below.partition(", ")
    if comma:
        return f"{behind} {above} {front}"
    # "abs()" / "built-in function" names the kind; "index" / "partial" names a variety.
    if below in CLASSES or KINDS.search(f" {below}") or is_identifier(above):
        return f"{above} {below}"
    return f"{below} {above}"


def tidy(text):
    """A text without the parentheses of qualifiers, and with an inversion by comma undone.

    Parentheses of a call are kept.
    """
    text = re.sub(r"(^|\s)\(((?:[^()]|\(\))*)\)(?=\s|$)", r"\1\2", text)
    front, comma, behind = text.partition(", ")
    if comma and ", " not in behind:
        text = f"{front} {behind}" if behind.split()[0] in JOINTS else f"{behind} {front}"
    return " ".join(text.replace(", ", " ").split())


def name_of(text):
    """An entry's name, without its kind and qualifier."""
    return KINDS.sub("", re.sub(r"\s\((?:[^()]|\(\))*\)$", "", text))


def is_identifier(text):
    if re.search(r"\s", text) or not re.search(r"\w", text):
        return False
    return bool(re.search(r"[_.()\d]|[a-z][A-Z]|[A-Z]{2}[a-z]|^-", text))


def has_sign(text):
    """Whether there is a letter or digit outside of parentheses, which spell out a symbol."""
    return bool(re.search(r"[^\W_]", re.sub(r"(^|\s)\([^()]*\)", " ", text)))


def pages_of(entry, tree, index_pages):
    pages = set()
    for link in entry.links:
        page = unquote(link.split("#")[0])
        if page and "://" not in page and page not in index_pages and (tree / page).is_file():
            pages.add(page)
    return pages


def queries_of(entry):
    """The queries of an entry: its text, and its name if that is an identifier."""
    text = entry.text
    above = entry.above.text if entry.above else None
    if above is None:
        yield tidy(text)
        name = name_of(text)
    elif text.startswith("("):
        # "close() (bdb.Bdb method)" / "(selectors.BaseSelector method)": a second one of that name.
        name = name_of(above)
        yield tidy(f"{name} {text}")
    else:
        name = name_of(above)
        if entry.above.above:
            above = joined(entry.above.above.text, above)
        yield tidy(joined(above, text))
    if is_identifier(name):
        yield name


def collect(tree):
    """Queries by id, with text and pages; patterns to exclude; the number of omitted entries."""
    files, sphinx, exclude = sources(tree)
    entries = []
    for file in files:
        index = Index(sphinx)
        index.feed(file.read_text(encoding="utf8"))
        entries += index.entries
    if not entries:
        sys.exit(f"{files[0]}: expected an index with entries, found none")
    index_pages = {
        file.name for file in tree.glob("*.html") if any(Path(file.name).match(p) for p in exclude)
    }
    queries, left_out = {}, 0
    for entry in entries:
        pages = pages_of(entry, tree, index_pages)
        text = entry.text
        see = re.search(r"\(see\b", text)
        root = entry
        while root.above:
            root = root.above
        if not pages or not text or see or not has_sign(root.text) or not re.search(r"\w", text):
            left_out += bool(entry.links)
            continue
        for query in dict.fromkeys(queries_of(entry)):
            key = hashlib.sha256(query.casefold().encode()).hexdigest()[:12]
            known = queries.setdefault(key, (query, set()))
            known[1].update(pages)
    return queries, exclude, left_out


def part(key):
    return (
        "dev" if int(hashlib.sha256(f"split {key}".encode()).hexdigest(), 16) % 2 == 0 else "test"
    )


def alphabets(texts):
    """The letters of the texts by script and case; of Latin only those without diacritics."""
    found = {}
    for c in sorted(set("".join(texts))):
        if c.isalpha() and (c.isascii() or script(c)[0] != "LATIN"):
            found.setdefault(script(c), []).append(c)
    return found


def script(c):
    return unicodedata.name(c, "NONE").split()[0], c.isupper()


def with_typo(text, seed, letters):
    """The text with one typo in one word, or `None` if no word is long enough."""
    words = [m for m in re.finditer(r"[^\W\d_]+", text) if len(m[0]) >= MIN_LETTERS]
    if not words:
        return None
    draw = random.Random(seed)
    place = draw.choice(words)
    word = place[0]
    while True:
        kind = draw.choice(["substitution", "deletion", "insertion", "transposition"])
        i = draw.randrange(len(word) + (kind == "insertion"))
        letter = draw.choice(letters.get(script(word[min(i, len(word) - 1)])) or [word[0]])
        if kind == "substitution":
            typed = word[:i] + letter + word[i + 1 :]
        elif kind == "deletion":
            typed = word[:i] + word[i + 1 :]
        elif kind == "insertion":
            typed = word[:i] + letter + word[i:]
        else:
            typed = word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
        if typed != word:
            return text[: place.start()] + typed + text[place.end() :]


def write(out, queries):
    out.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"_id": key, "text": text, "kind": kind}, ensure_ascii=False)
        for key, text, kind, _ in queries
    )
    (out / "queries.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf8")
    grades = (f"{key}\t{page}\t1\n" for key, _, _, pages in queries for page in sorted(pages))
    (out / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(grades), encoding="utf8"
    )


def main():
    arguments = argparse.ArgumentParser(
        description="Judged queries from a documentation's own index."
    )
    arguments.add_argument(
        "tree", type=Path, help="rendered HTML with bookindex.html or genindex*.html"
    )
    arguments.add_argument("out", type=Path, help="directory for queries.jsonl and qrels.tsv")
    arguments.add_argument("--kind", choices=["all", "identifier", "entry"], default="all")
    arguments.add_argument(
        "--split", choices=["dev", "test"], help="one half; settings are chosen on dev"
    )
    arguments.add_argument("--limit", type=int, metavar="N", help="at most N queries")
    arguments.add_argument("--typos", metavar="SEED", help="one typo in each query")
    arguments.add_argument(
        "--untyped",
        type=Path,
        metavar="DIR",
        help="with --typos: directory for the same queries without typos",
    )
    options = arguments.parse_args()
    if options.untyped and options.typos is None:
        arguments.error("--untyped goes with --typos")
    if not options.tree.is_dir():
        arguments.error(f"{options.tree}: expected a directory, found none")

    found, exclude, left_out = collect(options.tree)
    letters = alphabets(text for text, _ in found.values())
    queries, untyped = [], []
    for key, (text, pages) in sorted(found.items()):
        kind = "identifier" if is_identifier(text) else "entry"
        if options.kind not in ("all", kind) or options.split not in (None, part(key)):
            continue
        typed = (
            text if options.typos is None else with_typo(text, f"{options.typos} {key}", letters)
        )
        if typed is not None:
            queries.append((key, typed, kind, pages))
            untyped.append((key, text, kind, pages))
    # Ids are hashes, so the first N are a random sample.
    queries, untyped = queries[: options.limit], untyped[: options.limit]
    if not queries:
        sys.exit("no query of this kind and split: choose another --kind or --split")
    write(options.out, queries)
    if options.untyped:
        write(options.untyped, untyped)
    n_names = sum(kind == "identifier" for _, _, kind, _ in queries)
    print(
        f"{len(queries)} queries, {n_names} of them identifiers;"
        f" {left_out} entries with links omitted"
    )
    print("build the bundle with", " ".join(f"--exclude '{pattern}'" for pattern in exclude))


if __name__ == "__main__":
    main()
