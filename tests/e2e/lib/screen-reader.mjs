// Debian's screen reader Orca over a Chromium of its own, in an invisible X server. Keys are sent
// through the X server, so Orca treats them like a person's keys. The text that Orca would speak is
// read from its log; there is no sound.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratch } from "./bundle.mjs";
import { executablePath, launchOptions } from "./chromium.mjs";

const PROGRAMS = ["orca", "Xvfb", "dbus-daemon", "gdbus", "xdotool", "speech-dispatcher"];
const BUS_LAUNCHER = "/usr/libexec/at-spi-bus-launcher";

/** A synthesizer that makes no sound, on a machine that may have no sound card. */
const SILENT = {
  "speechd.conf": `AudioOutputMethod "alsa"
AudioALSADevice "null"
AddModule "silent" "sd_generic" "silent.conf"
DefaultModule silent
`,
  "modules/silent.conf": `GenericExecuteSynth "true"
GenericLanguage "en" "en" "utf-8"
AddVoice "en" "MALE1" "silent"
`,
};

/**
 * Orca reads neither each key nor the whole of an opened page. Its log has each line at once.
 */
const settings = (log) => `from orca import debug, settings
settings.sayAllOnLoad = False
settings.enableKeyEcho = False
debug.debugLevel = debug.LEVEL_INFO
debug.debugFile = open(${JSON.stringify(log)}, "w", buffering=1)
`;

/** How long a screen reader may take to say something, milliseconds. */
const PATIENCE = 20_000;
/** Milliseconds of silence after which everything has been said. */
const SILENCE = 700;

/** Why there is no screen reader here; `undefined` if there is one. */
export function noScreenReader() {
  const path = (process.env.PATH ?? "").split(":");
  const absent = PROGRAMS.filter((name) => !path.some((dir) => existsSync(join(dir, name))));
  if (!existsSync(BUS_LAUNCHER)) absent.push(BUS_LAUNCHER);
  if (!executablePath) absent.push("chromium");
  return absent.length > 0 ? `this machine has no ${absent.join(", ")}` : undefined;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class ScreenReader {
  #env;
  #log;
  #processes = [];
  /** How many lines of the log have been handed out. */
  #heard = 0;

  /** Starts the X server, the buses, Orca, and a browser on a page. */
  static async start(url) {
    const reader = new ScreenReader();
    try {
      await reader.#start(url);
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async #start(url) {
    const home = scratch();
    const runtime = join(home, "run");
    mkdirSync(runtime, { mode: 0o700 });
    this.#log = join(home, "orca.log");
    this.#env = {
      PATH: process.env.PATH,
      HOME: home,
      XDG_RUNTIME_DIR: runtime,
      LANG: "C.UTF-8",
      ACCESSIBILITY_ENABLED: "1",
    };
    for (const [name, text] of Object.entries(SILENT)) {
      const file = join(home, "speech", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const preferences = join(home, "orca");
    mkdirSync(preferences);
    writeFileSync(join(preferences, "orca-customizations.py"), settings(this.#log));
    const screen = ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1100x900x24"];
    this.#env.DISPLAY = `:${await this.#firstLine("Xvfb", ...screen)}`;
    const bus = ["--session", "--nofork", "--print-address"];
    this.#env.DBUS_SESSION_BUS_ADDRESS = await this.#firstLine("dbus-daemon", ...bus);
    this.#spawn(BUS_LAUNCHER, "--launch-immediately");
    await until("the accessibility bus", () => this.#allow("IsEnabled"));
    this.#allow("ScreenReaderEnabled");
    const speech = ["--run-single", "--config-dir", join(home, "speech")];
    this.#spawn("speech-dispatcher", ...speech);
    this.#spawn("orca", "--user-prefs", preferences);
    await this.hears(/Screen reader on/);
    const { args } = launchOptions("--force-renderer-accessibility", "--no-first-run");
    const own = [`--user-data-dir=${join(home, "profile")}`, "--window-size=1000,800"];
    this.#spawn(executablePath, ...args, ...own, "--window-position=0,0", url);
    await this.hears(/Finished loading/);
    // Without a window manager, no window gets the keys by itself.
    const window = () => this.#run("xdotool", "search", "--onlyvisible", "--class", "chromium");
    const id = await until("the window of the browser", () => window().trim().split("\n").at(-1));
    this.#run("xdotool", "windowfocus", "--sync", id);
    await this.silence();
  }

  /** Presses keys one after the other, by their names in `xdotool`. */
  press(...keys) {
    this.#run("xdotool", "key", "--delay", "100", ...keys);
  }

  type(text) {
    this.#run("xdotool", "type", "--delay", "120", text);
  }

  /** Everything that was said since the last call of `hears`, one utterance a line. */
  get since() {
    return this.#said().slice(this.#heard).join("\n");
  }

  /** Waits until something is said, and until nothing follows. Returns what was said until then. */
  async hears(pattern) {
    try {
      await until(String(pattern), () => pattern.test(this.since));
    } catch (error) {
      throw new Error(`${error.message}; Orca said:\n${this.since}`, { cause: error });
    }
    await this.silence();
    const { since } = this;
    this.#heard = this.#said().length;
    return since;
  }

  /** Waits until nothing is said. */
  async silence() {
    for (let before = -1, now = this.#said().length; before !== now; now = this.#said().length) {
      before = now;
      await sleep(SILENCE);
    }
  }

  /** Ends everything that was started. */
  async close() {
    for (const child of this.#processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // Chromium and Orca have processes of their own, which are in the same group.
      process.kill(-child.pid, "SIGTERM");
      await Promise.race([ended, sleep(3000)]);
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
    }
    this.#processes = [];
  }

  #said() {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, "utf8").matchAll(/SPEECH OUTPUT: '(.*?)'(?:\{|$)/gm);
    return [...lines].map(([, text]) => text.trim());
  }

  /** Sets a state of the accessibility bus; returns whether the bus is there. */
  #allow(state) {
    try {
      this.#run(
        "gdbus",
        ...["call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus"],
        ...["--method", "org.freedesktop.DBus.Properties.Set"],
        ...["org.a11y.Status", state, "<true>"],
      );
      return true;
    } catch {
      return false;
    }
  }

  #run(program, ...args) {
    return execFileSync(program, args, {
      env: this.#env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  #spawn(program, ...args) {
    const child = spawn(program, args, {
      env: this.#env,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#processes.push(child);
    return child;
  }

  /** Starts a program that first prints its address. */
  #firstLine(program, ...args) {
    const child = this.#spawn(program, ...args);
    return new Promise((resolve, reject) => {
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (part) => {
        text += part;
        if (text.includes("\n")) resolve(text.split("\n")[0].trim());
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
    });
  }
}

/** Waits until `is` returns a value. */
async function until(what, is) {
  for (const deadline = Date.now() + PATIENCE; ; await sleep(100)) {
    let found;
    try {
      found = is();
    } catch {
      // A program that is called too early fails.
    }
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE / 1000} s for ${what}`);
  }
}
