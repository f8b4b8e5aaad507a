// Finds the program `findling` for this platform. npm installs it with one of the packages
// `@findling/cli-*`, which are optional dependencies: npm installs the one that fits.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The end of the name of this platform's package, such as `linux-x64-gnu`. */
export function platform() {
  const { platform, arch } = process;
  if (platform !== "linux") return `${platform}-${arch}`;
  // Only a process on glibc knows its version.
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  return `linux-${arch}-${glibc ? "gnu" : "musl"}`;
}

/** The path of the program. `FINDLING_BINARY_PATH` names another one. */
export function program() {
  const given = process.env["FINDLING_BINARY_PATH"];
  if (given) return given;
  const name = `@findling/cli-${platform()}`;
  const file = process.platform === "win32" ? "findling.exe" : "findling";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw new Error(
      `expected the package ${name}, which has the program for this platform, found none. ` +
        "Install findling again without `--omit=optional`. If there is no package for this " +
        "platform, install the program by `cargo install findling` and name it with the " +
        "variable FINDLING_BINARY_PATH",
    );
  }
}
