// The speech that a blind reader hears on the way through the search dialog with the screen reader
// Orca. It runs with `cargo xtask test --nightly`, or here with `node run.mjs orca`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { withSearch } from "../lib/browser.mjs";
import { build } from "../lib/bundle.mjs";
import { noScreenReader, ScreenReader } from "../lib/screen-reader.mjs";
import { serve } from "../lib/server.mjs";

const reason = noScreenReader();
const skip = reason ? { skip: reason } : {};

describe("a reader who hears the page with Orca", skip, () => {
  let server;
  let orca;
  before(async () => {
    server = await serve([build()], { "/": withSearch() });
    orca = await ScreenReader.start(server.url);
  });
  after(async () => {
    await orca?.close();
    await server?.close();
  });

  // Each step continues from the previous one.
  test("hears that a button opens a dialog", async () => {
    orca.press("Tab");
    const said = await orca.hears(/opens dialog/);
    assert.match(said, /Search push button/);
    assert.match(said, /Focus mode/);
  });

  test("opens it, is in the box, and types instead of moving in the page", async () => {
    orca.press("Return");
    const said = await orca.hears(/combo box/);
    assert.match(said, /Search dialog/);
    assert.doesNotMatch(said, /Browse mode/);
  });

  test("hears the first result and then how much was found, once each", async () => {
    orca.type("kiln");
    const said = await orca.hears(/\d+ pages, \d+ sections/);
    assert.match(said, /Search results/);
    const counts = said.match(/\d+ pages, \d+ sections/g);
    assert.equal(counts.length, 1, said);
    assert.doesNotMatch(said, /No more/, "the letters are typed");
  });

  test("hears each result that the arrow keys reach, with its heading and its text", async () => {
    orca.press("Home", "Down");
    const said = await orca.hears(/Cracks after firing/);
    assert.match(said, /A clean sharp crack/);
    assert.doesNotMatch(said, /\u203a/, "signs between headings are not read");
    orca.press("Down");
    assert.match(await orca.hears(/Getting started/), /Lift the kiln out of its crate/);
  });

  test("hears that nothing was found", async () => {
    orca.press("ctrl+a");
    orca.type('"no such phrase"');
    await orca.hears(/No results for .{1,2}no such phrase/);
  });

  test("closes the dialog and is back at the button", async () => {
    orca.press("Escape");
    assert.match(await orca.hears(/push button/), /Search/);
  });

  test("opens a result with Enter", async () => {
    orca.press("Return");
    await orca.hears(/combo box/);
    orca.press("ctrl+a");
    orca.type("pinholes");
    await orca.hears(/\d+ pages?, \d+ sections?/);
    orca.press("Return");
    assert.match(await orca.hears(/Browse mode/), /Loading/);
  });
});
