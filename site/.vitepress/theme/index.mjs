// The default theme with the reader's own fonts, which are no download.

import theme from "vitepress/theme-without-fonts";
import { defineAsyncComponent } from "vue";
import "./site.css";

/** Scripts of their own, which only their pages load. */
const Playground = defineAsyncComponent(() => import("../playground/Playground.mjs"));
const Themes = defineAsyncComponent(() => import("../themes/Themes.mjs"));

export default {
  extends: theme,
  enhanceApp({ app }) {
    app.component("Playground", Playground);
    app.component("Themes", Themes);
  },
};
