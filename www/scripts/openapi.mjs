// Writes the description of the endpoint's routes into the command line, which uses it to read
// parameters (`findling serve`), so that both share one description of each parameter.
//
//   npm run openapi
//
// Run it when `src/edge/request.ts` or `src/edge/openapi.ts` has changed. A test of the endpoint
// (`tests/e2e/worker/serve.test.mjs`) fails if this was forgotten.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const www = join(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(www, "../build/src/commands/serve/endpoint/openapi.json");

const { outputFiles } = await esbuild.build({
  absWorkingDir: www,
  entryPoints: ["src/edge/openapi.ts"],
  bundle: true,
  format: "esm",
  write: false,
});
const source = Buffer.from(outputFiles[0].text).toString("base64");
const { openApi } = await import(`data:text/javascript;base64,${source}`);
const routes = ["search", "similar", "suggest", "page", "health"];
const paths = Object.fromEntries(routes.map((name) => [name, `/${name}`]));
const description = openApi({ ...paths, openapi: "/openapi.json", mcp: false }, "");
writeFileSync(file, `${JSON.stringify(description, null, 2)}\n`);
