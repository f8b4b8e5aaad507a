/** Chips: a button for each chosen value, which removes the choice. */

import { CROSS, fill, h, icon, nameText } from "../common";
import type { Locale } from "../locale";
import { type Control, valueName } from "./filters";

/** One choice and its name. */
export interface Choice {
  attribute: string;
  value: string;
  control: Control | undefined;
}

/** The chips of choices, and a button that removes all of them. */
export function chips(
  choices: Choice[],
  labels: Locale,
  remove: (choice: Choice) => void,
  clear: () => void,
): HTMLElement[] {
  if (choices.length === 0) return [];
  const items = choices.map((choice) => {
    const { attribute, value, control } = choice;
    const name = `${nameText(attribute, labels)}: ${valueName(attribute, value, control, labels)}`;
    const chip = h(
      "button",
      {
        type: "button",
        class: "chip",
        part: "chip",
        "aria-label": fill(labels.remove, { filter: name }),
      },
      h("span", { dir: "auto" }, name),
      icon(CROSS, 12),
    );
    chip.addEventListener("click", () => remove(choice));
    return chip;
  });
  const all = h("button", { type: "button", class: "toggle clear" }, labels.clear);
  all.addEventListener("click", clear);
  return [...items, all];
}
