// The memory of the page's process for loading the model and embedding with it: WebAssembly memory,
// scripts, compiled code and copies. Linux reports the peak of each process.

import { existsSync, readFileSync } from "node:fs";

/** Bytes of a process: private, shared (the program of the browser), and the peak of both. */
function residents(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const bytes = (name) =>
    1024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]);
  return {
    own: bytes("RssAnon") + bytes("RssShmem"),
    shared: bytes("RssFile"),
    most: bytes("VmHWM"),
  };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Bytes that a worker adds to its page's process: at the peak, and after the queries. */
export async function measureMemory(browser, origin, { script, model }) {
  if (!existsSync("/proc/self/status")) return undefined;
  const session = await browser.newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  };
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(origin);
    await sleep(1000);
    const before = new Map((await renderers()).map((pid) => [pid, residents(pid)]));
    await page.evaluate(
      async ({ script, model }) => {
        const worker = new Worker(script, { type: "module" });
        const ask = (message) =>
          new Promise((resolve, reject) => {
            worker.onmessage = ({ data }) =>
              data.error ? reject(new Error(data.error)) : resolve(data.value);
            worker.onerror = ({ message }) => reject(new Error(message));
            worker.postMessage(message);
          });
        globalThis.kept = worker;
        await ask({ call: "load", model });
        for (const tokens of [3, 9, 34]) await ask({ call: "run", tokens, budget: 1000 });
      },
      { script, model },
    );
    await sleep(3000);
    const grown = [...before].map(([pid, was]) => {
      const { own, shared, most } = residents(pid);
      return { peak: most - shared - was.own, steady: own - was.own };
    });
    return grown.reduce((a, b) => (b.peak > a.peak ? b : a));
  } finally {
    await context.close();
    await session.detach();
  }
}
