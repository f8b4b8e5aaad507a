"""Measures with XQuAD how much of a multilingual teacher's quality a table for queries keeps.

    python3 experiment.py embed WHEEL XQUAD TEXTS CACHE LANGUAGE...
    python3 experiment.py measure WHEEL XQUAD TEXTS CACHE LANGUAGE... [--accents] [--across]
    python3 experiment.py write XQUAD DIR LANGUAGE...

XQUAD is a checkout of google-deepmind/xquad (CC BY-SA 4.0), TEXTS what gather.py wrote. `embed`
computes the teacher's vectors of passages, questions, texts and spans of the passages; `measure`
trains a table for each language as `findling models fit` does, fits it to the passages as
`findling build` does, and prints MRR@10 of a question's own passage among all 240: by the teacher,
by the teacher in the table's dimensions, by the table, and by the fitted rows of the site. Spans
are held out to choose epochs; questions are only measured. `write` makes a site of each language
with questions.jsonl and qrels.tsv for `findling eval`.
"""

import argparse
import hashlib
import json
import random
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

DIMENSIONS = 256
# Texts of other sources for each language.
GENERAL = 4000
# Number of spans of a site of 240 passages, as in a build.
SPANS = 1440
UNSPACED = {"zh": (4, 30), "th": (10, 80)}


def xquad(directory, language, every=2):
    """Passages, questions, and the passage of each question. The half of the questions."""
    passages, questions, own = [], [], []
    data = json.loads((Path(directory) / f"xquad.{language}.json").read_text(encoding="utf-8"))
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                questions.append(question["question"])
                own.append(len(passages))
            passages.append(paragraph["context"])
    return passages, questions[::every], np.array(own[::every])


def spans_of(passages, language, n, seed=7):
    """Spans of passages, each with its passage."""
    chance, found = random.Random(seed), []
    for at, passage in enumerate(passages):
        if language in UNSPACED:
            units, between = list(passage), ""
            low, high = UNSPACED[language]
        else:
            units, between = passage.split(), " "
            low, high = 2, 25
        for _ in range(max(1, round(n / len(passages)))):
            all_lengths = chance.random() < 0.6
            m = chance.randint(low, high if all_lengths else max(low + 1, high // 2))
            start = chance.randrange(max(1, len(units) - m + 1))
            text = between.join(units[start : start + m]).strip()
            if text:
                found.append((text, at))
    return found


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def ranks(queries, documents, own):
    scores = queries @ documents.T
    of_own = scores[np.arange(len(own)), own]
    return (scores > of_own[:, None]).sum(1) + 1


def mrr(queries, documents, own):
    rank = ranks(queries, documents, own)
    return float(np.where(rank <= 10, 1 / rank, 0).mean())


# --- Words, as crates/text/src/wordpiece.rs reads them.


def normal(text, accents):
    text = text.lower()
    if accents:
        return unicodedata.normalize("NFC", text)
    parts = unicodedata.normalize("NFD", text)
    return "".join(c for c in parts if unicodedata.category(c) != "Mn")


def is_alone(c):
    code, category = ord(c), unicodedata.category(c)
    han = 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF
    return han or category[0] == "P" or (code < 128 and category[0] == "S")


def words(text, accents):
    spaced = "".join(
        f" {c} " if is_alone(c) else "" if unicodedata.category(c)[0] == "C" and c not in "\t\n"
        else c
        for c in normal(text, accents)
    )
    return [word for word in spaced.split() if len(word) <= 100]


class Pieces:
    """Unigram's vocabulary as WordPiece's: the longest match from the left."""

    def __init__(self, pieces, accents):
        self.accents, self.ids, self.source, self.known = accents, {}, [], {}
        for number, piece in enumerate(pieces[:250_001]):
            begins = piece.startswith("▁")
            letters = normal(piece.lstrip("▁"), accents)
            if number < 4 or not letters:
                continue
            # Pieces that continue words can begin a word in languages without spaces.
            for key in [letters] if begins else [f"##{letters}", letters]:
                if key not in self.ids:
                    self.ids[key] = len(self.source)
                    self.source.append(number)

    def keep(self, ids):
        """Leaves out pieces that occur in no text."""
        new = {old: at for at, old in enumerate(ids)}
        self.source = [self.source[old] for old in ids]
        self.ids = {key: new[old] for key, old in self.ids.items() if old in new}
        self.known.clear()

    def of_word(self, word):
        if word not in self.known:
            found, at = [], 0
            while at < len(word):
                mark = "##" if at else ""
                for end in range(min(len(word), at + 40), at, -1):
                    key = self.ids.get(mark + word[at:end])
                    if key is not None:
                        found.append(key)
                        at = end
                        break
                else:
                    found = []
                    break
            self.known[word] = found
        return self.known[word]

    def of(self, text):
        return [key for word in words(text, self.accents) for key in self.of_word(word)]


def bags(lists, n, weights=None):
    """A matrix with a row for each list of numbers below n."""
    ends = np.concatenate([[0], np.cumsum([len(numbers) for numbers in lists])])
    columns = np.array([number for numbers in lists for number in numbers], np.int64)
    values = np.ones(len(columns), np.float32) if weights is None else weights[columns]
    matrix = sparse.csr_matrix((values, columns, ends), shape=(len(lists), n))
    matrix.sum_duplicates()
    return matrix


def train(rows, texts, targets, measure, epochs, batch, rate, contrast=None, learns=None):
    """Adam on 1 - cos(sum of rows, target), with the negatives of the batch if `contrast` has the
    documents and the document of each text. Returns the rows of the best epoch and their result."""
    chance, rows = np.random.default_rng(1), rows.copy()
    first, second = np.zeros_like(rows), np.zeros_like(rows)
    steps = np.zeros((len(rows), 1), np.float32)
    start = reached = measure(rows)
    best, done, total = rows.copy(), 0, epochs * -(-texts.shape[0] // batch)
    for _ in range(epochs):
        order = chance.permutation(texts.shape[0])
        for at in range(0, len(order), batch):
            chosen = order[at : at + batch]
            bag = texts[chosen]
            sums = bag @ rows
            length = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
            sums /= length
            slope = -targets[chosen]
            if contrast is not None:
                documents, own = contrast[0], contrast[1][chosen]
                near = sums @ documents[own].T / 0.05
                same = own[:, None] == own[None, :]
                np.fill_diagonal(same, False)
                near[same] = -1e9
                near = np.exp(near - near.max(1, keepdims=True))
                near /= near.sum(1, keepdims=True)
                slope += near @ documents[own] - documents[own]
            slope = (slope - (slope * sums).sum(1, keepdims=True) * sums) / length
            slope = (bag.T.tocsr() @ slope).astype(np.float32)
            touched = np.unique(bag.indices)
            touched = touched if learns is None else touched[learns[touched]]
            g = slope[touched]
            steps[touched] += 1
            first[touched] = 0.9 * first[touched] + 0.1 * g
            second[touched] = 0.999 * second[touched] + 0.001 * g * g
            mean = first[touched] / (1 - 0.9 ** steps[touched])
            spread = np.sqrt(second[touched] / (1 - 0.999 ** steps[touched])) + 1e-8
            rows[touched] -= rate * 0.5 * (1 + np.cos(np.pi * done / total)) * mean / spread
            done += 1
        now = measure(rows)
        if now > reached:
            reached, best = now, rows.copy()
    return best, start, reached


def projection(vectors, centred):
    """Principal components; `centred` leaves out the direction of the mean."""
    mean = vectors.mean(0)
    moments = vectors.T @ vectors
    if centred:
        mean /= np.linalg.norm(mean)
        across = np.eye(len(mean)) - np.outer(mean, mean)
        moments = across @ moments @ across
    return np.linalg.eigh(moments)[1][:, ::-1][:, :DIMENSIONS].astype(np.float32)


def ridge(features, targets, strength):
    moments = features.T @ features
    moments += strength * len(features) / len(moments) * np.eye(len(moments))
    return np.linalg.solve(moments, features.T @ targets).astype(np.float32)


class Table:
    """Rows of pieces, trained on texts of other sources."""

    def __init__(self, pieces, words, texts, vectors, others, accents=False, centred=True):
        self.pieces = Pieces(pieces, accents)
        self.projection = projection(vectors, centred)
        targets = unit(vectors @ self.projection)
        used = {key for text in [*texts, *others] for key in self.pieces.of(text)}
        self.pieces.keep(sorted(used))
        lists = [self.pieces.of(text) for text in texts]
        n = len(self.pieces.source)
        counts = np.bincount([key for keys in lists for key in keys], minlength=n)
        weights = (1e-3 / (1e-3 + counts / counts.sum())).astype(np.float32)
        known = np.array([bool(keys) for keys in lists])
        held_out = (np.arange(len(lists)) % 25 == 0) & known
        taught = known & ~held_out
        # Before training, a row is a linear function of the teacher's own row for the piece.
        own = unit(words[self.pieces.source])
        own = np.concatenate([own, np.full((n, 1), 0.2, np.float32)], axis=1)
        features = unit(bags([lists[i] for i in np.flatnonzero(taught)], n, weights) @ own)
        rows = own @ ridge(features, targets[taught], 1e-2) * weights[:, None]
        rows /= np.abs(rows).std() * 20
        bag = bags(lists, n)

        def cosine(rows):
            return float((unit(bag[held_out] @ rows) * targets[held_out]).sum(1).mean())

        options = {"epochs": 12, "batch": 1024}
        rows, start, first = train(rows, bag[taught], targets[taught], cosine, rate=3e-3, **options)
        # Rare rows follow from frequent ones.
        frequent = (counts >= 8) & (counts <= 2000)
        predicted = own @ ridge(own[frequent], rows[frequent], 0.02)
        mixed = (counts[:, None] * rows + 4 * predicted) / (counts[:, None] + 4)
        mixed = mixed.astype(np.float32)
        mixed, _, last = train(
            mixed, bag[taught], targets[taught], cosine, rate=1.5e-3, **options
        )
        self.rows, self.counts = (mixed if last >= first else rows), counts
        self.told = f"held-out cosine {start:.3f} -> {max(first, last):.3f}"

    def embed(self, texts):
        return unit(bags([self.pieces.of(text) for text in texts], len(self.rows)) @ self.rows)


class Site:
    """A site's rows: one for a word, as crates/index/src/rows.rs chooses them."""

    def __init__(self, table, passages):
        self.pieces, self.keys, rows, counts = table.pieces, {}, [], []
        for key, number in self.pieces.ids.items():
            if not key.startswith("##"):
                self.keys[key] = len(rows)
                rows.append(table.rows[number])
                counts.append(table.counts[number])
        accents = self.pieces.accents
        for word, n in Counter(w for p in passages for w in words(p, accents)).items():
            parts = self.pieces.of_word(word)
            if n >= 2 and word not in self.keys and parts:
                self.keys[word] = len(rows)
                rows.append(table.rows[parts].sum(0))
                counts.append(0)
        self.rows, self.counts = np.array(rows, np.float32), np.array(counts)

    def places(self, text):
        found = []
        for word in words(text, self.pieces.accents):
            ends = range(len(word), 1 if len(word) > 1 else 0, -1)
            found += [self.keys[word[:end]] for end in ends if word[:end] in self.keys][:1]
        return found

    def embed(self, texts):
        return unit(bags([self.places(text) for text in texts], len(self.rows)) @ self.rows)

    def fit(self, spans, targets, passages, documents, epochs, rate):
        own = np.array([at for _, at in spans])
        lists = [self.places(text) for text, _ in spans]
        held_out = np.array([hashlib.md5(t.encode()).digest()[0] % 10 == 0 for t, _ in spans])
        taught = ~held_out & np.array([bool(places) for places in lists])
        n = len(self.rows)
        of_spans = bags([lists[i] for i in np.flatnonzero(taught)], n)
        texts = sparse.vstack([of_spans, bags([self.places(p) for p in passages], n)]).tocsr()
        measured = bags([lists[i] for i in np.flatnonzero(held_out)], n)

        def reached(rows):
            return float((1 / ranks(unit(measured @ rows), documents, own[held_out])).mean())

        self.rows, before, after = train(
            self.rows,
            texts,
            np.concatenate([targets[taught], documents]),
            reached,
            epochs,
            256,
            rate,
            (documents, np.concatenate([own[taught], np.arange(len(documents))])),
            self.counts <= 255,
        )
        return before, after


def general_texts(directory, language):
    lines = (Path(directory) / f"{language}.txt").read_text(encoding="utf-8").split("\n")
    return lines[:GENERAL]


def of_language(runtime, args, language):
    """Everything about a language with the teacher's vectors."""
    passages, questions, own = xquad(args.xquad, language)
    spans = spans_of(passages, language, SPANS)
    general = general_texts(args.texts, language)
    kept = {
        "passages": runtime(f"xp-{language}", passages, "passage: "),
        "questions": runtime(f"xq-{language}", questions, "query: "),
        "spans": runtime(f"xs-{language}", [text for text, _ in spans], "query: "),
        "general": runtime(f"g-{language}", general, "query: "),
    }
    return passages, questions, own, spans, general, kept


def from_disk(cache):
    def kept(key, texts, prefix):
        digest = hashlib.sha1((prefix + "\n".join(texts)).encode()).hexdigest()[:12]
        file = next(Path(cache).glob(f"{key}-*-{digest}.npy"))
        return np.load(file).astype(np.float32)

    return kept


def measure(args):
    import teacher

    model = teacher.read(args.wheel)
    table_of_words = model.tensor("emb.word", model.hidden)
    documents, questions_of, sites = {}, {}, {}
    for language in args.languages:
        passages, questions, own, spans, general, kept = of_language(
            from_disk(args.cache), args, language
        )
        table = Table(
            model.pieces,
            table_of_words,
            general,
            kept["general"],
            passages + questions,
            args.accents,
            not args.uncentred,
        )
        near = unit(kept["passages"] @ table.projection)
        figures = {
            "teacher": mrr(kept["questions"], kept["passages"], own),
            "projected": mrr(unit(kept["questions"] @ table.projection), near, own),
            "table": mrr(table.embed(questions), near, own),
        }
        site = Site(table, passages)
        figures["site"] = mrr(site.embed(questions), near, own)
        targets = unit(kept["spans"] @ table.projection)
        held_out = site.fit(spans, targets, passages, near, args.epochs, args.rate)
        figures["fitted"] = mrr(site.embed(questions), near, own)
        figures["share"] = figures["fitted"] / figures["teacher"]
        told = " ".join(f"{name} {value:.4f}" for name, value in figures.items())
        print(f"{language}: {told}; spans {held_out[0]:.3f} -> {held_out[1]:.3f}; {table.told}",
              flush=True)
        documents[language], questions_of[language] = kept["passages"], (kept["questions"], own)
        sites[language] = site
    if args.across:
        for asked, (vectors, own) in questions_of.items():
            each = " ".join(f"{l} {mrr(vectors, documents[l], own):.3f}" for l in documents)
            print(f"questions in {asked}, passages in: {each}", flush=True)


def embed(args):
    from runtime import Runtime

    runtime = Runtime(args.wheel, args.cache, args.int8)
    for language in args.languages:
        _, _, own, _, _, kept = of_language(runtime.kept, args, language)
        print(language, f"{mrr(kept['questions'], kept['passages'], own):.4f}", flush=True)


def write(args):
    for language in args.languages:
        passages, questions, own = xquad(args.xquad, language)
        into = Path(args.into) / language
        into.mkdir(parents=True, exist_ok=True)
        with open(into / "corpus.jsonl", "w", encoding="utf-8") as out:
            for at, text in enumerate(passages):
                line = {"_id": f"p{at}", "title": "", "text": text, "language": language}
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        with open(into / "queries.jsonl", "w", encoding="utf-8") as out:
            for at, text in enumerate(questions):
                out.write(json.dumps({"_id": f"q{at}", "text": text}, ensure_ascii=False) + "\n")
        lines = [f"q{at}\tp{passage}\t1" for at, passage in enumerate(own)]
        head = "query-id\tcorpus-id\tscore"
        (into / "qrels.tsv").write_text("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    for name, run, places in [
        ("embed", embed, ["wheel", "xquad", "texts", "cache"]),
        ("measure", measure, ["wheel", "xquad", "texts", "cache"]),
        ("write", write, ["xquad", "into"]),
    ]:
        command = commands.add_parser(name)
        for place in [*places]:
            command.add_argument(place)
        command.add_argument("languages", nargs="+")
        command.set_defaults(run=run)
        if name == "embed":
            command.add_argument("--int8", action="store_true")
        if name == "measure":
            command.add_argument("--accents", action="store_true")
            command.add_argument("--uncentred", action="store_true")
            command.add_argument("--across", action="store_true")
            command.add_argument("--epochs", type=int, default=20)
            command.add_argument("--rate", type=float, default=5e-3)
    given = parser.parse_args()
    given.run(given)
