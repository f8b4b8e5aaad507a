"""Pairs of queries that differ in the order of words, or in one small word, with both targets.

    python3 word_order.py make OUT TREE... [--limit N]
    python3 word_order.py measure OUT BUNDLE [--findling PROGRAM] [--out FILE]

`make` reads the headings and sentences of Markdown and HTML files below each TREE. A pair comes
from one of them that has a relation between two short sides. Its counterpart has the sides
exchanged ("from X to Y", "X instead of Y", "X is larger than Y"), the opposite word ("before" and
"after", "with" and "without"), or no negation ("cannot X", "can X"). Both texts are documents. Each
has a query: the words around the relation, without articles, in small letters. A bag of words
cannot distinguish the two texts of an exchange.

It writes `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` into OUT, and `qrels-other.tsv`, which has
the counterpart of each query's text. Build a bundle of the corpus, then `measure` it: the share of
queries that rank their own text before its counterpart, by words, by meaning and by both, with the
static encoder and with the transformer. Texts that are not among ten count as equal, and equal
ranks as half. Intervals are those of 95% of 2,000 samples of the pairs. Needs the standard library
only; the same input gives the same output.
"""

import argparse
import html
import json
import random
import re
import subprocess
import sys
from pathlib import Path

WORD = r"[A-Za-z][\w.-]*[\w]"
SIDE = rf"(?:{WORD} ){{0,2}}{WORD}"
MAX_WORDS = 28
# Words that no side begins or ends with.
EMPTY = set(
    "a an and any are as at be been both but by can could do does each either every few for from "
    "had has have how if in into is it its may might more most must no not of on once one only or "
    "other should so some such than that the their them then there these they this those to up "
    "was we were what when where which while who will with would you your".split()
)
MOVES = (
    "add assign attach bind cast change compare connect convert copy export forward import "
    "map migrate move pass promote redirect rename route send set switch transform translate "
    "update upgrade write"
).split()
MOVE = "|".join(
    form for verb in MOVES for form in (verb, verb.rstrip("e") + "ing", verb + "s", verb + "ed")
)
EXCHANGES = [
    ("from, to", re.compile(rf"\bfrom (?P<x>{SIDE}) to (?P<y>{SIDE})\b")),
    ("verb, to", re.compile(rf"\b(?:{MOVE}) (?:the |a |an )?(?P<x>{SIDE}) (?:in)?to "
                            rf"(?:the |a |an )?(?P<y>{SIDE})\b", re.I)),
    ("instead", re.compile(rf"\b(?P<x>{SIDE}) (?:instead of|rather than) (?:the |a |an )?"
                           rf"(?P<y>{SIDE})\b")),
    ("comparison", re.compile(rf"\b(?P<x>{SIDE}) (?:is|are|was|has|have|be) (?:\w+ )?"
                              rf"(?:\w+er|more|less|\w+ \w+er|(?:more|less) \w+) than "
                              rf"(?:the |a |an )?(?P<y>{SIDE})\b")),
]
OPPOSITES = [
    ("before, after", re.compile(r"\b(before|after)\b"), {"before": "after", "after": "before"}),
    ("with, without", re.compile(r"\b(without)\b"), {"without": "with"}),
    ("negation", re.compile(r"\b(cannot|can not|must not|should not|does not|is not|are not|"
                            r"will not|may not)\b"),
     {"cannot": "can", "can not": "can", "must not": "must", "should not": "should",
      "does not": "does", "is not": "is", "are not": "are", "will not": "will",
      "may not": "may"}),
]


def texts(path):
    """Headings and sentences of a file, without code."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        text = re.sub(r"<(script|style|pre|nav|head)\b.*?</\1>", " ", text, flags=re.S)
        blocks = re.findall(r"<(?:h[1-4]|p)\b[^>]*>(.*?)</(?:h[1-4]|p)>", text, flags=re.S)
        blocks = [html.unescape(re.sub(r"<[^>]+>", "", block)) for block in blocks]
    else:
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
        text = re.sub(r"```.*?```|\{\{.*?\}\}|<!--.*?-->", " ", text, flags=re.S)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        text = re.sub(r"<[^>]*>|[`*_]{1,2}(?=\w)|(?<=\w)[`*]{1,2}|\{#.*?\}", "", text)
        text = re.sub(r"^ *(?:[-+*>]|\d+\.|#+) *", "\n", text, flags=re.M)
        blocks = re.split(r"\n\s*\n", text)
    for block in blocks:
        for sentence in re.split(r"(?<=[.!?:;]) (?=[A-Z])", " ".join(block.split())):
            if 4 <= len(sentence.split()) <= MAX_WORDS and "|" not in sentence:
                yield sentence


def trimmed(match, name):
    """The span of a side without empty words at its ends, or None."""
    start, end = match.span(name)
    words = [(m.start() + start, m.end() + start) for m in re.finditer(r"\S+", match.group(name))]
    text = match.string
    while words and text[words[0][0] : words[0][1]].lower() in EMPTY:
        words.pop(0)
    if name == "y":
        # The second side ends where the phrase does.
        for i, (a, b) in enumerate(words):
            if text[a:b].lower() in EMPTY:
                words = words[:i]
                break
    if any(text[a:b].lower() in EMPTY for a, b in words) or not words:
        return None
    return words[0][0], words[-1][1]


def query(text, start, end, around):
    """The words of a part of a text and `around` words on each side of it, in the form in which
    people type them."""
    before = re.split(r"[,;:()]", text[:start])[-1].split()[-around:] if around else []
    behind = re.split(r"[,;:()]|\.(?: |$)", text[end:])[0].split()[:around] if around else []
    words = [*before, *text[start:end].split(), *behind]
    words = [w.strip("\"'“”‘’,.;:()!?").lower() for w in words]
    return " ".join(w for w in words if w and w not in {"a", "an", "the"})


def exchange(text, pattern):
    """The two texts and queries if two sides can change places, otherwise None."""
    match = pattern.search(text)
    if not match:
        return None
    x, y = trimmed(match, "x"), trimmed(match, "y")
    if not x or not y or text[slice(*x)].lower() == text[slice(*y)].lower():
        return None
    start = min(match.start(), x[0]) if not match.start("x") == match.start() else x[0]

    def put(a, b):
        return text[: x[0]] + a + text[x[1] : y[0]] + b + text[y[1] :], start, y[1]

    own, other = text[slice(*x)], text[slice(*y)]
    swapped = put(other, own)[0]
    return (text, swapped), (query(text, start, y[1], 0), query(swapped, start, y[1], 0))


def opposite(text, pattern, words):
    """The two texts and queries if one small word changes, otherwise None."""
    match = pattern.search(text)
    if not match or len(pattern.findall(text)) != 1:
        return None
    start, end = match.span()
    word = words[match.group()]
    changed = text[:start] + word + text[end:]
    queries = (query(text, start, end, 4), query(changed, start, start + len(word), 4))
    return ((text, changed), queries) if len(queries[0].split()) >= 5 else None


def make(args):
    found = {}
    seen = set()
    for tree in args.trees:
        for path in sorted(p for p in tree.rglob("*") if p.suffix in {".md", ".html"}):
            for text in texts(path):
                for kind, pattern in EXCHANGES:
                    pair = exchange(text, pattern)
                    if pair and pair[1][0] not in seen:
                        break
                else:
                    for kind, pattern, words in OPPOSITES:
                        pair = opposite(text, pattern, words)
                        if pair and pair[1][0] not in seen:
                            break
                    else:
                        continue
                if text in seen:
                    continue
                seen.update((text, pair[1][0]))
                found.setdefault(kind, []).append(pair)
    args.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(35)
    corpus, queries, own, others = [], [], [], []
    for kind, pairs in sorted(found.items()):
        chance.shuffle(pairs)
        for i, pair in enumerate(pairs[: args.limit]):
            name = re.sub(r"\W+", "-", kind)
            ids = [f"{name}-{i}-{side}" for side in "ab"]
            for side, (text, asked) in enumerate(zip(*pair)):
                corpus.append({"_id": ids[side], "title": "", "text": text})
                queries.append({"_id": ids[side], "text": asked, "kind": kind})
                own.append((ids[side], ids[side]))
                others.append((ids[side], ids[1 - side]))
        print(f"{kind}: {min(len(pairs), args.limit)} of {len(pairs)} pairs", file=sys.stderr)
    for name, lines in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (args.out / name).write_text(written, encoding="utf-8")
    for name, lines in (("qrels.tsv", own), ("qrels-other.tsv", others)):
        written = "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t1\n" for q, d in lines)
        (args.out / name).write_text(written, encoding="utf-8")


SEARCHES = [
    ("words", ["--mode", "lexical", "--query-encoder", "none"]),
    ("meaning, static", ["--mode", "semantic", "--query-encoder", "static"]),
    ("both, static", ["--mode", "hybrid", "--query-encoder", "static"]),
    ("meaning, transformer", ["--mode", "semantic", "--query-encoder", "transformer"]),
    ("both, transformer", ["--mode", "hybrid", "--query-encoder", "transformer"]),
]


def ranks(args, options, qrels):
    """The reciprocal rank of each query's judged text."""
    line = [args.findling, "eval", args.bundle, "--queries", args.out / "queries.jsonl"]
    line += ["--qrels", args.out / qrels, "--json", "--per-query", *options]
    report = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)
    return {query["_id"]: query["mrr@10"] for query in report["modes"][0]["queries"]}


def interval(values):
    """95% of the means of samples of the values."""
    chance = random.Random(1)
    n = len(values)
    means = sorted(sum(chance.choices(values, k=n)) / n for _ in range(2000))
    return means[49], means[1949]


def measure(args):
    lines = (args.out / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {query["_id"]: query["kind"] for query in map(json.loads, lines)}
    report = {"pairs": len(kinds) // 2, "searches": {}}
    for name, options in SEARCHES:
        own, other = (ranks(args, options, f) for f in ("qrels.tsv", "qrels-other.tsv"))
        right = {q: (own[q] > other[q]) + 0.5 * (own[q] == other[q]) for q in kinds}
        pairs = {}
        for q, kind in kinds.items():
            pairs.setdefault((kind, q[:-2]), []).append(right[q])
        of_kind = {}
        for (kind, _), values in pairs.items():
            of_kind.setdefault(kind, []).append(sum(values) / len(values))
        everything = [value for values in of_kind.values() for value in values]
        result = {"all": round(sum(everything) / len(everything), 4)}
        result["interval"] = [round(bound, 4) for bound in interval(everything)]
        result["both right"] = round(sum(value == 1 for value in everything) / len(everything), 4)
        for kind, values in sorted(of_kind.items()):
            result[kind] = round(sum(values) / len(values), 4)
        report["searches"][name] = result
        print(name, json.dumps(result), file=sys.stderr)
    written = json.dumps(report, indent=2) + "\n"
    if args.result:
        args.result.write_text(written, encoding="utf-8")
    else:
        print(written, end="")


def main():
    parser = argparse.ArgumentParser(description="Pairs of queries that differ in order.")
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make", help="make the set")
    making.add_argument("out", type=Path, help="directory for the set")
    making.add_argument("trees", type=Path, nargs="+", help="directories of Markdown or HTML")
    making.add_argument("--limit", type=int, default=100, help="most pairs of a kind")
    making.set_defaults(run=make)
    measuring = commands.add_parser("measure", help="measure a bundle")
    measuring.add_argument("out", type=Path, help="directory of the set")
    measuring.add_argument("bundle", help="bundle of its corpus.jsonl")
    measuring.add_argument("--findling", default="findling", help="the program")
    measuring.add_argument("--out", dest="result", type=Path, help="file for the figures")
    measuring.set_defaults(run=measure)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
