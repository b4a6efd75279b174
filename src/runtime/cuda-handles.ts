/** Handles that the program holds for objects of ours (streams, events, graphs): numbers that look like pointers and are never reused. */
export class HandleTable<T> {
  readonly #objects: Map<number, T> = new Map();
  readonly #step: number;
  #next: number;

  constructor(first: number, step: number) {
    this.#next = first;
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
