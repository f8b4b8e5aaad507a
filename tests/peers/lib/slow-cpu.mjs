// A slower processor for a browser: every process of it, with all its threads.
//
// If root may make cgroups (version 1 or 2), each process gets its own group, which may use one Nth
// of one core. A page's main thread, its workers and the compilation of WebAssembly share that. The
// groups have a large weight, so that other programs do not slow the browser as well. Elsewhere
// DevTools' protocol slows the page's main thread, but no worker.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The shortest slice of time that the kernel hands out, microseconds. */
const SLICE_US = 1000;

/** All processes below `root`, and itself. */
function processTree(root) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    let stat;
    try {
      stat = readFileSync(`/proc/${name}/stat`, "utf8");
    } catch {
      continue;
    }
    // `pid (name) state parent ...`, where the name may hold anything.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The form of quotas on this system: the directory of groups, and the files with the settings. */
function controller() {
  const first = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"].find((directory) => {
    return existsSync(join(directory, "cpu.cfs_quota_us"));
  });
  if (first) {
    return {
      version: 1,
      root: first,
      quota: (slice, period) => [
        ["cpu.cfs_period_us", period],
        ["cpu.cfs_quota_us", slice],
      ],
      unlimited: [["cpu.cfs_quota_us", -1]],
      preferred: [["cpu.shares", 16 * 1024]],
    };
  }
  const second = "/sys/fs/cgroup";
  const controls = join(second, "cgroup.subtree_control");
  if (existsSync(controls) && readFileSync(controls, "utf8").includes("cpu")) {
    return {
      version: 2,
      root: second,
      quota: (slice, period) => [["cpu.max", `${slice} ${period}`]],
      unlimited: [["cpu.max", "max"]],
      preferred: [["cpu.weight", 1600]],
    };
  }
  return undefined;
}

/** Puts a process into a group, unless it has ended. */
function move(pid, group) {
  try {
    writeFileSync(join(group, "cgroup.procs"), String(pid));
  } catch (error) {
    if (existsSync(`/proc/${pid}`)) throw error;
  }
}

/** The groups of some processes, one each. */
class Groups {
  #control;
  #groups = new Map();

  constructor(control) {
    this.#control = control;
  }

  /** Puts a process into a group that the rest of the machine does not slow. */
  take(pid) {
    let group = this.#groups.get(pid);
    if (group) return group;
    group = join(this.#control.root, `findling-bench-${process.pid}-${pid}`);
    mkdirSync(group, { recursive: true });
    this.#groups.set(pid, group);
    this.#write(group, this.#control.preferred);
    move(pid, group);
    return group;
  }

  /** Lets a process use one Nth of a core. */
  limit(pid, factor) {
    this.#write(this.take(pid), this.#control.quota(SLICE_US, SLICE_US * factor));
  }

  /** Ends all limits, and removes the groups of processes that have ended. */
  free() {
    for (const [pid, group] of this.#groups) {
      this.#write(group, this.#control.unlimited);
      if (!existsSync(`/proc/${pid}`)) this.#remove(pid);
    }
  }

  /** Removes all groups. Processes that are ending keep theirs busy for a moment. */
  async close() {
    for (const deadline = Date.now() + 5000; ; await new Promise((next) => setTimeout(next, 50))) {
      for (const pid of [...this.#groups.keys()]) this.#remove(pid, Date.now() > deadline);
      if (this.#groups.size === 0) return;
    }
  }

  /** Removes a group, if it is empty or can be emptied. Otherwise fails if `now` is set. */
  #remove(pid, now = false) {
    const group = this.#groups.get(pid);
    for (const member of readFileSync(join(group, "cgroup.procs"), "utf8").split("\n")) {
      if (member) move(member, this.#control.root);
    }
    try {
      rmdirSync(group);
      this.#groups.delete(pid);
    } catch (error) {
      if (now) throw error;
    }
  }

  #write(group, settings) {
    for (const [file, value] of settings) writeFileSync(join(group, file), String(value));
  }
}

/** The groups, if root may make them here. */
function groups() {
  const control = controller();
  if (!control) return undefined;
  const groups = new Groups(control);
  try {
    // The processes that serve the browser are not slowed.
    groups.take(process.pid);
    return groups;
  } catch {
    return undefined;
  }
}

/**
 * A way to slow the browser whose main process is `browser`: `how` (the method), `slow(page,
 * factor)`, `free()`, and `close()`.
 */
export function slowCpu(browser) {
  const made = groups();
  if (!made) return byProtocol();
  return {
    how: "cgroup quota: each process of the browser may use 1/N of a core",
    slow(_, factor) {
      for (const pid of processTree(browser)) {
        if (factor > 1) made.limit(pid, factor);
        else made.take(pid);
      }
    },
    free: () => made.free(),
    close: () => made.close(),
  };
}

function byProtocol() {
  const set = async (page, rate) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate });
  };
  return {
    how: "DevTools' protocol: the page's main thread alone is slowed, workers are not",
    slow: (page, factor) => set(page, factor),
    free: () => {},
    close: () => {},
  };
}
