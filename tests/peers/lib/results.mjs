// Results of benchmarks as files of bench/results, from which the tables of the documents are made.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** The date of today, in the form of the files' names. */
export const today = () => new Date().toISOString().slice(0, 10);

/** The default file of a benchmark's result. */
export const defaultPath = (name) => join(root, "bench/results", `${today()}-${name}.json`);

const git = (...args) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();

/** The load of the machine, in words; called before and after a measurement. */
export const load = () => loadavg()[0].toFixed(1);

/**
 * The description of a result: date, machine, and command of the measurement. `loadBefore` is the
 * load before the measurement, if it has one load.
 */
export function head(name, note, loadBefore) {
  const loads =
    loadBefore === undefined ? "" : `; load average ${loadBefore} before, ${load()} after`;
  return {
    name,
    date: today(),
    machine: `${cpus().length} cores, ${cpus()[0].model}${loads}`,
    commit: git("rev-parse", "HEAD"),
    command: `cargo xtask bench ${name} ${process.argv.slice(2).join(" ")}`.trim(),
    note,
  };
}

/** Columns of numbers with so many decimals. */
export const columns = (decimals, ...names) => names.map((name) => ({ name, decimals }));

/** The names of columns and the cells of rows, with tabs between them. */
export function print({ columns, rows }) {
  console.log(columns.map((column) => column.name ?? column).join("\t"));
  for (const cells of rows) console.log(cells.map((cell) => cell ?? "").join("\t"));
}

/**
 * Writes a result with one line a row. `tables` is one `{ columns, rows }`, or a list of them, each
 * with an `id`.
 */
export function write(path, head, tables) {
  const many = Array.isArray(tables);
  const text = (table, indent) => {
    const { rows, ...rest } = table;
    const lines = rows.map((cells) => `\n${indent}  ${JSON.stringify(cells)}`).join(",");
    return `${JSON.stringify(rest).slice(1, -1)},"rows":[${lines}\n${indent}]`;
  };
  const body = many
    ? `"tables": [\n${tables.map((table) => `    {${text(table, "    ")}}`).join(",\n")}\n  ]`
    : text(tables, "  ");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(head, null, 2).slice(0, -2)},\n  ${body}\n}\n`);
}
