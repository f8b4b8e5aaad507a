// Registries for the rehearsal of a release (`cargo xtask package --rehearse`): npm's, of what
// `npm publish` sends to it, and one for pip, of the wheels in a directory.
//
//   node serve.mjs WHEELS
//
// Listens on 127.0.0.1 and prints its address. Packages are kept in memory. It accepts any token,
// and nothing else than what the two clients ask for.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

/** Most bytes of a published package. The program has some 60 MB, and base64 adds a third. */
const MAX_PUBLISHED = 400 << 20;

const [wheels, ...more] = process.argv.slice(2);
if (!wheels || more.length > 0) throw new Error("expected WHEELS, a directory");

/** What npm knows of each package, by its name. */
const packages = new Map();
/** Packed packages by their paths below the address. */
const tarballs = new Map();

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const hash = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);

async function read(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_PUBLISHED)
      throw new Refused(413, `expected at most ${MAX_PUBLISHED} bytes, found more`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Takes one version of a package, as `npm publish` sends it. */
async function publish(name, request, address) {
  const { versions, _attachments: files, "dist-tags": tags } = JSON.parse(await read(request));
  const known = packages.get(name) ?? { name, versions: {}, "dist-tags": {} };
  for (const [version, manifest] of Object.entries(versions)) {
    if (manifest.name !== name)
      throw new Refused(400, `expected the package ${name}, found ${manifest.name}`);
    if (known.versions[version])
      throw new Refused(403, `${name}@${version} is published already, and versions never change`);
    const [attachment] = Object.values(files);
    const bytes = Buffer.from(attachment.data, "base64");
    const integrity = `sha512-${hash("sha512", bytes, "base64")}`;
    if (manifest.dist.integrity !== integrity)
      throw new Refused(
        400,
        `expected a package of ${manifest.dist.integrity}, found ${integrity}`,
      );
    const path = `/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
    tarballs.set(path, bytes);
    known.versions[version] = {
      ...manifest,
      dist: { ...manifest.dist, tarball: `${address}${path}` },
    };
  }
  Object.assign(known["dist-tags"], tags);
  packages.set(name, known);
}

/** The page of pip's index about a package: its wheels with their hashes (PEP 503). */
function simple(name) {
  const normal = (text) => text.replace(/[-_.]+/g, "-").toLowerCase();
  const files = readdirSync(wheels).filter(
    (file) => file.endsWith(".whl") && normal(file.split("-")[0]) === normal(name),
  );
  if (files.length === 0) throw new Refused(404, `there is no wheel of ${name}`);
  const links = files.map((file) => {
    const sha256 = hash("sha256", readFileSync(join(wheels, file)), "hex");
    return `<a href="/wheels/${file}#sha256=${sha256}">${file}</a>`;
  });
  return `<!doctype html><title>${name}</title>${links.join("<br>")}`;
}

async function answer(request, address) {
  const path = decodeURIComponent(new URL(request.url, address).pathname);
  const name = path.slice(1);
  if (request.method === "PUT") {
    await publish(name, request, address);
    return [201, "application/json", "{}"];
  }
  if (request.method !== "GET") throw new Refused(405, `expected GET or PUT of ${path}`);
  const tarball = tarballs.get(path);
  if (tarball) return [200, "application/octet-stream", tarball];
  const [, of] = /^\/simple\/([\w.-]+)\/$/.exec(path) ?? [];
  if (of) return [200, "text/html", simple(of)];
  const [, wheel] = /^\/wheels\/([\w.+-]+\.whl)$/.exec(path) ?? [];
  if (wheel && readdirSync(wheels).includes(wheel))
    return [200, "application/octet-stream", readFileSync(join(wheels, wheel))];
  const known = packages.get(name);
  if (!known) throw new Refused(404, `there is no package ${name}`);
  return [200, "application/json", JSON.stringify(known)];
}

const server = createServer(async (request, response) => {
  const address = `http://127.0.0.1:${server.address().port}`;
  const [status, type, body] = await answer(request, address).catch((error) => [
    error.status ?? 400,
    "application/json",
    JSON.stringify({ error: error.message }),
  ]);
  response.writeHead(status, { "content-type": type }).end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
