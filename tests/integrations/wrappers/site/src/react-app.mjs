import { FindlingResults, FindlingSearch } from "findling/react";
import { createElement as h, useState } from "react";

export function App() {
  const [told, setTold] = useState({ searches: 0, href: "" });
  const [isGone, setGone] = useState(false);
  const count = () => setTold((before) => ({ ...before, searches: before.searches + 1 }));
  return h(
    "div",
    {},
    h(FindlingSearch, {
      theme: "page",
      // A new object with each render.
      labels: { search: "Find" },
      navigate: (href) => setTold((before) => ({ ...before, href })),
      onSearch: count,
    }),
    isGone ? null : h(FindlingResults, { limit: 2, missing: false }),
    h("button", { type: "button", onClick: () => setGone(!isGone) }, "Toggle"),
    h("output", {}, `${told.searches > 0 ? "searched" : ""} ${told.href}`),
  );
}
