// An action for Svelte: it starts an element in the browser. On the server nothing runs.

import { keyOf, mount } from "../common/element.mjs";

/** `<findling-search use:findling={{ bundle: "/findling/" }}></findling-search>` */
export function findling(element, settings = {}) {
  let now = settings;
  let end = () => {};
  const start = () => {
    end();
    const { bundle = "/findling/", labels, options, navigate } = now;
    element.setAttribute("bundle", bundle);
    end = mount(element, { bundle, labels, options, navigate }, (name, event) =>
      now[`on${name}`]?.(event),
    );
  };
  start();
  return {
    update(next = {}) {
      const before = keyOf(now);
      now = next;
      if (keyOf(now) !== before) start();
    },
    destroy: () => end(),
  };
}
