/**
 * The lines of several caches, each of which forgets the line that was used the longest time ago. In typed arrays: a
 * launch looks hundreds of thousands of lines up.
 */
const NONE = -1;
/** Of a state, beside the bits of the sectors: the line is in the cache. */
const IS_THERE = 16;
const SECTORS = 15;

export class RecentLines {
  readonly #capacities: readonly number[];
  /** By hash: the number of an entry, or NONE. Entries stay when their lines are forgotten. */
  readonly #table: Int32Array;
  readonly #lines: Uint32Array;
  readonly #caches: Uint16Array;
  readonly #states: Uint8Array;
  /** A ring for each cache, from the newest to the oldest; the entries after `most` are where they begin and end. */
  readonly #newer: Int32Array;
  readonly #older: Int32Array;
  readonly #sizes: Int32Array;
  readonly #ends: number;
  #entries = 0;

  /**
   * @param capacities in lines, of each cache; at least one line
   * @param most how often lines are used, at most
   */
  constructor(capacities: readonly number[], most: number) {
    this.#capacities = capacities.map((lines) => Math.max(1, Math.round(lines)));
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2))).fill(NONE);
    this.#lines = new Uint32Array(most);
    this.#caches = new Uint16Array(most);
    this.#states = new Uint8Array(most);
    this.#newer = new Int32Array(most + capacities.length);
    this.#older = new Int32Array(most + capacities.length);
    this.#sizes = new Int32Array(capacities.length);
    this.#ends = most;
    for (let end = most; end < most + capacities.length; end++) this.#newer[end] = this.#older[end] = end;
  }

  /** Makes the line the cache's latest. @returns the sectors that it had before, or -1 where the line was not there */
  use(cache: number, line: number, sectors: number): number {
    const entry = this.#entryOf(cache, line);
    const was = this.#states[entry] as number;
    this.#states[entry] = was | sectors | IS_THERE;
    if (was === 0) {
      this.#sizes[cache] = (this.#sizes[cache] as number) + 1;
      if ((this.#sizes[cache] as number) > (this.#capacities[cache] as number)) this.#forgetOldest(cache);
    } else this.#unlink(entry);
    this.#linkAsNewest(cache, entry);
    return was === 0 ? NONE : was & SECTORS;
  }

  #entryOf(cache: number, line: number): number {
    const mask = this.#table.length - 1;
    const mixed = Math.imul(line ^ Math.imul(cache + 1, 0x9e3779b1), 0x85ebca6b);
    for (let place = (mixed ^ (mixed >>> 15)) & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place] as number;
      if (entry === NONE) {
        this.#table[place] = this.#entries;
        this.#lines[this.#entries] = line;
        this.#caches[this.#entries] = cache;
        return this.#entries++;
      }
      if (this.#lines[entry] === line && this.#caches[entry] === cache) return entry;
    }
  }

  #forgetOldest(cache: number): void {
    const oldest = this.#newer[this.#ends + cache] as number;
    this.#unlink(oldest);
    this.#states[oldest] = 0;
    this.#sizes[cache] = (this.#sizes[cache] as number) - 1;
  }

  #unlink(entry: number): void {
    const [newer, older] = [this.#newer[entry] as number, this.#older[entry] as number];
    this.#older[newer] = older;
    this.#newer[older] = newer;
  }

  #linkAsNewest(cache: number, entry: number): void {
    const end = this.#ends + cache;
    const newest = this.#older[end] as number;
    this.#newer[newest] = entry;
    this.#older[entry] = newest;
    this.#newer[entry] = end;
    this.#older[end] = entry;
  }
}
