// The effects of the precision and the vocabulary of the browser's transformer on bytes, similarity
// to the model, and quality of results.
//
//   cargo xtask bench precision SETS [--model NAME] [--precisions WORDS/MATRICES,...]
//                               [--vocabulary-budgets KB,...]
//
// SETS is a directory with judged sets, each a directory with corpus.jsonl (or site/),
// queries.jsonl and qrels.tsv. A precision is compressed bits per value, of the word table and of
// the matrices (4.25/6 is shipped; 4/5.5 and 3.5/5.75 for comparison). A budget keeps the words of
// each set's documents and general words within that many kilobytes, at the shipped precision.
//
// Each set is built once. Its queries are embedded by the model (f32) and by each artefact. The
// output is the cosine to f32, mean and minimum over the queries, and nDCG@10 by meaning and fused
// with words.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const USAGE = "SETS [--model NAME] [--precisions WORDS/MATRICES,…] [--vocabulary-budgets KB,…]";

function readArguments() {
  const options = {
    model: { type: "string", default: "all-minilm-l6-v2" },
    precisions: { type: "string", default: "4.25/6,4/5.5,3.5/5.75" },
    "vocabulary-budgets": { type: "string", default: "" },
  };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error.message}; expected ${USAGE}`);
  }
  const { values, positionals } = parsed;
  if (positionals.length !== 1) throw new Error(`expected ${USAGE}`);
  const sets = readdirSync(positionals[0])
    .map((name) => join(resolve(positionals[0]), name))
    .filter((path) => existsSync(join(path, "qrels.tsv")));
  if (sets.length === 0)
    throw new Error(`${positionals[0]}: expected directories with qrels.tsv, found none`);
  const list = (text) => text.split(",").filter((item) => item !== "");
  const artefacts = list(values.precisions).map((precision) => {
    const [words, matrices] = precision.split("/");
    if (!(Number(words) > 0 && Number(matrices) > 0))
      throw new Error(`--precisions ${precision}: expected bits of words and matrices, as 4.25/6`);
    return { name: `${precision} bits`, args: () => ["--word-bits", words, "--bits", matrices] };
  });
  for (const budget of list(values["vocabulary-budgets"])) {
    if (!(Number(budget) > 0))
      throw new Error(`--vocabulary-budgets ${budget}: expected kilobytes`);
    artefacts.push({
      name: `words within ${budget} kB`,
      args: (bundle) => ["--vocabulary", bundle, "--vocabulary-budget", budget],
    });
  }
  return { model: values.model, sets, artefacts, findling: process.env.FINDLING_BIN };
}

function main() {
  const { model, sets, artefacts, findling } = readArguments();
  const scratch = mkdtempSync(join(tmpdir(), "findling-precision-"));
  const run = (...args) =>
    execFileSync(findling, ["--quiet", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 1 << 28,
    });
  try {
    for (const set of sets) {
      const bundle = join(scratch, "bundle"),
        queries = join(scratch, "queries.txt"),
        artefact = join(scratch, "artefact");
      const input = [join(set, "site"), join(set, "corpus.jsonl")].find(existsSync);
      if (!input) throw new Error(`${set}: expected site/ or corpus.jsonl, found neither`);
      run(
        "build",
        input,
        "--output",
        bundle,
        "--no-client",
        "--encoder",
        model,
        "--no-fit",
        "--fresh",
      );
      const texts = readFileSync(join(set, "queries.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).text.replaceAll("\n", " "));
      writeFileSync(queries, texts.join("\n"));
      const quality = (encoder) => {
        const said = run(
          "eval",
          bundle,
          "--queries",
          join(set, "queries.jsonl"),
          "--qrels",
          join(set, "qrels.tsv"),
          "--query-encoder",
          encoder,
        );
        const of = (mode) => new RegExp(`^\\s*${mode}\\s+([.\\d]+)`, "m").exec(said)?.[1] ?? "?";
        return `meaning ${of("semantic")}  fused ${of("hybrid")}`;
      };
      console.log(`${set}, ${texts.length} queries`);
      console.log(`  ${"f32".padEnd(24)} ${"".padStart(38)}  ${quality("transformer")}`);
      for (const { name, args } of artefacts) {
        const [row] = JSON.parse(
          run(
            "models",
            "prepare",
            model,
            "--output",
            artefact,
            "--queries",
            queries,
            "--json",
            ...args(bundle),
          ),
        );
        const bytes = `${(row.bytes / 1e6).toFixed(1)} MB`.padStart(8);
        console.log(
          `  ${name.padEnd(24)} ${bytes}  ${String(row.tokens).padStart(6)} tokens  ` +
            `${row.meanCosine.toFixed(4)} ${row.minCosine.toFixed(4)}  ${quality(artefact)}`,
        );
      }
      rmSync(bundle, { recursive: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

try {
  main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
