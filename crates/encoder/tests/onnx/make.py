#!/usr/bin/env python3
"""Tiny ONNX sentence encoders, shaped as exports of sentence transformers are.

    pip install numpy onnx
    python make.py

tokens.onnx:  input_ids, attention_mask, token_type_ids -> last_hidden_state [batch, tokens, 8]
pooled.onnx:  input_ids, attention_mask -> token_embeddings, sentence_embedding [batch, 8]
other.onnx:   pixels -> out

The vector of token `i` of the vocabulary is tanh(W[i]), W[i][j] = ((7 i + 3 j) mod 11 - 5) / 5.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

WORDS, DIM = 13, 8
rows = [[((7 * i + 3 * j) % 11 - 5) / 5 for j in range(DIM)] for i in range(WORDS)]
table = np.array(rows, dtype=np.float32)
kinds = np.zeros((2, DIM), dtype=np.float32)


def ints(name):
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def write(name, nodes, inputs, outputs, constants):
    tensors = [numpy_helper.from_array(value, key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model)
    save(model, f"{name}.onnx")


write(
    "tokens",
    [
        helper.make_node("Gather", ["table", "input_ids"], ["words"], axis=0),
        helper.make_node("Gather", ["kinds", "token_type_ids"], ["types"], axis=0),
        helper.make_node("Add", ["words", "types"], ["sum"]),
        helper.make_node("Unsqueeze", ["attention_mask", "axis2"], ["mask3"]),
        helper.make_node("Cast", ["mask3"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["sum", "mask"], ["masked"]),
        helper.make_node("Tanh", ["masked"], ["last_hidden_state"]),
    ],
    [ints("input_ids"), ints("attention_mask"), ints("token_type_ids")],
    [floats("last_hidden_state", "batch", "tokens", DIM)],
    {"table": table, "kinds": kinds, "axis2": np.array([2], dtype=np.int64)},
)
write(
    "pooled",
    [
        helper.make_node("Gather", ["table", "input_ids"], ["words"], axis=0),
        helper.make_node("Tanh", ["words"], ["token_embeddings"]),
        helper.make_node("Unsqueeze", ["attention_mask", "axis2"], ["mask3"]),
        helper.make_node("Cast", ["mask3"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["token_embeddings", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "axis1"], ["total"], keepdims=0),
        helper.make_node("ReduceSum", ["mask", "axis1"], ["count"], keepdims=0),
        helper.make_node("Div", ["total", "count"], ["sentence_embedding"]),
    ],
    [ints("input_ids"), ints("attention_mask")],
    [
        floats("token_embeddings", "batch", "tokens", DIM),
        floats("sentence_embedding", "batch", DIM),
    ],
    {
        "table": table,
        "axis1": np.array([1], dtype=np.int64),
        "axis2": np.array([2], dtype=np.int64),
    },
)
write(
    "other",
    [helper.make_node("Tanh", ["pixels"], ["out"])],
    [floats("pixels", 1, 8)],
    [floats("out", 1, 8)],
    {},
)
