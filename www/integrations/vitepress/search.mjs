// The component in place of the default theme's `VPNavBarSearch.vue`.

import Button from "virtual:findling/button";
import settings from "virtual:findling/settings";
import { useData, useRouter, withBase } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";
import { connect } from "../common/element.mjs";
import "./search.css";

export default defineComponent({
  setup() {
    const { localeIndex } = useData();
    const router = useRouter();
    const element = ref();
    const bundle = () => {
      const language = localeIndex.value === "root" ? "" : `${localeIndex.value}/`;
      return withBase(`/${language}${settings.bundle}/`);
    };
    const start = () =>
      connect(element.value, {
        bundle: bundle(),
        labels: settings.labels[localeIndex.value],
        navigate: (href) => router.go(href),
      });
    onMounted(start);
    watch(localeIndex, start, { flush: "post" });
    return () =>
      h("div", { class: "VPNavBarSearch" }, [
        // Each language has its own element, because it has its own index.
        h(
          "findling-search",
          { ref: element, key: localeIndex.value, bundle: bundle(), theme: "page" },
          [h(Button, { slot: "trigger" })],
        ),
      ]);
  },
});
