/**
 * Handles that the program holds for objects of ours (streams, events, graphs): numbers that look like pointers and are
 * never reused.
 */
export class HandleTable<T> {
  readonly #objects: Map<number, T> = new Map();
  readonly #first: number;
  readonly #step: number;
  #next: number;

  constructor(first: number, step: number) {
    this.#first = this.#next = first;
    this.#step = step;
  }

  add(object: T): number {
    const handle = this.#next;
    this.#next += this.#step;
    this.#objects.set(handle, object);
    return handle;
  }

  get(handle: number): T | undefined {
    return this.#objects.get(handle >>> 0);
  }

  /** Whether the handle stands for an object, or did before the object was deleted. */
  wasMade(handle: number): boolean {
    const number = handle >>> 0;
    return number >= this.#first && number < this.#next && (number - this.#first) % this.#step === 0;
  }

  delete(handle: number): boolean {
    return this.#objects.delete(handle >>> 0);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  clear(): void {
    this.#objects.clear();
  }
}
