/**
 * Disjoint address ranges ordered by their start: a treap (Seidel and Aragon, "Randomized search trees", 1996) in which
 * every node also knows the largest range below it. Gives O(log n) insertion, removal, neighbours, and
 * "the lowest range at or above an address that is large enough".
 *
 * Priorities come from a fixed xorshift sequence, so that a program's addresses are the same in every run.
 */

export interface AddressRange {
  /** First byte. */
  readonly start: number;
  readonly bytes: number;
}

interface RangeNode<T extends AddressRange> {
  readonly range: T;
  readonly priority: number;
  left: RangeNode<T> | null;
  right: RangeNode<T> | null;
  largest: number;
}

export class RangeTree<T extends AddressRange> {
  #root: RangeNode<T> | null = null;
  #size = 0;
  #random = 0x9e3779b9;

  get size(): number {
    return this.#size;
  }

  insert(range: T): void {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    const node: RangeNode<T> = { range, priority: this.#random >>> 0, left: null, right: null, largest: range.bytes };
    const [below, above] = split(this.#root, range.start);
    this.#root = join(join(below, node), above);
    this.#size++;
  }

  /** Removes and returns the range that starts exactly at `start`, or null. */
  remove(start: number): T | null {
    const [below, rest] = split(this.#root, start);
    const [middle, above] = split(rest, start + 1);
    this.#root = join(join(below, middle === null ? null : join(middle.left, middle.right)), above);
    if (middle === null) return null;
    this.#size--;
    return middle.range;
  }

  /** The range with the greatest start at or below `address`. */
  floor(address: number): T | null {
    let best: T | null = null;
    let node = this.#root;
    while (node !== null) {
      if (node.range.start <= address) {
        best = node.range;
        node = node.right;
      } else node = node.left;
    }
    return best;
  }

  /** The range with the least start at or above `address`. */
  ceiling(address: number): T | null {
    let best: T | null = null;
    let node = this.#root;
    while (node !== null) {
      if (node.range.start >= address) {
        best = node.range;
        node = node.left;
      } else node = node.right;
    }
    return best;
  }

  last(): T | null {
    let node = this.#root;
    while (node?.right) node = node.right;
    return node?.range ?? null;
  }

  /** The largest `bytes` of any range, 0 when empty. */
  get largest(): number {
    return this.#root?.largest ?? 0;
  }

  /** The lowest range of at least `bytes` for which `fits` holds. */
  lowest(bytes: number, fits: (range: T) => boolean): T | null {
    return search(this.#root, bytes, fits);
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    const stack: RangeNode<T>[] = [];
    let node = this.#root;
    while (node !== null || stack.length > 0) {
      while (node !== null) {
        stack.push(node);
        node = node.left;
      }
      const next = stack.pop() as RangeNode<T>;
      yield next.range;
      node = next.right;
    }
  }
}

function search<T extends AddressRange>(
  node: RangeNode<T> | null,
  bytes: number,
  fits: (range: T) => boolean,
): T | null {
  if (node === null || node.largest < bytes) return null;
  const found = search(node.left, bytes, fits);
  if (found !== null) return found;
  if (node.range.bytes >= bytes && fits(node.range)) return node.range;
  return search(node.right, bytes, fits);
}

function update<T extends AddressRange>(node: RangeNode<T>): RangeNode<T> {
  node.largest = Math.max(node.range.bytes, node.left?.largest ?? 0, node.right?.largest ?? 0);
  return node;
}

/** Parts a tree into the ranges that start below `start` and the rest. */
function split<T extends AddressRange>(
  node: RangeNode<T> | null,
  start: number,
): [RangeNode<T> | null, RangeNode<T> | null] {
  if (node === null) return [null, null];
  if (node.range.start < start) {
    const [below, above] = split(node.right, start);
    node.right = below;
    return [update(node), above];
  }
  const [below, above] = split(node.left, start);
  node.left = above;
  return [below, update(node)];
}

/** Every range of `below` starts before every range of `above`. */
function join<T extends AddressRange>(below: RangeNode<T> | null, above: RangeNode<T> | null): RangeNode<T> | null {
  if (below === null) return above;
  if (above === null) return below;
  if (below.priority > above.priority) {
    below.right = join(below.right, above);
    return update(below);
  }
  above.left = join(below, above.left);
  return update(above);
}
