/** What the reader's device and connection are up to. */

/** Of the Network Information and Device Memory drafts, which not every browser has. */
interface Hints {
  connection?: { saveData?: boolean; effectiveType?: string };
  deviceMemory?: number;
}

/**
 * Gigabytes below which a device had better keep its memory. The transformer takes some 70 MB of a
 * process, 29 of them WebAssembly's.
 */
const LEAST_MEMORY = 1;

/**
 * Why an encoder of megabytes had better not be loaded unasked, as the end of a sentence;
 * `undefined` where nothing is known against it.
 */
export function hindrance(hints: Hints = navigator as Hints): string | undefined {
  const { connection, deviceMemory } = hints;
  if (connection?.saveData === true) return "to save data";
  if (/^(slow-2g|2g|3g)$/.test(connection?.effectiveType ?? ""))
    return "because the connection is slow";
  if (deviceMemory !== undefined && deviceMemory < LEAST_MEMORY)
    return "because the device has little memory";
  return undefined;
}

/** Calls `task` when the page has nothing else to do, in two seconds at the latest. */
export function whenIdle(task: () => void): void {
  if (typeof requestIdleCallback === "function")
    requestIdleCallback(() => task(), { timeout: 2000 });
  else setTimeout(task, 200);
}
