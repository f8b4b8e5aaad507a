"""How much a better query vector, rows for phrases or a routed fusion would gain.

    python3 experiments.py bound SET=BUNDLE...
    python3 experiments.py phrases SET=BUNDLE... --table TABLE [--texts FILE]
    python3 experiments.py routes SET=BUNDLE...

SET is a directory with corpus.jsonl, queries.jsonl and qrels.tsv, BUNDLE the bundle of its corpus,
whose pages have one section each.

- `bound` moves the static vectors of queries towards the teacher's: by 1 they are the teacher's.
- `phrases` gives pairs of neighbouring words a row of their own, the difference between the
  teacher's embedding of the pair and the sum of the pair's rows: all pairs, those that occur four
  times in the lines of FILE, or those that occur twice in the set's corpus.
- `routes` lets the weight of meaning depend on one property of a query. Two numbers, the shift and
  the slope, are learned on four fifths of the queries of all sets, or on all other sets.

Gains are in fused nDCG@10 over the static encoder; intervals are those of 95% of paired bootstrap
samples. Needs numpy and `tokenizers`.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
from bundles import Judged, Table, interval, teacher_vectors, unit

STEPS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1]
SHIFTS = np.round(np.arange(-0.3, 0.31, 0.05), 2)
# Shifts and slopes that are learned.
LEARNED = SHIFTS[(SHIFTS >= -0.1) & (SHIFTS <= 0.15)]
SLOPES = np.round(np.arange(-0.15, 0.16, 0.05), 2)


def report(name, gains, more=""):
    """Prints the gains of several sets and of their mean."""
    low, high = interval(gains)
    each = " ".join(f"{gain.mean():+.4f}" for gain in gains)
    mean = np.mean([gain.mean() for gain in gains])
    print(f"{name:32s} {mean:+.4f} [{low:+.4f}, {high:+.4f}]  {each}  {more}", flush=True)


def sets_of(args):
    sets = []
    for pair in args.sets:
        directory, bundle = pair.split("=", 1)
        judged = Judged(directory, bundle)
        judged.check()
        judged.corpus = Path(directory) / "corpus.jsonl"
        sets.append(judged)
    return sets


def bound(args):
    sets = sets_of(args)
    teacher = teacher_vectors([text for judged in sets for text in judged.texts])
    static = [unit(judged.static) for judged in sets]
    goal = [unit(np.array([teacher[text] for text in judged.texts])) for judged in sets]
    base = [judged.both(vectors)[1] for judged, vectors in zip(sets, static)]
    for step in [0, *STEPS]:
        moved = [unit(s + step * (g - s)) for s, g in zip(static, goal)]
        near = np.mean([(m * g).sum(1).mean() for m, g in zip(moved, goal)])
        found = [judged.both(vectors) for judged, vectors in zip(sets, moved)]
        gains = [both - before for (_, both), before in zip(found, base)]
        meaning = np.mean([alone.mean() for alone, _ in found])
        report(f"towards the teacher by {step}", gains, f"cosine {near:.4f} meaning {meaning:.4f}")


def tokens_of(table):
    from tokenizers import BertWordPieceTokenizer

    vocabulary = {token: i for i, token in enumerate(table.vocabulary)}
    tokenizer = BertWordPieceTokenizer(vocab=vocabulary, lowercase=True)

    def tokens(text):
        unknown = vocabulary["[UNK]"]
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        return [i for i in ids if i != unknown]

    return tokens


def pairs_of(text):
    words = text.lower().split()
    return [" ".join(pair) for pair in zip(words, words[1:])]


def phrases(args):
    sets = sets_of(args)
    table = Table(args.table)
    tokens = tokens_of(table)
    general = Counter()
    if args.texts:
        lines = args.texts.read_text(encoding="utf-8").splitlines()
        general.update(pair for line in lines for pair in pairs_of(line))
    teacher = teacher_vectors([p for judged in sets for t in judged.texts for p in pairs_of(t)])

    def row(pair):
        summed = table.rows[tokens(pair)].sum(0)
        return np.linalg.norm(summed) * unit(teacher[pair]) - summed if pair in teacher else 0

    rows = {pair: row(pair) for judged in sets for text in judged.texts for pair in pairs_of(text)}
    of_site = []
    for judged in sets:
        pages = map(json.loads, judged.corpus.read_text(encoding="utf-8").splitlines())
        texts = (" ".join(re.findall(r"[\w-]+", f"{p['title']} {p['text']}")) for p in pages)
        of_site.append(Counter(pair for text in texts for pair in pairs_of(text)))
    which = {
        "all pairs": lambda at, pair: True,
        "pairs of the texts": lambda at, pair: general[pair] >= 4,
        "pairs of the site": lambda at, pair: of_site[at][pair] >= 2,
    }
    base = [judged.both(unit(judged.static))[1] for judged in sets]
    for name, has in which.items():
        for weight in (0.15, 0.3):
            gains = []
            for at, judged in enumerate(sets):
                moved = unit(judged.static).copy()
                for i, text in enumerate(judged.texts):
                    size = np.linalg.norm(table.rows[tokens(text)].sum(0))
                    chosen = [rows[pair] for pair in pairs_of(text) if has(at, pair)]
                    moved[i] += weight * sum(chosen, np.zeros(moved.shape[1])) / max(size, 1e-9)
                gains.append(judged.both(unit(moved))[1] - base[at])
            report(f"{name}, weight {weight}", gains)


def properties(judged):
    """Properties on which a query's weight of meaning may depend."""
    words, meaning, cosines, zero = judged.shares(unit(judged.static))
    first, nearest = np.sort(words, 1)[:, ::-1], np.sort(meaning, 1)[:, ::-1]
    lists = zip(judged.first_ten(words), judged.first_ten(meaning))
    return {
        "none": np.zeros(len(words)),
        "words found": first[:, 0],
        "margin of words": first[:, 0] - first[:, 1],
        "margin of meaning": nearest[:, 0] - nearest[:, 1],
        "nearness": cosines.max(1) - zero,
        "length": np.array([min(1, len(text.split()) / 12) for text in judged.texts]),
        "mean share of meaning": nearest[:, :10].mean(1),
        "agreement": np.array([len(set(a) & set(b)) / 10 for a, b in lists]),
    }


def routes(args):
    sets = sets_of(args)
    found = []
    for judged in sets:
        vectors = unit(judged.static)
        found.append(np.array([judged.both(vectors, shift)[1] for shift in SHIFTS]).T)
        base = found[-1][:, np.abs(SHIFTS).argmin()]
        print(f"{judged.name}: words {judged.ndcg(judged.words).mean():.4f}, fused "
              f"{base.mean():.4f}, best shift of all {found[-1].mean(0).max():.4f}, best shift of "
              f"each query {found[-1].max(1).mean():.4f}")
    base = [values[:, np.abs(SHIFTS).argmin()] for values in found]
    words = [judged.ndcg(judged.words) for judged in sets]
    of_set = [properties(judged) for judged in sets]
    fold = [np.random.default_rng(3).integers(0, 5, len(values)) for values in base]
    for name in of_set[0]:
        pooled = np.concatenate([values[name] for values in of_set])
        scaled = [(v[name] - pooled.mean()) / (pooled.std() + 1e-9) for v in of_set]

        def gain(at, shift, slope, scaled=scaled):
            wanted = shift + slope * scaled[at]
            nearest = np.abs(SHIFTS[None] - wanted[:, None]).argmin(1)
            return found[at][np.arange(len(wanted)), nearest] - base[at]

        slopes = SLOPES if name != "none" else [0.0]
        table = {(a, b): [gain(i, a, b) for i in range(len(sets))] for a in LEARNED for b in slopes}

        def best(rows, table=table):
            """The shift and slope with the largest mean gain over the rows of each set."""
            def mean(key):
                return np.mean([table[key][i][r].mean() for i, r in rows.items() if r.any()])

            return max(table, key=lambda key: (round(mean(key), 9), -abs(key[0]) - abs(key[1])))

        held = [np.zeros(len(values)) for values in base]
        for k in range(5):
            chosen = best({i: fold[i] != k for i in range(len(sets))})
            for i in range(len(sets)):
                held[i][fold[i] == k] = table[chosen][i][fold[i] == k]
        everywhere = {i: np.ones(len(values), bool) for i, values in enumerate(base)}
        left = []
        for i in range(len(sets) if len(sets) > 1 else 0):
            others = {j: rows for j, rows in everywhere.items() if j != i}
            left.append(table[best(others)][i])
        shift, slope = best(everywhere)
        report(f"{name}, five folds", held, f"shift {shift:+.2f} slope {slope:+.2f}")
        if left:
            over = min((b + g - w).mean() for b, g, w in zip(base, left, words))
            report(f"{name}, other sets", left, f"least over words {over:+.4f}")


def main():
    parser = argparse.ArgumentParser(description="Bounds for better query encoders and fusion.")
    parser.add_argument("what", choices=["bound", "phrases", "routes"])
    parser.add_argument("sets", nargs="+", metavar="SET=BUNDLE")
    parser.add_argument("--table", type=Path, help="the general table, for phrases")
    parser.add_argument("--texts", type=Path, help="lines with the pairs that a table could have")
    args = parser.parse_args()
    {"bound": bound, "phrases": phrases, "routes": routes}[args.what](args)


if __name__ == "__main__":
    main()
