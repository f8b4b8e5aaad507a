// Three searches of this site beside each other, with one box.

import { defineComponent, h, onBeforeUnmount, reactive, ref } from "vue";
import "./beside.css";
import { SEARCHES } from "./searches.mjs";

const QUESTIONS = [
  "hide a page",
  "does my query leave the browser",
  "shard",
  "how much does a reader download",
];

const row = ({ title, heading, text, href }) =>
  h("li", [
    h("a", { href }, [title, heading && heading !== title ? ` › ${heading}` : ""]),
    h("p", text),
  ]);

/** One search: it is loaded with the first key, and shows the answer to the newest query. */
function column(name, open) {
  const state = reactive({ rows: [], query: "", problem: "" });
  let opened;
  let newest = 0;
  const ask = async (query) => {
    const number = ++newest;
    try {
      opened ??= open();
      const rows = query.trim() === "" ? [] : await (await opened)(query);
      if (number === newest) Object.assign(state, { rows, query, problem: "" });
    } catch (error) {
      opened = undefined;
      if (number === newest) Object.assign(state, { rows: [], query, problem: error.message });
    }
  };
  const show = () =>
    h("section", { "aria-label": name, "data-query": state.query }, [
      h("h2", name),
      state.problem ? h("p", `Not available: ${state.problem}`) : undefined,
      state.rows.length > 0
        ? h("ol", state.rows.map(row))
        : h("p", state.query.trim() === "" ? "" : "No results"),
    ]);
  return { ask, show };
}

export default defineComponent({
  setup() {
    const query = ref("");
    const columns = Object.entries(SEARCHES).map(([name, open]) => column(name, open));
    let isGone = false;
    onBeforeUnmount(() => {
      isGone = true;
    });
    const ask = (text) => {
      query.value = text;
      if (!isGone) for (const one of columns) void one.ask(text);
    };
    const question = (text) => h("button", { type: "button", onClick: () => ask(text) }, text);
    return () =>
      h("div", { class: "beside", "data-pagefind-ignore": "", "data-findling-ignore": "" }, [
        h("input", {
          type: "search",
          "aria-label": "Search with all three",
          placeholder: "Type once, see all three",
          value: query.value,
          onInput: (event) => ask(event.target.value),
        }),
        h("div", { class: "questions" }, QUESTIONS.map(question)),
        h(
          "div",
          { class: "columns" },
          columns.map((one) => one.show()),
        ),
      ]);
  },
});
