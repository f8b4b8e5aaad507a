/** The first page: a search box and the collections. */

import type { FindlingError } from "../errors";
import { h } from "../ui/dom";
import type { Cards, Jobs } from "./answers";
import { ask } from "./api";
import { CardView } from "./card-view";
import { say, texts } from "./language";

/** Milliseconds between two requests for the state of syncs. */
const POLL = 700;

export class Home {
  readonly element: HTMLElement;
  readonly #cards = new Map<string, CardView>();
  readonly #list = h("ul", { class: "cards" });
  readonly #all = h("button", { type: "button", class: "button" }, texts().syncAll);
  readonly #status = h("p", { class: "sr", role: "status" });
  #polling = false;

  constructor() {
    const search = h("collections-search", {
      inline: true,
      results: "/search",
      facets: "collection",
      limit: 6,
      assistants: "none",
    });
    this.#all.addEventListener("click", () => {
      for (const card of this.#cards.values()) if (card.canSync) void this.#sync(card.name);
    });
    this.#all.hidden = true;
    this.element = h(
      "div",
      { class: "home" },
      h("h1", {}, texts().searchAll),
      search,
      h("div", { class: "row" }, h("h2", {}, texts().collections), this.#all),
      this.#list,
      this.#status,
    );
    void this.#load();
  }

  async #load(): Promise<void> {
    let cards: Cards;
    try {
      cards = await ask<Cards>("collections", {});
    } catch (thrown) {
      const { advice } = thrown as FindlingError;
      this.#list.replaceChildren(h("li", { class: "error", dir: "auto" }, advice));
      return;
    }
    const { collections, registry, jobs } = cards;
    if (collections.length === 0) this.#list.replaceWith(emptyState(registry));
    for (const card of collections) {
      const known = this.#cards.get(card.name);
      if (known) known.show(card);
      else {
        const view = new CardView(card, (name) => void this.#sync(name));
        this.#cards.set(card.name, view);
        this.#list.append(view.element);
      }
    }
    this.#all.hidden = ![...this.#cards.values()].some((card) => card.canSync);
    this.#follow(jobs);
    // Comparing with the sources looks at every file, so one collection comes after the other.
    for (const card of this.#cards.values()) await card.compare();
  }

  async #sync(name: string): Promise<void> {
    try {
      this.#follow(await ask<Jobs>("sync", { collection: name }));
      this.#say(`${name}: ${texts().syncing}`);
    } catch (thrown) {
      this.#say((thrown as Error).message);
    }
  }

  /** Shows the state of syncs, and asks again while one runs. */
  #follow(jobs: Jobs): void {
    let ended = false;
    for (const [name, job] of Object.entries(jobs)) {
      const card = this.#cards.get(name);
      if (!card) continue;
      if (card.setJob(job)) {
        ended = true;
        this.#say(`${name}: ${card.outcome}`);
      }
    }
    if (ended) void this.#load();
    const runs = Object.values(jobs).some(({ status }) => status === "running");
    if (!runs || this.#polling) return;
    this.#polling = true;
    setTimeout(() => {
      this.#polling = false;
      ask<Jobs>("jobs", {}).then(
        (jobs) => this.#follow(jobs),
        (error: Error) => this.#say(error.message),
      );
    }, POLL);
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}

/** Returns advice on the first steps, if there is no collection yet. */
function emptyState(registry: string): HTMLElement {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, texts().noCollections),
    h("pre", {}, h("code", {}, "findling collection add notes ~/notes")),
    h("p", { class: "muted" }, say("listedIn", { file: registry })),
  );
}
