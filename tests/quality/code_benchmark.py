"""Measures search over source code on the questions of semble's benchmark, by files.

    python3 code_benchmark.py BENCHMARK CHECKOUTS WORK --findling PROGRAM
                              [--half development|test|all] [--encoder NAME...] [--no-baselines]
                              [--json FILE] [--failures FILE] [--search ARGUMENT...]

BENCHMARK is the directory `benchmarks` of https://github.com/MinishLab/semble: `repos.json`, which
pins the revisions, and `annotations/NAME.json`, the questions with the files that answer them.
CHECKOUTS has each repository below its name, at that revision. Nothing of either is in this
repository.

A repository's `benchmark_root` is built with `findling build --format code` into WORK, once for
each encoder; without an encoder words alone are measured, otherwise words and meaning. nDCG@10 is
over files, as that benchmark does it: each file that answers, whether first or second in rank, has
the gain 1, at the place at which it is shown first. An answer that is given as lines is the file
that has them. The benchmark's program lists pieces of files, of which several can be of one file;
here each file has one place, as in its scripts for ripgrep and ColGREP. The mean is over
repositories.

The halves were chosen by repository before any result of theirs was looked at, except that of
axum, gin and express, which had been looked at earlier. Changes are made with the development half
alone.

Compared with:

- `BM25, whole words`: files ranked by BM25 (k1 1.2, b 0.75) of the hits of `rg -i -w -e WORD ...`
  (here the same expression, `\\bWORD\\b`, in Python), with 30 frequent words of English left out.
- `BM25, words inside of identifiers`: the same, where an identifier's parts are words too.

`--failures` writes the questions whose first file is no answer, with the files shown. Needs the
standard library only.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from code_search import STOP, Program, parts

DEVELOPMENT = ["aiohttp", "axum", "express", "gin", "gson", "phoenix"]
TEST = ["cobra", "commons-lang", "fastapi", "rack", "tokio", "zod"]


class Repository:
    """One repository of the benchmark: where its files are, and its questions."""

    def __init__(self, benchmark, checkouts, spec):
        self.name = spec["name"]
        self.prefix = spec.get("benchmark_root") or ""
        self.root = checkouts / self.name / self.prefix
        path = benchmark / "annotations" / f"{self.name}.json"
        self.questions = json.loads(path.read_text(encoding="utf-8"))

    def answers(self, question):
        """Returns the files that answer, relative to the root, those alone that are there."""
        found = []
        for target in question["relevant"] + question.get("secondary", []):
            path = target if isinstance(target, str) else target["path"]
            path = path.removeprefix(f"{self.prefix}/")
            if path not in found and (self.root / path).is_file():
                found.append(path)
        return found

    def category(self, question):
        """Returns the category as given, or as the benchmark infers it."""
        if "category" in question:
            return question["category"]
        text = question["query"].strip().lower()
        if " " not in text:
            return "symbol"
        return "architecture" if text.startswith("how ") else "semantic"


def ndcg(shown, answers):
    """Returns nDCG@10 of files in the order in which they are shown."""
    gain = sum(1 / math.log2(1 + place) for place, path in enumerate(shown[:10], 1)
               if path in answers)
    return gain / sum(1 / math.log2(1 + place) for place in range(1, 1 + min(10, len(answers))))


def files(program, bundle, repository, options):
    """Returns the files that a search shows for each question, in order.

    Each question is a search of its own, as a person or an assistant asks it.
    """
    def ask(question):
        out = program.run("search", bundle, "--format", "json", "-k", 10, *options,
                          "--", question["query"])
        return [page["id"] for page in json.loads(out)["results"]]

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(ask, repository.questions))


class Bm25:
    """BM25 over the hits of ripgrep in files."""

    def __init__(self, root, inside):
        self.paths, self.postings, self.lengths = [], defaultdict(list), []
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            inner = path.relative_to(root)
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            if any(part.startswith(".") for part in inner.parts):
                continue
            found = re.findall(r"\w+", text)
            words = [part for word in found for part in (parts(word) if inside else [word.lower()])]
            for word, count in Counter(words).items():
                self.postings[word].append((len(self.paths), count))
            self.paths.append(inner.as_posix())
            self.lengths.append(len(words))
        self.mean = sum(self.lengths) / max(len(self.lengths), 1)

    def ask(self, text):
        """Returns the ten best files."""
        scores = Counter()
        n = len(self.paths)
        for word in {word for word in re.findall(r"\w+", text.lower()) if word not in STOP}:
            of = self.postings.get(word, ())
            idf = math.log(1 + (n - len(of) + 0.5) / (len(of) + 0.5))
            for number, count in of:
                norm = 1.2 * (0.25 + 0.75 * self.lengths[number] / self.mean)
                scores[number] += idf * count * 2.2 / (count + norm)
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:10]
        return [self.paths[number] for number, _ in best]


def measure(search, repositories, ask, failures):
    """Returns nDCG@10 over all repositories, by repository and by category."""
    of_repository, of_category = {}, defaultdict(list)
    for repository in repositories:
        values = []
        for question, shown in zip(repository.questions, ask(repository)):
            answers = repository.answers(question)
            value = ndcg(shown, answers) if answers else 0.0
            values.append(value)
            of_category[repository.category(question)].append(value)
            if not shown or shown[0] not in answers:
                failures.append({"search": search, "repository": repository.name,
                                 "query": question["query"], "ndcg10": round(value, 3),
                                 "answers": answers, "shown": shown})
        of_repository[repository.name] = sum(values) / len(values)
    mean = sum(of_repository.values()) / len(of_repository)
    return {
        "search": search,
        "ndcg10": round(mean, 4),
        "repositories": {name: round(value, 4) for name, value in of_repository.items()},
        "categories": {name: round(sum(values) / len(values), 4)
                       for name, values in sorted(of_category.items())},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--findling", required=True)
    parser.add_argument("--half", choices=["development", "test", "all"], default="development")
    parser.add_argument("--encoder", nargs="*", default=["none", "static"])
    parser.add_argument("--no-baselines", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--failures", type=Path)
    parser.add_argument("--search", nargs="*", default=[], help="options of `findling search`")
    args = parser.parse_args()
    names = {"development": DEVELOPMENT, "test": TEST, "all": DEVELOPMENT + TEST}[args.half]
    specs = json.loads((args.benchmark / "repos.json").read_text(encoding="utf-8"))
    specs = {spec["name"]: spec for spec in specs}
    missing = [name for name in names
               if name not in specs or not (args.checkouts / name).is_dir()]
    if missing:
        sys.exit(f"no checkout or no revision: {', '.join(missing)}")
    repositories = [Repository(args.benchmark, args.checkouts, specs[name]) for name in names]
    program = Program(args.findling)
    args.work.mkdir(parents=True, exist_ok=True)
    rows, failures = [], []

    def row(search, ask):
        rows.append(measure(search, repositories, ask, failures))
        print(json.dumps(rows[-1]), flush=True)

    for encoder in args.encoder:
        mode = "lexical" if encoder == "none" else "hybrid"

        def ask(repository, encoder=encoder, mode=mode):
            bundle = args.work / f"{repository.name}.{encoder}.index"
            program.build(repository.root, bundle, encoder)
            options = ["--mode", mode, *args.search]
            return files(program, bundle, repository, options)

        row("by words" if encoder == "none" else f"by both, {encoder}", ask)
    if not args.no_baselines:
        for name, inside in [("whole words", False), ("words inside of identifiers", True)]:
            def bm25(repository, inside=inside):
                ranker = Bm25(repository.root, inside)
                return [ranker.ask(question["query"]) for question in repository.questions]

            row(f"BM25, {name}", bm25)
    if args.json:
        questions = sum(len(repository.questions) for repository in repositories)
        report = {"half": args.half, "repositories": names, "questions": questions, "rows": rows}
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if args.failures:
        lines = (json.dumps(failure) + "\n" for failure in failures)
        args.failures.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
