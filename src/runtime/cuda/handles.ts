import { unsigned } from "../../base/unsigned.ts";
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
    return this.#objects.get(unsigned(handle));
  }

  /** Whether the handle stands for an object, or did before the object was deleted. */
  wasMade(handle: number): boolean {
    const number = unsigned(handle);
    return number >= this.#first && number < this.#next && (number - this.#first) % this.#step === 0;
  }

  delete(handle: number): boolean {
    return this.#objects.delete(unsigned(handle));
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  entries(): IterableIterator<[number, T]> {
    return this.#objects.entries();
  }

  clear(): void {
    this.#objects.clear();
  }
}
