/** A replacement of `ui/locale.ts`: the texts in this file. */

import type { Locale } from "../ui/locale";

export { localeFor } from "../ui/locale";

/** The texts of the site's languages, by the name of their file. */
declare const FINDLING_LOCALES: Record<string, Locale> | undefined;

/** The texts of a language. If the file has none, English is used. */
export async function loadLocale(name: string): Promise<Partial<Locale>> {
  return (typeof FINDLING_LOCALES === "object" && FINDLING_LOCALES[name]) || {};
}
