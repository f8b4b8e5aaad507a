#!/usr/bin/env node
// `findling` of the npm package: starts the program of this platform's package.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { program } from "./program.mjs";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

let path;
try {
  path = program();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both. A signal to this process alone also stops the program.
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: ${path} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
