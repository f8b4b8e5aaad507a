// Functions of the benchmark `felt` that run in the page. They are sent there as source, so they
// use nothing else of this module.

/**
 * Begins to watch keys, the list of results, frames after keys, and long tasks. The rows are in the
 * shadow of `host`, or below `list`.
 */
export function observe({ host, list, row }) {
  const watched = host ? document.querySelector(host).shadowRoot : document.querySelector(list);
  const seen = { keys: [], paints: [], frames: [], tasks: [] };
  globalThis.felt = { seen, touched: performance.now() };
  addEventListener("keydown", (event) => seen.keys.push(event.timeStamp), { capture: true });
  const text = () => watched.querySelector(row)?.textContent.replace(/\s+/g, " ").trim();
  const rows = () =>
    [...watched.querySelectorAll(row)].map((element) => element.textContent).join();
  let before = rows();
  new MutationObserver(() => {
    const now = rows();
    if (now === before) return;
    before = now;
    globalThis.felt.touched = performance.now();
    const first = text()?.slice(0, 60);
    requestAnimationFrame(() =>
      setTimeout(() => globalThis.felt.seen.paints.push({ at: performance.now(), row: first })),
    );
  }).observe(watched, { childList: true, subtree: true, characterData: true });
  // The shortest duration of an event that the browser reports is 16 ms.
  new PerformanceObserver((entries) => {
    for (const { name, duration } of entries.getEntries())
      if (name === "keydown") globalThis.felt.seen.frames.push(duration);
  }).observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((entries) => {
    for (const { duration } of entries.getEntries()) globalThis.felt.seen.tasks.push(duration);
  }).observe({ type: "longtask" });
}

/** Waits until the list has not changed for so many milliseconds, and the page is idle. */
export async function rest(pause) {
  const from = performance.now();
  const until = () => Math.max(globalThis.felt.touched, from) + pause;
  while (performance.now() < until()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The events since the last call. */
export function take() {
  const { seen } = globalThis.felt;
  const taken = { ...seen };
  for (const name of Object.keys(seen)) seen[name] = [];
  return taken;
}
