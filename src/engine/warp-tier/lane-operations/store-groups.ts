/**
 * Stores that wait with the operations before them, so that a slice is loaded, computed and stored before the next one
 * begins. Otherwise all that several stores need would be live for all slices at once, far beyond the registers.
 *
 * This is right where no lane loads what another lane of the warp stores, and no two stores overlap: a warp that moves
 * in lockstep loads for all lanes before any of them stores. Tests before the first slice find out. Where one fails, or
 * some lanes may not store, the slices are stored in the scratch region, and taken from there lane by lane at the end.
 */
import type { IrBlock, IrInstruction, LoadInstruction, StoreInstruction } from "../../../ir/model/ir.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { Places } from "../planning/load-groups.ts";
import { partsOf } from "./element.ts";
import type { GroupRoom } from "./lane-scratch.ts";
import { accessOf, pushIsFull, type Access, type MemoryContext } from "./memory-access.ts";
import { pushSpanTest, rowsOf, stridesOf, type Range } from "./slice-addresses.ts";
import type { SliceLoader } from "./slice-loads.ts";
import { comparisonsOf, orderTests, type Hull, type Place } from "./store-order.ts";
import { pushAreApart } from "./stores.ts";

/** Of all stores of a group, from the lowest byte of each base to the highest. */
const MAX_SPAN = 128 * 1024;
/** Of a group: each store is compared with the others. */
const MAX_STORES = 128;

interface Member {
  readonly store: StoreInstruction;
  readonly access: Access;
  readonly place: Place;
  readonly hull: Hull;
}

/** Where a hull is while its stores are emitted: its own lowest address, and the one that is stored to. */
interface Bases {
  readonly address: Local;
  readonly target: Local;
}

export interface WaitingLoad {
  readonly load: LoadInstruction;
  readonly loader: SliceLoader;
}

export class StoreGroup {
  readonly #places: Places;
  readonly #room: GroupRoom;
  readonly #loads: readonly (WaitingLoad & { readonly place: Place | null })[];
  readonly #context: MemoryContext;
  readonly #members = new Map<IrInstruction, Member>();
  #hulls: readonly Hull[] = [];
  /** Loads of what a lane also stores: they stay in front of the store. */
  readonly #pinned = new Set<IrInstruction>();
  #bases: ReadonlyMap<Hull, Bases> = new Map();
  #isRedirected: Local | null = null;
  /** In the order of their last stores. */
  #quads: ReadonlyMap<IrInstruction, readonly Member[]> = new Map();

  /** @param loads those that wait. No load may join them later. */
  constructor(context: MemoryContext, block: IrBlock, loads: readonly WaitingLoad[], room: GroupRoom) {
    this.#context = context;
    this.#room = room;
    this.#places = new Places(block);
    this.#loads = loads.map((each) => ({ ...each, place: this.#placeOf(context, accessOf(each.load)) }));
  }

  /** A load that may be emitted after stores of the group that follow it. */
  mayMove(load: IrInstruction): boolean {
    return !this.#pinned.has(load);
  }

  /** Takes a store; false, and nothing changed, where it cannot wait. */
  add(context: MemoryContext, store: StoreInstruction): boolean {
    const access = accessOf(store);
    const { bytes, align, element, pointer } = access;
    if (this.#members.size === MAX_STORES) return false;
    if (store.volatile || element === "i1" || (bytes !== 4 && bytes !== 8) || align < bytes) return false;
    const place = this.#placeOf(context, access);
    // Where lanes share a place, a lane that may not store would leave its value in the scratch region.
    if (place === null || new Set(place.offsets).size < place.offsets.length) return false;
    const isProvenInBounds = context.isProvenInBounds(access, "active");
    if (align > bytes && !isProvenInBounds) return false;
    const pinned = this.#loadsThere(place);
    if (pinned === null || [...this.#members.values()].some((other) => overlap(other.place, place) === "other"))
      return false;
    const known = this.#hulls.find((hull) => hull.terms === place.terms && hull.bytes === bytes);
    const distance = known === undefined ? 0 : (place.constant - known.constant) | 0;
    const hull: Hull = {
      ...(known ?? {
        terms: place.terms,
        bytes,
        first: pointer,
        firstLow: lowOf(context, access),
        constant: place.constant,
      }),
      low: Math.min(distance, known?.low ?? 0),
      high: Math.max(distance + place.bytes, known?.high ?? 0),
      isProvenInBounds: isProvenInBounds && (known?.isProvenInBounds ?? true),
      stores: 1 + (known?.stores ?? 0),
    };
    const hulls = [...this.#hulls.filter((each) => each !== known), hull];
    if (distance % bytes !== 0 || hulls.reduce((sum, { low, high }) => sum + high - low, 0) > MAX_SPAN) return false;
    if (comparisonsOf(hulls, this.#loads) === null) return false;
    if (known === undefined) this.#hulls = hulls;
    const own = known ?? hull;
    own.low = hull.low;
    own.high = hull.high;
    own.isProvenInBounds = hull.isProvenInBounds;
    own.stores = hull.stores;
    for (const load of pinned) this.#pinned.add(load);
    this.#members.set(store, { store, access, place, hull: own });
    return true;
  }

  /** Emits the tests. */
  begin(): void {
    const { code, values, scratch } = this.#context;
    this.#quads = this.#findQuads();
    const rooms = this.#room.takeForNow(this.#hulls.map(({ low, high }) => high - low));
    this.#bases = new Map(
      this.#hulls.map((hull) => {
        const bases = { address: code.local("i32"), target: code.local("i32") };
        values.pushScalar(hull.first);
        if (hull.firstLow + hull.low !== 0) code.i32Const(hull.firstLow + hull.low).i32Add();
        code.localTee(bases.address).localSet(bases.target);
        return [hull, bases];
      }),
    );
    const tests = this.#tests();
    if (tests.length === 0) return;
    tests.forEach((push, n) => {
      push();
      if (n > 0) code.i32And();
    });
    this.#isRedirected = code.local("i32");
    code.i32Eqz().localTee(this.#isRedirected).hint("unlikely").if();
    this.#hulls.forEach((hull, n) => {
      code.globalGet(scratch).i32Const(rooms[n]!).i32Add().localSet(this.#bases.get(hull)!.target);
    });
    code.end();
  }

  storeSlice(store: IrInstruction, slice: number): void {
    const member = this.#members.get(store)!;
    const quad = this.#quads.get(store);
    if (quad !== undefined) {
      // The last one stores the others, too.
      if (quad.at(-1) === member) this.#storeQuad(quad, slice);
    } else this.#storeOne(member, slice);
  }

  #storeOne(member: Member, slice: number): void {
    const { code, values } = this.#context;
    const { access, place, hull, store } = member;
    const { target } = this.#bases.get(hull)!;
    const parts = partsOf(access.element);
    const lanes = 4 / parts;
    const at = (lane: number): number => distanceInHull(member) + place.offsets[4 * slice + lane]!;
    const isVector = stridesOf((lane) => place.offsets[lane]!)[slice] === access.bytes;
    for (let p = 0; p < parts; p++) {
      if (isVector) {
        code.localGet(target);
        values.pushVector(store.value, slice, p);
        code.v128Store(at(lanes * p), access.bytes);
        continue;
      }
      const vector = code.local("v128");
      values.pushVector(store.value, slice, p);
      code.localSet(vector);
      for (let lane = 0; lane < lanes; lane++) {
        code.localGet(target).localGet(vector);
        if (parts === 2) code.v128Store64Lane(lane, at(lanes * p + lane));
        else code.v128Store32Lane(lane, at(lane));
      }
      code.free(vector);
    }
  }

  /** Each lane's four neighbouring words are one vector: a matrix of four stores by four lanes, transposed. */
  #storeQuad(quad: readonly Member[], slice: number): void {
    const { code, values } = this.#context;
    const first = quad.reduce((a, b) => (distanceInHull(b) < distanceInHull(a) ? b : a));
    const inOrder = quad.toSorted((a, b) => distanceInHull(a) - distanceInHull(b));
    const words = inOrder.map(({ store }) => {
      const local = code.local("v128");
      values.pushVector(store.value, slice);
      code.localSet(local);
      return local;
    });
    const [a, b, c, d] = words as [Local, Local, Local, Local];
    const { target } = this.#bases.get(first.hull)!;
    const pairs = [code.local("v128"), code.local("v128")] as const;
    for (const half of [0, 1]) {
      [[a, b] as const, [c, d] as const].forEach(([x, y], n) => {
        code.localGet(x).localGet(y);
        if (half === 0) code.i32x4Shuffle(0, 4, 1, 5);
        else code.i32x4Shuffle(2, 6, 3, 7);
        code.localSet(pairs[n]!);
      });
      for (const odd of [0, 1]) {
        code.localGet(target).localGet(pairs[0]).localGet(pairs[1]);
        if (odd === 0) code.i32x4Shuffle(0, 1, 4, 5);
        else code.i32x4Shuffle(2, 3, 6, 7);
        code.v128Store(distanceInHull(first) + first.place.offsets[4 * slice + 2 * half + odd]!, 4);
      }
    }
    code.free(...words, ...pairs);
  }

  /** Stores of four neighbouring words by each lane, where lanes are not neighbours. */
  #findQuads(): Map<IrInstruction, readonly Member[]> {
    const quads = new Map<IrInstruction, readonly Member[]>();
    const members = [...this.#members.values()].filter(({ access }) => access.bytes === 4);
    for (const first of members.toSorted((a, b) => distanceInHull(a) - distanceInHull(b))) {
      if (quads.has(first.store) || stridesOf((lane) => first.place.offsets[lane]!)[0] === 4) continue;
      const quad = members.filter((other) => {
        const distance = distanceInHull(other) - distanceInHull(first);
        return (
          other.hull === first.hull &&
          [0, 4, 8, 12].includes(distance) &&
          !quads.has(other.store) &&
          other.place.offsets.every((offset, lane) => offset === first.place.offsets[lane])
        );
      });
      if (new Set(quad.map(distanceInHull)).size === 4 && quad.length === 4)
        for (const { store } of quad) quads.set(store, quad);
    }
    return quads;
  }

  /** Emits what lanes store one by one. */
  end(): void {
    const { code, mask, helpers } = this.#context;
    const bases = [...this.#bases.values()];
    if (this.#isRedirected !== null) {
      code.localGet(this.#isRedirected).hint("unlikely").if();
      for (const member of this.#members.values()) {
        const { store, access, place, hull } = member;
        const { address, target } = this.#bases.get(hull)!;
        const distance = distanceInHull(member);
        code.localGet(mask).i32Const(this.#context.siteOf(store)).localGet(address).i32Const(distance).i32Add();
        code.localGet(target).i32Const(distance).i32Add();
        code.call(helpers.copyBack(access.bytes, access.align, place.offsets));
      }
      code.end().free(this.#isRedirected);
    }
    code.free(...bases.flatMap(({ address, target }) => [address, target]));
  }

  #placeOf(context: MemoryContext, access: Access): Place | null {
    const rows = rowsOf(context, access);
    const place = this.#places.of(access.pointer);
    if (rows?.length !== 1 || place === null) return null;
    const [row] = rows as [(typeof rows)[0]];
    return {
      terms: place.key,
      constant: (place.constant + row.low) | 0,
      bytes: row.span + access.bytes,
      offsets: row.offsets,
    };
  }

  /** The loads of exactly this place; null where one overlaps with it otherwise. */
  #loadsThere(place: Place): readonly LoadInstruction[] | null {
    const found: LoadInstruction[] = [];
    for (const { load, place: other } of this.#loads) {
      const kind = other === null ? "apart" : overlap(other, place);
      if (kind === "other") return null;
      if (kind === "same") found.push(load);
    }
    return found;
  }

  #tests(): readonly (() => void)[] {
    const context = this.#context;
    const { code } = context;
    const comparisons = comparisonsOf(this.#hulls, this.#loads);
    const ranges = this.#hulls.map((hull): Range => {
      return { base: this.#bases.get(hull)!.address, distance: 0, bytes: hull.high - hull.low };
    });
    const tests: (() => void)[] = [];
    if (comparisons?.kind === "pairs") {
      const rangeOf = (hull: Hull): Range => ranges[this.#hulls.indexOf(hull)]!;
      for (const [hull, other] of comparisons.pairs)
        tests.push(() => pushAreApart(code, "base" in other ? other : rangeOf(other), rangeOf(hull)));
      this.#hulls.forEach((hull, n) => {
        const { base, bytes } = ranges[n]!;
        if (!hull.isProvenInBounds) tests.push(() => pushSpanTest(context, base, hull.bytes, bytes - hull.bytes));
      });
    } else if (comparisons !== null)
      tests.push(...orderTests(context, ranges, this.#hulls[0]!.bytes, comparisons.loads));
    if (!context.isFull) tests.push(() => pushIsFull(context));
    return tests;
  }
}

/** From the hull's lowest byte to the store's. */
function distanceInHull({ place, hull }: Member): number {
  return ((place.constant - hull.constant) | 0) - hull.low;
}

function lowOf(context: MemoryContext, access: Access): number {
  return rowsOf(context, access)![0]!.low;
}

/** How two places lie: "same" if each lane has its own part of it, the same one in both. */
function overlap(a: Place, b: Place): "apart" | "same" | "other" {
  if (a.terms !== b.terms) return "apart";
  const distance = (b.constant - a.constant) | 0;
  if (distance >= a.bytes || -distance >= b.bytes) return "apart";
  // Where lanes share a place, one slice would load what another one has stored.
  const isOwn = new Set(a.offsets).size === a.offsets.length;
  const isEqual = a.bytes === b.bytes && a.offsets.every((offset, lane) => offset === b.offsets[lane]);
  if (isOwn && isEqual && distance === 0) return "same";
  const bytesOf = (place: Place): number => place.bytes - Math.max(...place.offsets);
  const isApart = a.offsets.every((from) =>
    b.offsets.every((to) => distance + to - from >= bytesOf(a) || from - to - distance >= bytesOf(b)),
  );
  return isApart ? "apart" : "other";
}
