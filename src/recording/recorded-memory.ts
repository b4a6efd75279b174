/**
 * The memory of a recorded block: a copy of what the block touches, page by page, taken from the device when it is
 * touched first. The device's own memory stays as it is. Pages that change are noted, so that a snapshot keeps them.
 */
import { DeviceMemory, type AccessKind } from "../engine/interpreter/memory.ts";

/** Variables of neighbouring threads change together; what a kernel writes elsewhere is often scattered. */
const PAGE_SHIFT = 10;
export const PAGE_BYTES: number = 1 << PAGE_SHIFT;

/** Of a page: not copied yet, as it was when the last snapshot was taken, changed since. */
const [ABSENT, CLEAN, CHANGED] = [0, 1, 2];

/** Hears of every access while a step is watched. */
export type AccessListener = (address: number, bytes: number, kind: AccessKind) => void;

/** A page's number and its bytes. */
export interface Page {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export class RecordedMemory extends DeviceMemory {
  readonly #marks: Uint8Array;
  /** Copies a page of the device's memory to where it belongs. */
  readonly #fetch: ((page: number, into: Uint8Array) => void) | null;
  /** Pages in the order in which they were copied, and as they were. */
  readonly #touched: Page[] = [];
  #changed: number[] = [];
  listener: AccessListener | null = null;

  /**
   * @param end one past the last address that the block may use, its own windows included
   * @param fetch null: there are no other pages than those that `restore` brings
   */
  constructor(end: number, fetch: ((page: number, into: Uint8Array) => void) | null) {
    const pages = Math.ceil(end / PAGE_BYTES) + 1;
    super({ buffer: new ArrayBuffer(pages * PAGE_BYTES) }, end);
    this.#marks = new Uint8Array(pages);
    this.#fetch = fetch;
    this.countsChanges = false;
  }

  get touched(): readonly Page[] {
    return this.#touched;
  }

  override check(address: number, bytes: number, align: number, kind: AccessKind): void {
    super.check(address, bytes, align, kind);
    const wanted = kind === "load" ? CLEAN : CHANGED;
    const last = (address + bytes - 1) >>> PAGE_SHIFT;
    for (let page = address >>> PAGE_SHIFT; page <= last; page++)
      if ((this.#marks[page] as number) < wanted) this.#touch(page, wanted);
    if (this.listener !== null) this.listener(address, bytes, kind);
  }

  /** A store of up to 8 bytes, at a multiple of its size, to an address that is legal for sure. */
  noteStore(address: number): void {
    const page = address >>> PAGE_SHIFT;
    if (this.#marks[page] !== CHANGED) this.#touch(page, CHANGED);
  }

  #touch(page: number, wanted: number): void {
    if (this.#marks[page] === ABSENT) {
      const own = this.page(page);
      this.#fetch?.(page, own);
      this.#touched.push({ number: page, bytes: own.slice() });
    }
    if (wanted === CHANGED) this.#changed.push(page);
    this.#marks[page] = wanted;
  }

  page(number: number): Uint8Array {
    return this.bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
  }

  /** The pages that changed since this was called last, as they are now. */
  takeChanged(): Page[] {
    const changed = this.#changed.map((number) => ({ number, bytes: this.page(number).slice() }));
    for (const { number } of changed) this.#marks[number] = CLEAN;
    this.#changed = [];
    return changed;
  }

  /** Puts pages in place. */
  restore(pages: Iterable<Page>): void {
    for (const { number, bytes } of pages) {
      this.bytes.set(bytes, number * PAGE_BYTES);
      if (this.#marks[number] === ABSENT) this.#marks[number] = CLEAN;
    }
  }
}
