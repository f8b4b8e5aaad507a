// Checks that the module computes the same vectors as the native encoder from the same artefact.
//
//   cargo run --release -p findling-encoder --features native --example artefact -- MODEL_DIR OUT
//   FINDLING_ENCODER_MODULE=www/wasm/encoder FINDLING_ENCODER_ARTEFACT=OUT \
//     node --test crates/wasm-encoder/tests/parity.mjs
//
// The tiny artefact next to the native tests is always compared. If FINDLING_ENCODER_ARTEFACT is
// set, the artefact that it names is compared too. The tests are skipped if the module has not been
// built.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../..");
const moduleDir = resolve(process.env.FINDLING_ENCODER_MODULE ?? join(root, "www/wasm/encoder"));
const wasmPath = join(moduleDir, "findling_encoder_bg.wasm");
const skip = existsSync(wasmPath) ? false : `${wasmPath} has not been built: cargo xtask wasm`;

const artefacts = [join(root, "crates/encoder/tests/fixtures/tiny-v1.artefact")];
if (process.env.FINDLING_ENCODER_ARTEFACT)
  artefacts.push(resolve(process.env.FINDLING_ENCODER_ARTEFACT));

async function load() {
  const module = await import(pathToFileURL(join(moduleDir, "findling_encoder.js")));
  module.initSync({ module: readFileSync(wasmPath) });
  return module;
}

function cosine(a, b) {
  let dot = 0,
    aa = 0,
    bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}

for (const path of artefacts) {
  test(`the module computes the native vectors of ${path}`, { skip }, async (t) => {
    const { ModelPieces } = await load();
    const expected = JSON.parse(readFileSync(`${path}.json`, "utf8"));
    const bytes = readFileSync(path);
    const artefact = bytes.subarray(0, 7).toString() === "FNDLENC" ? bytes : inflateSync(bytes);
    const pieces = new ModelPieces();
    for (let at = 0; at < artefact.length; at += 65_536)
      pieces.push(artefact.subarray(at, at + 65_536));
    const encoder = pieces.finish();
    const card = JSON.parse(encoder.card());
    assert.equal(card.fingerprint, expected.fingerprint);
    let least = 1;
    for (const { text, nTokens, truncated, values } of expected.cases) {
      const found = encoder.encode(text);
      assert.ok(found.values instanceof Float32Array);
      assert.equal(found.values.length, card.dim);
      assert.equal(found.nTokens, nTokens, text);
      assert.equal(found.truncated, truncated, text);
      const similarity = cosine(found.values, values);
      assert.ok(similarity >= 0.9999, `${JSON.stringify(text)}: cosine ${similarity}`);
      least = Math.min(least, similarity);
    }
    encoder.free();
    t.diagnostic(`${expected.cases.length} texts, least cosine ${least}`);
  });
}

test("bytes that are no artefact throw an error with a code", { skip }, async () => {
  const { ModelPieces, TransformerEncoder } = await load();
  for (const bytes of [
    new Uint8Array(0),
    new Uint8Array(1000),
    readFileSync(artefacts[0]).subarray(0, -1),
  ]) {
    assert.throws(
      () => new TransformerEncoder(bytes),
      (error) => error instanceof Error && error.code === "encoder-artefact",
    );
    assert.throws(
      () => {
        const pieces = new ModelPieces();
        pieces.push(bytes);
        pieces.finish();
      },
      (error) => error instanceof Error && error.code === "encoder-artefact",
    );
  }
});
