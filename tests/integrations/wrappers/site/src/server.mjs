// Renders each page on a server, where there is no browser.

import { createElement } from "react";
import { renderToString as renderReact } from "react-dom/server";
import { render as renderSvelte } from "svelte/server";
import { renderToString as renderVue } from "vue/server-renderer";
import App from "./App.svelte";
import { App as ReactApp } from "./react-app.mjs";
import { app } from "./vue-app.mjs";

export const pages = {
  react: async () => renderReact(createElement(ReactApp)),
  vue: () => renderVue(app()),
  svelte: async () => renderSvelte(App).body,
};
