"""One attention layer over the rows of a query, added to their sum.

    python3 contextual.py SET=BUNDLE... --table TABLE --texts FILE [--epochs N]

Trains on the teacher's embeddings of the lines of FILE, as `findling distill` does, and measures
the sets. The layer has 4 heads of 16 numbers, a value of 128, and a network of 384 units over the
sum of the rows and the sum of the heads' output: 398,721 numbers, so 399 kB in 8 bits. At the
start, it adds nothing. The loss is `1 - cosine` and a contrast with the other texts of the batch.
Lines that are a query of a set are left out. The rows of a bundle are fitted to the site, so the
difference that the layer makes to the table's direction is added to the direction of the bundle's
rows. Needs numpy, `tokenizers` and jax.
"""

import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from bundles import Table, teacher_vectors, unit
from experiments import report, sets_of, tokens_of

MAX_TOKENS = 20
BATCH = 256
HELD_OUT = 1500
HEADS = 4
TEMPERATURE = 0.05
RATE = 1.5e-3


def start(dim):
    """The layer's numbers."""
    keys = jax.random.split(jax.random.PRNGKey(0), 6)

    def normal(i, rows, columns, size=1.0):
        return size * jax.random.normal(keys[i], (rows, columns)) / np.sqrt(rows)

    return {
        "query": normal(0, dim, 64),
        "key": normal(1, dim, 64),
        "value": normal(2, dim, 128),
        "out": normal(3, 128, dim, 0.5),
        "places": 0.02 * normal(5, MAX_TOKENS, dim, np.sqrt(MAX_TOKENS)),
        "hidden": normal(4, 2 * dim, 384, 0.7),
        "bias": jnp.zeros((384,)),
        "last": jnp.zeros((384, dim)),
        "gate": jnp.zeros((1,)),
    }


def scaled(x, floor=0.1):
    return x / (jnp.sqrt((x * x).mean(-1, keepdims=True)) + floor)


def embed(layer, rows, mask):
    """Vectors of texts by the rows of their tokens: (texts, tokens, numbers)."""
    summed = rows.sum(1)
    x = scaled(rows) + layer["places"][: rows.shape[1]]
    n, length, _ = x.shape
    query, key, value = (
        (x @ layer[name]).reshape(n, length, HEADS, -1) for name in ("query", "key", "value")
    )
    weights = jnp.einsum("bthd,bshd->bhts", query, key) / np.sqrt(query.shape[-1])
    weights = jax.nn.softmax(weights + (mask[:, None, None, :] - 1) * 1e9)
    mixed = jnp.einsum("bhts,bshd->bthd", weights, value).reshape(n, length, -1) @ layer["out"]
    pooled = (jax.nn.gelu(mixed) * mask[..., None]).sum(1)
    both = scaled(jnp.concatenate([summed, pooled], -1))
    added = layer["gate"] * pooled
    added += jax.nn.gelu(both @ layer["hidden"] + layer["bias"]) @ layer["last"]
    size = jnp.linalg.norm(summed, axis=-1, keepdims=True)
    out = summed + added * size / np.sqrt(summed.shape[-1])
    return out / (jnp.linalg.norm(out, axis=-1, keepdims=True) + 1e-9)


def loss(layer, rows, mask, goal):
    found = embed(layer, rows, mask)
    scores = found @ goal.T / TEMPERATURE
    contrast = (jax.nn.logsumexp(scores, -1) - jnp.diag(scores)).mean()
    return 1 - (found * goal).sum(-1).mean() + TEMPERATURE * contrast


def batch_of(table, scale, tokens):
    ids = np.zeros((len(tokens), MAX_TOKENS), np.int32)
    mask = np.zeros((len(tokens), MAX_TOKENS), np.float32)
    for i, text in enumerate(tokens):
        text = text[:MAX_TOKENS]
        ids[i, : len(text)], mask[i, : len(text)] = text, 1
    return table.rows[ids] / scale * mask[..., None], mask


def train(table, scale, tokens, goal, epochs):
    layer = start(table.rows.shape[1])
    n = sum(values.size for values in jax.tree.leaves(layer))
    chance = np.random.default_rng(0)
    order = chance.permutation(len(tokens))
    held, rest = order[:HELD_OUT], order[HELD_OUT:]
    steps = int(len(rest) / BATCH * epochs)

    def adam(layer, mean, square, step, rows, mask, goal):
        gradient = jax.grad(loss)(layer, rows, mask, goal)
        rate = RATE * jnp.minimum(1, step / 60) * 0.5 * (1 + jnp.cos(jnp.pi * step / steps))
        mean = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, mean, gradient)
        square = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, square, gradient)

        def moved(w, a, b):
            change = (a / (1 - 0.9**step)) / (jnp.sqrt(b / (1 - 0.99**step)) + 1e-8)
            return w - rate * (change + 0.02 * w * (w.ndim > 1))

        return jax.tree.map(moved, layer, mean, square), mean, square

    adam, near = jax.jit(adam), jax.jit(embed)

    def cosine():
        found = near(layer, *batch_of(table, scale, [tokens[i] for i in held]))
        return float((np.asarray(found) * goal[held]).sum(1).mean())

    print(f"{n:,} numbers, {len(rest):,} texts, cosine {cosine():.4f}", flush=True)
    mean = jax.tree.map(jnp.zeros_like, layer)
    square, queue = mean, []
    for step in range(1, steps + 1):
        if len(queue) < BATCH:
            queue = list(chance.permutation(rest))
        batch = np.array([queue.pop() for _ in range(BATCH)])
        rows, mask = batch_of(table, scale, [tokens[i] for i in batch])
        layer, mean, square = adam(layer, mean, square, float(step), rows, mask, goal[batch])
        if step % 100 == 0 or step == steps:
            print(f"{step} of {steps}: cosine {cosine():.4f}", flush=True)
    return layer


def main():
    parser = argparse.ArgumentParser(description="A contextual query encoder.")
    parser.add_argument("sets", nargs="+", metavar="SET=BUNDLE")
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=8)
    args = parser.parse_args()
    sets = sets_of(args)
    table = Table(args.table)
    sizes = np.linalg.norm(table.rows, axis=1)
    scale = sizes[sizes > 0].mean()
    tokens = tokens_of(table)
    judged_texts = {text.lower() for judged in sets for text in judged.texts}
    lines = dict.fromkeys(args.texts.read_text(encoding="utf-8").splitlines())
    texts = [line for line in lines if line.lower() not in judged_texts]
    texts = [text for text in texts if 2 <= len(tokens(text)) <= MAX_TOKENS]
    teacher = teacher_vectors(texts + [text for judged in sets for text in judged.texts])
    texts = [text for text in texts if text in teacher]
    goal = unit(np.array([teacher[text] for text in texts], np.float32))
    layer = train(table, scale, [tokens(text) for text in texts], goal, args.epochs)
    gains, meaning, near = [], [], []
    for judged in sets:
        asked = [tokens(text) for text in judged.texts]
        plain = unit(np.array([table.rows[ids].sum(0) for ids in asked]))
        added = np.asarray(embed(layer, *batch_of(table, scale, asked))) - plain
        static = unit(judged.static)
        found, before = judged.both(unit(static + added)), judged.both(static)
        gains.append(found[1] - before[1])
        meaning.append(found[0] - before[0])
        goal = unit(np.array([teacher[text] for text in judged.texts]))
        near += list((unit(static + added) * goal).sum(1))
    report("fused", gains, f"cosine {np.mean(near):.4f}")
    report("meaning", meaning)


if __name__ == "__main__":
    main()
