/** Details of a page: its file, its attributes, and how to cite it. */

import { h } from "../ui/dom";
import type { Page } from "./answers";
import { texts } from "./language";
import { dateTime } from "./time";

/** Attributes that the page shows elsewhere, or that are not useful to people. */
const HIDDEN = ["path", "roles", "session"];

export function details(page: Page): HTMLElement[] {
  const facts: [string, string][] = [[texts().collection, page.collection]];
  if (page.file !== undefined) facts.push([texts().file, page.file]);
  for (const [name, value] of Object.entries(page.attributes)) {
    const text = shownValue(value);
    if (!HIDDEN.includes(name) && text !== "" && text !== "unknown") facts.push([name, text]);
  }
  const list = h(
    "dl",
    { class: "facts" },
    ...facts.map(([name, value]) =>
      h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, value)),
    ),
  );
  return page.citations.length > 0 ? [list, citation(page.citations)] : [list];
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(", ");
  const text = String(value);
  // Dates are ISO 8601; the time of day of most is midnight.
  const day = /^(\d{4}-\d\d-\d\d)T(00:00:00)?/.exec(text);
  if (!day || Number.isNaN(Date.parse(text))) return text;
  return day[2] === undefined ? dateTime(new Date(text)) : day[1]!;
}

/** A reference in the chosen style, to be copied. */
function citation(citations: Page["citations"]): HTMLElement {
  const text = h("p", { class: "reference", dir: "auto" });
  const status = h("span", { class: "muted", role: "status" });
  const style = h(
    "select",
    { "aria-label": texts().cite },
    ...citations.map(({ style }) => h("option", { value: style }, style)),
  );
  const show = () => {
    const chosen = citations.find((one) => one.style === style.value) ?? citations[0];
    text.textContent = chosen?.text ?? "";
    text.classList.toggle("entry", style.value === "BibTeX");
    status.textContent = "";
  };
  style.addEventListener("change", show);
  const copy = h("button", { type: "button", class: "button" }, texts().copy);
  copy.addEventListener("click", () => {
    navigator.clipboard.writeText(text.textContent ?? "").then(
      () => {
        status.textContent = texts().copied;
      },
      () => {
        // The browser does not allow writing to the clipboard; the text can be selected.
        getSelection()?.selectAllChildren(text);
      },
    );
  });
  show();
  const tools = h("div", { class: "row" }, style, copy, status);
  return h("section", { class: "cite" }, h("h2", {}, texts().cite), tools, text);
}
