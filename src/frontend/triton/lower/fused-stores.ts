/**
 * Stores of what is made of loads element by element, for the emulated device: each register's elements are loaded,
 * computed and stored before the next one's, under one branch. Values of many elements a thread then stay in the
 * processor's registers.
 *
 * A load moves down to its store: nothing between them writes memory or waits for other threads. (On a GPU the threads
 * of a program do not wait for one another there either.)
 */
import { constZero } from "../../../ir/model/build.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import type { BlockKernel, BlockOp, BlockValue, ElementwiseOp, LoadOp, Region, StoreOp } from "../blocks/model.ts";
import { allOps, isElementwise, operandsOf, regionsOf } from "../blocks/operands.ts";
import type { LayoutTable } from "./assign-layouts.ts";
import { elementOf } from "./element-wise.ts";
import { layoutKey, registerCount, replicatedMask } from "./layout.ts";
import { hintOf } from "./memory.ts";
import type { Lowering } from "./lowering.ts";

/** The operations that a store computes, loads among them. */
type Fused = ReadonlySet<BlockOp>;

export interface FusedStores {
  readonly stores: ReadonlyMap<StoreOp, Fused>;
  /** What is not done at its own place. */
  readonly deferred: ReadonlySet<BlockOp>;
}

export function findFusedStores(kernel: BlockKernel, layouts: LayoutTable): FusedStores {
  const users = new Map<BlockValue, BlockOp[]>();
  const yielded = new Set<BlockValue>();
  const note = (region: Region): void => region.yields.forEach((value) => yielded.add(value));
  for (const op of allOps(kernel.body)) {
    for (const value of operandsOf(op)) users.set(value, [...(users.get(value) ?? []), op]);
    regionsOf(op).forEach(note);
  }
  const stores = new Map<StoreOp, Fused>();
  const deferred = new Set<BlockOp>();
  const inRegion = (region: Region): void => {
    for (const [i, op] of region.ops.entries()) {
      regionsOf(op).forEach(inRegion);
      if (op.op !== "store") continue;
      const fused = fusedInto(op, region.ops.slice(0, i), { users, yielded, layouts });
      if (fused === null) continue;
      stores.set(op, fused);
      for (const each of fused) deferred.add(each);
    }
  };
  inRegion(kernel.body);
  return { stores, deferred };
}

interface Uses {
  readonly users: ReadonlyMap<BlockValue, readonly BlockOp[]>;
  readonly yielded: ReadonlySet<BlockValue>;
  readonly layouts: LayoutTable;
}

/** Null: nothing is gained. */
function fusedInto(store: StoreOp, before: readonly BlockOp[], { users, yielded, layouts }: Uses): Fused | null {
  const layout = storeLayout(store, layouts);
  if (store.value.type.shape.length === 0 || replicatedMask(layout) !== 0) return null;
  const key = layoutKey(layout);
  const fused = new Set<BlockOp>();
  let isPast = false;
  let hasLoads = false;
  for (const op of before.toReversed()) {
    isPast ||= waitsOrWrites(op);
    const [result] = op.results;
    if (result === undefined || yielded.has(result)) continue;
    const isWanted = (users.get(result) ?? []).every((user) => user === store || fused.has(user));
    const isPlain = isElementwise(op) ? op.op !== "address" : op.op === "load" && !op.isVolatile && !isPast;
    const own = layouts.own(result);
    if (!isWanted || !isPlain || own === null || layoutKey(own) !== key) continue;
    if (result === store.pointer || result === store.mask) continue;
    if ([...fused].some((user) => user.op === "load" && operandsOf(user).includes(result))) continue;
    if ((users.get(result) ?? []).includes(store) && store.value !== result) continue;
    fused.add(op);
    hasLoads ||= op.op === "load";
  }
  return hasLoads ? fused : null;
}

function storeLayout(store: StoreOp, layouts: LayoutTable): ReturnType<LayoutTable["blocked"]> {
  return layouts.own(store.pointer) ?? layouts.own(store.value) ?? layouts.blocked(store.pointer.type.shape);
}

export function waitsOrWrites(op: BlockOp): boolean {
  return (
    ["store", "atomic", "compare-exchange", "barrier", "print", "assert"].includes(op.op) ||
    regionsOf(op).some((region) => region.ops.some(waitsOrWrites))
  );
}

export function lowerFusedStore(l: Lowering, store: StoreOp, fused: Fused): void {
  const { e } = l;
  const layout = storeLayout(store, l.layouts);
  const bytes = l.bytesOf(store.value.type.element);
  const masks = store.mask === null ? null : l.get(store.mask, layout);
  const ops = [...fused].reverse();
  // What comes from elsewhere is known before the first element; addresses are computed where they are needed.
  const isAddress = (value: BlockValue): boolean => value.op?.op === "address" && l.layouts.own(value) === null;
  const outer = (value: BlockValue): void => {
    if (isAddress(value)) operandsOf(value.op as BlockOp).forEach(outer);
    else if (!fused.has(value.op as BlockOp)) l.get(value, layout);
  };
  for (const op of [...ops, store]) operandsOf(op).forEach(outer);
  for (let r = 0; r < registerCount(layout); r++) {
    const holds = masks?.[r] ?? null;
    l.where(holds, () => {
      const made = new Map<BlockValue, IrValue>();
      const at = (value: BlockValue): IrValue => {
        const known = made.get(value);
        if (known !== undefined) return known;
        if (!isAddress(value)) return l.get(value, layout)[r] as IrValue;
        const op = value.op as ElementwiseOp;
        return elementOf(l, op, op.operands.map(at));
      };
      for (const op of ops) {
        e.location = op.location;
        const [result] = op.results as [BlockValue];
        if (op.op === "load") made.set(result, loadElement(l, op, holds, at));
        else if (isElementwise(op)) made.set(result, elementOf(l, op, op.operands.map(at)));
      }
      e.location = store.location;
      e.store(at(store.value), at(store.pointer), bytes, { cache: store.cache });
    });
  }
}

/** @param holds a condition that is known to be true */
function loadElement(l: Lowering, op: LoadOp, holds: IrValue | null, at: (value: BlockValue) => IrValue): IrValue {
  const { e } = l;
  const type = (op.results[0] as BlockValue).type.element;
  const load = (): IrValue => e.load(type, at(op.pointer), l.bytesOf(type), { cache: hintOf(op) });
  const mask = op.mask === null ? null : at(op.mask);
  if (mask === null || mask === holds) return load();
  const from = e.block;
  const [then, end] = [e.newBlock("masked"), e.newBlock("joined")];
  e.condBr(mask, then, end);
  l.startBlock(then);
  const value = load();
  e.br(end);
  l.startBlock(end);
  return e.phi(type, [
    { value, block: then },
    { value: op.other === null ? constZero(type) : at(op.other), block: from },
  ]);
}
