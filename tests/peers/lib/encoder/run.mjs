// The messages of a worker with an encoder: `load`, then `run` any number of times.

/**
 * Answers messages. `load(message)` returns `encode(tokens)`, and `bytes()` of WebAssembly memory.
 */
export function serve(load) {
  let encoder;
  const answers = {
    async load(message) {
      const start = performance.now();
      encoder = await load(message);
      const loaded = performance.now() - start;
      const first = performance.now();
      await encoder.encode(9);
      return { ms: loaded, first: performance.now() - first, bytes: encoder.bytes() };
    },
    /** Embeds for `budget` milliseconds; returns the milliseconds of each, and the vector. */
    async run({ tokens, budget }) {
      const times = [];
      let values;
      const until = performance.now() + budget;
      while (performance.now() < until || times.length < 3) {
        const start = performance.now();
        values = await encoder.encode(tokens);
        times.push(performance.now() - start);
      }
      return { times, values: Array.from(values), bytes: encoder.bytes() };
    },
  };
  globalThis.onmessage = async ({ data }) => {
    try {
      postMessage({ value: await answers[data.call](data) });
    } catch (error) {
      postMessage({ error: String(error?.stack ?? error) });
    }
  };
}
