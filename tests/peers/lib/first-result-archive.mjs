// The results of bench first-result, written after each setting, so that an interrupted run can go
// on.

import { existsSync, readFileSync } from "node:fs";
import { write } from "./results.mjs";
import { median } from "./statistics.mjs";

const number = (name, decimals) => ({ name, decimals });
const SETTING = ["processor", "Mbit/s", "round trip (ms)"];
const RUNS = [
  ...SETTING,
  "variant",
  "runs",
  number("median (s)", 2),
  number("fastest (s)", 2),
  number("slowest (s)", 2),
  number("kB", 1),
  "requests",
  number("load", 1),
];
/** The places of columns of `RUNS`. */
const VARIANT = RUNS.indexOf("variant");
const MEDIAN = VARIANT + 2;
const KB = VARIANT + 5;
const REQUESTS = VARIANT + 6;

const round = (value, decimals) => Number(value.toFixed(decimals));

/** The first cells of a setting's rows. */
const cellsOf = ({ cpu, mbit, rtt }) => [cpu === 1 ? "1" : `${cpu} times slower`, mbit, rtt];

function row(setting, name, runs, load) {
  const seconds = runs.map(({ ms }) => ms / 1000);
  const kB = runs.map(({ bytes }) => bytes / 1000);
  const requests = runs.map((run) => run.requests);
  const times = [median(seconds), Math.min(...seconds), Math.max(...seconds)];
  return [
    ...cellsOf(setting),
    name,
    runs.length,
    ...times.map((time) => round(time, 2)),
    round(median(kB), 1),
    median(requests),
    round(load, 1),
  ];
}

/** A results file in the form that docs.rs of xtask reads. */
export class Archive {
  #path;
  #result;
  #variants;
  /** Rows of all runs, by the text of the setting. */
  #rows = new Map();

  /** Continues with the file at `path`, if it has the same commit, note and variants. */
  constructor(path, { variants, ...head }) {
    this.#path = path;
    this.#result = head;
    this.#variants = variants;
    const earlier = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
    if (earlier?.commit !== head.commit || earlier.note !== head.note) return;
    const groups = new Map();
    for (const cells of earlier.tables.find(({ id }) => id === "runs").rows) {
      const key = cells.slice(0, VARIANT).join();
      groups.set(key, [...(groups.get(key) ?? []), cells]);
    }
    for (const [key, rows] of groups) {
      const names = rows.map((cells) => cells[VARIANT]);
      if (names.join() === variants.join()) this.#rows.set(key, rows);
    }
  }

  has(setting) {
    return this.#rows.has(cellsOf(setting).join());
  }

  /** Adds details of the machine. */
  describe(machine) {
    this.#result.machine = `${this.#result.machine}; ${machine}`;
  }

  /** Adds the runs of each variant in a setting, and writes the file. */
  add(setting, found, load) {
    const rows = this.#variants.map((name, i) => row(setting, name, found[i], load));
    this.#rows.set(cellsOf(setting).join(), rows);
    this.#write();
  }

  /** The medians of the setting that was added last. */
  line() {
    const rows = [...this.#rows.values()].at(-1);
    return rows.map((cells) => `${cells[VARIANT]} ${cells[MEDIAN]} s (${cells[VARIANT + 1]} runs)`);
  }

  #tables() {
    const settings = [...this.#rows.values()];
    const medians = settings.map((rows) => [
      ...rows[0].slice(0, VARIANT),
      ...rows.map((cells) => cells[MEDIAN]),
    ]);
    const received = this.#variants.map((name, i) => {
      const of = (column) => median(settings.map((rows) => rows[i][column]));
      return [name, round(of(KB), 1), Math.round(of(REQUESTS))];
    });
    const variants = this.#variants.map((name) => number(`${name} (s)`, 2));
    return [
      { id: "medians", columns: [...SETTING, ...variants], rows: medians },
      { id: "received", columns: ["variant", number("kB", 1), "requests"], rows: received },
      { id: "runs", columns: RUNS, rows: settings.flat() },
    ];
  }

  #write() {
    write(this.#path, this.#result, this.#tables());
  }
}
