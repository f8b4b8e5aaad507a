// In place of `AbortController` in the scripts for servers: a search listens to one signal for each
// file that it waits for, and Node takes more than ten listeners for a leak.

import { setMaxListeners } from "node:events";

const Own = globalThis.AbortController;

class Unlimited extends Own {
  constructor() {
    super();
    setMaxListeners(0, this.signal);
  }
}

export { Unlimited as AbortController };
