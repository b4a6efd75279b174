/**
 * Software pipelining by asynchronous copies (Lam, "Software Pipelining", 1988): the tiles of the next `stages` - 1
 * iterations are on their way to shared memory while an iteration computes.
 *
 *   for … carried p:        copy p → slot 0; commit; p1 = p + step; copy p1 → slot 1; commit; p2 = …
 *     x = load(p)     →     for … carried p2, read, write:
 *     … x …                   await all but the newest; copy p2 → slot write; commit
 *     yield p + step          x = slot read; … x …
 *                             yield p2 + step, read + 1, write + 1   (modulo `stages`)
 *
 * In a loop without a hint the loads are those that tensor cores take, and the loop writes no memory. tl.range with
 * num_stages= says of all loads of its loop that they may be early, as in Triton. Products also take what they need of
 * tiles that were loaded before their loop from shared memory.
 */
import { bug } from "../../../base/diagnostics.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import { I1, I32 } from "../../../ir/model/types.ts";
import { BlockBuilder, newRegion } from "../blocks/build.ts";
import { cloneOp, renamed, type Renaming } from "../blocks/clone.ts";
import type { BlockKernel, BlockOp, BlockValue, DotOp, ForOp, LoadOp, Region, Ring } from "../blocks/model.ts";
import { allOps, operandsOf, regionsOf } from "../blocks/operands.ts";
import { blockType, sizeOfShape } from "../blocks/types.ts";
import type { AxisTable } from "./axis-info.ts";
import { isNegative } from "./control.ts";
import { copyOps, masked, needed, usedParams, writesMemory } from "./early-operations.ts";
import { CHUNK, ringBytes } from "./rings.ts";

export interface Staging {
  readonly axes: AxisTable;
  readonly threads: number;
  /** Of loops that do not say it themselves. */
  readonly stages: number;
  /** Of all loops, at most: more do not fit. */
  readonly maxStages: number;
  readonly usesTensorCores: (op: DotOp) => boolean;
}

const SCALAR = blockType(I32, []);

/** Changes the kernel. Returns the rings with their places in shared memory, and their bytes. */
export function pipelineCopies(kernel: BlockKernel, staging: Staging): StagedRings {
  const pass = new Pass(kernel, staging);
  pass.region(kernel.body, 0, false);
  return { offsets: pass.offsets, bytes: pass.bytes };
}

export interface StagedRings {
  readonly offsets: ReadonlyMap<Ring, number>;
  readonly bytes: number;
}

class Pass {
  readonly offsets = new Map<Ring, number>();
  bytes = 0;
  readonly #staging: Staging;
  readonly #users = new Map<BlockValue, BlockOp[]>();
  /** Something was copied before: who copies next waits for those who read it. */
  #isUsed = false;

  constructor(kernel: BlockKernel, staging: Staging) {
    this.#staging = staging;
    for (const op of allOps(kernel.body))
      for (const value of operandsOf(op)) this.#users.set(value, [...(this.#users.get(value) ?? []), op]);
  }

  /** @param base bytes that are in use around the region */
  region(region: Region, base: number, isRepeated: boolean): void {
    let used = base;
    const b = new BlockBuilder(newRegion());
    for (const op of region.ops) {
      if (op.op === "for") {
        const pipelined = this.#pipelined(op, used, isRepeated);
        if (pipelined === null) {
          this.region(op.body, used, true);
          b.region.ops.push(op);
        } else b.region.ops.push(...pipelined);
        continue;
      }
      if (op.op === "load" && this.#isResident(op, region)) {
        const ring = this.#ring(op, 1, used, false);
        if (ring !== null) {
          used += ringBytes(ring);
          const staged = this.#resident(b, op, ring, isRepeated);
          this.#replace(op, staged);
          continue;
        }
      }
      for (const inner of regionsOf(op)) this.region(inner, used, isRepeated || op.op === "while");
      b.region.ops.push(op);
    }
    region.ops.splice(0, region.ops.length, ...b.region.ops);
  }

  /** Everything that used the load uses the tile in shared memory. */
  #replace(load: LoadOp, staged: BlockValue): void {
    const [from] = load.results as [BlockValue];
    for (const user of this.#users.get(from) ?? []) replaceOperand(user, from, staged);
    this.#users.set(staged, this.#users.get(from) ?? []);
  }

  #ring(load: LoadOp, slots: number, offset: number, isPrivate: boolean): Ring | null {
    const shape = copyShape(load, this.#staging);
    if (shape === null) return null;
    const ring: Ring = { type: (load.results[0] as BlockValue).type, slots, ...shape, isPrivate };
    this.offsets.set(ring, offset);
    this.bytes = Math.max(this.bytes, offset + ringBytes(ring));
    return ring;
  }

  /** All that use the value are products on tensor cores, perhaps of its transpose. */
  #isForProducts(value: BlockValue): boolean {
    const users = this.#users.get(value) ?? [];
    return users.length > 0 && users.every((user) => this.#isProductOrView(user, value));
  }

  #isProductOrView(user: BlockOp, value: BlockValue): boolean {
    if (user.op === "transpose") return this.#isForProducts(user.results[0] as BlockValue);
    return user.op === "dot" && user.operands[2] !== value && this.#staging.usesTensorCores(user);
  }

  /** A tile before loops whose products take it. */
  #isResident(load: LoadOp, region: Region): boolean {
    const value = load.results[0] as BlockValue;
    if (load.isVolatile || !isZero(load.other) || !this.#isForProducts(value)) return false;
    const direct = new Set(region.ops);
    const inLoops = (of: BlockValue): boolean =>
      (this.#users.get(of) ?? []).every((user) =>
        user.op === "transpose" ? inLoops(user.results[0] as BlockValue) : !direct.has(user),
      );
    return inLoops(value);
  }

  #resident(b: BlockBuilder, load: LoadOp, ring: Ring, isRepeated: boolean): BlockValue {
    b.location = load.location;
    if (isRepeated) b.append({ op: "barrier" }, []);
    const slot = b.number(I32, 0);
    b.append({ op: "copy", ring, slot, pointer: load.pointer, mask: load.mask }, []);
    b.append({ op: "commit-copies" }, []);
    b.append({ op: "await-copies", pending: 0, isPrivate: false }, []);
    return b.one({ op: "staged", ring, slot }, ring.type);
  }

  /** Null: nothing of the loop is done early. */
  #pipelined(loop: ForOp, base: number, isRepeated: boolean): BlockOp[] | null {
    const stages = Math.min(loop.stages ?? this.#staging.stages, this.#staging.maxStages);
    const isHinted = (loop.stages ?? 0) > 1;
    if (stages < 2 || (isHinted ? hasAtomics(loop.body) : writesMemory(loop.body))) return null;
    const rings = new Map<LoadOp, Ring>();
    let used = base;
    for (const load of loop.body.ops) {
      if (load.op !== "load" || load.isVolatile || load.results[0]?.type.shape.length === 0) continue;
      const isForProducts = this.#isForProducts(load.results[0] as BlockValue);
      if (!(isForProducts ? isZero(load.other) : isHinted) || !canBeEarly(loop, load)) continue;
      // What threads read themselves is read before the next copy to its slot begins.
      const ring = this.#ring(load, isForProducts ? stages : stages - 1, used, !isForProducts);
      if (ring === null) continue;
      rings.set(load, ring);
      used += ringBytes(ring);
    }
    if (rings.size === 0) return null;
    // One kind in a loop: its slots are counted together.
    const hasProducts = [...rings.values()].some(({ isPrivate }) => !isPrivate);
    if (hasProducts) for (const [load, { isPrivate }] of rings) if (isPrivate) rings.delete(load);
    return this.#rewrite(loop, rings, stages, isRepeated);
  }

  #rewrite(loop: ForOp, rings: ReadonlyMap<LoadOp, Ring>, stages: number, isRepeated: boolean): BlockOp[] {
    const { lower, upper, step, initial, body } = loop;
    const loads = [...rings.keys()];
    const [counter, ...carried] = body.params as [BlockValue, ...BlockValue[]];
    const isPrivate = loads.every((load) => rings.get(load)?.isPrivate === true);
    const predicate = isNegative(step) ? "sgt" : "slt";
    const addresses = loads.flatMap(({ pointer, mask }) => (mask === null ? [pointer] : [pointer, mask]));
    const ofLoads = needed(body, addresses) ?? bug("loads that cannot be early");
    const used = ahead(body, addresses, ofLoads, carried);
    const nextValues = used.map((param) => body.yields[carried.indexOf(param)] as BlockValue);
    const ofNext = needed(body, nextValues) ?? bug("addresses that cannot be early");
    const condition = blockType(I1, []);

    /** Copies of an iteration, whose counter and carried values `names` has. */
    const begin = (b: BlockBuilder, names: Renaming, slot: BlockValue): void => {
      b.location = loop.location;
      const runs = b.one({ op: "icmp", predicate, operands: [renamed(names, counter), upper] }, condition);
      copyOps(b, ofLoads, names, runs);
      for (const load of loads) {
        const ring = rings.get(load) as Ring;
        const mask = masked(b, load, names, runs);
        b.append({ op: "copy", ring, slot, pointer: renamed(names, load.pointer), mask }, []);
      }
      b.append({ op: "commit-copies" }, []);
    };
    /** What the iteration after has. */
    const advance = (b: BlockBuilder, names: Renaming): Renaming => {
      const own: Renaming = new Map(names);
      const yes = b.number(I1, 1);
      copyOps(b, ofNext, own, yes);
      b.location = loop.location;
      const later = b.binary("add", renamed(names, counter), step);
      return new Map([
        [counter, later],
        ...used.map((param, i) => [param, renamed(own, nextValues[i] as BlockValue)] as const),
      ]);
    };

    const outside = new BlockBuilder(newRegion());
    outside.location = loop.location;
    if (this.#isUsed || isRepeated) outside.append({ op: "barrier" }, []);
    this.#isUsed = true;
    let names: Renaming = new Map([[counter, lower], ...carried.map((p, i) => [p, initial[i] as BlockValue] as const)]);
    for (let s = 0; s < stages - 1; s++) {
      begin(outside, names, outside.number(I32, s));
      names = advance(outside, names);
    }
    const started = [renamed(names, counter), ...used.map((param) => renamed(names, param))];
    const count = isPrivate ? stages - 1 : stages;
    const slots = [outside.number(I32, 0), outside.number(I32, isPrivate ? 0 : stages - 1)];

    const like = (value: BlockValue): BlockValue => ({ type: value.type, name: value.name, op: null });
    const early = [counter, ...used].map(like);
    const [read, write] = [SCALAR, SCALAR].map((type): BlockValue => ({ type, name: "", op: null })) as [
      BlockValue,
      BlockValue,
    ];
    const inside = new BlockBuilder(newRegion());
    inside.location = loop.location;
    inside.append({ op: "await-copies", pending: stages - 2, isPrivate }, []);
    const next: Renaming = new Map([counter, ...used].map((value, i) => [value, early[i] as BlockValue]));
    if (!isPrivate) begin(inside, next, write);
    const params = body.params.map(like);
    const now: Renaming = new Map(body.params.map((param, i) => [param, params[i] as BlockValue]));
    for (const op of body.ops) {
      const ring = rings.get(op as LoadOp);
      if (ring === undefined) cloneOp(inside, op, now);
      else now.set(op.results[0] as BlockValue, stagedLoad(inside, op as LoadOp, ring, read, now));
    }
    inside.location = loop.location;
    if (isPrivate) begin(inside, next, write);
    const later = advance(inside, next);
    const after = [read, write].map((slot) => {
      const one = inside.binary("add", slot, inside.number(I32, 1));
      const isLast = inside.icmp("eq", one, inside.number(I32, count));
      return inside.select(isLast, inside.number(I32, 0), one);
    });
    const region: Region = {
      params: [...params, ...early, read, write],
      ops: inside.region.ops,
      yields: [...body.yields.map((value) => renamed(now, value)), ...[counter, ...used].map((value) => renamed(later, value)), ...after],
    };
    outside.location = loop.location;
    const made = outside.append({ ...loop, initial: [...initial, ...started, ...slots], body: region }, [
      ...loop.results.map(({ type }) => type),
      ...started.map(({ type }) => type),
      ...slots.map(({ type }) => type),
    ]);
    // Users of the loop's results have them still.
    const op = made[0]?.op ?? bug("a loop without results");
    op.results = made.map((value, i) => {
      const old = loop.results[i];
      return old === undefined ? value : Object.assign(old, { op });
    });
    outside.append({ op: "await-copies", pending: 0, isPrivate: true }, []);
    return outside.region.ops;
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
function ahead(
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

/** Its addresses, and those of the iterations after, need no loads and nothing that takes long. */
function canBeEarly({ body }: ForOp, { pointer, mask }: LoadOp): boolean {
  const [, ...carried] = body.params;
  const addresses = mask === null ? [pointer] : [pointer, mask];
  const ops = needed(body, addresses);
  if (ops === null || ops.some(({ op }) => op === "load")) return false;
  const next = ahead(body, addresses, ops, carried).map((param) => body.yields[carried.indexOf(param)] as BlockValue);
  const ofNext = needed(body, next);
  return ofNext !== null && !ofNext.some(({ op }) => op === "load");
}

function isZero(value: BlockValue | null): boolean {
  if (value === null) return true;
  const { op } = value;
  if (op?.op === "splat" || op?.op === "broadcast" || op?.op === "expand") return isZero(op.source);
  if (op?.op !== "constant") return false;
  return (
    (op.value.kind === "const-int" && op.value.value === 0n) || (op.value.kind === "const-float" && op.value.bits === 0n)
  );
}

function hasAtomics(region: Region): boolean {
  return region.ops.some(
    (op) =>
      ["atomic", "compare-exchange", "barrier", "print", "assert"].includes(op.op) ||
      (op.op === "load" && op.isVolatile) ||
      regionsOf(op).some(hasAtomics),
  );
}

/** What one copy moves; null: its addresses are not known well enough, or there is not enough for all threads. */
function copyShape({ pointer, mask, results }: LoadOp, { axes, threads }: Staging): Pick<Ring, "fast" | "vector"> | null {
  const { type } = results[0] as BlockValue;
  const [bytes, size] = [sizeOf(type.element), sizeOfShape(type.shape)];
  const fast = axes.fastDimension(pointer);
  if (fast === null || type.shape.length > 2 || bytes > 4 || (type.shape[fast] as number) * bytes < CHUNK) return null;
  const vector = Math.min(axes.vectorElements(pointer, mask, fast, bytes), size / threads);
  return vector * bytes < 4 ? null : { fast, vector };
}

function replaceOperand(user: BlockOp, from: BlockValue, to: BlockValue): void {
  for (const [key, field] of Object.entries(user)) {
    if (field === from) Object.assign(user, { [key]: to });
    else if (Array.isArray(field) && key !== "results" && field.includes(from))
      Object.assign(user, { [key]: field.map((value: unknown) => (value === from ? to : value)) });
  }
}
