// Which of the repository's documents are pages, and at which address.

/** The address where files that are not pages are shown. */
export const REPOSITORY = "https://github.com/findling-search/findling";

/** Documents outside of `docs` and `site/pages`, with their addresses. */
const ELSEWHERE = new Map([
  ["www/README.md", "client.md"],
  ["python/README.md", "python.md"],
  ["crates/web/README.md", "rust.md"],
  ["ARCHITECTURE.md", "architecture.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["SECURITY.md", "security.md"],
]);

/** Directories whose documents are pages, without the directory in the address. */
const DIRECTORIES = ["docs/", "site/pages/"];

export const SOURCES = {
  /** All that is neither: patterns below the repository. */
  excluded: [
    "{target,bench,build,examples,tests,.github}/**",
    "crates/!(web)/**",
    "crates/web/!(README.md)",
    "crates/web/*/**",
    "www/!(README.md)",
    "www/*/**",
    "python/!(README.md)",
    "python/*/**",
    "site/!(pages)/**",
    "README.md",
  ],
};

/** The address of a document below the site, as a path that ends in `.md`. */
export function addressOf(path) {
  const elsewhere = ELSEWHERE.get(path);
  if (elsewhere) return elsewhere;
  const directory = DIRECTORIES.find((name) => path.startsWith(name));
  const below = directory ? path.slice(directory.length) : path;
  if (below === "README.md") return "documents.md";
  return below.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Whether a document of the repository is a page. */
export const isPage = (path) =>
  path.endsWith(".md") &&
  (ELSEWHERE.has(path) || DIRECTORIES.some((name) => path.startsWith(name)));
