/** Facts that the browser knows about the reader's device and connection. */

/** From the Network Information and Device Memory drafts, which not every browser implements. */
interface Hints {
  connection?: { saveData?: boolean; effectiveType?: string };
  deviceMemory?: number;
}

/**
 * Gigabytes. On a device with less, the transformer is only loaded on request: it takes about 70 MB
 * of the process, of which 29 MB are WebAssembly memory.
 */
const MIN_DEVICE_MEMORY = 1;

/**
 * The reason why the transformer must not be downloaded without a request, as the end of a
 * sentence; `undefined` if it may be downloaded.
 */
export function reasonNotToDownload(hints: Hints = navigator as Hints): string | undefined {
  const { connection, deviceMemory } = hints;
  if (connection?.saveData === true) return "because the browser asks to save data";
  if (/^(slow-2g|2g|3g)$/.test(connection?.effectiveType ?? ""))
    return "because the connection is slow";
  if (deviceMemory !== undefined && deviceMemory < MIN_DEVICE_MEMORY)
    return "because the device has little memory";
  return undefined;
}

/** Calls `task` when the page is idle, after two seconds at the latest. */
export function whenIdle(task: () => void): void {
  if (typeof requestIdleCallback === "function")
    requestIdleCallback(() => task(), { timeout: 2000 });
  else setTimeout(task, 200);
}
