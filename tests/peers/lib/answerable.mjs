// How well does `answerable` agree with the share of questions that a site answers?
//
//   cargo xtask bench sentences --answerable NAME=BUNDLE=QUERIES[=dev|test]...
//     [--fit NAME=BUNDLE=QUERIES[=dev|test]]... [--most N] [--archive] [--json FILE]
//
// Each site is searched for N (150) of its own questions and for as many questions of the other
// sites. Its own questions count as answered, the others as not answered. QUERIES are JSON lines,
// or lines of text before a tab; `dev` and `test` take a half by the hash of the id, as
// tests/quality/answers.py does. Searches are by words and by meaning, with the static encoder,
// streamed as in a browser. `--fit` names development sets, on which a logistic correction of the
// estimate is fitted, to see what it gains.
//
// Own and other questions have the same weight in all figures, and so do sites, as in the fit of
// the estimate. "If 90% are its own" has other weights, as on a site whose readers mostly ask
// questions that it answers. "Adjusted" moves the estimate's odds by the odds of that share. ECE:
// the mean distance of estimate and observed share over ten bins. Brier: the mean squared error;
// 0.25 for an estimate that is always 0.5.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLines } from "./judged.mjs";
import { evenly } from "./queries.mjs";
import {
  area,
  bins,
  brier,
  calibrationError,
  logit,
  recalibration,
  shifted,
  weighted,
} from "./reliability.mjs";
import { defaultPath, head, load, print, write } from "./results.mjs";

const MOST = 150;
/** The share of own questions in figures and in the fit of the estimate. */
const EVEN = 0.5;
const SHARES = [0.8, 0.9, 0.95];

function readSite(text) {
  const [name, bundle, file, half] = text.split("=");
  if (!file) throw new Error(`${text}: expected NAME=BUNDLE=QUERIES, or NAME=BUNDLE=QUERIES=test`);
  const lines = file.endsWith(".jsonl") ? jsonLines(file) : tabLines(file);
  const asked = lines.filter(({ _id }) => half === undefined || halfOf(String(_id)) === half);
  return { name, bundle, questions: [...new Set(asked.map(({ text }) => text))] };
}

const tabLines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({ _id: line, text: line.split("\t")[0] }));

const halfOf = (id) => (createHash("sha256").update(id).digest()[0] % 2 ? "dev" : "test");

/** The estimates of a site for its own and the others' questions. */
function estimates(program, site, sites, most, scratch) {
  const own = evenly(site.questions, most);
  const others = sites.filter((other) => other !== site);
  const each = Math.ceil(most / others.length);
  const foreign = others.flatMap(({ questions }) => evenly(questions, each));
  const asked = [...own, ...foreign].map((text, i) => ({ _id: `${i}`, text }));
  const file = join(scratch, "asked.jsonl");
  writeFileSync(file, asked.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const how = ["--mode", "hybrid", "--query-encoder", "static", "--streamed", "--limit", "1"];
  const line = ["search", site.bundle, "--batch", file, "--format", "json", ...how];
  const { status, stdout, stderr } = spawnSync(program, line, {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`findling search failed: ${stderr.trim()}`);
  const found = stdout.split("\n").filter(Boolean).map(JSON.parse);
  return weighted(
    found.map(({ _id, answerable }) => ({
      estimate: answerable,
      isRight: Number(_id) < own.length,
    })),
    EVEN,
  );
}

const three = (value) => (Number.isFinite(value) ? value.toFixed(3) : "");
const both = (list) => `${three(brier(list))}, ${three(calibrationError(list))}`;

/** Estimates after a correction `a + b * logit`. */
const corrected = (list, { a, b }) =>
  list.map((each) => ({ ...each, estimate: 1 / (1 + Math.exp(-a - b * logit(each.estimate))) }));

function calibrationTable(sites, fit) {
  const all = sites.flatMap(({ estimates }) => estimates);
  const row = (name, list) => {
    const own = list.filter(({ isRight }) => isRight).length;
    const cells = [name, `${own}, ${list.length - own}`, three(area(list)), both(list)];
    return fit ? [...cells, both(corrected(list, fit))] : cells;
  };
  const rows = sites.map(({ name, estimates }) => row(name, estimates));
  rows.push(row("**all together**", all));
  for (const share of SHARES) {
    const moved = sites.flatMap(({ estimates }) => weighted(estimates, share));
    const percent = Math.round(100 * share);
    rows.push(row(`all, if ${percent}% are the site's own`, moved));
    const adjusted = moved.map((each) => ({
      ...each,
      estimate: shifted(each.estimate, EVEN, share),
    }));
    rows.push(row(`the same, estimates adjusted to ${percent}%`, adjusted));
  }
  const columns = ["site", "its questions, others", "AUC", "Brier, ECE"];
  if (fit) columns.push("refitted on development sets: Brier, ECE");
  return { id: "calibration", columns, rows };
}

function reliabilityTable(sites) {
  const of = sites.map(({ estimates }) => bins(estimates));
  const all = bins(sites.flatMap(({ estimates }) => estimates));
  const mostly = bins(sites.flatMap(({ estimates }) => weighted(estimates, 0.9)));
  const rows = all.map((bin, at) => [
    `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`,
    `${bin.right}, ${bin.wrong}`,
    three(bin.estimate),
    three(bin.observed),
    ...of.map((site) => three(site[at].observed)),
    three(mostly[at].observed),
  ]);
  const columns = ["estimate", "its questions, others", "mean estimate", "observed, all"];
  columns.push(...sites.map(({ name }) => name), "all, if 90% are the site's own");
  return { id: "reliability", columns, rows };
}

export function answerable({ program, positionals, fit, most, archive, json }) {
  const before = load();
  const scratch = mkdtempSync(join(tmpdir(), "findling-answerable-"));
  const asked = (list) => {
    const sites = list.map(readSite);
    if (sites.length < 2) throw new Error("expected two sites or more: each is asked the others'");
    return sites.map((site) => ({
      ...site,
      estimates: estimates(program, site, sites, most ?? MOST, scratch),
    }));
  };
  try {
    const sites = asked(positionals);
    const line = fit ? recalibration(asked(fit).flatMap(({ estimates }) => estimates)) : null;
    const tables = [reliabilityTable(sites), calibrationTable(sites, line)];
    for (const table of tables) print(table);
    const note = line
      ? `refitted: log-odds ${three(line.a)} + ${three(line.b)} times those of the estimate`
      : "";
    console.log(note);
    if (archive || json)
      write(json ?? defaultPath("answerable"), head("answers", note, before), tables);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
