/** Numbers, sizes, times and names of languages for people, in the language of the application. */

import { texts } from "./language";

const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

const SIZES = [
  ["gigabyte", 1e9],
  ["megabyte", 1e6],
  ["kilobyte", 1e3],
  ["byte", 1],
] as const;

/** How long ago a time is, such as `3 hours ago`. */
export function ago(time: Date, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(texts().language, { numeric: "auto" });
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return format.format(0, "second");
}

/** A day and a time. */
export const dateTime = (time: Date): string =>
  time.toLocaleString(texts().language, { dateStyle: "medium", timeStyle: "short" });

/** `1,234`. */
export const number = (n: number): string => n.toLocaleString(texts().language);

/** `34.5 kB`, in decimal units. */
export function bytes(n: number): string {
  const [unit, size] = SIZES.find(([, size]) => n >= size) ?? SIZES[3];
  const options = { style: "unit", unit, maximumFractionDigits: 1 } as const;
  return (n / size).toLocaleString(texts().language, options);
}

/** The names of languages (BCP 47). */
export function namesOf(languages: string[]): string {
  const names = new Intl.DisplayNames(texts().language, { type: "language" });
  const name = (tag: string) => {
    try {
      return names.of(tag) ?? tag;
    } catch {
      // The page's declaration is not a language.
      return tag;
    }
  };
  return languages.map(name).join(", ");
}
