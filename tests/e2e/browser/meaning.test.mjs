// Search by meaning with the real transformer in the browser. Meaning joins the words when the
// transformer has loaded, and the reader's current row does not move.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answered, expectComplaints, options, withClient, withSearch } from "../lib/browser.mjs";
import { build, hasModel, MODEL, scratch } from "../lib/bundle.mjs";
import { gate, serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const reason = hasModel()
  ? false
  : "the tool was built without the transformer, the model is not installed, or www/dist has " +
    "no encoder";
if (reason) console.log(`skipped: ${reason}`);

/** The query shares no word with the section on pots that explode. */
const QUESTION = "moisture makes crockery burst apart";

describe("a reader whose question shares no word with its answer", {
  skip: reason,
  timeout: 300_000,
}, () => {
  let site;
  let page;
  const isEncoder = (path) => path.includes("/encoder/") || path.includes("findling_encoder");
  const session = new Session(() => {
    site = build({ encoder: MODEL, args: ["--query-encoder", "transformer"] });
    return serve([site], { "/": withSearch(), "/client": withClient() });
  });

  const byBoth = () =>
    page.locator(`findling-search .panel[data-mode="hybrid"]`).waitFor({ timeout: 60_000 });

  test("sees the right section first once meaning has joined", async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(QUESTION);
    await byBoth();
    assert.match((await options(page))[0], /Why do pots break\?[\s\S]*Exploding in the kiln/);
  });

  test("gets meaning from the static encoder in the first answer", async () => {
    session.server.directories = [build({ encoder: MODEL })];
    page = await session.visitClient("client");
    const { semantic, answer } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/");
      return { semantic: index.semantic, answer: await index.search(question) };
    }, QUESTION);
    assert.equal(semantic, "ready");
    assert.equal(answer.mode, "hybrid");
    assert.equal(answer.encoder, "static");
    assert.equal(answer.results[0].title, "Why do pots break?");
    assert.deepEqual(session.server.log.filter(isEncoder), []);
  });

  test("gets meaning from the static encoder first and from the transformer later", async () => {
    session.server.directories = [build({ encoder: MODEL, args: ["--query-encoder", "both"] })];
    page = await session.visitClient("client");
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
    assert.equal(upgrades, 0, "an answer by meaning is not repeated in another order");
  });

  test("downloads no transformer if site, connection or device forbid it", async () => {
    session.server.directories = [build({ encoder: MODEL, args: ["--query-encoder", "both"] })];
    for (const [encoder, hints] of [
      ["static", {}],
      ["auto", { connection: { effectiveType: "3g" } }],
      ["auto", { deviceMemory: 0.5 }],
    ]) {
      const init = (hints) => {
        for (const [name, value] of Object.entries(hints))
          Object.defineProperty(navigator, name, { value });
      };
      page = await session.visitClient("client", { init, argument: hints });
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
      assert.deepEqual(
        session.server.log.filter(isEncoder),
        [],
        `${encoder} ${JSON.stringify(hints)}`,
      );
    }
  });

  test("gets an answer by words first, and the full answer once meaning is there", async () => {
    const transformer = gate(isEncoder);
    session.server.hold = transformer.hold;
    page = await session.visitClient("client");
    // The server holds back the transformer until the first answer is there.
    const { first, state } = await page.evaluate(async (question) => {
      const index = await findling.open("/findling/");
      let onUpgrade;
      window.later = new Promise((resolve) => {
        onUpgrade = resolve;
      });
      const first = await index.search(`${question} pots`, { onUpgrade });
      return { first, state: index.semantic };
    }, QUESTION);
    assert.equal(state, "loading");
    transformer.open();
    const later = await page.evaluate(() => window.later);
    assert.equal(first.mode, "lexical");
    assert.deepEqual(
      first.notices.map(({ code }) => code),
      ["encoder-loading"],
    );
    assert.equal(later.mode, "hybrid");
    assert.equal(later.encoder, "transformer");
    assert.deepEqual(later.notices, []);
  });

  test("keeps the rows it has moved in; meaning adds its results below", async () => {
    const transformer = gate(isEncoder);
    session.server.hold = transformer.hold;
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("thermocouple wires");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await options(page);
    const selected = await page.locator("findling-search [aria-selected=true]").innerText();
    transformer.open();
    await byBoth();
    const now = await options(page);
    assert.deepEqual(now.slice(0, before.length), before);
    assert.ok(now.length > before.length);
    assert.equal(await page.locator("findling-search [aria-selected=true]").innerText(), selected);
    assert.equal(await page.locator("findling-search .also-title").count(), 1);
  });

  test("is asked before a download if the browser saves data", async () => {
    const init = () =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } });
    page = await session.visitSearch("", { init });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kiln");
    const offer = page.locator(`findling-search [data-code="encoder-postponed"] button`);
    await offer.waitFor();
    assert.match(await offer.innerText(), /\d+ MB/);
    assert.deepEqual(session.server.log.filter(isEncoder), []);
    await offer.click();
    await byBoth();
  });

  test("is told why meaning cannot be loaded, without another search", async () => {
    const init = () =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } });
    session.server.corrupt = /\/encoder\//;
    page = await session.visitSearch("", { init });
    // The details are for the site's owner.
    expectComplaints(page, /findling: encoder-artefact: .*Deploy all files/);
    await page.evaluate(() => {
      window.heard = 0;
      addEventListener("findling-empty", () => heard++);
    });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill('"no such phrase"');
    const offer = page.locator(`findling-search [data-code="encoder-postponed"]`);
    await offer.getByRole("button").click();
    await offer.getByText("Something went wrong on this site").waitFor();
    await answered(page);
    assert.equal(await page.evaluate(() => heard), 1);
  });

  test("gets answers by words, and a notice, if the transformer is damaged", async () => {
    session.server.corrupt = /\/encoder\//;
    page = await session.visitClient("client");
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

  test("hears why no answer by meaning follows if the transformer is damaged", async () => {
    const transformer = gate(isEncoder);
    session.server.hold = transformer.hold;
    session.server.corrupt = /\/encoder\//;
    page = await session.visitClient("client");
    const first = await page.evaluate(async () => {
      const index = await findling.open("/findling/");
      let onUpgrade;
      window.later = new Promise((resolve) => {
        onUpgrade = resolve;
      });
      return index.search('"no such phrase"', { onUpgrade });
    });
    assert.deepEqual(
      first.notices.map(({ code }) => code).filter((code) => code.startsWith("encoder-")),
      ["encoder-loading"],
    );
    transformer.open();
    const later = await page.evaluate(() => window.later);
    assert.deepEqual([later.mode, later.total.pages], ["lexical", 0]);
    assert.match(later.notices[0].code, /^encoder-/);
  });

  test("gets a notice if the transformer reads only the beginning of a question", async () => {
    page = await session.visitClient("client");
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

  test("gets the same answer from a transformer with a third less vocabulary", async () => {
    const whole = site;
    const cut = build({
      encoder: MODEL,
      args: ["--query-encoder", "transformer", "--vocabulary-budget", "1200"],
    });
    const bytes = [];
    for (const directory of [whole, cut]) {
      session.server.directories = [directory];
      page = await session.visitClient("client");
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
      // The vocabulary has no token for these words, only for their pieces.
      assert.equal(odd.encoder, "transformer");
      bytes.push(size);
    }
    assert.ok(bytes[1] < bytes[0] * 0.68, `${bytes[1]} bytes instead of ${bytes[0]}`);
  });

  test("keeps the cached transformer when the site is edited in known words", async () => {
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
    session.server.directories = [build(options)];
    page = await session.visitClient("client");
    const load = () =>
      page.evaluate(async (question) => {
        const index = await findling.open("/findling/", { encoder: "transformer" });
        await index.ready("semantic");
        return (await index.search(question)).encoder;
      }, QUESTION);
    assert.equal(await load(), "transformer");
    assert.ok(session.server.log.some((path) => path.includes("/encoder/")));
    session.server.log.length = 0;
    build({ ...options, extra: [edit] });
    await page.reload();
    await page.waitForFunction(() => "findling" in window);
    assert.equal(await load(), "transformer");
    assert.deepEqual(
      session.server.log.filter((path) => path.includes("/encoder/")),
      [],
    );
  });

  test("gets meaning from the site's own `encode`", async () => {
    page = await session.visitClient("client");
    const answer = await page.evaluate(async () => {
      const index = await findling.open("/findling/", {
        encode: async () => Float32Array.from({ length: 384 }, (_, i) => Math.sin(i)),
      });
      return index.search("kiln");
    });
    assert.equal(answer.mode, "hybrid");
    assert.equal(answer.encoder, "supplied");
    assert.deepEqual(session.server.log.filter(isEncoder), []);
  });

  test("embeds a query once for paging and filtering, until 32 other queries", async () => {
    page = await session.visitClient("client");
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

  test("embeds the corrected query if a word is misspelt", async () => {
    page = await session.visitClient("client");
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

  test("gets answers by words, and a notice, if `encode` returns an invalid vector", async () => {
    page = await session.visitClient("client");
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
      assert.match(notices[0].message, /384/);
    }
    assert.deepEqual([given.mode, given.encoder], ["hybrid", "supplied"]);
    assert.equal(refused.code, "vector");
  });
});
