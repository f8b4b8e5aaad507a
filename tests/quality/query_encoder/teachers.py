"""Compares the tables of teachers: rows of words, with documents embedded by the teacher.

    python3 teachers.py embed NAME=MODEL SET... --cache DIR [--tokens N]
    python3 teachers.py measure NAME... --sets SET=BUNDLE... --cache DIR

MODEL is the directory of a BERT with model.safetensors and tokenizer.json; the prefixes in its
config_sentence_transformers.json are put before queries and documents. SET is a directory with
corpus.jsonl, queries.jsonl and qrels.tsv, BUNDLE the bundle of its corpus, whose pages have one
section each; scores by words come from the bundle.

Teachers are compared under the same conditions, not as shipped. There are rows for whole words: all
words that a set's documents have twice, and all words of its queries. A row begins as the teacher's
embedding of the word alone, centred and weighed by rarity. Then it learns from spans of the
documents and from the documents, as a build does (docs/design/static-encoder.md); a tenth of the
spans is held out and chooses the epoch. Documents' vectors are projected to 256 dimensions. The
output is nDCG@10 by meaning and fused, for the static rows and for the teacher's own query vectors,
and the difference to the first teacher with 95% of paired bootstrap samples. Needs numpy, scipy,
safetensors and `tokenizers`.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from bundles import Judged, interval, unit
from scipy.special import erf

sys.path.insert(0, str(Path(__file__).parent.parent / "languages_static"))
from experiment import bags, mrr, projection, spans_of, train  # noqa: E402

SPANS = 1000
# Tokens that go through the model at once.
AT_ONCE = 1024


class Bert:
    """The mean of a BERT's last layer, of texts of equal length at once."""

    def __init__(self, directory, tokens):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        directory = Path(directory)
        self.tensors = load_file(directory / "model.safetensors")
        config = json.loads((directory / "config.json").read_text())
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(tokens)
        says = directory / "config_sentence_transformers.json"
        said = json.loads(says.read_text()).get("prompts", {}) if says.exists() else {}
        self.query, self.document = said.get("query", ""), said.get("passage", "")

    def linear(self, name, x):
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def batch(self, ids):
        n, length = ids.shape
        at = "embeddings."
        x = self.tensors[f"{at}word_embeddings.weight"][ids]
        x = x + self.tensors[f"{at}position_embeddings.weight"][:length]
        x = self.norm(f"{at}LayerNorm", x + self.tensors[f"{at}token_type_embeddings.weight"][0])
        dim = x.shape[-1]
        size = dim // self.heads
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self.linear(f"{at}attention.self.{name}", x)
                .reshape(n, length, self.heads, size)
                .transpose(0, 2, 1, 3)
                for name in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(size, dtype=np.float32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(n, length, dim)
            mixed = self.linear(f"{at}attention.output.dense", mixed)
            x = self.norm(f"{at}attention.output.LayerNorm", x + mixed)
            wide = self.linear(f"{at}intermediate.dense", x)
            wide = 0.5 * wide * (1 + erf(wide / np.sqrt(2, dtype=np.float32)))
            x = self.norm(f"{at}output.LayerNorm", x + self.linear(f"{at}output.dense", wide))
        return unit(x.mean(1))

    def embed(self, texts, prefix):
        tokens = [self.tokenizer.encode(prefix + text).ids for text in texts]
        found, of_length = [None] * len(texts), {}
        for i, ids in enumerate(tokens):
            of_length.setdefault(len(ids), []).append(i)
        for length, places in sorted(of_length.items()):
            step = max(1, AT_ONCE // length)
            for start in range(0, len(places), step):
                chosen = places[start : start + step]
                vectors = self.batch(np.array([tokens[i] for i in chosen]))
                for i, vector in zip(chosen, vectors):
                    found[i] = vector
        return np.array(found, np.float32)


def words(text):
    return re.findall(r"\w+", text.lower())


class Texts:
    """The texts of a set that are embedded: documents, queries, spans of documents, words."""

    def __init__(self, directory):
        directory = Path(directory)
        pages = (directory / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        pages = list(map(json.loads, pages))
        self.ids = [page["_id"] for page in pages]
        self.documents = [f"{page.get('title', '')} {page['text']}".strip() for page in pages]
        lines = (directory / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        self.queries = [" ".join(query["text"].split()) for query in map(json.loads, lines)]
        drawn = spans_of(self.documents, "en", SPANS)
        self.spans, self.own = [text for text, _ in drawn], np.array([at for _, at in drawn])
        counts = Counter(word for text in self.documents for word in words(text))
        asked = {word for text in self.queries for word in words(text)}
        self.words = sorted(asked | {word for word, count in counts.items() if count > 1})
        total = sum(counts.values())
        self.rarity = np.array([1e-3 / (1e-3 + counts[word] / total) for word in self.words])
        self.place = {word: i for i, word in enumerate(self.words)}

    def bag(self, texts):
        lists = [[self.place[w] for w in words(text) if w in self.place] for text in texts]
        return bags(lists, len(self.words))


def embed(args):
    name, directory = args.what[1].split("=", 1)
    model = Bert(directory, args.tokens)
    Path(args.cache).mkdir(parents=True, exist_ok=True)
    for path in args.what[2:]:
        texts = Texts(path)
        vectors = {
            "documents": model.embed(texts.documents, model.document),
            "queries": model.embed(texts.queries, model.query),
            "spans": model.embed(texts.spans, model.query),
            "words": model.embed(texts.words, model.query),
        }
        np.savez(Path(args.cache) / f"{name}-{Path(path).name}.npz", **vectors)
        print(f"{name}, {Path(path).name}: {len(texts.words)} words, "
              f"{len(texts.spans)} spans", flush=True)


def rows_of(texts, vectors, project):
    """Rows fitted to the documents, and the mean reciprocal rank of held-out spans."""
    alone = vectors["words"] - vectors["words"].mean(0)
    rows = (alone @ project * texts.rarity[:, None]).astype(np.float32)
    rows /= np.abs(rows).std() * 20
    documents = unit(vectors["documents"] @ project)
    spans = unit(vectors["spans"] @ project)
    held = np.arange(len(spans)) % 10 == 0
    bag = texts.bag(texts.spans)
    known = np.asarray(bag.sum(1)).ravel() > 0
    held_bag, held_own = bag[held & known], texts.own[held & known]

    def measure(rows):
        return mrr(unit(held_bag @ rows), documents, held_own)

    taught = np.flatnonzero(~held & known)
    from scipy.sparse import vstack

    both = vstack([bag[taught], texts.bag(texts.documents)]).tocsr()
    targets = np.concatenate([spans[taught], documents])
    own = np.concatenate([texts.own[taught], np.arange(len(documents))])
    return train(rows, both, targets, measure, 20, 128, 0.003, contrast=(documents, own))


def measure(args):
    base = {}
    for pair in args.sets:
        path, bundle = pair.split("=", 1)
        texts, judged = Texts(path), Judged(path, bundle)
        judged.check()
        place = {found: i for i, found in enumerate(texts.ids)}
        order = [place[found] for found in judged.ids]
        asked = [texts.queries.index(text) for text in judged.texts]
        for name in args.what[1:]:
            vectors = dict(np.load(Path(args.cache) / f"{name}-{Path(path).name}.npz"))
            project = projection(np.concatenate([vectors["documents"], vectors["spans"]]), True)
            judged.vectors = unit(vectors["documents"] @ project)[order]
            rows, start, reached = rows_of(texts, vectors, project)
            static = unit(texts.bag(judged.texts) @ rows)
            exact = unit(vectors["queries"] @ project)[asked]
            for kind, queries in [("static", static), ("teacher", exact)]:
                meaning, fused = judged.both(queries)
                first = base.setdefault((judged.name, kind), (name, meaning, fused))
                more = ""
                if first[0] != name:
                    low, high = interval([fused - first[2]])
                    change = (fused - first[2]).mean()
                    more = f"fused over {first[0]} {change:+.4f} [{low:+.4f}, {high:+.4f}]"
                    base[judged.name, kind, name] = fused - first[2]
                print(f"{judged.name:8s} {name:8s} {kind:8s} meaning {meaning.mean():.4f} fused "
                      f"{fused.mean():.4f} {more}", flush=True)
            print(f"{judged.name:8s} {name:8s} held-out spans {start:.3f} -> {reached:.3f}, "
                  f"cosine {(static * exact).sum(1).mean():.3f}", flush=True)
    for kind in ("static", "teacher"):
        for name in args.what[2:]:
            gains = [gain for key, gain in base.items() if key[1:] == (kind, name)]
            low, high = interval(gains)
            change = np.mean([gain.mean() for gain in gains])
            print(f"mean {name} {kind} fused {change:+.4f} [{low:+.4f}, {high:+.4f}]")


def main():
    parser = argparse.ArgumentParser(description="Compares teachers by their tables.")
    parser.add_argument("what", nargs="+", help="embed NAME=MODEL SET..., or measure NAME...")
    parser.add_argument("--sets", nargs="+", metavar="SET=BUNDLE", default=[])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=128, help="of a text, at most")
    args = parser.parse_args()
    {"embed": embed, "measure": measure}[args.what[0]](args)


if __name__ == "__main__":
    main()
