/** The switch in the box: in which part of the site a search looks. */

import { h } from "./dom";

/**
 * A switch between the parts that an attribute names, `This version = version:3; Everything =
 * none`. Its value is the filter of the chosen part, at first that of the first one.
 */
export const scopeSwitch = (attribute: string, label: string): HTMLSelectElement =>
  h(
    "select",
    { class: "scope", part: "scope", "aria-label": label },
    ...attribute.split(";").flatMap((scope) => {
      const [name, filter] = scope.split(/=(.*)/s).map((text) => text.trim());
      return name ? [h("option", { value: filter ?? "" }, name)] : [];
    }),
  );
