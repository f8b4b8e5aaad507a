#!/usr/bin/env python3
"""Reference embeddings of all-MiniLM-L6-v2, computed independently of Findling and of tract.

    pip install numpy tokenizers safetensors
    python make.py MODEL_DIR > ../../src/transformer/reference-all-minilm-l6-v2.json

BERT's forward pass in float64, written from the paper and the names in the file. Tokens come from
the `tokenizers` package, truncated to 256 and not padded. The result is the mean over the tokens,
scaled to length 1, as sentence-transformers computes it for this model. Each text is embedded
alone, so no mask is needed.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

MAX_TOKENS = 256

TEXTS = [
    "ownership",
    "How do I share state between threads?",
    "The borrow checker rejects programs in which a reference outlives the value it refers to.",
    "Größe über München: naïve café, Straße, ÅNGSTRÖM — déjà vu…",
    "東京の天気は晴れです。검색 엔진 поиск по сайту",
    "fn main() { println!(\"{:?}\", HashMap::<String, Vec<u8>>::new()); } // std::collections",
    "",
    "   \tCAPITALS, e-mail@example.org, 3.14159, http://example.org/a?b=c&d=e #42 👍🏽   \n",
    " ".join(
        f"Paragraph {i}: a search index is built once and read many times, so that work moves "
        f"from the reader's device to the build; what is left is a handful of lookups and "
        f"{i * 37 % 101} additions."
        for i in range(12)
    ),
]


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def norm(x, weight, bias, eps):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def embed(ids, w, config):
    heads, eps = config["num_attention_heads"], config["layer_norm_eps"]
    x = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.position_embeddings.weight"][: len(ids)]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    x = norm(x, w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"], eps)
    for layer in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{layer}."

        def linear(name, x):
            return x @ w[p + name + ".weight"].T + w[p + name + ".bias"]

        def split(x):
            return x.reshape(len(ids), heads, -1).transpose(1, 0, 2)

        query, key, value = (
            split(linear("attention.self." + part, x)) for part in ("query", "key", "value")
        )
        shares = softmax(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1]))
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(
            x + linear("attention.output.dense", mixed),
            w[p + "attention.output.LayerNorm.weight"],
            w[p + "attention.output.LayerNorm.bias"],
            eps,
        )
        up = linear("intermediate.dense", x)
        up = up / 2 * (1 + erf(up / math.sqrt(2)))
        x = norm(
            x + linear("output.dense", up),
            w[p + "output.LayerNorm.weight"],
            w[p + "output.LayerNorm.bias"],
            eps,
        )
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def main():
    directory = Path(sys.argv[1])
    config = json.loads((directory / "config.json").read_text())
    stored = load_file(directory / "model.safetensors")
    weights = {name: value.astype(np.float64) for name, value in stored.items()}
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_padding()
    cases = []
    for text in TEXTS:
        tokenizer.no_truncation()
        n_all = len(tokenizer.encode(text).ids)
        tokenizer.enable_truncation(MAX_TOKENS)
        ids = tokenizer.encode(text).ids
        vector = embed(ids, weights, config)
        cases.append(
            {
                "text": text,
                "nTokens": len(ids),
                "truncated": n_all > len(ids),
                "values": [float(f"{v:.7g}") for v in vector],
            }
        )
    print('{"model": "all-minilm-l6-v2", "cases": [')
    print(",\n".join(json.dumps(case, ensure_ascii=False) for case in cases))
    print("]}")


main()
