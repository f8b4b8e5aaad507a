/** Globals that the handler uses and the component's JavaScript engine, StarlingMonkey, lacks. */

export function fillGlobals(): void {
  const lacking = globalThis as { WebAssembly?: unknown };
  // The search engine is another component. If it traps, the host ends this one too.
  lacking.WebAssembly ??= { RuntimeError: class extends Error {} };

  URL.parse ??= (url, base) => {
    try {
      return new URL(url, base);
    } catch {
      return null;
    }
  };
}
