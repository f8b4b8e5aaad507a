// A sentence transformer of the BERT family as an ONNX graph, from its safetensors, for
// onnxruntime.
//
// Two graphs have the same weights. One is in f32. The other has 8-bit weights in its linear
// layers, with one scale each, and quantises their inputs dynamically (DynamicQuantizeLinear,
// MatMulInteger), like onnxruntime's `quantize_dynamic`. Input `input_ids` [1, tokens], output
// `embedding` [1, hidden]: the mean of the tokens' vectors, normalised.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The tensors of a safetensors file, as f32. */
function safetensors(path) {
  const bytes = readFileSync(path);
  const headLength = Number(bytes.readBigUInt64LE(0));
  const head = JSON.parse(bytes.toString("utf8", 8, 8 + headLength));
  return (...names) => {
    const found = names.map((name) => head[name]).find(Boolean);
    if (!found) throw new Error(`${path}: there is no tensor ${names[0]}`);
    if (found.dtype !== "F32")
      throw new Error(`${path}: ${names[0]} is ${found.dtype}, expected F32`);
    const [start, end] = found.data_offsets;
    const raw = bytes.subarray(8 + headLength + start, 8 + headLength + end);
    return {
      shape: found.shape,
      values: new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length)),
    };
  };
}

// The parts of Protocol Buffers that ONNX needs: https://protobuf.dev/programming-guides/encoding/

function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const whole = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const chunk = (field, bytes) =>
  Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
const text = (field, value) => chunk(field, Buffer.from(value));
const float = (field, value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), bytes]);
};

const FLOAT = 1,
  INT8 = 3,
  INT64 = 7;

function tensor(name, type, shape, values) {
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([
    ...shape.map((n) => whole(1, n)),
    whole(2, type),
    text(8, name),
    chunk(9, raw),
  ]);
}

function attribute([name, value]) {
  if (typeof value === "object")
    return chunk(
      5,
      Buffer.concat([text(1, name), ...value.list.map((n) => whole(8, n)), whole(20, 7)]),
    );
  if (Number.isInteger(value))
    return chunk(5, Buffer.concat([text(1, name), whole(3, value), whole(20, 2)]));
  return chunk(5, Buffer.concat([text(1, name), float(2, value), whole(20, 1)]));
}

function valueInfo(name, type, shape) {
  const dims = shape.map((n) => chunk(1, typeof n === "number" ? whole(1, n) : text(2, n)));
  return Buffer.concat([
    text(1, name),
    chunk(2, chunk(1, Buffer.concat([whole(1, type), chunk(2, Buffer.concat(dims))]))),
  ]);
}

/** The transpose of `[rows, cols]`. */
function transposed({ shape: [rows, cols], values }) {
  const out = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) out[col * rows + row] = values[row * cols + col];
  return { shape: [cols, rows], values: out };
}

/** The graph of the model in `directory`, as bytes. `int8` selects the quantised graph. */
export function onnx(directory, int8) {
  const config = JSON.parse(readFileSync(join(directory, "config.json"), "utf8"));
  if (config.hidden_act !== "gelu")
    throw new Error(`${directory}: its activation is ${config.hidden_act}, expected gelu`);
  const weights = safetensors(join(directory, "model.safetensors"));
  const { hidden_size: hidden, num_attention_heads: heads, layer_norm_eps: epsilon } = config;
  const nodes = [],
    initialisers = [];
  let fresh = 0;

  const node = (type, inputs, attributes = {}, outputs = 1) => {
    const names = Array.from({ length: outputs }, () => `v${fresh++}`);
    nodes.push(
      chunk(
        1,
        Buffer.concat([
          ...inputs.map((name) => text(1, name)),
          ...names.map((name) => text(2, name)),
          text(4, type),
          ...Object.entries(attributes).map(attribute),
        ]),
      ),
    );
    return outputs === 1 ? names[0] : names;
  };
  const constant = (type, shape, values) => {
    const name = `c${fresh++}`;
    initialisers.push(chunk(5, tensor(name, type, shape, values)));
    return name;
  };
  const floats = ({ shape, values }) => constant(FLOAT, shape, values);
  const scalar = (value) => constant(FLOAT, [], Float32Array.of(value));
  const shape = (...dims) => constant(INT64, [dims.length], BigInt64Array.from(dims, BigInt));
  const whichOf = (name) => [name, `bert.${name}`];

  const linear = (x, name) => {
    const weight = transposed(weights(...whichOf(`${name}.weight`)));
    const bias = floats(weights(...whichOf(`${name}.bias`)));
    if (!int8) return node("Add", [node("MatMul", [x, floats(weight)]), bias]);
    const largest = weight.values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    const integers = Int8Array.from(weight.values, (value) => Math.round((value / largest) * 127));
    const [quantised, scale, zero] = node("DynamicQuantizeLinear", [x], {}, 3);
    const noZero = constant(INT8, [], Int8Array.of(0));
    const sum = node("MatMulInteger", [
      quantised,
      constant(INT8, weight.shape, integers),
      zero,
      noZero,
    ]);
    const scales = node("Mul", [scale, scalar(largest / 127)]);
    return node("Add", [node("Mul", [node("Cast", [sum], { to: FLOAT }), scales]), bias]);
  };
  const norm = (x, name) =>
    node(
      "LayerNormalization",
      [
        x,
        floats(weights(...whichOf(`${name}.weight`))),
        floats(weights(...whichOf(`${name}.bias`))),
      ],
      { axis: -1, epsilon },
    );
  const byHead = (x, perm) =>
    node("Transpose", [node("Reshape", [x, shape(0, -1, heads, hidden / heads)])], {
      perm: { list: perm },
    });

  const ids = "input_ids";
  const words = node("Gather", [
    floats(weights(...whichOf("embeddings.word_embeddings.weight"))),
    ids,
  ]);
  const positions = weights(...whichOf("embeddings.position_embeddings.weight"));
  const type = weights(...whichOf("embeddings.token_type_embeddings.weight"));
  const length = node("Slice", [node("Shape", [ids]), shape(1), shape(2)]);
  const first = node("Slice", [floats(positions), shape(0), length, shape(0)]);
  let x = node("Add", [
    node("Add", [words, floats({ shape: [hidden], values: type.values.slice(0, hidden) })]),
    first,
  ]);
  x = norm(x, "embeddings.LayerNorm");
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const query = byHead(linear(x, `${at}.attention.self.query`), [0, 2, 1, 3]);
    const key = byHead(linear(x, `${at}.attention.self.key`), [0, 2, 3, 1]);
    const value = byHead(linear(x, `${at}.attention.self.value`), [0, 2, 1, 3]);
    const scores = node("Div", [node("MatMul", [query, key]), scalar(Math.sqrt(hidden / heads))]);
    const mixed = node(
      "Transpose",
      [node("MatMul", [node("Softmax", [scores], { axis: -1 }), value])],
      { perm: { list: [0, 2, 1, 3] } },
    );
    const attention = linear(
      node("Reshape", [mixed, shape(0, -1, hidden)]),
      `${at}.attention.output.dense`,
    );
    x = norm(node("Add", [attention, x]), `${at}.attention.output.LayerNorm`);
    const up = node("Gelu", [linear(x, `${at}.intermediate.dense`)]);
    x = norm(node("Add", [linear(up, `${at}.output.dense`), x]), `${at}.output.LayerNorm`);
  }
  const mean = node("ReduceMean", [x, shape(1)], { keepdims: 0 });
  nodes.push(
    chunk(
      1,
      Buffer.concat([
        text(1, mean),
        text(1, node("ReduceL2", [mean, shape(1)], { keepdims: 1 })),
        text(2, "embedding"),
        text(4, "Div"),
      ]),
    ),
  );

  const graph = Buffer.concat([
    ...nodes,
    text(2, "encoder"),
    ...initialisers,
    chunk(11, valueInfo(ids, INT64, ["texts", "tokens"])),
    chunk(12, valueInfo("embedding", FLOAT, ["texts", hidden])),
  ]);
  return Buffer.concat([
    whole(1, 9),
    text(2, "findling-peers"),
    chunk(7, graph),
    chunk(8, Buffer.concat([text(1, ""), whole(2, 20)])),
  ]);
}
