// Which Chromium, and how it is started: for any Playwright, whichever package's it is.

import { existsSync } from "node:fs";

export const executablePath =
  process.env.FINDLING_CHROMIUM ??
  [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ].find((path) => existsSync(path));

/** Nothing but this machine can be reached. */
export const launchOptions = (...args) => ({
  executablePath,
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ...args,
  ],
});
