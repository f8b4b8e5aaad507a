import { FindlingResults, FindlingSearch } from "findling/vue";
import { createSSRApp, h, reactive } from "vue";

export const app = () =>
  createSSRApp({
    setup() {
      const told = reactive({ searched: "", href: "", gone: false });
      return () =>
        h("div", [
          h(FindlingSearch, {
            theme: "page",
            labels: { search: "Find" },
            navigate: (href) => {
              told.href = href;
            },
            onSearch: () => {
              told.searched = "searched";
            },
          }),
          told.gone ? undefined : h(FindlingResults, { limit: 2, missing: false }),
          h("button", { type: "button", onClick: () => (told.gone = !told.gone) }, "Toggle"),
          h("output", `${told.searched} ${told.href}`),
        ]);
    },
  });
