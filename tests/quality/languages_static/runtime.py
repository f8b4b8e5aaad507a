"""The teacher in onnxruntime: texts of one length are a batch, and vectors are kept on disk.

Its matrices have 4 bits as in the package; with int8=True they have 8 bits a column and activations
8 a batch, which is twice as fast, with a cosine of 0.996 to 0.999 to the former on five sentences.
Needs numpy, onnx, onnxruntime and `tokenizers`.
"""

import hashlib
import json
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import teacher
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

# Most tokens of a batch.
BATCH = 2048
PARTS = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}


class Graph:
    """BERT without a mask: all texts of a batch have one length."""

    def __init__(self, model, four_bits):
        self.model, self.four_bits = model, four_bits
        self.weights = dict(model.published())
        self.nodes, self.constants = [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind, *inputs, **attributes):
        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def norm(self, x, name):
        of = [self.constant(f"{name}.{p}", self.weights[f"{name}.{p}"]) for p in ("weight", "bias")]
        epsilon = float(self.model.epsilon)
        return self.node("LayerNormalization", x, *of, axis=-1, epsilon=epsilon)

    def linear(self, x, layer, part):
        name = f"encoder.layer.{layer}.{part}"
        weight = self.weights[f"{name}.weight"]
        if self.four_bits:
            n, k = weight.shape
            form = np.dtype([("factor", "<f2"), ("nibbles", "u1", 16)])
            blocks = np.frombuffer(self.model.tensors[f"l{layer}.{PARTS[part]}.w"][2], form)
            nibbles = blocks["nibbles"]
            steps = np.concatenate([nibbles & 15, nibbles >> 4], axis=1)
            packed = (steps[:, 0::2] | (steps[:, 1::2] << 4)).reshape(n, k // 32, 16)
            factors = blocks["factor"].astype(np.float32)
            y = self.node(
                "MatMulNBits",
                x,
                self.constant(f"{name}.steps", packed.astype(np.uint8)),
                self.constant(f"{name}.factors", factors),
                domain="com.microsoft",
                K=k,
                N=n,
                bits=4,
                block_size=32,
                accuracy_level=4,
            )
        else:
            y = self.node("MatMul", x, self.constant(f"{name}.weight", weight.T))
        return self.node("Add", y, self.constant(f"{name}.bias", self.weights[f"{name}.bias"]))

    def build(self):
        m, w = self.model, self.weights
        positions = w["embeddings.position_embeddings.weight"]
        positions = positions + w["embeddings.token_type_embeddings.weight"][0]
        words = self.constant("words", w["embeddings.word_embeddings.weight"])
        x = self.node("Gather", words, "ids", axis=0)
        at = self.node("Gather", self.constant("positions", positions), "at", axis=0)
        x = self.norm(self.node("Add", x, at), "embeddings.LayerNorm")
        heads = self.constant("heads", np.array([0, 0, m.heads, m.hidden // m.heads]))
        joined = self.constant("joined", np.array([0, 0, m.hidden]))
        scale = self.constant("scale", np.float32((m.hidden // m.heads) ** -0.5))
        for i in range(m.layers):
            parts = [self.linear(x, i, f"attention.self.{p}") for p in ("query", "key", "value")]
            parts = [self.node("Reshape", part, heads) for part in parts]
            orders = [[0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]]
            q, k, v = (self.node("Transpose", p, perm=o) for p, o in zip(parts, orders))
            scores = self.node("Mul", self.node("MatMul", q, k), scale)
            a = self.node("MatMul", self.node("Softmax", scores, axis=-1), v)
            a = self.node("Reshape", self.node("Transpose", a, perm=orders[0]), joined)
            a = self.linear(a, i, "attention.output.dense")
            norm = f"encoder.layer.{i}.attention.output.LayerNorm"
            x = self.norm(self.node("Add", x, a), norm)
            y = self.node("Gelu", self.linear(x, i, "intermediate.dense"))
            y = self.linear(y, i, "output.dense")
            x = self.norm(self.node("Add", x, y), f"encoder.layer.{i}.output.LayerNorm")
        axis = self.constant("axis", np.array([1]))
        self.nodes.append(helper.make_node("ReduceMean", [x, axis], ["mean"], keepdims=0))
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes,
            "teacher",
            [info("ids", TensorProto.INT64, ["b", "n"]), info("at", TensorProto.INT64, ["n"])],
            [info("mean", TensorProto.FLOAT, ["b", m.hidden])],
            self.constants,
        )
        sets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=9)


class Runtime:
    """Embeds texts."""

    def __init__(self, path, cache, int8=False, threads=2):
        self.cache, self.kind = Path(cache), "8" if int8 else "1"
        self.cache.mkdir(parents=True, exist_ok=True)
        model = teacher.read(path)
        self.tokenizer = Tokenizer.from_str(json.dumps(model.tokenizer(), ensure_ascii=False))
        self.longest = model.positions
        file = self.cache / f"teacher-{self.kind}.onnx"
        if not file.exists() and int8:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            full = self.cache / "teacher-full.onnx"
            onnx.save(Graph(model, four_bits=False).build(), full)
            quantize_dynamic(
                full,
                file,
                weight_type=QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=["MatMul"],
                extra_options={"MatMulConstBOnly": True},
            )
            full.unlink()
        elif not file.exists():
            onnx.save(Graph(model, four_bits=True).build(), file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(str(file), options)

    def embed(self, texts, prefix):
        """The vectors of texts, of length 1."""
        encoded = self.tokenizer.encode_batch([prefix + text for text in texts])
        ids = [e.ids if len(e.ids) <= self.longest else e.ids[: self.longest - 1] + [2]
               for e in encoded]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        vectors, at, told = None, 0, time.time()
        while at < len(order):
            length = len(ids[order[at]])
            batch = order[at : at + max(1, BATCH // length)]
            batch = [i for i in batch if len(ids[i]) == length]
            inputs = {
                "ids": np.array([ids[i] for i in batch], np.int64),
                "at": np.arange(length, dtype=np.int64),
            }
            found = self.session.run(None, inputs)[0]
            if vectors is None:
                vectors = np.zeros((len(ids), found.shape[1]), np.float32)
            vectors[batch] = found / np.linalg.norm(found, axis=1, keepdims=True)
            at += len(batch)
            if time.time() - told > 30:
                told = time.time()
                print(f"  {at} of {len(order)} texts", flush=True)
        return vectors

    def kept(self, key, texts, prefix):
        """As `embed`, from the disk if they were embedded before."""
        digest = hashlib.sha1((prefix + "\n".join(texts)).encode()).hexdigest()[:12]
        file = self.cache / f"{key}-{self.kind}-{digest}.npy"
        if not file.exists():
            np.save(file, self.embed(texts, prefix).astype(np.float16))
        return np.load(file).astype(np.float32)
