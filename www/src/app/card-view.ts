/** A collection as a card: its contents, whether it is up to date, and its sync. */

import { h } from "../ui/dom";
import { plural } from "../ui/labels";
import { type Card, type Freshness, type Job, messageOf } from "./answers";
import { ask } from "./api";
import { COLLECTION } from "./collections-index";
import { say, texts } from "./language";
import { ago, bytes, dateTime, namesOf, number } from "./time";

/** The state of a collection compared with its sources, as a class and as words. */
type Badge = ["fresh" | "stale" | "failed" | "busy" | "unknown", string];

export class CardView {
  readonly element = h("li", { class: "card" });
  readonly name: string;
  readonly #badge = h("span", { class: "badge" });
  readonly #facts = h("dl", { class: "facts" });
  readonly #sources = h("p", { class: "sources", dir: "ltr" });
  readonly #errors = h("ul", { class: "errors", hidden: true });
  readonly #button = h("button", { type: "button", class: "button" }, texts().sync);
  readonly #bar = h("progress", { hidden: true });
  readonly #step = h("p", { class: "step", hidden: true });
  #card: Card;
  #job: Job | undefined;

  constructor(card: Card, sync: (name: string) => void) {
    this.#card = card;
    this.name = card.name;
    const address = `/search?${new URLSearchParams({ [`f.${COLLECTION}`]: card.name })}`;
    const link = h("a", { href: address }, card.name);
    for (const part of [this.#button, this.#bar])
      part.setAttribute("aria-label", `${texts().sync} ${card.name}`);
    this.#button.addEventListener("click", () => sync(card.name));
    this.element.append(
      h("div", { class: "row" }, h("h3", {}, link), this.#badge),
      this.#facts,
      this.#sources,
      this.#errors,
      h("div", { class: "sync" }, this.#button, this.#bar, this.#step),
    );
    this.show(card);
  }

  /** Whether there are sources to compare with. */
  get canSync(): boolean {
    return this.#card.settings.paths.length > 0;
  }

  /** The outcome of the last sync. */
  get outcome(): string {
    const { status, report, error } = this.#job ?? {};
    if (status === "failed") return `${texts().syncFailed}: ${error ? messageOf(error) : ""}`;
    if (!report || report.status === "unchanged") return texts().upToDate;
    const { new: added, changed, deleted } = report;
    const counts = Object.entries({ added, changed, deleted });
    return say("synced", Object.fromEntries(counts.map(([what, n]) => [what, number(n)])));
  }

  show(card: Card): void {
    this.#card = card;
    const { pages = 0, sections = 0, files, bundleBytes, languages, synced } = card;
    const facts: [string, string | HTMLElement][] = [
      [texts().pageCount, number(pages)],
      [texts().sectionCount, number(sections)],
    ];
    if (files !== undefined) facts.push([texts().fileCount, number(files)]);
    if (bundleBytes !== undefined) facts.push([texts().size, bytes(bundleBytes)]);
    if (synced !== undefined) {
      const time = new Date(synced);
      const shown = h("time", { datetime: synced, title: dateTime(time) }, ago(time));
      facts.push([texts().lastSync, shown]);
    }
    if (languages.length > 0) facts.push([texts().languages, namesOf(languages)]);
    facts.push([texts().search, card.hasMeaning ? texts().byBoth : texts().byWords]);
    this.#facts.replaceChildren(
      ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
    this.#sources.textContent = card.sources.join(", ") || texts().imported;
    this.#button.hidden = !this.canSync;
    this.#setBadge(this.#ownBadge() ?? ["busy", texts().comparing]);
    this.#showErrors();
  }

  /** Compares the collection with its sources. */
  async compare(): Promise<void> {
    if (this.#ownBadge()) return;
    try {
      const freshness = await ask<Freshness | null>("freshness", { collection: this.name });
      if (this.#ownBadge()) return;
      if (!freshness) this.#setBadge(["unknown", texts().imported]);
      else if (!freshness.stale) this.#setBadge(["fresh", texts().upToDate]);
      else this.#setBadge(["stale", say("changedFiles", { n: number(freshness.changedFiles) })]);
    } catch (thrown) {
      this.#setBadge(["failed", texts().sourcesMissing]);
      this.#showErrors((thrown as Error).message);
    }
  }

  /** Shows the state of the sync; returns whether it has just ended. */
  setJob(job: Job): boolean {
    const ran = this.#job?.status === "running";
    this.#job = job;
    const runs = job.status === "running";
    const { verb, message, done, total, unit } = job.step;
    this.#button.disabled = runs;
    this.#bar.hidden = !runs;
    this.#step.hidden = !runs;
    if (total === null) {
      this.#bar.removeAttribute("value");
      this.#step.textContent = verb === "" ? texts().comparing : `${verb}: ${message}`;
    } else {
      this.#bar.max = total;
      this.#bar.value = done;
      this.#step.textContent = `${verb}: ${number(done)} / ${number(total)} ${unit}`;
    }
    if (runs) this.#setBadge(["busy", texts().syncing]);
    else if (ran) this.#setBadge(this.#ownBadge() ?? ["busy", texts().comparing]);
    this.#showErrors();
    return ran && !runs;
  }

  /** The state that is known without comparing the sources. */
  #ownBadge(): Badge | undefined {
    if (this.#job?.status === "running") return ["busy", texts().syncing];
    if (this.#card.isSyncing) return ["busy", texts().syncing];
    if (this.#job?.status === "failed") return ["failed", texts().syncFailed];
    if (!this.#card.isBuilt) return ["stale", texts().notBuilt];
    if (this.#card.error) return ["failed", texts().notSearchable];
    return undefined;
  }

  #setBadge([kind, text]: Badge): void {
    this.#badge.className = `badge ${kind}`;
    this.#badge.textContent = text;
  }

  #showErrors(...more: string[]): void {
    const { error, unreadable = 0, isBuilt } = this.#card;
    const errors = [...more];
    // A collection that is not built yet is not an error; its badge shows this.
    if (error && isBuilt) errors.push(messageOf(error));
    if (this.#job?.error) errors.push(messageOf(this.#job.error));
    if (unreadable > 0) errors.push(say("unreadable", { n: number(unreadable) }));
    if (this.#job) {
      const { warnings, moreWarnings } = this.#job.step;
      errors.push(...warnings);
      if (moreWarnings > 0) errors.push(plural(texts(), texts().moreValues, moreWarnings));
    }
    this.#errors.replaceChildren(...errors.map((text) => h("li", { dir: "auto" }, text)));
    this.#errors.hidden = errors.length === 0;
  }
}
