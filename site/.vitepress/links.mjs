// Links of the documents. They name files of the repository, so that they work where the repository
// is read; on the site they lead to the page of the document, or to the file in the repository.

import { posix } from "node:path";
import { addressOf, isPage, REPOSITORY } from "./pages.mjs";

/** `base/` before a path that starts at the site's root is added by VitePress. */
export function links(markdown, root) {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const file = env.realPath ?? env.path;
    // A title alone belongs to no file.
    if (!file) return;
    const source = posix.relative(root, file);
    for (const token of tokens)
      for (const child of token.children ?? []) {
        if (child.type !== "link_open") continue;
        child.attrSet("href", target(source, child.attrGet("href")));
      }
  });
}

/** The target of a document's link on the site. */
export function target(source, href) {
  if (/^(?:[a-z][a-z+.-]*:|\/|#|$)/i.test(href)) return href;
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(href);
  const file = posix.join(posix.dirname(source), decodeURI(path));
  if (isPage(file)) return `/${addressOf(file)}${rest}`;
  // A name after `#` is a function or a type, which the repository's own tests look for in the file.
  const kind = /\.[^/]+$/.test(file) ? "blob" : "tree";
  return `${REPOSITORY}/${kind}/main/${file.replace(/\/$/, "")}`;
}
