// A network between a browser and a server on the same machine: a TCP relay.
//
// Each direction takes half the round trip, and all connections share one rate for each direction.
// A connection costs a round trip before its first byte, as TCP's handshake does. A server's answer
// starts at 10 segments and doubles each round trip (slow start, RFC 5681 and RFC 6928); nothing is
// lost. Name resolution, losses and radio are not modelled.

import { connect, createServer } from "node:net";

const SEGMENT = 1460;
const FIRST_WINDOW = 10 * SEGMENT;
const MAX_WINDOW = 1 << 20;
/** Number of bytes that are sent as one piece. */
const PIECE = 2 * SEGMENT;
/** Number of bytes that are read before they may be sent. */
const MAX_WAITING = 64 << 10;

/** Calls back at times of `performance.now()` that never decrease, in order. */
class Schedule {
  #due = [];

  at(time, callback) {
    this.#due.push({ time, callback });
    if (this.#due.length === 1) this.#wait();
  }

  #wait() {
    // Timers have whole milliseconds; the rest of the time is spent in turns of the event loop.
    const wait = this.#due[0].time - performance.now();
    if (wait > 1) setTimeout(() => this.#wait(), Math.floor(wait));
    else setImmediate(() => this.#run());
  }

  #run() {
    while (this.#due.length > 0 && this.#due[0].time <= performance.now())
      this.#due.shift().callback();
    if (this.#due.length > 0) this.#wait();
  }
}

/** One direction of one connection. */
class Direction {
  constructor(relay, link, from, to, opens, windowed) {
    Object.assign(this, { relay, link, from, to, opens, windowed });
    this.queue = [];
    this.waiting = 0;
    this.inFlight = 0;
    this.window = windowed ? FIRST_WINDOW : Infinity;
    this.arrives = 0;
    this.acknowledged = 0;
    this.ended = false;
    this.arrivals = new Schedule();
    this.acknowledgements = new Schedule();
    from.on("data", (bytes) => {
      for (let start = 0; start < bytes.length; start += PIECE) {
        this.queue.push(bytes.subarray(start, start + PIECE));
      }
      this.waiting += bytes.length;
      if (this.waiting > MAX_WAITING) from.pause();
      this.pump();
    });
    from.on("end", () => {
      this.ended = true;
      this.pump();
    });
    from.on("error", () => to.destroy());
    from.on("close", () => this.ended || to.destroy());
  }

  pump() {
    const { rtt, mbit } = this.relay;
    while (this.queue.length > 0 && this.inFlight < this.window) {
      const piece = this.queue.shift();
      this.waiting -= piece.length;
      const start = Math.max(performance.now(), this.opens, this.link.free);
      const sent = start + (piece.length * 8) / (mbit * 1000);
      this.link.free = sent;
      this.inFlight += piece.length;
      // Pieces stay in order if the settings change meanwhile.
      this.arrives = Math.max(this.arrives, sent + rtt / 2);
      this.arrivals.at(this.arrives, () => {
        this.link.bytes += piece.length;
        if (this.to.writable) this.to.write(piece);
      });
      this.acknowledged = Math.max(this.acknowledged, this.arrives + rtt / 2);
      this.acknowledgements.at(this.acknowledged, () => {
        this.inFlight -= piece.length;
        if (this.windowed) this.window = Math.min(MAX_WINDOW, this.window + piece.length);
        this.pump();
      });
    }
    if (this.waiting <= MAX_WAITING && this.from.isPaused()) this.from.resume();
    if (this.ended && this.queue.length === 0 && !this.closing) {
      this.closing = true;
      this.arrivals.at(this.arrives, () => this.to.end());
    }
  }
}

/** Relays to `port` of this machine. `set({ rtt, mbit })`: milliseconds, and Mbit/s. */
export async function relayTo(port) {
  const relay = { rtt: 0, mbit: 1e6 };
  const up = { free: 0, bytes: 0 };
  const down = { free: 0, bytes: 0 };
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: "127.0.0.1", noDelay: true });
    const opens = performance.now() + relay.rtt;
    new Direction(relay, up, client, upstream, opens, false);
    new Direction(relay, down, upstream, client, opens, true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
  });
  await new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", resolve).on("error", reject);
  });
  return {
    port: server.address().port,
    set: ({ rtt, mbit }) => Object.assign(relay, { rtt, mbit }),
    /** Bytes that have reached browsers. */
    arrived: () => down.bytes,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
