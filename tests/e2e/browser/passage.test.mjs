// A result leads to the sentence, which is marked on its page.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { ask, atOnce, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

/** Runs before a page's scripts: a browser that does not know text fragments. */
const withoutFragments = () => {
  delete Document.prototype.fragmentDirective;
};

/**
 * A page whose text is divided by elements. It contains one sentence twice, hidden the first time.
 */
const PARTED = `<p hidden>Open the lid slowly at <b>ninety</b> degrees.</p>
<p>Open the
 lid <em>slowly</em> at <b>ninety</b> degrees. Then wait.</p>`;

describe("a reader who follows a result", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/all": withSearch("highlight"),
      "/parted": withSearch("", PARTED),
    }),
  );
  beforeEach(() => {
    page = undefined;
  });

  const hrefOf = async (path, question, options) => {
    page = await session.visitSearch(path, options);
    await page.keyboard.press("Control+k");
    await ask(page, question);
    return page.getByRole("option").first().getAttribute("href");
  };
  /** The text that the script marks, by the name of the highlight. */
  const marked = () =>
    page.evaluate(() => [...CSS.highlights.get("findling")].map((range) => range.toString()));
  const script = (run, argument) =>
    page.evaluate(
      async ([source, argument]) => {
        const module = await import("/findling/findling-highlight.js");
        return new Function("module", "argument", `return (${source})(module, argument)`)(
          module,
          argument,
        );
      },
      [run.toString(), argument],
    );

  test("gets a link that names the sentence, and comes to its section", async () => {
    const href = await hrefOf("", "controller reads backwards");
    assert.match(href, /\/reference\/thermocouple\.html#swap:~:text=The%20controller%20reads/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/thermocouple/);
    // The element with the sentence is the target, in the section that the anchor names.
    assert.match(await page.locator("#swap + :target").innerText(), /The controller reads/);
  });

  test("finds the sentence of the link marked by the script", async () => {
    const href = await hrefOf("", "controller reads backwards");
    await page.goto(href);
    const found = await script(
      (module, href) => module.highlight(...module.passageOf(new URL(href).hash)),
      href,
    );
    assert.equal(found, true);
    assert.deepEqual(await marked(), [
      "The controller reads backwards if they are swapped: the temperature falls while the kiln " +
        "heats.",
    ]);
  });

  test("gets the plain address if the browser does not know text fragments", async () => {
    const href = await hrefOf("", "controller reads backwards", { init: withoutFragments });
    assert.match(href, /#swap$/);
  });

  test("gets the passage there too if the site's pages carry the script", async () => {
    const href = await hrefOf("all", "controller reads backwards", { init: withoutFragments });
    assert.match(href, /#swap:~:text=/);
  });

  test("is told if nothing answers, and sees the nearest headings alone", async () => {
    await hrefOf("", "quarterly dividend payments kiln shareholders", { init: atOnce });
    const list = page.locator("findling-search [role=listbox]");
    assert.match(await list.innerText(), /^Nothing here answers this/);
    assert.ok((await page.getByRole("option").count()) > 0);
    for (const text of await list.locator(".text").all())
      assert.equal(await text.isVisible(), false);
  });

  test("is not told so for a word that names a page", async () => {
    await hrefOf("", "thermocouple");
    assert.equal(await page.locator("findling-search .unanswered").count(), 0);
  });

  test("sees a passage marked across elements, which stay as they are", async () => {
    page = await session.visitSearch("parted");
    const html = () => page.evaluate(() => document.querySelector("main").innerHTML);
    const before = await html();
    assert.equal(await script((module) => module.highlight("Open the lid", "degrees.")), true);
    assert.deepEqual(await marked(), ["Open the\n lid slowly at ninety degrees."]);
    assert.equal(await html(), before);
    assert.equal(await script((module) => module.highlight("Open the door")), false);
    assert.equal(await page.evaluate(() => CSS.highlights.has("findling")), false);
  });
});
