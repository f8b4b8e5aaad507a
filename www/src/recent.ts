/**
 * The values asked for last, by name: a new one pushes out the one that nobody has asked for
 * longest.
 */
export class Recent<V> {
  readonly #kept = new Map<string, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): V | undefined {
    const value = this.#kept.get(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  set(name: string, value: V): void {
    // A map remembers the order of insertion.
    this.#kept.delete(name);
    this.#kept.set(name, value);
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!);
  }

  /** Forgets `value`, unless another has taken its place. */
  forget(name: string, value: V): void {
    if (this.#kept.get(name) === value) this.#kept.delete(name);
  }
}
