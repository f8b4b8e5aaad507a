"""Measures search over source code on the questions of `code_pairs.py`.

    python3 code_search.py SET WORK --findling PROGRAM [--encoder NAME...] [--static]
                           [--split train|test|all] [--json FILE] [--search ARGUMENT...]

Builds the corpus of SET into WORK, once for each encoder, and asks each question. An answer is the
section that contains the line of the function's name; nDCG@10 is 1 / log2(1 + its place) among the
sections in the order in which they are shown, or 0 beyond the tenth. Each question has one answer,
although several functions may do the same. So the figures compare searches, and mean little alone.

Compared with:

- `ripgrep, BM25`: a program that searches with ripgrep and ranks the hits. A query's words are
  looked up with `rg -i -w -e WORD ...` (here the same expression, `\\bWORD\\b`, in Python); the
  sections with hits, the same sections as in Findling's index, are ranked by BM25 (k1 1.2, b 0.75)
  of the hits, with 30 frequent words of English left out.
- the same over parts of identifiers: `rg -i -e WORD` finds words inside of identifiers too.
- general embedding search: only the vectors of an encoder (`--mode semantic`), all of which are
  compared.

Symbols: each of the set's hundred names is searched as it is written; the first section must be its
own. Needs the standard library only.
"""

import argparse
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

STOP = set(
    "a an and are as at be by for from has if in into is it its of on or that the their this to "
    "was which will with".split()
)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def span(anchor):
    """The lines of an anchor, L17-L21 or L17."""
    numbers = [int(number) for number in re.findall(r"\d+", anchor)]
    return numbers[0], numbers[-1]


class Program:
    def __init__(self, program):
        self.program = str(Path(program).resolve())

    def run(self, *args, cwd=None):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True, cwd=cwd)
        # A search that finds nothing ends with 1.
        if done.returncode not in (0, 1):
            sys.exit(f"{args}: {done.stderr.decode()}")
        return done.stdout.decode()

    def build(self, corpus, out, encoder):
        if not out.is_dir():
            self.run("build", corpus, "-o", out, "--format", "code", "--encoder", encoder,
                     "--no-client", "--quiet")

    def ask(self, bundle, questions, scratch, *options):
        """The sections shown for each question: path and lines, in order."""
        queries = scratch / "queries.jsonl"
        with open(queries, "w", encoding="utf-8") as file:
            for question in questions:
                file.write(json.dumps({"_id": question["_id"], "text": question["text"]}) + "\n")
        out = self.run("search", bundle, "--batch", queries, "--format", "json", "-k", 10, *options)
        shown = {}
        for line in out.splitlines():
            response = json.loads(line)
            shown[response["_id"]] = [
                (page["id"], *span(section["anchor"]))
                for page in response["results"]
                for section in page["sections"]
            ]
        return shown

    def sections(self, corpus):
        """All sections of the corpus, as they are indexed: path, lines, text."""
        def of_file(path):
            inside = path.relative_to(corpus)
            report = json.loads(self.run("inspect", "--extraction", path, "--json"))
            lines = path.read_text(encoding="utf-8").split("\n")
            for page in report["pages"]:
                for section in page["sections"]:
                    first, last = span(section["anchor"])
                    text = "\n".join(lines[first - 1 : last])
                    yield (inside.as_posix(), first, last), text

        paths = sorted(path for path in corpus.rglob("*") if path.is_file())
        with ThreadPoolExecutor(2) as pool:
            return [one for of in pool.map(lambda path: list(of_file(path)), paths) for one in of]


class Bm25:
    """BM25 over the hits of ripgrep in sections."""

    def __init__(self, sections, inside):
        self.sections = [section for section, _ in sections]
        self.postings = defaultdict(list)
        lengths = []
        for number, (_, text) in enumerate(sections):
            words = re.findall(r"\w+", text.lower())
            lengths.append(len(words))
            if inside:
                words = [part for word in re.findall(r"\w+", text) for part in parts(word)]
            for word, count in Counter(words).items():
                self.postings[word].append((number, count))
        self.mean = sum(lengths) / max(len(lengths), 1)
        self.lengths = lengths

    def ask(self, text):
        scores = Counter()
        n = len(self.sections)
        for word in {word for word in re.findall(r"\w+", text.lower()) if word not in STOP}:
            of = self.postings.get(word, ())
            idf = math.log(1 + (n - len(of) + 0.5) / (len(of) + 0.5))
            for number, count in of:
                norm = 1.2 * (0.25 + 0.75 * self.lengths[number] / self.mean)
                scores[number] += idf * count * 2.2 / (count + norm)
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:10]
        return [self.sections[number] for number, _ in best]


def parts(word):
    """An identifier and its parts in lower case."""
    split = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", word)
    return {word.lower(), *(part.lower() for part in split)}


def rank(shown, answer):
    for place, (path, first, last) in enumerate(shown[:10], 1):
        if path == answer["path"] and first <= answer["line"] <= last:
            return place
    return None


def measure(shown, questions):
    """nDCG@10 and the share of questions answered first, by language and over all."""
    by = defaultdict(list)
    for question in questions:
        by[question["language"]].append(rank(shown[question["_id"]], question))
    def mean(places, of):
        return round(sum(of(place) if place else 0 for place in places) / len(places), 4)
    everything = [place for places in by.values() for place in places]
    languages = {name: mean(places, lambda p: 1 / math.log2(1 + p)) for name, places in by.items()}
    return {
        "ndcg10": mean(everything, lambda place: 1 / math.log2(1 + place)),
        "first": mean(everything, lambda place: float(place == 1)),
        "languages": dict(sorted(languages.items())),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--findling", required=True)
    parser.add_argument("--encoder", nargs="*", default=["none", "static"])
    parser.add_argument("--split", choices=["train", "test", "all"], default="test")
    parser.add_argument("--no-baselines", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--search", nargs="*", default=[], help="options of `findling search`")
    args = parser.parse_args()
    program = Program(args.findling)
    args.work.mkdir(parents=True, exist_ok=True)
    pairs = lines_of(args.set / "pairs.jsonl")
    questions = [pair for pair in pairs if args.split in ("all", pair["split"])]
    rows = []

    def row(name, shown):
        rows.append({"search": name, **measure(shown, questions)})
        print(json.dumps(rows[-1]), flush=True)

    corpus = args.set / "corpus"
    for encoder in args.encoder:
        bundle = args.work / f"{encoder}.index"
        program.build(corpus, bundle, encoder)
        modes = ["lexical"] if encoder == "none" else ["semantic", "hybrid"]
        queries = ["auto"] if encoder in ("none", "static", "hash") else ["auto", "static"]
        for mode in modes:
            for query in queries:
                options = ["--mode", mode, "--query-encoder", query, *args.search]
                name = f"{mode}, documents by {encoder}, queries by {query}"
                row(name, program.ask(bundle, questions, args.work, *options))
    symbols = [{**symbol, "_id": str(number), "text": symbol["name"]}
               for number, symbol in enumerate(lines_of(args.set / "symbols.jsonl"))]
    first = 0
    for encoder in args.encoder:
        shown = program.ask(args.work / f"{encoder}.index", symbols, args.work, *args.search)
        missed = [symbol for symbol in symbols if rank(shown[symbol["_id"]], symbol) != 1]
        first = len(symbols) - len(missed)
        print(f"symbols, {encoder}: {first} of {len(symbols)} first")
        for symbol in missed:
            found = shown[symbol["_id"]][:1]
            print(f"  {symbol['name']} {symbol['path']}:{symbol['line']}, first is {found}")
        rows.append({"search": f"symbols, {encoder}", "first": first, "of": len(symbols)})
    if not args.no_baselines:
        sections = program.sections(corpus)
        for name, inside in [("words as ripgrep -w finds them", False),
                             ("words inside of identifiers", True)]:
            bm25 = Bm25(sections, inside)
            row(f"BM25, {name}", {q["_id"]: bm25.ask(q["text"]) for q in questions})
    if args.json:
        languages = Counter(question["language"] for question in questions)
        report = {"questions": len(questions), "split": args.split, "languages": languages}
        args.json.write_text(json.dumps({**report, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
