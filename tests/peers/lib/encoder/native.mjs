// Embedding documents natively on two cores, compared with onnxruntime (PyPI) with the same
// weights: sentences and tokens per second.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PACKAGES = ["onnxruntime", "tokenizers", "numpy"];

/** Starts a program that answers each line with a line of JSON. */
function program(command, args) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const failed = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  failed.catch(() => {});
  const next = async () => {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done) return failed;
    return JSON.parse(value);
  };
  const ask = (line) => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return { next, ask, stop: () => child.stdin.end() };
}

/**
 * A Python with onnxruntime, which is installed in the cache if necessary; or the reason why there
 * is none.
 */
function python() {
  const named = process.env.FINDLING_PYTHON;
  const has = (path) => {
    try {
      execFileSync(path, ["-c", `import ${PACKAGES.join(", ")}`], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  if (named)
    return has(named)
      ? { path: named }
      : { skipped: `${named} (FINDLING_PYTHON) cannot import ${PACKAGES.join(", ")}` };
  const home = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
    "findling",
    "onnxruntime",
  );
  const path = join(home, "bin/python");
  if (existsSync(path) && has(path)) return { path };
  try {
    console.log(`installing ${PACKAGES.join(", ")} into ${home}`);
    execFileSync("python3", ["-m", "venv", home], { stdio: ["ignore", "ignore", "pipe"] });
    execFileSync(
      path,
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
  } catch (error) {
    const why = String(error.stderr ?? error.message)
      .trim()
      .split("\n")
      .at(-1);
    return {
      skipped: `it takes Python 3 with venv and pip, and ${PACKAGES.join(", ")} of PyPI (${why})`,
    };
  }
  return has(path) ? { path } : { skipped: `${path} cannot import ${PACKAGES.join(", ")}` };
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function cosine(a, b) {
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/**
 * Embeds up to `texts` passages of `documents` with each encoder in turn, `rounds` times. `graphs`
 * are the graphs of onnxruntime, by name; the first is in f32. Returns median seconds, the ratio of
 * sentences per second, and the mean cosine to f32.
 */
export async function measureNative({
  embed,
  model,
  tokenizer,
  documents,
  texts,
  rounds,
  graphs,
  scratch,
}) {
  const ours = program(embed, [model, String(texts), ...documents]);
  try {
    const head = await ours.next();
    const report = { documents: documents.join(" "), texts: head.texts.length, measured: {} };
    await ours.ask(1);
    const { path, skipped } = python();
    if (skipped) report.skipped = `onnxruntime is passed over: ${skipped}`;
    const file = join(scratch, "texts.json");
    writeFileSync(file, JSON.stringify(head.texts));
    const names = Object.keys(graphs);
    const theirs =
      path &&
      program(path, [
        join(import.meta.dirname, "native.py"),
        tokenizer,
        String(head.maxTokens),
        file,
        ...Object.values(graphs),
      ]);
    const asks = [["findling", () => ours.ask(1)]];
    if (theirs) {
      report.onnxruntime = (await theirs.next()).version;
      for (const [i, name] of names.entries()) {
        // The fastest way to use two cores. The comparison also warms up.
        const seconds = [];
        for (const way of [0, 1, 2]) seconds.push((await theirs.ask(`${i} ${way}`)).seconds);
        const way = seconds.indexOf(Math.min(...seconds));
        asks.push([name, () => theirs.ask(`${i} ${way}`)]);
      }
    }
    const runs = Object.fromEntries(asks.map(([name]) => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const [name, ask] of asks) runs[name].push(await ask());
    const reference = runs[theirs ? names[0] : "findling"][0].vectors;
    for (const [name, all] of Object.entries(runs)) {
      const seconds = median(all.map((run) => run.seconds));
      const { tokens, vectors } = all[0];
      report.measured[name] = {
        seconds,
        texts: head.texts.length / seconds,
        tokens: tokens / seconds,
        ratio: median(all.map((run, i) => run.seconds / runs.findling[i].seconds)),
        cosine:
          vectors.reduce((sum, vector, i) => sum + cosine(vector, reference[i]), 0) /
          vectors.length,
      };
      const expected = runs.findling[0].tokens;
      if (tokens !== expected)
        report.skipped = `${name} made ${tokens} tokens of the texts, this project ${expected}`;
    }
    theirs?.stop();
    return report;
  } finally {
    ours.stop();
  }
}

export function printNative({ documents, texts, onnxruntime, measured, skipped }) {
  console.log(
    `\nnatively, two cores, ${texts} passages of ${documents}` +
      (onnxruntime ? `, compared with onnxruntime ${onnxruntime}` : ""),
  );
  for (const [name, { texts, tokens, ratio, cosine }] of Object.entries(measured)) {
    console.log(
      `  ${name.padEnd(18)} ${texts.toFixed(1).padStart(6)} texts/s  ` +
        `${tokens.toFixed(0).padStart(6)} tokens/s  ` +
        `findling is ${ratio.toFixed(2)} times as fast  cosine ${cosine.toFixed(5)}`,
    );
  }
  if (skipped) console.warn(`  ${skipped}`);
}
