// Sites of Sphinx with its common themes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { run as runFindling } from "../e2e/lib/bundle.mjs";
import { PAGES, writeRst } from "./lib/content.mjs";
import { copy, missingPython, run } from "./lib/fixture.mjs";
import { host } from "./lib/host.mjs";
import * as reader from "./lib/reader.mjs";
import { Session } from "./lib/session.mjs";

const skip = missingPython("sphinx-build");

/** The messages that the theme writes to the console of every page, with or without the search. */
const SAYS = { pydata_sphinx_theme: [/theme mode/, /\[PST\]/] };
/** Makes a page dark, if the theme supports that. */
const TO_DARK = {
  furo: async (page) => {
    reader.expects(page, [/Changed to dark mode/]);
    await page.locator(".theme-toggle:visible").first().click();
  },
  // The attribute that the theme's menu sets.
  pydata_sphinx_theme: (page) =>
    page.evaluate(() => document.documentElement.setAttribute("data-theme", "dark")),
};

for (const theme of ["furo", "sphinx_rtd_theme", "pydata_sphinx_theme", "alabaster"])
  describe(`a reader of a site of Sphinx with the theme ${theme}`, { skip }, () => {
    const session = new Session(() => {
      const site = copy("sphinx");
      writeRst(site, PAGES.en);
      run(site, "sphinx-build", ["-W", "-q", ".", "built"], { FIXTURE_THEME: theme });
      return host(join(site, "built"), "/docs/");
    });

    const visit = async (path) => {
      const page = await session.visit(path);
      reader.expects(page, SAYS[theme] ?? []);
      return page;
    };

    test("finds the page and the heading, and goes there", async () => {
      const page = await visit("reference/errors.html");
      await reader.goesToCooling(
        page,
        "/",
        `sphinx-${theme}-light`,
        "**/docs/guide/firing.html#cooling-down",
      );
      await reader.ready(page);
      await reader.press(page, "Control+k");
      await reader.finds(page, "thermocouple", /Error codes/);
      await reader.choose(page, "E17", "**/docs/reference/errors.html#e17");
    });

    test("finds nothing around the pages", async () => {
      const page = await visit("guide/firing.html");
      await reader.press(page, "/");
      await reader.findsNoFrame(page);
    });

    if (!TO_DARK[theme]) return;
    test("sees the search in the colours of the page", async () => {
      const page = await visit("index.html");
      await reader.followsTheme(page, "Control+k", () => TO_DARK[theme](page));
      await reader.search(page, "dunting");
      await reader.shoot(page, `sphinx-${theme}-dark`);
    });
  });

const API = `
Programming interface
=====================

.. py:module:: kilnlib

.. py:function:: fire(cone, hold=0)

   Fires the kiln until the cone bends.

.. py:class:: Kiln(volts)

   A kiln that is wired. See also :py:func:\`fire\`.

   .. py:method:: fire()

      Fires this kiln.

.. program:: kilnctl

.. option:: --hold-minutes

   Minutes at the highest temperature.
`;

test("API entries of a site of Sphinx are found by their names and filtered by kind", {
  skip,
}, () => {
  const site = copy("sphinx");
  writeRst(site, [
    ...PAGES.en,
    { path: "reference/api", title: "Programming interface", sections: [] },
  ]);
  writeFileSync(join(site, "reference/api.rst"), API);
  run(site, "sphinx-build", ["-W", "-q", ".", "built"], { FIXTURE_THEME: "alabaster" });
  const search = (query, ...options) => {
    const bundle = join(site, "built/findling");
    const { results } = JSON.parse(
      runFindling("search", bundle, "--json", ...options, "--", query),
    );
    return results.flatMap(({ sections }) => sections);
  };
  const first = (query) => {
    const [{ url, attributes }] = search(query);
    return [url, attributes.kind, attributes.domain];
  };
  const at = (anchor) => `/reference/api.html#${anchor}`;
  assert.deepEqual(first("kilnlib.fire"), [at("kilnlib.fire"), ["function"], ["py"]]);
  assert.deepEqual(first("kilnlib.Kiln.fire"), [at("kilnlib.Kiln.fire"), ["method"], ["py"]]);
  assert.deepEqual(first("--hold-minutes"), [
    at("cmdoption-kilnctl-hold-minutes"),
    ["option"],
    ["std"],
  ]);
  const classes = search("kiln", "--filter", "kind=class");
  assert.deepEqual(
    classes.map(({ url }) => url),
    [at("kilnlib.Kiln")],
  );
  assert.equal(search("kilnlib")[0].url.split("#")[0], "/reference/api.html");
});
