// Meaning by the real transformer, in the browser: joins the words when it has loaded, and moves
// nothing under the reader's eyes.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { launch, open, options, withSearch } from "../lib/browser.mjs";
import { build, hasModel, MODEL, scratch } from "../lib/bundle.mjs";
import { serve } from "../lib/server.mjs";

const reason = hasModel()
  ? false
  : "the tool was built without the transformer, the model is not installed, or www/dist has no encoder";
if (reason) console.log(`skipped: ${reason}`);

/** Shares no word with the section on pots that explode. */
const QUESTION = "moisture makes crockery burst apart";

describe("a reader whose question shares no word with its answer", {
  skip: reason,
  timeout: 300_000,
}, () => {
  let browser, server, site, page;
  const isEncoder = (path) => path.includes("/encoder/") || path.includes("findling_encoder");
  before(async () => {
    const client = `<!doctype html><title>client</title><script type="module">import * as findling from "/findling/findling.js"; window.findling = findling</script>`;
    site = build({ encoder: MODEL, args: ["--query-encoder", "transformer"] });
    server = await serve([site], { "/": withSearch(), "/client": client });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(() => {
    server.delay = () => 0;
    server.log.length = 0;
    server.corrupt = undefined;
    server.directories = [site];
  });
  afterEach(async () => {
    const { thrown } = page;
    await page.context().close();
    assert.deepEqual(thrown, []);
  });

  test("sees the right section first, once meaning has joined", async () => {
    page = await open(browser, server.url);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(QUESTION);
    await page.getByText("by words and meaning").waitFor({ timeout: 60_000 });
    assert.match((await options(page))[0], /Why do pots break\?[\s\S]*Exploding in the kiln/);
  });

  test("is answered by meaning from the first, without any model, where the bundle carries its own encoder", async () => {
    server.directories = [build({ encoder: MODEL })];
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { semantic, answer } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/");
      return { semantic: index.semantic, answer: await index.search(question) };
    }, QUESTION);
    assert.equal(semantic, "ready");
    assert.equal(answer.mode, "hybrid");
    assert.equal(answer.encoder, "static");
    assert.equal(answer.results[0].title, "Why do pots break?");
    assert.deepEqual(server.log.filter(isEncoder), []);
  });

  test("is answered without a model first and by the transformer from a later search on, where the site deploys both", async () => {
    server.directories = [build({ encoder: MODEL, args: ["--query-encoder", "both"] })];
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { first, later, upgrades } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/");
      let upgrades = 0;
      const loaded = new Promise((resolve) =>
        index.on("semantic", (state) => state === "ready" && resolve()),
      );
      const first = await index.search(question, { onUpgrade: () => upgrades++ });
      await loaded;
      return { first, later: await index.search(question), upgrades };
    }, QUESTION);
    assert.deepEqual(
      [first.mode, first.encoder, later.mode, later.encoder],
      ["hybrid", "static", "hybrid", "transformer"],
    );
    assert.equal(upgrades, 0, "an answer by meaning was given again in another order");
  });

  test("downloads no model where the site wants none, the connection is slow or the device small", async () => {
    server.directories = [build({ encoder: MODEL, args: ["--query-encoder", "both"] })];
    for (const [encoder, hints] of [
      ["static", {}],
      ["auto", { connection: { effectiveType: "3g" } }],
      ["auto", { deviceMemory: 0.5 }],
    ]) {
      await page?.context().close();
      page = await browser.newContext().then((context) => context.newPage());
      page.thrown = [];
      await page.addInitScript((hints) => {
        for (const [name, value] of Object.entries(hints))
          Object.defineProperty(navigator, name, { value });
      }, hints);
      await page.goto(`${server.url}client`);
      await page.waitForFunction(() => "findling" in window);
      const answer = await page.evaluate(
        async ([question, encoder]) => {
          const index = await findling.open("/findling/", { encoder });
          await index.search(question);
          await new Promise((resolve) => setTimeout(resolve, 2500));
          return index.search(question);
        },
        [QUESTION, encoder],
      );
      assert.equal(answer.encoder, "static");
      assert.deepEqual(server.log.filter(isEncoder), [], `${encoder} ${JSON.stringify(hints)}`);
    }
  });

  test("is answered by words at once, and told that meaning follows", async () => {
    server.delay = (path) => (isEncoder(path) ? 1500 : 0);
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { first, later, state, ms } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/");
      const start = performance.now();
      let upgraded;
      const later = new Promise((resolve) => (upgraded = resolve));
      const first = await index.search(`${question} pots`, { onUpgrade: upgraded });
      const state = index.semantic;
      return { first, state, ms: performance.now() - start, later: await later };
    }, QUESTION);
    assert.ok(ms < 1500, `answered after ${ms} ms`);
    assert.equal(state, "loading");
    assert.equal(first.mode, "lexical");
    assert.deepEqual(
      first.notices.map(({ code }) => code),
      ["encoder-loading"],
    );
    assert.equal(later.mode, "hybrid");
    assert.equal(later.encoder, "transformer");
    assert.deepEqual(later.notices, []);
  });

  test("keeps the rows in place that the reader is at; what meaning adds goes below", async () => {
    server.delay = (path) => (isEncoder(path) ? 1500 : 0);
    page = await open(browser, server.url);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("thermocouple wires");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await options(page);
    const selected = await page.locator("findling-search [aria-selected=true]").innerText();
    await page.getByText("by words and meaning").waitFor({ timeout: 60_000 });
    const now = await options(page);
    assert.deepEqual(now.slice(0, before.length), before);
    assert.ok(now.length > before.length);
    assert.equal(await page.locator("findling-search [aria-selected=true]").innerText(), selected);
    await page.getByText("Close in meaning").waitFor();
  });

  test("is asked first where the browser is told to save data", async () => {
    const context = await browser.newContext();
    page = await context.newPage();
    page.thrown = [];
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
    );
    await page.goto(server.url);
    await page.locator("findling-search:defined").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kiln");
    const offer = page.getByRole("button", { name: /Search by meaning, too \(\d+ MB\)/ });
    await offer.waitFor();
    assert.deepEqual(server.log.filter(isEncoder), []);
    await offer.click();
    await page.getByText("by words and meaning").waitFor({ timeout: 60_000 });
  });

  test("goes on by words where the encoder cannot be had, and programs are told why", async () => {
    server.corrupt = /\/encoder\//;
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { failed, answer } = await page.evaluate(async () => {
      const index = await findling.open("/findling/");
      const failed = await index.ready("semantic").then(
        () => undefined,
        ({ code, message }) => ({ code, message }),
      );
      return { failed, answer: await index.search("kiln") };
    });
    assert.match(failed.code, /^encoder-/);
    assert.equal(answer.mode, "lexical");
    assert.ok(answer.results.length > 0);
    assert.equal(answer.notices[0].code, failed.code);
  });

  test("is told where the model reads only the beginning of a question", async () => {
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { long, short } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/", { encoder: "transformer" });
      await index.ready("semantic");
      return {
        long: await index.search(`${question} `.repeat(60)),
        short: await index.search(question),
      };
    }, QUESTION);
    assert.deepEqual([long.encoder, short.encoder], ["transformer", "transformer"]);
    assert.ok(
      long.notices.some(({ code }) => code === "vector-truncated"),
      JSON.stringify(long.notices),
    );
    assert.ok(
      !short.notices.some(({ code }) => code === "vector-truncated"),
      JSON.stringify(short.notices),
    );
  });

  test("gets the same answer from a model that was cut to the site's own words, a third smaller", async () => {
    const whole = site;
    const cut = build({
      encoder: MODEL,
      args: ["--query-encoder", "transformer", "--vocabulary-budget", "1200"],
    });
    const bytes = [];
    for (const directory of [whole, cut]) {
      await page?.context().close();
      server.directories = [directory];
      page = await open(browser, `${server.url}client`);
      await page.waitForFunction(() => "findling" in window);
      const { answer, size, odd } = await page.evaluate(async (question) => {
        const index = await findling.open("/findling/", { encoder: "transformer" });
        await index.ready("semantic");
        return {
          answer: await index.search(question),
          size: index.encoderBytes,
          odd: await index.search("zymurgical xylophonists"),
        };
      }, QUESTION);
      assert.equal(answer.encoder, "transformer");
      assert.match(answer.results[0].title, /Why do pots break\?/);
      // No word of it has a token left; its pieces do.
      assert.equal(odd.encoder, "transformer");
      bytes.push(size);
    }
    assert.ok(bytes[1] < bytes[0] * 0.68, `${bytes[1]} bytes instead of ${bytes[0]}`);
  });

  test("keeps the model that was cut, when the site is edited in words that it knows", async () => {
    const into = scratch();
    const options = {
      encoder: MODEL,
      args: ["--query-encoder", "transformer", "--vocabulary-budget", "1200"],
      into,
    };
    const edit = {
      path: "guide/new.html",
      title: "Firing pots",
      kind: "guide",
      level: 2,
      updated: "2025-01-01",
      sections: [["", "", "The kiln and the glaze cool, and then the pots."]],
    };
    server.directories = [build(options)];
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const load = () =>
      page.evaluate(async (question) => {
        const index = await findling.open("/findling/", { encoder: "transformer" });
        await index.ready("semantic");
        return (await index.search(question)).encoder;
      }, QUESTION);
    assert.equal(await load(), "transformer");
    assert.ok(server.log.some((path) => path.includes("/encoder/")));
    server.log.length = 0;
    build({ ...options, extra: [edit] });
    await page.reload();
    await page.waitForFunction(() => "findling" in window);
    assert.equal(await load(), "transformer");
    assert.deepEqual(
      server.log.filter((path) => path.includes("/encoder/")),
      [],
    );
  });

  test("can be answered by an embedder of the site's own", async () => {
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const answer = await page.evaluate(async () => {
      const index = await findling.open("/findling/", {
        encode: async () => Float32Array.from({ length: 384 }, (_, i) => Math.sin(i)),
      });
      return index.search("kiln");
    });
    assert.equal(answer.mode, "hybrid");
    assert.equal(answer.encoder, "supplied");
    assert.deepEqual(server.log.filter(isEncoder), []);
  });

  test("is embedded once, however the answer is asked for again, until many others have been", async () => {
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const asked = await page.evaluate(async () => {
      const asked = [];
      const encode = async (text) => {
        asked.push(text);
        return Float32Array.from({ length: 384 }, (_, i) => Math.sin(i));
      };
      const index = await findling.open("/findling/", { encode });
      for (const options of [
        {},
        { limit: 1 },
        { offset: 1 },
        { filter: { section: ["guide"] } },
        { also: ["glaze"] },
      ])
        await index.search("kiln", options).catch(() => {});
      for (let i = 0; i < 32; i++) await index.search(`kiln ${i}`);
      await index.search("kiln");
      return asked.filter((text) => !/\d/.test(text));
    });
    assert.deepEqual(asked, ["kiln", "glaze", "kiln"]);
  });

  test("is that of the query as it was meant, where a word of it is a slip", async () => {
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { asked, answer } = await page.evaluate(async () => {
      const asked = [];
      const encode = async (text) => {
        asked.push(text);
        return Float32Array.from({ length: 384 }, (_, i) => Math.sin(i + text.length));
      };
      const index = await findling.open("/findling/", { encode });
      return { answer: await index.search("broken thermocuple"), asked };
    });
    assert.deepEqual(answer.corrections, [{ word: "thermocuple", replacement: "thermocouple" }]);
    assert.deepEqual(asked, ["broken thermocuple", "broken thermocouple"]);
    assert.equal(answer.mode, "hybrid");
  });

  test("is answered by words, and programs are told why, where a vector is not of the documents' space", async () => {
    page = await open(browser, `${server.url}client`);
    await page.waitForFunction(() => "findling" in window);
    const { answers, given, refused } = await page.evaluate(async () => {
      const answers = [];
      for (const vector of [[1, 2, 3], Array(384).fill(0), Array(384).fill(NaN)]) {
        const index = await findling.open("/findling/", { encode: async () => vector });
        answers.push(await index.search("kiln"));
      }
      const index = await findling.open("/findling/");
      const given = await index.search("kiln", {
        vector: Float32Array.from({ length: 384 }, (_, i) => 20 * Math.sin(i)),
      });
      const refused = await index
        .search("kiln", { vector: [1] })
        .catch(({ code, message }) => ({ code, message }));
      return { answers, given, refused };
    });
    for (const { mode, results, notices } of answers) {
      assert.equal(mode, "lexical");
      assert.ok(results.length > 0);
      assert.equal(notices[0].code, "encoder-failed");
      assert.match(notices[0].message, /384 finite numbers/);
    }
    assert.deepEqual([given.mode, given.encoder], ["hybrid", "supplied"]);
    assert.equal(refused.code, "vector");
  });
});
