// Waits for a state that comes after an action, and not with it.

import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two looks. */
const INTERVAL = 50;

/**
 * Looks again and again until `look` does not throw, and returns its result. After `limit`
 * milliseconds it throws the last error. The limit is long, because only a test that fails waits
 * for it, and a busy machine may need much of it.
 */
export async function eventually(look, limit = 30_000) {
  const end = performance.now() + limit;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() >= end) throw error;
    }
    await pause(INTERVAL);
  }
}
