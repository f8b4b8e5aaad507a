"""Questions with the right section of real documentation: a page and its heading.

    python3 sections.py OUT NAME=TREE... [--most N] [--split dev|test]
    python3 sections.py sample OUT VERDICTS [--most N]
    python3 sections.py check OUT VERDICTS

A TREE is a directory of rendered HTML or of Markdown; NAME is the source's. The authors of the
documentation themselves say which section answers, in three kinds of questions:

- `index`: an entry of the documentation's own index (DocBook's `bookindex.html`, Sphinx's
  `genindex*.html`), in the form of `known_items.py`, and the sections that the entry links to.
  Names of functions, options and the like are left out: they name a definition rather than a
  section.
- `about`: the description of a section in a sentence that links to it: "for more information about
  X, see SECTION", "X is described in SECTION", "SECTION explains X". X is the question.
- `link`: the text of a link in a sentence, with at least two significant words.

A link leads to an anchor, and an anchor is in the section of one heading (`outline.py`). Left out
are: links to definitions and to pages with one heading; questions that repeat the heading or
contain it; questions with more than three right sections; and sources' own indexes and tables of
contents. Questions that differ only in case are one question, whose sections are joined.

For each source the script writes `queries.jsonl` into OUT/NAME, with `_id`, `text`, `kind` and
`sections`: `page`, `heading`, and `anchors`, all anchors that stand in the section ("" is the page
itself). It writes `qrels.tsv` as well, for the pages. At most N (150) questions of a kind are
drawn. Ids are hashes of source and text; draw and split depend on the id alone.
`cargo xtask bench sections` measures a set.

`sample` draws N (100) questions of all sources by hash, for people to judge: a file with tabs and
an empty column `verdict`, for `right`, `wrong` or `ambiguous` (the section answers, but others do
as well, or the words name several things). `check` counts the verdicts, with intervals of 95%
(Wilson, 1927), and fails if a question is not in the set. Needs the standard library only; the same
input gives the same set.
"""

import argparse
import csv
import hashlib
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

import known_items
from outline import CLOSE, OPEN, read, target

MAX_SECTIONS = 3
MAX_WORDS = 10
# The share of a heading's words that a question may not have if it has no others.
MOST = 0.6
# Pages that list other pages.
LISTS = re.compile(
    r"(^|/)(bookindex|genindex[^/]*|py-modindex|print|toc|contents|index|SUMMARY|TOC|search|"
    r"test-summary|syntax-index|grammar|sql-keywords-appendix|release-[^/]*|changelog)\.(html|md)$"
)
EMPTY = set(
    "a an and any are as at be been both but by can could do does each either every few for from "
    "had has have how if in into is it its may might more most must no not of on once one only or "
    "other should so some such than that the their them then there these they this those to up "
    "was we were what when where which while who will with would you your about using use used "
    "section chapter page above below here see also following documentation details".split()
)
# Words that say nothing about a subject.
VAGUE = set(
    "available basic best certain columns common complete corresponding current currently data "
    "dedicated different entire exact example examples exception feature format full further "
    "general how information item items list lists more normal object objects output overview "
    "particular possible practice practices related relevant result rule rules same several "
    "situations specific supported support thing things value values various version way ways "
    "whole work works".split()
)
# Words that need the text before them.
POINTING = re.compile(r"\b(this|these|that|those|it|its|them|they|their|there|above|below|here|"
                      r"following|previous|next|former|latter|such|our|we|both)\b", re.I)
MORE = (r"(?:(?:some |much )?(?:more|further|additional|full|complete|detailed|other|an?|the) )*"
        r"(?:information|details?|discussion|description|explanation|examples?|documentation|"
        r"instructions|list|overview|background|guidance)")
ON = r"(?:about|on|of|regarding|concerning|for)"
SECTION = f"{OPEN}(?P<link>\\d+){CLOSE}"
LEAD = r"(?:the |chapter |section |sections |appendix |in |also |our |“|\")*"
SEE = r"(?:please )?(?:see|read|refer to|consult|check|check out|look at|have a look at)"
VERBS = (r"(?:describes?|explains?|discuss(?:es)?|covers?|shows?|documents?|lists?|details?|"
         r"introduces?|demonstrates?)")
PAST = r"(?:described|explained|discussed|covered|documented|shown|listed|introduced|detailed)"
ABOUT = [
    re.compile(rf"\b[Ff]or {MORE} {ON} (?P<x>[^.;:]+?),? {SEE} {LEAD}{SECTION}"),
    re.compile(rf"\b{SEE} {LEAD}{SECTION}(?: section| chapter| page)? for {MORE} {ON} "
               rf"(?P<x>[^.;:]+?)(?=[.;:)]|$)", re.I),
    re.compile(rf"\b[Tt]o (?:learn|find out|know) (?:more )?(?:about )?"
               rf"(?P<x>(?:how to )?[^.;:]+?),? {SEE} {LEAD}{SECTION}"),
    re.compile(rf"^(?:In |The )?{LEAD}{SECTION}(?: section| chapter)? {VERBS} (?P<x>[^.;:]+?)"
               rf"(?=[.;:)]|$)"),
    re.compile(rf"^(?P<x>[^.;:]+?) (?:is|are) (?:further |fully |also )?{PAST} "
               rf"(?:in (?:more |greater |further )?detail )?(?:further )?in {LEAD}{SECTION}"),
]


def stem(word):
    word = re.sub(r"(?<=\w{3})(?:ing|ed)$", "", re.sub(r"(?<=\w{3})e?s$", "", word))
    return re.sub(r"(?<=\w{3})(?:e|y|ie)$", "", word)


def content(text):
    """The stems of a text's significant words."""
    words = re.findall(r"\w+", text.lower().replace("'s", "").replace("’s", ""))
    return {stem(word) for word in words if word not in EMPTY and not word.isdigit()}


def is_circular(query, heading):
    """Whether a question repeats the heading, most of it, or all of it and more."""
    heading, asked = content(bare(heading)), content(query)
    if asked == heading or not asked or (len(heading) > 1 and heading <= asked):
        return True
    # "os module" is "os — Miscellaneous operating system interfaces".
    named = asked - {"modul"}
    return named <= heading and (named != asked or len(named) >= max(2, MOST * len(heading)))


def bare(heading):
    """A heading without its number."""
    return re.sub(r"^(?:Chapter |Appendix |Step |§)?[\dA-Z.]*\d\.?\s+", "", heading)


def is_natural(text):
    """Whether a text is words rather than a name, a number or code."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    return (
        not re.search(r"[{}<>=\\|@#$%^~\[\]]|::|\w\.\w|\w_\w|\(\)|--", text)
        and any(word.islower() for word in words)
        and not re.match(r"(?:section|table|figure|listing|chapter|example|part)s? [\dA-Z]", text,
                         re.I)
    )


def is_name(heading):
    """Whether a heading is the name of a function, an option or the like."""
    signs = re.search(r"::|\w_\w|\w\.\w|\(\)|^[\W_]|[<>=/\\\[]", heading)
    word = re.fullmatch(r"\S+", heading)
    return bool(signs or (word and not re.fullmatch(r"[A-Z][a-z-]+", heading)))


def tidy(text):
    text = re.sub(r"\([^)]*\)", " ", text.replace(OPEN, "").replace(CLOSE, ""))
    text = re.sub(r"\[[^\]]*\]", " ", text)
    text = " ".join(text.split()).strip(" ,.;:!?\"'“”‘’—–-")
    return re.sub(r"^(?:the|an?|how to|other|all|some) ", "", text, flags=re.I)


def from_index(tree):
    """Questions of the index of a documentation, with links."""
    files, sphinx, _ = known_items.sources(tree)
    for file in files:
        index = known_items.Index(sphinx)
        index.feed(file.read_text(encoding="utf8"))
        for entry in index.entries:
            root = entry
            while root.above:
                root = root.above
            if not entry.links or not entry.text or "(see" in entry.text:
                continue
            if not known_items.has_sign(root.text) or not re.search(r"\w", entry.text):
                continue
            query = next(iter(known_items.queries_of(entry)))
            if not known_items.is_identifier(known_items.name_of(root.text)) and is_natural(query):
                yield query, [target(file.name, link) for link in entry.links]


def sentences(text):
    return re.split(r"(?<=[.!?:;])[\"')”]* (?=[\"'(“\ue000]*[A-Z])", text)


def from_links(path, page):
    """Questions of kinds `about` and `link` of a page, each with its link."""
    for text, links in page.blocks:
        at = 0
        for sentence in sentences(text):
            n = sentence.count(OPEN)
            own, at = links[at : at + n], at + n
            if not n or len(sentence.split()) < 6:
                continue
            texts = re.findall(f"{OPEN}(.*?){CLOSE}", sentence)
            numbers = iter(f"{OPEN}{i}{CLOSE}" for i in range(n))
            marked = re.sub(f"{OPEN}.*?{CLOSE}", lambda _: next(numbers), sentence)
            for pattern in ABOUT:
                match = pattern.search(marked)
                if match and len(texts) == n:
                    x = re.sub(f"{OPEN}(\\d+){CLOSE}", lambda m: texts[int(m[1])], match["x"])
                    yield "about", tidy(x), target(path, own[int(match["link"])])
                    break
            else:
                for link, said in zip(own, texts):
                    yield "link", tidy(said), target(path, link)


def fits(kind, query):
    words = query.split()
    if not is_natural(query) or len(words) > MAX_WORDS or POINTING.search(query):
        return False
    if kind == "index":
        return len(words) >= 2 and bool(content(query))
    said = content(" ".join(word for word in words if word.lower() not in VAGUE))
    return len(said) >= 2 and not re.match(r"\w+ed\b", query)


def part(key):
    half = int(hashlib.sha256(f"split {key}".encode()).hexdigest(), 16) % 2
    return "test" if half else "dev"


def collect(name, tree):
    """Questions by id, and the number of omitted questions by reason."""
    pages = {}
    for path in sorted(p for p in tree.rglob("*") if p.suffix in (".html", ".md") and p.is_file()):
        page = read(path)
        if page:
            pages[path.relative_to(tree).as_posix()] = page
    asked = []
    if (tree / "bookindex.html").is_file() or (tree / "genindex.html").is_file():
        asked += [("index", query, links) for query, links in from_index(tree)]
    for path, page in pages.items():
        if not LISTS.search(path):
            asked += [(kind, query, [link]) for kind, query, link in from_links(path, page)]
    queries, left_out = {}, Counter()
    for kind, query, links in asked:
        if not fits(kind, query):
            continue
        key = hashlib.sha256(f"{name} {query.casefold()}".encode()).hexdigest()[:12]
        known = queries.setdefault(key, (kind, query, {}))
        for link in links:
            known[2][section(pages, link, kind)] = None
    return choose(queries, pages, left_out), left_out


def section(pages, link, kind):
    """The page and the heading of a link, or why there is none."""
    if link is None or link[0] not in pages:
        return "no page of the site"
    page = pages[link[0]]
    if LISTS.search(link[0]) or link[1] not in page.heading_of:
        return "no anchor of a page"
    if link[1] in page.definitions:
        return "definition"
    if len(page.headings) < 2:
        return "page with one heading"
    if kind != "index" and not link[1]:
        return "page as a whole"
    heading = page.heading_of[link[1]]
    # Headings of references are names of functions and the like; a page's own may be.
    if heading and is_name(bare(page.headings[heading])):
        return "definition"
    return link[0], heading


def choose(queries, pages, left_out):
    kept = {}
    for key, (kind, query, found) in queries.items():
        reason = next((each for each in found if isinstance(each, str)), None)
        if reason is None and len(found) > MAX_SECTIONS:
            reason = "many sections"
        if reason is None and any(is_circular(query, pages[p].headings[h]) for p, h in found):
            reason = "repeats the heading"
        if reason:
            left_out[reason] += 1
            continue
        sections = [
            {"page": p, "heading": pages[p].headings[h], "anchors": pages[p].anchors(h)}
            for p, h in sorted(found)
        ]
        kept[key] = {"_id": key, "text": query, "kind": kind, "sections": sections}
    return kept


def make(args):
    total = Counter()
    for each in args.trees:
        name, _, tree = each.partition("=")
        if not Path(tree).is_dir():
            sys.exit(f"{each}: expected NAME=TREE, a directory of documentation; found none")
        queries, left_out = collect(name, Path(tree))
        drawn = []
        for kind in ("index", "about", "link"):
            of_kind = [q for key, q in sorted(queries.items()) if q["kind"] == kind]
            of_kind = [q for q in of_kind if args.split in (None, part(q["_id"]))]
            drawn += of_kind[: args.most]
            total[kind] += min(len(of_kind), args.most)
            print(f"{name}, {kind}: {min(len(of_kind), args.most)} of {len(of_kind)}")
        print("  left out:", "; ".join(f"{why} {n}" for why, n in left_out.most_common()))
        write(args.out / name, drawn)
    print(f"{sum(total.values())} questions")


def write(out, queries):
    out.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(query, ensure_ascii=False) + "\n" for query in queries)
    (out / "queries.jsonl").write_text("".join(lines), encoding="utf8")
    pages = sorted({(q["_id"], s["page"]) for q in queries for s in q["sections"]})
    grades = "".join(f"{key}\t{page}\t1\n" for key, page in pages)
    (out / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + grades, encoding="utf8")


def interval(k, n):
    """95% for a share of `k` among `n` (Wilson, 1927)."""
    z = 1.96
    centre = (k + z * z / 2) / (n + z * z)
    half = z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    return max(0, centre - half), min(1, centre + half)


def sample(args):
    drawn = []
    for file in sorted(args.out.glob("*/queries.jsonl")):
        for query in map(json.loads, file.read_text("utf8").splitlines()):
            order = hashlib.sha256(f"sample {query['_id']}".encode()).hexdigest()
            found = "; ".join(f"{s['page']}: {s['heading']}" for s in query["sections"])
            row = [file.parent.name, query["_id"], query["kind"], query["text"], found, ""]
            drawn.append((order, row))
    with open(args.verdicts, "w", encoding="utf8", newline="") as out:
        rows = csv.writer(out, delimiter="\t", lineterminator="\n")
        rows.writerow(["source", "_id", "kind", "text", "sections", "verdict"])
        rows.writerows(row for _, row in sorted(drawn)[: args.most])


def check(args):
    verdicts = list(csv.DictReader(open(args.verdicts, encoding="utf8"), delimiter="\t"))
    for source in sorted({row["source"] for row in verdicts}):
        known = {
            json.loads(line)["_id"]
            for line in (args.out / source / "queries.jsonl").read_text("utf8").splitlines()
        }
        unknown = [r["_id"] for r in verdicts if r["source"] == source and r["_id"] not in known]
        if unknown:
            sys.exit(f"{args.verdicts}: expected questions of {args.out / source}, found"
                     f" {', '.join(unknown)}: make the set of the same documentation")
    counts = Counter(row["verdict"] for row in verdicts)
    for verdict, n in counts.most_common():
        low, high = interval(n, len(verdicts))
        print(f"{verdict}: {n} of {len(verdicts)} ({low:.1%} to {high:.1%})")


def main():
    arguments = argparse.ArgumentParser(description="Questions with the right section.")
    command = {"sample": sample, "check": check}.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if command:
        arguments.add_argument("command")
        arguments.add_argument("out", type=Path, help="directory of the sets")
        arguments.add_argument("verdicts", type=Path)
        arguments.add_argument("--most", type=int, default=100, metavar="N", help="of the sample")
        return command(arguments.parse_args())
    arguments.add_argument("out", type=Path, help="directory for the sets")
    arguments.add_argument("trees", nargs="+", metavar="NAME=TREE")
    arguments.add_argument("--most", type=int, default=150, metavar="N", help="of a kind, at most")
    arguments.add_argument("--split", choices=["dev", "test"], help="one half")
    return make(arguments.parse_args())


if __name__ == "__main__":
    main()
