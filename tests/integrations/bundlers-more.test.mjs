// Applications that larger bundlers build from the packed files.

import { page, testBundler } from "./lib/bundlers.mjs";
import { run } from "./lib/fixture.mjs";

testBundler("Rspack", "bundlers-more", (site) => {
  const options = ["build", "--mode", "production", "--entry", "./main.js"];
  run(site, "rspack", [...options, "--output-path", "out"]);
  page(site, "out", "main.js", "script");
  return "out";
});

testBundler("Parcel", "bundlers-more", (site) => {
  const places = ["--dist-dir", "dist", "--cache-dir", ".cache"];
  run(site, "parcel", ["build", "index.html", "--public-url", "./", "--no-cache", ...places]);
  return "dist";
});
