/** The language of the application: the first of the reader's languages that has texts. */

import { fill, LABELS } from "../ui/labels";
import { type Locale, loadLocale, localeFor } from "../ui/locale";
import { PAGE_LABELS } from "../ui/page-labels";
import { APP_TEXTS, type AppTexts } from "./texts";

/** The command that serves these pages. */
export const COMMAND = "findling serve";

/** Languages of `locales/` that are written from right to left. */
const RIGHT_TO_LEFT = ["ar", "fa", "he"];

type Texts = Locale & AppTexts;

let chosen: Texts = { ...LABELS, ...PAGE_LABELS, ...APP_TEXTS };

/** All texts, in the language that was chosen. */
export const texts = (): Texts => chosen;

/** A text of the application with its values. */
export const say = (name: keyof AppTexts, values: Record<string, string>): string =>
  fill(chosen[name], values);

/** Chooses the language, before anything is shown, and records it where elements look for it. */
export async function chooseLanguage(wanted: readonly string[] = navigator.languages) {
  const tag = wanted.find((tag) => localeFor(tag) !== undefined || /^en\b/i.test(tag)) ?? "en";
  const name = localeFor(tag);
  if (name === undefined) return;
  // A file that is missing leaves the texts in English.
  chosen = { ...chosen, ...(await loadLocale(name)) };
  document.documentElement.lang = chosen.language;
  if (RIGHT_TO_LEFT.includes(chosen.language)) document.documentElement.dir = "rtl";
}
