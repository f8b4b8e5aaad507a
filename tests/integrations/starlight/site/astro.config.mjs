import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import findling from "findling/starlight";

export default defineConfig({
  base: "/docs",
  integrations: [
    starlight({
      title: "Kilns",
      locales: { root: { label: "English", lang: "en" }, de: { label: "Deutsch", lang: "de" } },
      sidebar: [
        { label: "Zwischenraum", slug: "guide/firing" },
        { label: "Errors", slug: "reference/errors" },
      ],
      plugins: [findling()],
    }),
  ],
});
