"""Data from a bundle for the experiments on query encoders: vectors, scores by words, fusion.

All data comes from the program `findling` (FINDLING names another one): `search` with
`--include-vectors` prints the vectors of queries and sections. Fusion is computed here as the
engine does (docs/design/fusion.md), for bundles whose pages have one section each; `Judged.check`
compares its nDCG@10 with the engine's. Needs numpy.
"""

import json
import os
import re
import struct
import subprocess
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

PROGRAM = os.environ.get("FINDLING", "findling")
# Pages of one answer, the most that `findling search` prints.
MAX_PAGES = 1000
# Sections of each leg that are compared, `depth` of the engine.
DEPTH = 200


def unit(x):
    """Vectors of length one."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


def search(bundle, query, *options):
    """The answer of `findling search`."""
    line = [PROGRAM, "search", str(bundle), query, "--json", "--copies", *options]
    done = subprocess.run(line, capture_output=True, text=True)
    answer = json.loads(done.stdout or "{}")
    if "results" not in answer:
        raise SystemExit(f"{query!r} in {bundle}: {answer.get('error') or done.stderr}")
    return answer


def section_vectors(bundle):
    """The first section's vector of every page, by the page's id."""
    found = {}
    while True:
        options = ["--mode", "semantic", "--query-encoder", "static", "--include-vectors"]
        page = ["-k", str(MAX_PAGES), "--offset", str(len(found))]
        results = search(bundle, "the", *options, *page)["results"]
        found.update((page["id"], page["sections"][0]["vector"]) for page in results)
        if len(results) < MAX_PAGES:
            return found


def teacher_vectors(texts):
    """The teacher's embeddings of texts in the form of documents: projected, in 8 bits."""
    texts = list(dict.fromkeys(texts))
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "texts.jsonl"
        lines = (json.dumps({"_id": f"t{i}", "title": "", "text": t}) for i, t in enumerate(texts))
        corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
        bundle = Path(scratch) / "bundle"
        line = [PROGRAM, "build", str(corpus), "-o", str(bundle), "--no-fit", "--no-client", "-q"]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        vectors = section_vectors(bundle)
    return {text: np.array(vectors[f"t{i}"]) for i, text in enumerate(texts) if f"t{i}" in vectors}


def ndcg(ids, relevant, k=10):
    """nDCG@k of a list where every relevant document counts the same."""
    gain = sum(1 / np.log2(i + 2) for i, found in enumerate(ids[:k]) if found in relevant)
    return gain / sum(1 / np.log2(i + 2) for i in range(min(k, len(relevant))))


def interval(differences, n=4000):
    """95% of the means of samples of a set's differences, or of the mean of several sets'."""
    chance = np.random.default_rng(1)
    sets = [np.asarray(values) for values in differences]
    samples = [values[chance.integers(0, len(values), (n, len(values)))].mean(1) for values in sets]
    return np.quantile(np.mean(samples, axis=0), [0.025, 0.975])


class Judged:
    """A judged set and its bundle. DIRECTORY has queries.jsonl and qrels.tsv."""

    def __init__(self, directory, bundle):
        self.name = Path(directory).name
        relevant = {}
        for line in (Path(directory) / "qrels.tsv").read_text(encoding="utf-8").splitlines():
            query, *_, document, grade = line.split("\t")
            if grade.isdigit() and int(grade) > 0:
                relevant.setdefault(query, set()).add(document)
        lines = (Path(directory) / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        queries = [query for query in map(json.loads, lines) if query["_id"] in relevant]
        self.texts = [" ".join(query["text"].split()) for query in queries]
        self.relevant = [relevant[query["_id"]] for query in queries]
        vectors = section_vectors(bundle)
        self.ids = list(vectors)
        self.vectors = unit(np.array(list(vectors.values()), np.float32))
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda text: self.ask(bundle, text), self.texts))
        self.words, self.whole, self.alpha, self.static, self.engine = map(
            np.array, zip(*answers)
        )

    def ask(self, bundle, text):
        """Scores by words, the score of the full share, alpha, and the query's vector."""
        place = {found: i for i, found in enumerate(self.ids)}
        words = np.zeros(len(self.ids), np.float32)
        options = ["--mode", "lexical", "--query-encoder", "none", "-k", str(DEPTH)]
        for page in search(bundle, text, *options)["results"]:
            words[place[page["id"]]] = page["score"]
        both = search(
            bundle, text, "--query-encoder", "static", "--explain", "--include-vectors"
        )
        said = re.search(r"alpha=([\d.]+)", json.dumps(both["plan"]))
        alpha = float(said.group(1)) if said else 0.35
        whole = max(words.max(), 1e-9)
        for page in both["results"]:
            legs = page["sections"][0]["legs"]
            if legs.get("lexicalScore") and legs.get("lexicalShare"):
                whole = (1 - alpha) * legs["lexicalScore"] / legs["lexicalShare"]
                break
        query = self.texts.index(text)
        found = ndcg([page["id"] for page in both["results"]], self.relevant[query])
        return words, whole, alpha, both["_meta"]["vectors"]["query"], found

    def shares(self, queries):
        """Both legs' shares before alpha, and the cosines with their zero."""
        cosines = queries @ self.vectors.T
        zero = (queries @ self.vectors.mean(0))[:, None]
        span = np.maximum(cosines.max(1, keepdims=True) - zero, 1e-9)
        depth = min(DEPTH, len(self.ids))
        nearest = np.partition(cosines, -depth, axis=1)[:, -depth][:, None]
        known = (cosines >= nearest) | (self.words > 0)
        meaning = np.where(known, np.maximum(0, (cosines - zero) / span), 0)
        return self.words / self.whole[:, None], meaning, cosines, zero[:, 0]

    def first_ten(self, scores):
        """The places of the ten best documents of each query."""
        best = np.argpartition(-scores, 10, axis=1)[:, :10]
        order = np.take_along_axis(-scores, best, 1).argsort(1, kind="stable")
        return np.take_along_axis(best, order, 1)

    def ndcg(self, scores):
        """nDCG@10 of each query."""
        lists = self.first_ten(scores)
        pairs = zip(lists, self.relevant)
        return np.array([ndcg([self.ids[i] for i in found], right) for found, right in pairs])

    def both(self, queries, shift=0.0):
        """nDCG@10 of each query by meaning and fused, by other vectors of the queries."""
        words, meaning, cosines, _ = self.shares(queries)
        alpha = np.clip(self.alpha + shift, 0, 1)[:, None]
        return self.ndcg(cosines), self.ndcg((1 - alpha) * words + alpha * meaning)

    def check(self):
        """Prints the fused nDCG@10 computed here next to the engine's."""
        here = self.both(unit(self.static))[1].mean()
        print(f"{self.name}: {len(self.texts)} queries, {len(self.ids)} documents, fused "
              f"{here:.4f}, by the engine {self.engine.mean():.4f}")


class Table:
    """The rows of a table of 4 bits as `findling distill` writes it, and its vocabulary."""

    def __init__(self, path):
        raw = zlib.decompressobj(-15).decompress(Path(path).read_bytes()[24:])
        self.raw, self.at = raw, 0
        self.string(), self.number(), self.string(), self.number(), self.string(), self.string()
        self.at += 1
        projection = self.bytes()
        self.at += 1
        if self.number() != 1:
            raise SystemExit(f"{path}: expected rows of 4 bits")
        self.vocabulary = [self.string() for _ in range(self.number())]
        self.bytes()
        scales = np.array([self.number() for _ in range(self.number())], np.uint32)
        packed = np.frombuffer(self.bytes(), np.uint8)
        dim = struct.unpack("<II", projection[:8])[1]
        have = np.flatnonzero(scales)
        packed = packed.reshape(len(have), dim // 2)
        levels = np.stack([packed & 15, packed >> 4], 2).reshape(len(have), dim)
        self.rows = np.zeros((len(scales), dim), np.float32)
        scale = (scales[have] << 16).astype(np.uint32).view(np.float32)
        self.rows[have] = (levels - 7.5) * scale[:, None]

    def number(self):
        """An integer as bincode writes it."""
        first = self.raw[self.at]
        self.at += 1
        if first < 251:
            return first
        size = {251: 2, 252: 4, 253: 8}[first]
        self.at += size
        return int.from_bytes(self.raw[self.at - size : self.at], "little")

    def bytes(self):
        size = self.number()
        self.at += size
        return self.raw[self.at - size : self.at]

    def string(self):
        return self.bytes().decode()
