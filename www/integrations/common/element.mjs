// Runs in the page: prepares an element of Findling for the site around it.

/** The script of each element, beside its bundle. */
const SCRIPTS = {
  "findling-search": "findling-ui.js",
  "findling-results": "findling-results.js",
  "findling-related": "findling-related.js",
};

/** The events of elements, without the prefix `findling-`. */
export const EVENTS = ["search", "empty", "select", "settled"];

/**
 * Sets the properties without attributes, and loads an element's script from the bundle.
 *
 * @param {HTMLElement} element
 * @param {object} settings
 * @param {string} settings.bundle
 * @param {object} [settings.labels]
 * @param {object} [settings.options] options of `open`
 * @param {(href: string) => void} [settings.navigate] goes to a page of this site
 * @param {AbortSignal} [settings.signal] ends what was begun
 */
export async function connect(element, { bundle, labels, options, navigate, signal }) {
  const address = new URL(bundle, location.href);
  if (navigate)
    element.addEventListener(
      "findling-select",
      (event) => {
        const isOwn = new URL(event.detail.href).origin === location.origin;
        if (event.defaultPrevented || !isOwn) return;
        event.preventDefault();
        navigate(event.detail.href);
      },
      { signal },
    );
  // The element takes them over when its script defines it, before it opens the bundle. A page has
  // one script for the element, but each language has its own engine. The addresses of a bundle are
  // relative to its pages, which may be below the root of the host.
  element.options = { assets: address.href, site: new URL("..", address).href, ...options };
  if (labels) element.labels = labels;
  const script = `${address.href}${SCRIPTS[element.localName]}`;
  await import(/* @vite-ignore */ /* webpackIgnore: true */ script).catch((cause) => {
    throw new Error(
      `expected the script of the search at ${script}, where \`findling build\` writes it, found ` +
        "none: build the index into this directory; for a development server, into its directory " +
        "of static files, such as public/findling",
      { cause },
    );
  });
}

/**
 * The properties of a component besides its settings, as attributes; `false` omits an attribute.
 */
export const attributesOf = (given) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === true ? "" : value === false ? undefined : value,
    ]),
  );

/**
 * The settings with which an element is started, as a text. Objects in templates are new with each
 * render, but the element should only start again if their contents have changed.
 */
export const keyOf = ({ bundle, labels, options, navigate }) =>
  JSON.stringify([bundle, labels, options, navigate !== undefined]);

/**
 * `connect` for components of frameworks. Returns a function to call when the component is removed.
 *
 * @param {HTMLElement} element
 * @param {object} settings those of `connect`
 * @param {(name: string, event: CustomEvent) => void} tell hears each of `EVENTS`
 */
export function mount(element, settings, tell) {
  const controller = new AbortController();
  const { signal } = controller;
  // Before the listener that navigates, so that a site can prevent it.
  for (const name of EVENTS)
    element.addEventListener(`findling-${name}`, (event) => tell(name, event), { signal });
  connect(element, { ...settings, signal }).catch((error) => {
    console.error(`findling: ${error.message}`);
  });
  return () => controller.abort();
}
