// The path of Chromium and its launch options, for the Playwright of any package.

import { existsSync } from "node:fs";

export const executablePath =
  process.env.FINDLING_CHROMIUM ??
  [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ].find((path) => existsSync(path));

/** Launch options. The browser can reach only this machine. */
export const launchOptions = (...args) => ({
  executablePath,
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ...args,
  ],
});
