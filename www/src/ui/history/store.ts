/** Storage in the browser for searches and opened pages. Nothing of it is sent anywhere. */

export interface Opened {
  href: string;
  title: string;
}

export interface Records {
  /** Queries that led to a page, the latest first. */
  searches: string[];
  /** Pages opened from results, the latest first. */
  opened: Opened[];
  /** Pages that the reader keeps. */
  favourites: Opened[];
}

/** The number of each that is kept. */
const MOST = { searches: 6, opened: 6, favourites: 30 };

export class Store {
  readonly #key: string;

  /** Sites below other paths of the same origin have other keys. */
  constructor(key: string) {
    this.#key = key;
  }

  /** The records; empty if storage is blocked or its contents are not records. */
  read(): Records {
    try {
      const { searches, opened, favourites } = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      return {
        searches: strings(searches),
        opened: pages(opened),
        favourites: pages(favourites),
      };
    } catch {
      return { searches: [], opened: [], favourites: [] };
    }
  }

  write(records: Records): void {
    const { searches, opened, favourites } = records;
    try {
      localStorage.setItem(
        this.#key,
        JSON.stringify({
          searches: searches.slice(0, MOST.searches),
          opened: opened.slice(0, MOST.opened),
          favourites: favourites.slice(0, MOST.favourites),
        }),
      );
    } catch {
      // Without storage there is no history.
    }
  }
}

const strings = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];

/** Other scripts of the origin may write here too, so an address must be a web address. */
const pages = (list: unknown): Opened[] =>
  Array.isArray(list)
    ? list.filter(
        (page) =>
          typeof page?.title === "string" &&
          typeof page.href === "string" &&
          /^https?:/.test(page.href),
      )
    : [];
