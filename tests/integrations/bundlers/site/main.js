// An application that imports the element and the client by the name of the package.

import "findling/ui";
import { open } from "findling";

/** The titles that a query finds, by the client alone. */
window.titles = async (query, options) => {
  const index = await open("findling/", options);
  const { results } = await index.search(query);
  index.close();
  return results.map(({ title }) => title);
};
/** What a bundle that is not there is told by. */
window.failure = () => open("nowhere/").catch(({ code, advice }) => ({ code, advice }));
