// The default theme with the reader's own fonts, which are no download.

import theme from "vitepress/theme-without-fonts";
import { defineAsyncComponent } from "vue";
import "./site.css";

/** A script of its own, which only its page loads. */
const Playground = defineAsyncComponent(() => import("../playground/Playground.mjs"));

export default {
  extends: theme,
  enhanceApp({ app }) {
    app.component("Playground", Playground);
  },
};
