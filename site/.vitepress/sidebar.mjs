// The order of the pages.

const page = (text, link) => ({ text, link });

export const navigation = [
  page("Quick start", "/quick-start"),
  page("Playground", "/playground"),
  page("Documents", "/documents"),
  page("Benchmarks", "/benchmarks"),
  page("Changelog", "/changelog"),
];

const group = (text, items, collapsed) => ({ text, items, collapsed });

export const sidebar = [
  group("Start", [
    page("Is it for me?", "/is-it-for-me"),
    page("Quick start", "/quick-start"),
    page("Playground", "/playground"),
    page("Installing", "/installing"),
    page("Documentation generators", "/integrations"),
    page("Three searches beside each other", "/beside"),
    page("Themes", "/themes"),
    page("Troubleshooting", "/troubleshooting"),
    page("Questions and answers", "/documents"),
  ]),
  group("Tutorials", [
    page("A documentation site", "/tutorials/documentation-site"),
    page("A repository and assistants", "/tutorials/repository"),
    page("A library of papers", "/tutorials/papers"),
    page("An endpoint at the edge", "/tutorials/endpoint"),
    page("Inside a program", "/tutorials/embedding"),
  ]),
  group("Coming from", [
    page("Pagefind", "/coming-from-pagefind"),
    page("Algolia DocSearch", "/coming-from-algolia"),
    page("Lunr and MiniSearch", "/coming-from-lunr"),
  ]),
  group("Guide", [
    page("What is indexed of a page", "/extraction"),
    page("How a query is read", "/queries"),
    page("Code, papers, chats, PDF", "/sources"),
    page("Collections", "/collections"),
    page("Collections in a browser", "/local-application"),
    page("The command line", "/command-line"),
    page("Where to host it", "/hosting"),
    page("Finding a site's search", "/discovery"),
    page("What readers search for", "/analytics"),
    page("The endpoint in production", "/edge"),
    page("Large sites", "/scale"),
    page("Tables for data engines", "/tables"),
    page("Documentation on a disk", "/offline"),
    page("Assistants and scripts", "/agents"),
    page("Security", "/security"),
  ]),
  group("Reference", [
    page("Client and endpoint", "/client"),
    page("Python", "/python"),
    page("Front ends in Rust", "/rust"),
    page("Commands and options", "/cli"),
    page("Bundle format", "/format"),
    page("Glossary", "/glossary"),
  ]),
  group("Inside", [
    page("Benchmarks", "/benchmarks"),
    page("Architecture", "/architecture"),
    page("Design", "/design/"),
    page("Experiments", "/experiments/"),
    page("Contributing", "/contributing"),
    page("Releasing", "/releasing"),
    page("Changelog", "/changelog"),
  ]),
];
