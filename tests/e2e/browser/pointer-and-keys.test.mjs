// The effects of a reader's keys and pointer.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { answered, ask, withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { eventually } from "../lib/eventually.mjs";
import { serve } from "../lib/server.mjs";
import { Session } from "../lib/session.mjs";

const LONG = `<p style="block-size: 300vh">A long page.</p>`;

describe("a reader who presses Enter", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch(),
      "/words": withSearch(`mode="lexical"`),
      "/inline": withSearch("inline"),
    }),
  );
  beforeEach(async () => {
    page = await session.visitSearch();
    await wait();
  });

  /** Makes `held` hold back answers until `release` is called, and records the opened address. */
  const wait = async () => {
    await page.evaluate(async () => {
      document.addEventListener("findling-select", (event) => {
        event.preventDefault();
        window.chosen = event.detail.href;
      });
      const element = document.querySelector("findling-search");
      const index = await element.index;
      const search = index.search.bind(index);
      window.hold = () => {
        window.held = new Promise((resolve) => {
          window.release = resolve;
        });
      };
      index.search = async (query, options) => {
        await window.held;
        return search(query, options);
      };
    });
  };
  const box = () => page.getByRole("combobox");
  const chosen = () => page.evaluate(() => window.chosen);
  const waitForChoice = () => page.waitForFunction(() => window.chosen !== undefined);
  const open = () => page.evaluate(() => document.querySelector("findling-search").show());

  const opensGlazing = async () => {
    await page.keyboard.press("Enter");
    assert.equal(await chosen(), undefined);
    await page.evaluate(() => window.release());
    await waitForChoice();
    assert.match(await chosen(), /guide\/glaze\.html#crawling$/);
  };

  test("before the first answer opens the first result of that answer", async () => {
    await open();
    await page.evaluate(() => window.hold());
    await box().fill("pinholes");
    await opensGlazing();
  });

  test("while an older answer is shown opens a result of what is in the box", async () => {
    await open();
    await ask(page, "thermocouple");
    await page.evaluate(() => window.hold());
    await box().selectText();
    await page.keyboard.type("pinholes");
    await opensGlazing();
  });

  test("after taking a letter back opens a result of what is in the box", async () => {
    await open();
    await ask(page, "thermocouple");
    await page.evaluate(() => window.hold());
    await box().fill("pinholesx");
    await page.keyboard.press("Backspace");
    await opensGlazing();
  });

  test("while a word is corrected opens a result of the corrected word", async () => {
    await open();
    await page.evaluate(() => window.hold());
    await box().fill("pinhoels");
    await opensGlazing();
  });

  test("in a box inside the page opens a result of what is in the box", async () => {
    page = await session.visitSearch("inline");
    await wait();
    await ask(page, "thermocouple");
    await page.evaluate(() => window.hold());
    await box().fill("pinholes");
    await opensGlazing();
  });

  test("and types on opens nothing", async () => {
    await open();
    await page.evaluate(() => window.hold());
    await box().fill("pinholes");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" kiln");
    await page.evaluate(() => window.release());
    await answered(page);
    await page.waitForTimeout(200);
    assert.equal(await chosen(), undefined);
  });

  test("and closes the search opens nothing", async () => {
    await open();
    await page.evaluate(() => window.hold());
    await box().fill("pinholes");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.release());
    await page.waitForTimeout(300);
    assert.equal(await chosen(), undefined);
  });

  test("where nothing is found opens nothing", async () => {
    await page.goto(session.address("words"));
    await page.locator("findling-search:defined").waitFor();
    await wait();
    await open();
    await ask(page, "kiln");
    await page.evaluate(() => window.hold());
    await box().fill("zeppelin");
    await page.keyboard.press("Enter");
    await page.evaluate(() => window.release());
    await page.getByRole("heading", { name: /zeppelin/ }).waitFor();
    await page.waitForTimeout(200);
    assert.equal(await chosen(), undefined);
  });
});

describe("a reader with a pointer", () => {
  let page;
  const session = new Session(() =>
    serve([build()], {
      "/": withSearch("", LONG),
      "/body": withSearch("", LONG).replace("<body>", `<body style="overflow-y: auto; margin: 0">`),
      "/two": withSearch("id=a", `<findling-search id="b"></findling-search>${LONG}`),
    }),
  );
  beforeEach(async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    await ask(page, "kiln");
  });

  const dialog = () => page.getByRole("dialog");
  const isOpen = () =>
    page.evaluate(() => {
      const { shadowRoot } = document.querySelector("findling-search");
      return shadowRoot.querySelector("dialog").open;
    });
  const OUTSIDE = [5, 400];
  /** Turns the wheel until the page moves: the browser learns late that the page scrolls again. */
  const scrolls = () =>
    eventually(async () => {
      await page.mouse.wheel(0, 300);
      assert.ok((await page.evaluate(() => scrollY)) > 0, "the page does not move");
    });

  test("closes the search by a press beside it", async () => {
    // A press that a busy machine makes long does not count.
    await eventually(async () => {
      await page.mouse.click(...OUTSIDE);
      assert.equal(await isOpen(), false);
    });
    await dialog().waitFor({ state: "hidden" });
  });

  test("keeps the search when text is selected by a drag that ends beside it", async () => {
    const { x, y, height } = await page.getByRole("combobox").boundingBox();
    await page.mouse.move(x + 40, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(...OUTSIDE, { steps: 5 });
    await page.mouse.up();
    assert.equal(await isOpen(), true);
  });

  test("keeps the search when a drag begins beside it", async () => {
    const { x, y } = await page.getByRole("option").first().boundingBox();
    await page.mouse.move(...OUTSIDE);
    await page.mouse.down();
    await page.mouse.move(x + 20, y + 20, { steps: 5 });
    await page.mouse.up();
    assert.equal(await isOpen(), true);
  });

  test("keeps the search when the pointer is dragged beside it", async () => {
    await page.mouse.move(...OUTSIDE);
    await page.mouse.down();
    await page.mouse.move(OUTSIDE[0] + 60, OUTSIDE[1] + 90, { steps: 5 });
    await page.mouse.up();
    assert.equal(await isOpen(), true);
  });

  test("keeps the search after a long press, and after the right button", async () => {
    await page.mouse.click(...OUTSIDE, { delay: 700 });
    assert.equal(await isOpen(), true);
    await page.mouse.click(...OUTSIDE, { button: "right" });
    assert.equal(await isOpen(), true);
  });

  test("keeps the search when two fingers pinch beside it", async () => {
    await page.evaluate((at) => {
      const { shadowRoot } = document.querySelector("findling-search");
      const dialog = shadowRoot.querySelector("dialog");
      const [clientX, clientY] = at;
      const fire = (type, isPrimary, pointerId) =>
        dialog.dispatchEvent(
          new PointerEvent(type, { clientX, clientY, isPrimary, pointerId, bubbles: true }),
        );
      fire("pointerdown", true, 1);
      fire("pointerdown", false, 2);
      fire("pointerup", false, 2);
      fire("pointerup", true, 1);
      fire("click", true, 1);
    }, OUTSIDE);
    assert.equal(await isOpen(), true);
  });

  for (const path of ["", "body"])
    test(`does not move the page behind, ${path || "whose window scrolls"}`, async () => {
      page = await session.visitSearch(path);
      const width = () => page.evaluate(() => document.querySelector("main").offsetWidth);
      const before = await width();
      await page.keyboard.press("Control+k");
      await ask(page, "zeppelin");
      assert.equal(await width(), before);
      for (const at of [OUTSIDE, [550, 250]]) {
        await page.mouse.move(...at);
        await page.mouse.wheel(0, 600);
      }
      // Keys, with the focus on a button.
      await page.locator("findling-search .close").focus();
      for (const key of ["PageDown", "End", "ArrowDown", " "]) {
        if (key !== " ") await page.keyboard.press(key);
      }
      await page.waitForTimeout(300);
      assert.equal(await page.evaluate(() => scrollY), 0);
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "hidden" });
      await scrolls();
    });

  test("is shown one search at a time, and the keys are those of the one shown", async () => {
    page = await session.visit("two");
    await page.locator("#b:defined").waitFor();
    await page.evaluate(() => {
      document.querySelector("#a").show();
      document.querySelector("#b").show();
    });
    const openOnes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("findling-search")]
          .filter((element) => element.shadowRoot.querySelector("dialog").open)
          .map(({ id }) => id),
      );
    assert.deepEqual(await openOnes(), ["b"]);
    await page.keyboard.press("Control+k");
    assert.deepEqual(await openOnes(), []);
    await page.keyboard.press("Control+k");
    assert.deepEqual(await openOnes(), ["a"]);
    await page.keyboard.press("Escape");
    await scrolls();
  });
});

describe("a reader on a phone", () => {
  let page;
  const session = new Session(() => serve([build()], { "/": withSearch("", LONG) }));

  test("clears the text by a button, and closes the search by another", async () => {
    page = await session.visitSearch("", {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole("button", { name: "Search" }).click();
    const clear = page.getByRole("button", { name: "Clear the text" });
    assert.equal(await clear.isVisible(), false);
    await ask(page, "kiln");
    await clear.tap();
    // The browser makes a click of a tap after the tap.
    await eventually(async () => {
      assert.equal(await page.getByRole("combobox").inputValue(), "");
      assert.equal(await page.getByRole("option").count(), 0);
    });
    await page.getByRole("button", { name: "Close" }).tap();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("sees the button that closes in landscape too", async () => {
    page = await session.visitSearch("", {
      viewport: { width: 844, height: 390 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("findling-search .close svg").waitFor();
    assert.equal(await page.locator("findling-search .keys").isVisible(), false);
  });
});

describe("a reader who pastes", () => {
  let page;
  const session = new Session(() => serve([build()], { "/": withSearch(`mode="lexical"`) }));
  const paste = (text) =>
    page.evaluate((text) => {
      const box = document.querySelector("findling-search").shadowRoot.querySelector("input");
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      if (box.dispatchEvent(event)) {
        box.setRangeText(text);
        box.dispatchEvent(new InputEvent("input"));
      }
    }, text);

  test("a long text finds by all of it, and lines keep their words apart", async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    const words = `${"the ".repeat(400)}\npinholes\nkiln`;
    await paste(words);
    await answered(page);
    assert.match(await page.getByRole("option").first().innerText(), /Crawling and pinholes/);
    const value = await page.getByRole("combobox").inputValue();
    assert.equal(value, words.replace(/\s+/g, " "));
    assert.match(value, /the pinholes kiln$/);
  });

  test("a text that is too long is told that its beginning was searched for", async () => {
    page = await session.visitSearch();
    await page.keyboard.press("Control+k");
    await paste(`pinholes ${"kiln ".repeat(3000)}`);
    await answered(page);
    await page.locator('findling-search .notices [data-code="query-truncated"]').waitFor();
    assert.match(await page.getByRole("option").first().innerText(), /\S/);
  });
});

describe("a reader who composes a word", () => {
  let page;
  const session = new Session(() => serve([build()], { "/": withSearch() }));

  test("is not told that nothing is found before the word is composed", async () => {
    page = await session.visitSearch();
    await page.evaluate(() => {
      window.empty = 0;
      addEventListener("findling-empty", () => window.empty++);
    });
    await page.keyboard.press("Control+k");
    const cdp = await page.context().newCDPSession(page);
    for (const text of ["z", "ze", "zep", "zeppelin"])
      await cdp.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    const box = page.getByRole("combobox");
    await eventually(async () => assert.equal(await box.inputValue(), "zeppelin"));
    await answered(page);
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.empty), 0);
    assert.equal(await page.getByRole("heading", { name: /zeppelin/ }).count(), 0);
    // Enter ends the composition and opens nothing.
    await cdp.send("Input.insertText", { text: "pinholes" });
    const first = page.getByRole("option").first();
    await first.filter({ hasText: "Crawling and pinholes" }).waitFor();
  });
});
