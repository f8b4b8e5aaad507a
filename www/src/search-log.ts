/**
 * `findling-log.js`: records searches on the pages that load it, in the browser's storage. Nothing
 * is sent. The owner of a site exports the log of a browser, after a test with readers for example.
 */

// The types of the events.
import type {} from "./ui/selection";

/** One line of the log. */
export interface LogEntry {
  /** ISO 8601. */
  time: string;
  event: "search" | "select" | "empty";
  query: string;
  /** Pages that matched. */
  pages?: number;
  /** The address that was chosen. */
  href?: string;
}

const KEY = "findling-log";

/** Number of entries that are kept; the oldest are removed first. */
const MOST = 2000;

/** Milliseconds without typing after which a query counts as complete. */
const TYPED = 1000;

let query = "";
let typing: ReturnType<typeof setTimeout> | undefined;
/** Records the pending search, whose query may still change. */
let pending: (() => void) | undefined;

/** The entries, oldest first. */
export function readLog(): LogEntry[] {
  try {
    const entries: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

/** The log as JSON lines, in a file that the browser saves. */
export function exportLog(name = "findling-log.jsonl"): void {
  const lines = readLog().map((entry) => `${JSON.stringify(entry)}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Removes all entries. */
export function clearLog(): void {
  localStorage.removeItem(KEY);
}

function write(entry: Omit<LogEntry, "time">): void {
  const entries = [...readLog(), { time: new Date().toISOString(), ...entry }].slice(-MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // If storage is blocked or full, there is no log.
  }
}

globalThis.addEventListener?.("findling-search", ({ detail }) => {
  const { query: asked, total } = detail;
  query = asked;
  clearTimeout(typing);
  typing = setTimeout(settle, TYPED);
  pending = () =>
    write({ event: total.pages > 0 ? "search" : "empty", query: asked, pages: total.pages });
});

function settle(): void {
  clearTimeout(typing);
  pending?.();
  pending = undefined;
}

globalThis.addEventListener?.("pagehide", settle);

globalThis.addEventListener?.("findling-select", ({ detail }) => {
  settle();
  write({ event: "select", query, href: detail.href });
});
