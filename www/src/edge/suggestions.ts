/** Pages as suggestions while somebody types. */

import type { Response } from "../engine-types";

/** The type of suggestions for the address bar of a browser. */
export const OPENSEARCH = "application/x-suggestions+json";

/** Titles of pages with their addresses, in one of two forms. */
export function suggestionsIn(json: string, format: "json" | "opensearch"): string {
  const { query, results } = JSON.parse(json) as Response;
  const suggestions = results.map(({ title, url, sections }) => ({
    text: title,
    detail: sections[0]?.headingPath.at(-1) ?? "",
    url: sections[0]?.url ?? url,
  }));
  return JSON.stringify(
    format === "json"
      ? { query, suggestions }
      : [
          query,
          suggestions.map(({ text }) => text),
          suggestions.map(({ detail }) => detail),
          suggestions.map(({ url }) => url),
        ],
  );
}
