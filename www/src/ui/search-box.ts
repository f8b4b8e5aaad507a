/** The text field of the search, with a button that clears it. */

import { CROSS, h, icon } from "./dom";
import type { Labels } from "./labels";

/** The attributes of the box besides those of every text field. */
const COMBO_BOX = {
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": "false",
  "aria-controls": "list",
  "aria-haspopup": "listbox",
  enterkeyhint: "go",
};

/** A text field that is the box of a list of results. */
export const comboBox = (placeholder: string, labels: Labels): HTMLInputElement =>
  searchField(placeholder, labels, COMBO_BOX);

/** A text field for searching. `attributes` are further ones. */
export function searchField(
  placeholder: string,
  labels: Labels,
  attributes: Record<string, string> = {},
): HTMLInputElement {
  const input = h("input", {
    type: "search",
    part: "input",
    // The style sheet recognises an empty field by its placeholder.
    placeholder: placeholder || " ",
    "aria-label": labels.search,
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    ...attributes,
  });
  // The browser would join the last word of a line with the first of the next.
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = input;
    input.setRangeText(text.replace(/\s+/g, " "), selectionStart!, selectionEnd!, "end");
    input.dispatchEvent(new InputEvent("input"));
  });
  return input;
}

/** A button that clears a field; it is shown while the field has text. */
export function clearButton(input: HTMLInputElement, label: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: "clear-text", "aria-label": label });
  button.append(icon(CROSS, 16));
  button.addEventListener("click", () => {
    input.value = "";
    input.dispatchEvent(new InputEvent("input"));
    input.focus();
  });
  return button;
}
