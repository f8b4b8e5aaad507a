/**
 * In place of Pagefind's own user interfaces, where a site loads one that its build has not copied:
 * the classes and elements of their pages, with Findling's search box in them.
 */
(() => {
  // A module has no current script.
  const isThis = ({ src }) => /\/pagefind-[a-z-]+\.js(\?|$)/.test(src);
  const script = document.currentScript ?? [...document.scripts].find(isThis);
  const directory = new URL(".", script.src);

  /** Findling's search box, for the bundle beside this script. */
  const box = (attributes = {}) => {
    import(new URL("findling-ui.js", directory).href);
    const element = document.createElement("findling-search");
    element.setAttribute("bundle", directory.href);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  /** The element of a page that an option names: by a selector, or itself. */
  const find = (named) => (typeof named === "string" ? document.querySelector(named) : named);

  const placed = (into, { translations, autofocus } = {}) => {
    const { placeholder } = translations ?? {};
    const element = box({ inline: "", ...(placeholder ? { placeholder } : {}) });
    into?.replaceChildren(element);
    if (autofocus) customElements.whenDefined("findling-search").then(() => element.show());
    return element;
  };

  class PagefindUI {
    constructor(options = {}) {
      const place = () => {
        this.box = placed(find(options.element), options);
      };
      if (find(options.element)) place();
      else addEventListener("DOMContentLoaded", place);
    }
    triggerSearch(query) {
      customElements.whenDefined("findling-search").then(() => this.box?.show(query));
    }
    triggerFilters() {}
    destroy() {
      this.box?.remove();
    }
  }

  /** Of the modular interface, the input holds the box; it shows results and filters itself. */
  class Instance {
    add(component) {
      component.place?.();
    }
    on() {}
    triggerLoad() {}
    triggerSearch() {}
    triggerSearchWithFilters() {}
    triggerFilters() {}
    triggerFilter() {}
  }
  class Input {
    constructor(options = {}) {
      this.options = options;
    }
    place() {
      const { containerElement, inputElement } = this.options;
      const input = find(inputElement);
      if (!input) return placed(find(containerElement));
      const element = box({ inline: "" });
      input.replaceWith(element);
      return element;
    }
  }
  class Nothing {}

  window.PagefindUI ??= PagefindUI;
  window.PagefindModularUI ??= {
    Instance,
    Input,
    ResultList: Nothing,
    Summary: Nothing,
    FilterPills: Nothing,
  };
  window.PagefindHighlight ??= Nothing;

  /** Of the newer interface, the elements that a reader types into or clicks. */
  const elements = {
    "pagefind-searchbox": { inline: "" },
    "pagefind-input": { inline: "" },
    "pagefind-modal-trigger": {},
  };
  for (const [name, attributes] of Object.entries(elements)) {
    if (customElements.get(name)) continue;
    customElements.define(
      name,
      class extends HTMLElement {
        connectedCallback() {
          // Within a modal, the dialog that its trigger opens has an input of its own.
          if (this.closest("pagefind-modal") || this.firstElementChild) return;
          this.append(box(attributes));
        }
      },
    );
  }
})();
