export default {
  telemetry: false,
  // With it, the pinned version cannot render the root.
  experimental: { payloadExtraction: false },
  app: {
    head: {
      link: [{ rel: "icon", href: "data:," }],
      script: [{ type: "module", src: "/findling/findling-ui.js" }],
    },
  },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === "findling-search" } },
};
