import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  ssr: { noExternal: true },
  build: {
    rollupOptions: { input: ["react.html", "vue.html", "svelte.html"] },
  },
});
