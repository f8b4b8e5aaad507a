// A replacement of `AbortController` in the scripts for servers. A search adds a listener to one
// signal for each file that it waits for, and Node reports more than ten listeners as a leak.

import { setMaxListeners } from "node:events";

const Own = globalThis.AbortController;

class Unlimited extends Own {
  constructor() {
    super();
    setMaxListeners(0, this.signal);
  }
}

export { Unlimited as AbortController };
