module.exports = {
  title: "Kilns",
  url: "https://example.org",
  baseUrl: "/docs/",
  favicon: "data:,",
  i18n: { defaultLocale: "en", locales: ["en", "de"] },
  themes: ["findling/docusaurus"],
  presets: [
    [
      "classic",
      {
        docs: { routeBasePath: "/", sidebarPath: "./sidebars.js" },
        blog: false,
      },
    ],
  ],
  themeConfig: {
    navbar: { title: "Kilns", items: [{ type: "localeDropdown", position: "right" }] },
    footer: { copyright: "Zwischenraum" },
  },
};
