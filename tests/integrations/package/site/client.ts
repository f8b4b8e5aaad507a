// Use of the package's types in an application.

import { type FindlingIndex, FindlingError, open, type SearchResponse } from "findling";
import { openAll } from "findling/several";
import type { FindlingSearch } from "findling/ui";
import type { FindlingResults } from "findling/results";
import type { FindlingRelated } from "findling/related";
import { highlight } from "findling/highlight";
import { readLog } from "findling/log";
import { createHandler, directory } from "findling/server";

export async function search(query: string): Promise<SearchResponse> {
  const index: FindlingIndex = await open("/findling/", { encoder: "static" });
  // @ts-expect-error: a limit is a number.
  await index.search(query, { limit: "5" });
  return index.search(query, { limit: 5, filter: { kind: "page" } });
}
export const isMissing = (error: unknown) =>
  error instanceof FindlingError && error.code === "not-found";
export const titles = async (query: string) =>
  (await (await openAll(["/a/", "/b/"])).search(query)).results.map(({ title }) => title.at(0));
export const elements: [FindlingSearch?, FindlingResults?, FindlingRelated?] = [];
export const entries: string[] = readLog().map(({ query }) => query);
export const handler = createHandler();
export const assets = directory("public");
export const found: boolean = highlight("text");
document.querySelector("findling-search")?.show("kiln");
document.addEventListener("findling-search", ({ detail }) => detail.total.pages.toFixed());
