// An action for Svelte: it starts an element in the browser. On the server nothing runs.

import { keyOf, mount } from "../common/element.mjs";

const HANDLERS = { search: "onsearch", select: "onselect", empty: "onempty" };

/** `<findling-search use:findling={{ bundle: "/findling/" }}></findling-search>` */
export function findling(element, settings = {}) {
  let now = settings;
  let end = () => {};
  const start = () => {
    end();
    const { bundle = "/findling/", labels, options, navigate } = now;
    element.setAttribute("bundle", bundle);
    end = mount(element, { bundle, labels, options, navigate }, (name, event) =>
      now[HANDLERS[name]]?.(event),
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
