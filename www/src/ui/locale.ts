/** The texts of other languages: which there are, and how one is loaded. */

import { scriptDirectory } from "../script-address";
import type { Labels } from "./labels";
import type { PageLabels } from "./page-labels";

/** All texts in one language: a file of `locales/`. */
export type Locale = Labels & PageLabels;

/** The languages besides English that have a file. */
const LOCALES =
  "ar bg bn ca cs da de el es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk " +
  "sl sr sv th tr uk vi zh zh-Hant";

/** Languages that use the texts of another. */
const ALIKE: Record<string, string> = { no: "nb", nn: "nb" };

/** The file for a language (BCP 47); `undefined` for English and for languages that have none. */
export function localeFor(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return [`${language}-${script}`, ALIKE[language] ?? language].find((known) =>
      LOCALES.split(" ").includes(known),
    );
  } catch {
    // The page says something else than a language.
    return undefined;
  }
}

/** Loads the texts of a language: beside this script, or from the directory of the client. */
export async function loadLocale(name: string, client?: URL): Promise<Partial<Locale>> {
  const directory = scriptDirectory() ?? client;
  const file = new URL(`findling-locale-${name}.js`, directory).href;
  try {
    const texts = await import(/* @vite-ignore */ /* webpackIgnore: true */ file);
    return (texts as { default: Locale }).default;
  } catch {
    // A site that was built for other languages has no such file. English serves.
    return {};
  }
}
