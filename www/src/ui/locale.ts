/** The texts of other languages: their list, and the loading of one of them. */

import { scriptDirectory } from "../script-address";
import type { Labels } from "./labels";
import { LOCALE_FILES } from "./locale-files";
import type { PageLabels } from "./page-labels";

/** All texts in one language: a file of `locales/`. */
export type Locale = Labels & PageLabels;

/** The names of the files by language. */
const FILES = new Map(
  Object.entries(LOCALE_FILES).flatMap(([file, languages]) =>
    languages.split(" ").map((language): [string, string] => [language, file]),
  ),
);

/** Languages that use the texts of another. */
const ALIKE: Record<string, string> = { no: "nb", nn: "nb" };

/** The texts for a language (BCP 47); `undefined` for English and for languages without any. */
export function localeFor(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return [`${language}-${script}`, ALIKE[language] ?? language].find((known) => FILES.has(known));
  } catch {
    // The page's declaration is not a language.
    return undefined;
  }
}

/** Loads the texts of a language: beside this script, or from the directory of the client. */
export async function loadLocale(name: string, client?: URL): Promise<Partial<Locale>> {
  const directory = scriptDirectory() ?? client;
  const file = new URL(`findling-locale-${FILES.get(name)}.js`, directory).href;
  try {
    const texts = await import(/* @vite-ignore */ /* webpackIgnore: true */ file);
    return (texts as { default: Record<string, Locale> }).default[name] ?? {};
  } catch {
    // A site that was built for other languages has no such file. English is used.
    return {};
  }
}
