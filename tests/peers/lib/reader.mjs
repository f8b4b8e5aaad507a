// A reader: a browser that has seen nothing, on an empty page of the site, who searches.

/**
 * Run in the page, where `timed` is: `open` ends when a query could be answered and says how,
 * `search` when five results can be shown, and says how many there are.
 */
export const TOOLS = {
  findling: {
    open: () =>
      timed(async () => {
        const { open } = await import("/findling/findling.js");
        const index = await open("/findling/");
        // At once, unless the bundle's queries are embedded by a transformer.
        if (index.semantic !== "none") await index.ready("semantic");
        globalThis.index = index;
        return index.semantic === "ready" ? "by words and meaning" : "by words";
      }),
    search: (query) =>
      timed(async () => (await globalThis.index.search(query, { limit: 5 })).results.length),
  },
  pagefind: {
    open: () =>
      timed(async () => {
        const pagefind = await import("/pagefind/pagefind.js");
        await pagefind.init();
        // `init` only begins; to preload nothing waits until it is done, and fetches nothing.
        await pagefind.preload("");
        globalThis.pagefind = pagefind;
        return "by words";
      }),
    search: (query) =>
      timed(async () => {
        const { results } = await globalThis.pagefind.search(query);
        return (await Promise.all(results.slice(0, 5).map((result) => result.data()))).length;
      }),
  },
};

/** In the page: what `act` gives, and milliseconds until it does. */
function defineTimed() {
  globalThis.timed = async (act) => {
    const start = performance.now();
    const result = await act();
    return { result, ms: performance.now() - start };
  };
}

/** In a page or a worker: when requests that reached the network began and ended. */
function requestTimes() {
  const entries = performance
    .getEntriesByType("resource")
    .filter(({ transferSize }) => transferSize > 0);
  performance.clearResourceTimings();
  return entries.map(({ startTime, responseEnd }) => [
    performance.timeOrigin + startTime,
    performance.timeOrigin + responseEnd,
  ]);
}

/** The longest chain of requests, each begun when the one before had ended. */
export function rounds(times) {
  const sorted = [...times].sort((a, b) => a[0] - b[0]);
  const depths = [];
  for (const [i, [start]] of sorted.entries()) {
    depths[i] = 1;
    for (let j = 0; j < i; j++)
      if (sorted[j][1] <= start) depths[i] = Math.max(depths[i], depths[j] + 1);
  }
  return Math.max(0, ...depths);
}

/** In a page: how long a worker waits for the address, milliseconds. */
async function waitInWorker(url) {
  const script = `const start = performance.now();
    fetch(${JSON.stringify(url)}, { cache: "no-store" }).then((r) => r.text()).then(() => postMessage(performance.now() - start));`;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  }).finally(() => worker.terminate());
}

/**
 * A page of a new context, under `network`: `{ latency, mbit }`, either 0 for what the machine
 * gives.
 */
async function arrive(browser, cdn, { latency, mbit }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(defineTimed);
  const devtools = await context.newCDPSession(page);
  const throughput = mbit > 0 ? (mbit * 1e6) / 8 : -1;
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await page.goto(cdn.url);
  return { context, page };
}

/** Makes sure that the emulated network is the workers' too: both tools search in one. */
export async function checkWorkers(browser, cdn, network) {
  if (network.latency === 0) return;
  const { context, page } = await arrive(browser, cdn, network);
  const waited = await page.evaluate(waitInWorker, cdn.url);
  await context.close();
  if (waited < network.latency) {
    throw new Error(
      `this browser does not slow the requests of workers: ${waited.toFixed(0)} ms for a round trip of ` +
        `${network.latency} ms; use a newer Chromium, or measure without: --latency 0 --mbit 0`,
    );
  }
}

/** What a fresh reader downloads and waits for: the opening, then the queries in turn. */
export async function read(browser, cdn, tool, queries, network) {
  const { context, page } = await arrive(browser, cdn, network);
  const silence = network.latency + 50;
  const step = async (act, argument) => {
    await cdn.quiet(silence);
    const before = cdn.sent();
    const { result, ms } = await page.evaluate(act, argument);
    // What is still under way belongs to this step.
    await cdn.quiet(silence);
    const { bytes, requests } = cdn.sent();
    const times = await Promise.all(
      [page, ...page.workers()].map((realm) => realm.evaluate(requestTimes)),
    );
    return {
      result,
      bytes: bytes - before.bytes,
      requests: requests - before.requests,
      rounds: rounds(times.flat()),
      ms,
    };
  };
  try {
    const opening = await step(tool.open);
    const answers = [];
    for (const query of queries) answers.push(await step(tool.search, query));
    return { opening, answers };
  } finally {
    await context.close();
  }
}
