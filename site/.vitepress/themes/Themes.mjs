// The themes of the package, to try: one search box, which gets the style sheet that is chosen.

import { withBase } from "vitepress";
import { defineComponent, h, onMounted, ref } from "vue";
import docusaurus from "../../../www/integrations/themes/docusaurus.css?raw";
import github from "../../../www/integrations/themes/github.css?raw";
import material from "../../../www/integrations/themes/material.css?raw";
import starlight from "../../../www/integrations/themes/starlight.css?raw";
import vitepress from "../../../www/integrations/themes/vitepress.css?raw";
import "./themes.css";

/** Each theme with its style sheet and with what its generator sets on a dark page. */
const THEMES = {
  "Material for MkDocs": { css: material, dark: { "data-md-color-scheme": "slate" } },
  Docusaurus: { css: docusaurus, dark: { "data-theme": "dark" } },
  VitePress: { css: vitepress, dark: { class: "dark" } },
  Starlight: { css: starlight, dark: { "data-theme": "dark" } },
  GitHub: { css: github, dark: { "data-color-mode": "dark" } },
};

/** The style sheet of a theme for the search box of this component alone. */
function scoped({ css }) {
  const own = css.replace(/\/\*.*?\*\//gs, "");
  // This site has the variables of VitePress. The theme is shown with the default ones.
  const variables = [...new Set(own.match(/--vp-[\w-]+/g))];
  const reset = variables.map((name) => `${name}: initial;`).join(" ");
  return `.theme-shown { ${reset} ${own} }`;
}

const button = (text, isPressed, onClick) =>
  h("button", { type: "button", "aria-pressed": String(isPressed), onClick }, text);

export default defineComponent({
  setup() {
    const name = ref("Material for MkDocs");
    const isDark = ref(false);
    const search = ref();
    // HTML has no way to write a style sheet's quotes and brackets as text.
    const isMounted = ref(false);
    onMounted(() => {
      isMounted.value = true;
    });
    const toggle = () => {
      isDark.value = !isDark.value;
    };
    const choose = (other) => () => {
      name.value = other;
    };
    return () => {
      const theme = THEMES[name.value];
      const names = Object.keys(THEMES).map((other) =>
        button(other, other === name.value, choose(other)),
      );
      const element = h("findling-search", {
        ref: search,
        inline: "",
        bundle: withBase("/findling/"),
        theme: isDark.value ? "dark" : "light",
        history: "none",
        shortcut: "none",
      });
      return h("div", { class: "themes" }, [
        h("div", { class: "choice", role: "group", "aria-label": "Theme" }, names),
        h("div", { class: "choice" }, [
          button("Dark", isDark.value, toggle),
          h(
            "button",
            { type: "button", onClick: () => search.value.show("hide a page") },
            "Search for an example",
          ),
        ]),
        h("div", { class: "theme-shown" }, [h("div", isDark.value ? theme.dark : {}, [element])]),
        isMounted.value ? h("style", {}, scoped(theme)) : undefined,
      ]);
    };
  },
});
