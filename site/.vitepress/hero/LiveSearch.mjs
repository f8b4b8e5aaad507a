// The search of this site in its first page, open, with questions to try.

import { withBase } from "vitepress";
import { defineComponent, h, ref } from "vue";
import "./live-search.css";

/** Questions in a reader's own words. The first result of each answers it. */
const QUESTIONS = [
  "hide a page from the search",
  "does my query leave the browser",
  "what does a reader download",
];

export default defineComponent({
  setup() {
    const search = ref();
    const ask = (question) =>
      h("button", { type: "button", onClick: () => search.value.show(question) }, question);
    return () =>
      h("section", { class: "live-search", "aria-labelledby": "live-search" }, [
        h("h2", { id: "live-search" }, "Try it: this is the search of these documents"),
        h("div", { class: "questions" }, QUESTIONS.map(ask)),
        h("findling-search", {
          ref: search,
          inline: "",
          bundle: withBase("/findling/"),
          theme: "page",
          history: "none",
          shortcut: "none",
        }),
      ]);
  },
});
