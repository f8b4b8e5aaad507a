"""onnxruntime's side of the native comparison: embeds the same texts with the same weights.

python native.py TOKENIZER MAX_TOKENS TEXTS GRAPH...

TOKENIZER is the model's tokenizer.json, TEXTS a JSON list. Prints a line of JSON when it is ready.
Then it reads lines `GRAPH_INDEX WAY`, runs each, and prints {"seconds", "tokens", "vectors"}, with
the first vectors in the order of the texts.

Ways of using two cores:

0. each text by itself, in two threads of one core each;
1. batches of up to 16 texts of equal length, in the same two threads;
2. the same batches, one after the other, in onnxruntime's own two threads.

Long texts come first. No way pads. Texts are tokenised beforehand, outside of the measured time."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnxruntime
from tokenizers import Tokenizer

SHOWN = 50
TOGETHER = [1, 16, 16]

tokenizer_path, max_tokens, texts_path, *graphs = sys.argv[1:]
tokenizer = Tokenizer.from_file(tokenizer_path)
tokenizer.no_padding()
tokenizer.enable_truncation(int(max_tokens))
with open(texts_path, encoding="utf-8") as file:
    texts = json.load(file)
ids = [numpy.array(encoding.ids, dtype=numpy.int64) for encoding in tokenizer.encode_batch(texts)]


def session(graph, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def batches(most):
    grouped = []
    for i in sorted(range(len(ids)), key=lambda i: -len(ids[i])):
        if grouped and len(grouped[-1]) < most and len(ids[grouped[-1][0]]) == len(ids[i]):
            grouped[-1].append(i)
        else:
            grouped.append([i])
    return grouped


def embed(sessions, way):
    one, two = sessions
    grouped = batches(TOGETHER[way])
    inputs = [numpy.stack([ids[i] for i in group]) for group in grouped]
    start = time.perf_counter()
    if way == 2:
        outputs = [two.run(None, {"input_ids": rows})[0] for rows in inputs]
    else:
        with ThreadPoolExecutor(2) as pool:
            outputs = list(pool.map(lambda rows: one.run(None, {"input_ids": rows})[0], inputs))
    seconds = time.perf_counter() - start
    vectors = {i: row for group, rows in zip(grouped, outputs) for i, row in zip(group, rows)}
    shown = [vectors[i].tolist() for i in range(min(SHOWN, len(ids)))]
    return {"seconds": seconds, "tokens": sum(map(len, ids)), "vectors": shown}


sessions = [(session(graph, 1), session(graph, 2)) for graph in graphs]
print(json.dumps({"version": onnxruntime.__version__}), flush=True)
for line in sys.stdin:
    graph, way = map(int, line.split())
    print(json.dumps(embed(sessions[graph], way)), flush=True)
