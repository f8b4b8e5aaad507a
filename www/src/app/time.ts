/** Numbers, sizes and times for people. */

const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long ago a time is, such as `3 hours ago`. */
export function ago(time: Date, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return "just now";
}

/** A day and a time. */
export const dateTime = (time: Date): string =>
  time.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

/** `1,234 pages`, `1 page`. */
export const count = (n: number, plural: string): string =>
  `${n.toLocaleString("en")} ${n === 1 ? plural.replace(/s$/, "") : plural}`;

/** `34.5 kB`, in decimal units. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const [size, unit] = n < 1e6 ? [n / 1e3, "kB"] : n < 1e9 ? [n / 1e6, "MB"] : [n / 1e9, "GB"];
  return `${size.toFixed(1)} ${unit}`;
}
