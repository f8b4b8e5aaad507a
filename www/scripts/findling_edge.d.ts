/* The endpoint's engine without its own module: that of browsers, with the types of `Together`. */
import type { Engine, Search } from "../engine/findling_engine";

export {
  default,
  Engine,
  initSync,
  manifestOf,
  Search,
  singleFileHead,
} from "../engine/findling_engine";

export class Together {
  constructor();
  free(): void;
  add(engine: Engine): void;
  begin(relaxes: boolean): void;
  step(engine: Engine, search: Search): string;
  terms(engine: Engine, search: Search): string;
  list(): void;
  count(engine: Engine): string;
  arrange(): void;
  misspellings(engine: Engine, search: Search): string;
  correct(): string;
  bests(engine: Engine, search: Search): string;
  compare(): void;
}
