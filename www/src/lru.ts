/**
 * A cache of the most recently used values, by name. A full cache drops the least recently used.
 */
export class LruCache<V> {
  readonly #values = new Map<string, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(name: string): V | undefined {
    const value = this.#values.get(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  set(name: string, value: V): void {
    // A map keeps the order of insertion, so the first name is the least recently used.
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size > this.#capacity) this.#values.delete(this.#values.keys().next().value!);
  }

  /** Removes `value`, unless another value has replaced it. */
  delete(name: string, value: V): void {
    if (this.#values.get(name) === value) this.#values.delete(name);
  }
}
