import { FindlingResults, FindlingSearch } from "findling/vue";
import { createSSRApp, h, reactive } from "vue";

export const app = () =>
  createSSRApp({
    setup() {
      const told = reactive({ searched: "", href: "" });
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
          h(FindlingResults, { limit: 2 }),
          h("output", `${told.searched} ${told.href}`),
        ]);
    },
  });
