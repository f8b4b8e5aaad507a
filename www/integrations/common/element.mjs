// Runs in the page: prepares `<findling-search>` for the site around it.

/**
 * Loads the element's script from the bundle and sets what has no attribute.
 *
 * @param {HTMLElement} element
 * @param {{ bundle: string, labels?: object, navigate?: (href: string) => void }} settings
 */
export async function connect(element, { bundle, labels, navigate }) {
  const address = new URL(bundle, location.href);
  if (navigate)
    element.addEventListener("findling-select", (event) => {
      if (new URL(event.detail.href).origin !== location.origin) return;
      event.preventDefault();
      navigate(event.detail.href);
    });
  await import(/* @vite-ignore */ /* webpackIgnore: true */ `${address.href}findling-ui.js`);
  // A page has one script for the element, and each language its own engine. The addresses of a
  // bundle begin where its pages do, which may be below the root of the host.
  element.options = { assets: address.href, site: new URL("..", address).href };
  if (labels) element.labels = labels;
}
