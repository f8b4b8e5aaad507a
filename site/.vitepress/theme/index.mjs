// The default theme with the reader's own fonts, which are no download.

import theme from "vitepress/theme-without-fonts";
import { defineAsyncComponent, h } from "vue";
import "./site.css";

/** Scripts of their own, which only their pages load. */
const Beside = defineAsyncComponent(() => import("../beside/Beside.mjs"));
const LiveSearch = defineAsyncComponent(() => import("../hero/LiveSearch.mjs"));
const Playground = defineAsyncComponent(() => import("../playground/Playground.mjs"));
const Themes = defineAsyncComponent(() => import("../themes/Themes.mjs"));

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { "home-hero-after": () => h(LiveSearch) }),
  enhanceApp({ app }) {
    app.component("Beside", Beside);
    app.component("Playground", Playground);
    app.component("Themes", Themes);
  },
};
