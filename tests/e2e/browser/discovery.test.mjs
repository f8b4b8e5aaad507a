// A site's search as browsers and programs find it: the examples of docs/discovery.md, and the
// files that a build writes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { answered, expectComplaints, pageWith, withResults, withSearch } from "../lib/browser.mjs";
import { build, findling, root, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const document = readFileSync(join(root, "docs/discovery.md"), "utf8");

/** The examples of a language, in their order. */
const examples = (language) =>
  [...document.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, "gms"))].map(
    ([, indent, text]) => text.replaceAll(`\n${indent}`, "\n").slice(indent.length),
  );

const [description, suggestions] = examples("xml");
const [searchLink, listLink] = examples("html");
const [list] = examples("json");
const [bundlesOf] = examples("js");

/** The description that a page links to, as a browser reads it. */
const described = (page) =>
  page.evaluate(async () => {
    const link = document.querySelector(
      'link[rel="search"][type="application/opensearchdescription+xml"]',
    );
    const text = await (await fetch(link.href)).text();
    const xml = new DOMParser().parseFromString(text, "text/xml");
    const space = "http://a9.com/-/spec/opensearch/1.1/";
    const of = (name) => xml.getElementsByTagNameNS(space, name)[0];
    return {
      title: link.title,
      error: xml.querySelector("parsererror")?.textContent,
      name: of("ShortName").textContent,
      about: of("Description").textContent,
      template: of("Url").getAttribute("template"),
    };
  });

/** What a program finds that knows only the address of a page. `page` is another page. */
const bundlesFrom = async (page, address) => {
  const found = await page.evaluate(
    ([code, address]) => new Function(`${code}; return bundlesOf`)()(address),
    [bundlesOf, address],
  );
  return found.map((address) => new URL(address).pathname);
};

describe("a site that can be found", () => {
  /** The directory of the files of this page. */
  const files = scratch();
  const linked = (head) => withSearch(`parameter="q"`).replace("</head>", `${head}</head>`);
  const session = new Session(() =>
    serve([build(), files], {
      "/": linked(searchLink),
      "/search/": withResults(),
      "/guide/": linked(""),
      "/project/": linked(listLink),
    }),
  );
  before(() => {
    const own = description.replaceAll("https://example.org/", session.server.url);
    writeFileSync(join(files, "opensearch.xml"), own);
    mkdirSync(join(files, "project"));
    const other = JSON.stringify({ bundles: [{ url: "findling/" }], more: 1 });
    writeFileSync(join(files, "project/findling.json"), other);
  });

  test("has a description that browsers take, within the limits of its format", async () => {
    const found = await described(await session.visitSearch());
    assert.equal(found.error, undefined);
    assert.equal(found.title, found.name);
    assert.ok(found.name.length > 0 && found.name.length <= 16, found.name);
    assert.ok(found.about.length <= 1024);
    assert.match(found.template, /^https?:\/\/.*\{searchTerms\}/);
  });

  const QUERY = 'thermocouple & "kiln" ä?';
  test("is searched from the address bar, on its page of results", async () => {
    const { template } = await described(await session.visitSearch());
    const address = template.replace("{searchTerms}", encodeURIComponent(QUERY));
    const page = await session.visitResults(address);
    assert.equal(await page.getByRole("searchbox").inputValue(), QUERY);
  });

  test("is searched from the address bar, in the dialog of a page", async () => {
    const { template } = await described(await session.visitSearch());
    const page = await session.visitSearch(
      template.replace("/search/", "/guide/").replace("{searchTerms}", "kiln+firing"),
    );
    await answered(page);
    assert.equal(await page.getByRole("combobox").inputValue(), "kiln firing");
    assert.ok((await page.getByRole("option").count()) > 0);
  });

  test("has an address of suggestions that XML can hold", async () => {
    const whole = description.replace("</Open", `${suggestions}</Open`);
    const page = await session.visitSearch();
    const template = await page.evaluate((text) => {
      const xml = new DOMParser().parseFromString(text, "text/xml");
      return xml.querySelector('[type="application/x-suggestions+json"]')?.getAttribute("template");
    }, whole);
    assert.equal(template, "https://example.org/suggest?q={searchTerms}&format=opensearch");
  });

  const bundles = async (path) => bundlesFrom(await session.visit("empty"), session.address(path));
  before(() => {
    session.server.pages["/empty"] = pageWith("Program", "");
  });

  test("is found by the list that a page links to", async () => {
    assert.deepEqual(await bundles("project/"), ["/project/findling/"]);
  });

  test("is found by the list at the well-known path", async () => {
    mkdirSync(join(files, ".well-known"));
    writeFileSync(join(files, ".well-known/findling.json"), list);
    assert.deepEqual(await bundles("guide/"), ["/findling/", "/de/findling/"]);
    const page = session.page;
    const info = await page.evaluate(async () => {
      const { open } = await import("/findling/findling.js");
      const index = await open(new URL("/findling/", location.href));
      return index.info.pages;
    });
    assert.ok(info > 0);
  });

  test("is found at its usual place without any list", async () => {
    session.server.missing = /well-known/;
    assert.deepEqual(await bundles("guide/"), ["/findling/"]);
    expectComplaints(session.page, /404/);
  });
});

describe("a site whose build was asked for it", () => {
  const NAME = `Ovens & <b>"kilns"</b> of the world`;
  const session = new Session(() => serve([], { "/empty": pageWith("Program", "") }));
  let printed;
  before(() => {
    const into = scratch();
    const site = join(into, "site");
    const page = new URL("search/?lang=en&theme=page", session.server.url).href;
    mkdirSync(site);
    build({ into, args: ["--discovery", site, "--search-page", page, "--site-name", NAME] });
    session.server.directories.push(site);
    const again = ["build", site, "-o", join(site, "findling"), "--encoder", "none"];
    const asked = ["--discovery", site, "--search-page", page, "--site-name", NAME];
    printed = spawnSync(findling, [...again, ...asked, "--no-client"], { encoding: "utf8" }).stderr;
    // The client of the first build is used again.
    build({ into });
    const links = printed.match(/<link rel="search".*?>/g);
    session.server.pages["/"] = withSearch(`parameter="q"`).replace(
      "</head>",
      `${links.join("")}</head>`,
    );
    session.server.pages["/search/"] = withResults();
  });

  test("is told the links that its pages need", async () => {
    assert.equal(printed.match(/<link rel="search"/g).length, 2, printed);
  });

  test("has a description that browsers read, whatever its name is", async () => {
    const found = await described(await session.visitSearch());
    assert.equal(found.error, undefined);
    assert.equal(found.about, NAME);
    assert.ok(NAME.startsWith(found.name) && found.name.length <= 16, found.name);
    assert.equal(found.title, found.name);
    const address = found.template.replace("{searchTerms}", encodeURIComponent("kiln & firing"));
    const page = await session.visitResults(address);
    assert.equal(await page.getByRole("searchbox").inputValue(), "kiln & firing");
    assert.match(page.url(), /lang=en&theme=page/);
  });

  test("leads programs to its bundle, by a link and by the well-known path", async () => {
    for (const path of ["", "search/"]) {
      const page = await session.visit("empty");
      assert.deepEqual(await bundlesFrom(page, session.address(path)), ["/findling/"]);
      const pages = await page.evaluate(async () => {
        const { open } = await import("/findling/findling.js");
        return (await open("/findling/")).info.pages;
      });
      assert.ok(pages > 0);
    }
    assert.ok(session.server.log.includes("/.well-known/findling.json"));
    const list = JSON.parse(readFileSync(join(session.server.directories[0], "findling.json")));
    assert.equal(list.bundles.length, 1);
    assert.equal(list.bundles[0].title, NAME);
  });
});
