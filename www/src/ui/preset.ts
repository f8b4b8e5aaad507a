/** The filter that a site sets: only this version, only this language. */

import type { FindlingIndex } from "../client";
import type { Filter } from "../types";

/** Names of attributes that have the language of a page. */
const LANGUAGE = ["lang", "language", "locale"];

/** A page declares its version by `<meta name="findling:version" content="3">`. */
const META = "findling:";

/** A term `name:value`, which is short for `name=value`. */
const SHORT = /^\s*([^:="{]+):([^:="]+)$/;

/**
 * The filter of the attribute `filter`, if any, joined with the page's declarations: its language
 * and its meta tags, if the bundle has such an attribute with this value. `none` means no filter.
 */
export async function presetFilter(
  index: FindlingIndex,
  attribute: string | null,
  language: HTMLElement | null,
): Promise<Filter | undefined> {
  if (attribute?.trim() === "none") return undefined;
  const given = filterText(attribute ?? "");
  const wanted = new Map<string, string[]>();
  const own = index.info.attributes.filter(({ name }) => !mentions(given, name));
  for (const { name } of own) {
    const meta = document.head.querySelector(`meta[name="${CSS.escape(META + name)}"]`);
    const value = meta?.getAttribute("content");
    if (value) wanted.set(name, [value]);
    else if (LANGUAGE.includes(name) && language?.lang) wanted.set(name, tagsOf(language.lang));
  }
  const must: Filter[] = given === "" ? [] : [given];
  if (wanted.size > 0) {
    const { facets } = await index.search("", { limit: 0, facets: [...wanted.keys()] });
    for (const { name, values } of facets) {
      const known = values.map(([value]) => value);
      const tags = wanted.get(name)!;
      const found = tags.map((tag) => known.filter((other) => spelled(other) === spelled(tag)));
      // A page in Portuguese takes what is in Portuguese of any country.
      const general = `${spelled(tags.at(-1)!)}-`;
      if (LANGUAGE.includes(name))
        found.push(known.filter((other) => spelled(other).startsWith(general)));
      const chosen = found.find(({ length }) => length > 0) ?? [];
      if (chosen.length > 0 && chosen.length < known.length)
        must.push({ should: chosen.map((value) => ({ match: { [name]: value } })) });
    }
  }
  return must.length > 1 ? { must } : must[0];
}

/** A filter as the engine reads it. */
function filterText(text: string): string {
  if (text.trim().startsWith("{")) return text;
  return text
    .split(",")
    .map((term) => term.replace(SHORT, "$1=$2").trim())
    .join(",");
}

/** Whether a filter is about an attribute. */
const mentions = (filter: string, name: string) =>
  filter.split(/[,{}:="\s]+/).some((part) => part === name);

/** A value as it is compared: `pt_BR` is `pt-BR`. */
const spelled = (value: string) => value.toLowerCase().replaceAll("_", "-");

/** A language tag and its shorter forms: `pt-BR`, `pt`. */
function tagsOf(tag: string): string[] {
  const parts = tag.split(/[-_]/);
  return parts.map((_, i) => parts.slice(0, parts.length - i).join("-"));
}
