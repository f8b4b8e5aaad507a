// How MiniSearch is set up on the page that puts three searches beside each other.

/** A record for each section, as DocSearch makes them: title, heading, text. */
export const OPTIONS = {
  fields: ["title", "heading", "text"],
  storeFields: ["href", "title", "heading", "text"],
  searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 4, heading: 3 } },
};
