/** A loop whose loads have become copies that begin some iterations before (pipeline-copies.ts). */
import { bug } from "../../../base/diagnostics.ts";
import { I1, I32 } from "../../../ir/model/types.ts";
import { BlockBuilder, newRegion } from "../blocks/build.ts";
import { cloneOp, renamed, type Renaming } from "../blocks/clone.ts";
import type { BlockOp, BlockValue, ForOp, LoadOp, Region, Ring } from "../blocks/model.ts";
import { blockType } from "../blocks/types.ts";
import { ringBytes } from "./ring-layout.ts";
import { copyOps, isNegative, masked, needed, usedParams } from "./early-operations.ts";

const newSlot = (): BlockValue => ({ type: blockType(I32, []), name: "", op: null });
const CONDITION = blockType(I1, []);
const like = ({ type, name }: BlockValue): BlockValue => ({ type, name, op: null });

/** A program with more shared memory is alone on its multiprocessor: an H100's has 228 KB. */
const MOST_SHARED_BYTES = 114 * 1024;

export class PipelinedLoop {
  readonly #loop: ForOp;
  readonly #rings: ReadonlyMap<LoadOp, Ring>;
  readonly #stages: number;
  readonly #isPrivate: boolean;
  readonly #counter: BlockValue;
  /** What the loop carries, and what of it the copies need. */
  readonly #carried: readonly BlockValue[];
  readonly #used: readonly BlockValue[];
  readonly #ofLoads: readonly BlockOp[];
  readonly #ofNext: readonly BlockOp[];

  constructor(loop: ForOp, rings: ReadonlyMap<LoadOp, Ring>, stages: number, isPrivate: boolean) {
    this.#loop = loop;
    this.#rings = rings;
    this.#stages = stages;
    this.#isPrivate = isPrivate;
    const { body } = loop;
    const [counter, ...carried] = body.params as [BlockValue, ...BlockValue[]];
    this.#counter = counter;
    this.#carried = carried;
    const addresses = [...rings.keys()].flatMap(({ pointer, mask }) => (mask === null ? [pointer] : [pointer, mask]));
    this.#ofLoads = needed(body, addresses) ?? bug("loads that cannot be early");
    this.#used = ahead(body, addresses, this.#ofLoads, carried);
    this.#ofNext = needed(body, this.#nextValues()) ?? bug("addresses that cannot be early");
  }

  /** What stands in the place of the loop. Its results are those of the loop. */
  rewrite(): BlockOp[] {
    const loop = this.#loop;
    const b = new BlockBuilder(newRegion());
    b.location = loop.location;
    let names: Renaming = new Map([
      [this.#counter, loop.lower],
      ...this.#carried.map((param, i) => [param, loop.initial[i] as BlockValue] as const),
    ]);
    for (let s = 0; s < this.#stages - 1; s++) {
      this.#begin(b, names, b.number(I32, s));
      names = this.#advance(b, names);
    }
    const started = [this.#counter, ...this.#used].map((value) => renamed(names, value));
    const slots = [b.number(I32, 0), b.number(I32, this.#isPrivate ? 0 : this.#stages - 1)];
    b.location = loop.location;
    const made = b.append({ ...loop, initial: [...loop.initial, ...started, ...slots], body: this.#body() }, [
      ...loop.results.map(({ type }) => type),
      ...started.map(({ type }) => type),
      ...slots.map(({ type }) => type),
    ]);
    const op = made[0]?.op ?? bug("a loop without results");
    op.results = made.map((value, i) => {
      const old = loop.results[i];
      return old === undefined ? value : Object.assign(old, { op });
    });
    b.append({ op: "await-copies", pending: 0, isPrivate: true }, []);
    return b.region.ops;
  }

  #nextValues(): readonly BlockValue[] {
    return this.#used.map((param) => this.#loop.body.yields[this.#carried.indexOf(param)] as BlockValue);
  }

  /** Copies of an iteration, whose counter and carried values `names` has. */
  #begin(b: BlockBuilder, names: Renaming, slot: BlockValue): void {
    const { step, upper, location } = this.#loop;
    b.location = location;
    const operands = [renamed(names, this.#counter), upper] as const;
    const runs = b.one({ op: "icmp", predicate: isNegative(step) ? "sgt" : "slt", operands }, CONDITION);
    copyOps(b, this.#ofLoads, names, runs);
    for (const [load, ring] of this.#rings) {
      const mask = masked(b, load, names, runs);
      const staysInCache = load.cache === "ca";
      b.append({ op: "copy", ring, slot, pointer: renamed(names, load.pointer), mask, staysInCache }, []);
    }
    b.append({ op: "commit-copies" }, []);
  }

  /** What the iteration after has. */
  #advance(b: BlockBuilder, names: Renaming): Renaming {
    const own: Renaming = new Map(names);
    copyOps(b, this.#ofNext, own, b.number(I1, 1));
    b.location = this.#loop.location;
    const later = b.binary("add", renamed(names, this.#counter), this.#loop.step);
    const next = this.#nextValues();
    return new Map([
      [this.#counter, later],
      ...this.#used.map((param, i) => [param, renamed(own, next[i] as BlockValue)] as const),
    ]);
  }

  #body(): Region {
    const { body, location } = this.#loop;
    const b = new BlockBuilder(newRegion());
    const values = [this.#counter, ...this.#used];
    const early = values.map(like);
    const [read, write] = [newSlot(), newSlot()];
    b.location = location;
    b.append({ op: "await-copies", pending: this.#stages - 2, isPrivate: this.#isPrivate && !this.#isAlone() }, []);
    const next: Renaming = new Map(values.map((value, i) => [value, early[i] as BlockValue]));
    if (!this.#isPrivate) this.#begin(b, next, write);
    const params = body.params.map(like);
    const now: Renaming = new Map(body.params.map((param, i) => [param, params[i] as BlockValue]));
    let unread = this.#rings.size;
    for (const op of body.ops) {
      const ring = this.#rings.get(op as LoadOp);
      if (ring === undefined) {
        cloneOp(b, op, now);
        continue;
      }
      now.set(op.results[0] as BlockValue, stagedLoad(b, op as LoadOp, ring, read, now));
      unread--;
      // A thread that has read its own part of all tiles may copy to their slot.
      if (unread === 0 && this.#isPrivate) this.#begin(b, next, write);
    }
    b.location = location;
    const later = this.#advance(b, next);
    const after = [read, write].map((slot) => this.#nextSlot(b, slot));
    return {
      params: [...params, ...early, read, write],
      ops: b.region.ops,
      yields: [
        ...body.yields.map((value) => renamed(now, value)),
        ...values.map((value) => renamed(later, value)),
        ...after,
      ],
    };
  }

  /**
   * No other program has work meanwhile, and warps that drift apart mix reads of one row with writes of another: on an
   * H200 a barrier makes softmax of rows of 12,544 elements 2 % faster. Where there are several programs it costs 1 %.
   */
  #isAlone(): boolean {
    return [...this.#rings.values()].reduce((sum, ring) => sum + ringBytes(ring), 0) > MOST_SHARED_BYTES;
  }

  #nextSlot(b: BlockBuilder, slot: BlockValue): BlockValue {
    const one = b.binary("add", slot, b.number(I32, 1));
    const isLast = b.icmp("eq", one, b.number(I32, this.#isPrivate ? this.#stages - 1 : this.#stages));
    return b.select(isLast, b.number(I32, 0), one);
  }
}

/** Elements outside of the mask are what the load says, where that is not zero. */
function stagedLoad(b: BlockBuilder, load: LoadOp, ring: Ring, slot: BlockValue, names: Renaming): BlockValue {
  b.location = load.location;
  const value = b.one({ op: "staged", ring, slot }, ring.type);
  if (load.mask === null || load.other === null || isZero(load.other)) return value;
  return b.select(renamed(names, load.mask), value, renamed(names, load.other));
}

/** The carried values that operations need, and that those need in the next iteration. */
export function ahead(
  body: Region,
  values: readonly BlockValue[],
  ops: readonly BlockOp[],
  carried: readonly BlockValue[],
): readonly BlockValue[] {
  let used = carried.filter((param) => values.includes(param) || usedParams(ops, [param]).length > 0);
  for (;;) {
    const next = needed(
      body,
      used.map((param) => body.yields[carried.indexOf(param)] as BlockValue),
    );
    const direct = used.map((param) => body.yields[carried.indexOf(param)] as BlockValue);
    const all = carried.filter(
      (param) => used.includes(param) || direct.includes(param) || usedParams(next ?? [], [param]).length > 0,
    );
    if (all.length === used.length) return all;
    used = all;
  }
}

export function isZero(value: BlockValue | null): boolean {
  if (value === null) return true;
  const { op } = value;
  if (op?.op === "splat" || op?.op === "broadcast" || op?.op === "expand") return isZero(op.source);
  if (op?.op !== "constant") return false;
  return (
    (op.value.kind === "const-int" && op.value.value === 0n) ||
    (op.value.kind === "const-float" && op.value.bits === 0n)
  );
}
