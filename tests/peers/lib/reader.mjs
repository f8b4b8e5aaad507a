// A reader who searches: a browser with empty caches, on an empty page of the site.

/**
 * Functions that run in the page, where `timed` is defined. `open` ends when a query can be
 * answered; its result says by which means. `search` ends when five results can be shown; its
 * result is their number.
 */
export const TOOLS = {
  findling: {
    open: () =>
      timed(async () => {
        const { open } = await import("/findling/findling.js");
        const index = await open("/findling/");
        // Resolves at once, unless a transformer embeds the queries.
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
        // `init` returns early. Preloading an empty text waits for it and fetches nothing.
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

/** In the page: defines `timed`, which adds the milliseconds to a result. */
function defineTimed() {
  globalThis.timed = async (act) => {
    const start = performance.now();
    const result = await act();
    return { result, ms: performance.now() - start };
  };
}

/** In a page or a worker: start and end of the requests that reached the network. */
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

/** The length of the longest chain of requests, each begun after the end of the previous one. */
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

/** In a page: the milliseconds that a worker waits for an address. */
async function waitInWorker(url) {
  const script = `const start = performance.now();
    fetch(${JSON.stringify(url)}, { cache: "no-store" })
      .then((response) => response.text())
      .then(() => postMessage(performance.now() - start));`;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  }).finally(() => worker.terminate());
}

/** A page in a new context, with an emulated network; 0 emulates nothing. */
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

/** Throws unless the emulated network applies to workers, in which both tools search. */
export async function checkWorkers(browser, cdn, network) {
  if (network.latency === 0) return;
  const { context, page } = await arrive(browser, cdn, network);
  const waited = await page.evaluate(waitInWorker, cdn.url);
  await context.close();
  if (waited < network.latency) {
    throw new Error(
      `The browser does not emulate the network in workers: expected ${network.latency} ms or ` +
        `more, found ${waited.toFixed(0)} ms. Use a newer Chromium, or --latency 0 --mbit 0.`,
    );
  }
}

/** Measures one reader: opening the index, then the queries one after another. */
export async function read(browser, cdn, tool, queries, network) {
  const { context, page } = await arrive(browser, cdn, network);
  const silence = network.latency + 50;
  const step = async (act, argument) => {
    await cdn.quiet(silence);
    const before = cdn.sent();
    const { result, ms } = await page.evaluate(act, argument);
    // Requests still under way belong to this step.
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
