/**
 * The endpoint as a WASI component for hosts of `wasi:http/proxy`. Environment variables configure
 * it, like a Worker. Bundles are in directories of the host or on the web.
 */

import { getEnvironment } from "wasi:cli/environment@0.2.10";
import { fillGlobals } from "./component-globals";
import { handlerWith } from "./handler";
import type { Env } from "./options";
import { preopenedStore } from "./preopened";

/** The event of StarlingMonkey for a request. */
interface FetchEvent extends Event {
  request: Request;
  respondWith(response: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}

/** A host of components has no plan that counts subrequests. */
const BUDGET = { subrequests: 10_000, reserve: 0, atOnce: 64 };

// The engine is another component: there is no module to compile.
const NO_MODULE = undefined as unknown as WebAssembly.Module;

fillGlobals();

// This code runs when the component is built, so it must not use the host.
const handler = handlerWith(NO_MODULE, { budget: BUDGET, store: () => preopenedStore() });

addEventListener("fetch", (event) => {
  const { request } = event as FetchEvent;
  const env = Object.fromEntries(getEnvironment()) as Env;
  const context = { waitUntil: (work: Promise<unknown>) => (event as FetchEvent).waitUntil(work) };
  (event as FetchEvent).respondWith(handler.fetch(request, env, context));
});
