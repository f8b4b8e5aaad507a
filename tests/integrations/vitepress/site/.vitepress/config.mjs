import findling from "findling/vitepress";
import { defineConfig } from "vitepress";

export default defineConfig({
  title: "Kilns",
  base: "/docs/",
  head: [["link", { rel: "icon", href: "data:," }]],
  locales: {
    root: { label: "English", lang: "en" },
    de: { label: "Deutsch", lang: "de" },
  },
  themeConfig: {
    sidebar: {
      "/": [{ text: "Zwischenraum", link: "/guide/firing" }],
    },
  },
  vite: { plugins: [findling({ labels: { de: { placeholder: "Suchen" } } })] },
});
