/**
 * Accesses of memory. Each thread accesses its own elements; of threads that hold the same ones, all load and one
 * stores. A mask is a branch, as a CUDA programmer would write it, so that tools see only accesses that happen.
 */
import { constZero, newInstruction } from "../../../ir/model/build.ts";
import type { AtomicRmwInstruction, CacheHint, CmpxchgInstruction, IrType, IrValue } from "../../../ir/model/ir.ts";
import { I1, I32, intType, structType } from "../../../ir/model/types.ts";
import type { AtomicOp, BlockValue, CompareExchangeOp, LoadOp, StoreOp } from "../blocks/model.ts";
import { linearOffset, registerCount, vectorIn, type Layout } from "./layout.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { Lowering, Registers } from "./lowering.ts";

function orNull(l: Lowering, value: BlockValue | null, layout: Layout): Registers | null {
  return value === null ? null : l.get(value, layout);
}

/** Registers by their mask, so that a row with one mask is one branch. */
function byMask(masks: Registers | null, count: number): readonly (readonly [IrValue | null, readonly number[]])[] {
  const groups = new Map<IrValue | null, number[]>();
  for (let r = 0; r < count; r++) {
    const mask = masks?.[r] ?? null;
    const group = groups.get(mask);
    if (group === undefined) groups.set(mask, [r]);
    else group.push(r);
  }
  return [...groups];
}

/**
 * Values that only some threads compute; `otherwise` holds in the rest. Code of `compute` has no branches.
 */
function conditional(
  l: Lowering,
  condition: IrValue | null,
  otherwise: readonly IrValue[],
  compute: () => readonly IrValue[],
): readonly IrValue[] {
  if (condition === null || (condition.kind === "const-int" && condition.value === 1n)) return compute();
  if (condition.kind === "const-int") return otherwise;
  const { e } = l;
  const from = e.block;
  const then = e.newBlock("masked");
  const end = e.newBlock("joined");
  e.condBr(condition, then, end);
  l.startBlock(then);
  e.enterScope();
  const values = compute();
  e.leaveScope();
  e.br(end);
  l.startBlock(end);
  return values.map((value, i) =>
    e.phi(value.type, [
      { value, block: then },
      { value: otherwise[i] as IrValue, block: from },
    ]),
  );
}

/** The pointers and masks of an access, and how its addresses are aligned. */
interface Accesses {
  readonly pointers: Registers;
  readonly masks: Registers | null;
  readonly alignments: readonly number[];
  /** Neighbours that are one access. */
  readonly vector: number;
}

/**
 * Neighbours in a thread whose addresses are aligned to all of their bytes, under one mask, have addresses at constant
 * distances from the first one's: a GPU accesses them at once.
 */
function accessesOf(l: Lowering, { pointer, mask }: LoadOp | StoreOp, layout: Layout, bytes: number): Accesses {
  const pointers = l.get(pointer, layout);
  const masks = orNull(l, mask, layout);
  const { axes } = l.layouts;
  const fast = axes?.fastDimension(pointer) ?? null;
  const vector =
    axes === null || fast === null
      ? 1
      : Math.min(vectorIn(layout, fast), axes.vectorElements(pointer, mask, fast, bytes));
  const first = (r: number): number => r - (r % vector);
  return {
    pointers: pointers.map((own, r) =>
      r % vector === 0 ? own : l.e.offset(pointers[first(r)] as IrValue, constI32((r % vector) * bytes)),
    ),
    masks: masks?.map((_, r) => masks[first(r)] as IrValue) ?? null,
    alignments: pointers.map((_, r) => (r % vector === 0 ? vector * bytes : bytes)),
    vector,
  };
}

/** Loads from global memory stay in the cache of the multiprocessor anyway. */
export const hintOf = ({ cache }: LoadOp): CacheHint | null => (cache === "ca" ? null : cache);

/** A load without a mask, element by element. */
export function elementLoader(l: Lowering, op: LoadOp, layout: Layout): (register: number) => IrValue {
  const { type } = op.results[0] as BlockValue;
  const { pointers, alignments } = accessesOf(l, op, layout, l.bytesOf(type.element));
  return (r) => {
    const { location } = l.e;
    l.e.location = op.location;
    const value = l.e.load(type.element, pointers[r] as IrValue, alignments[r] as number, { cache: hintOf(op) });
    l.e.location = location;
    return value;
  };
}

export function lowerLoad(l: Lowering, op: LoadOp): void {
  const [result] = op.results as [BlockValue];
  const layout = l.layouts.preferred(result);
  const others = orNull(l, op.other, layout);
  const type = result.type.element;
  const accesses = accessesOf(l, op, layout, l.bytesOf(type));
  const { pointers, masks, alignments } = accesses;
  const hasWords = masks !== null && l.bytesOf(type) < 4 && (accesses.vector * l.bytesOf(type)) % 4 === 0;
  if (hasWords) return l.define(result, layout, loadWords(l, op, accesses, others, type));
  const loaded: IrValue[] = [];
  for (const [mask, registers] of byMask(masks, registerCount(layout))) {
    // Poison is zero here, as it is in practice on a GPU.
    const otherwise = registers.map((r) => others?.[r] ?? constZero(type));
    const values = conditional(l, mask, otherwise, () =>
      registers.map((r) =>
        l.e.load(type, pointers[r] as IrValue, alignments[r] as number, { volatile: op.isVolatile, cache: hintOf(op) }),
      ),
    );
    for (const [i, r] of registers.entries()) loaded[r] = values[i] as IrValue;
  }
  l.define(result, layout, loaded);
}

/** Small elements under a mask, as words of 32 bits: where branches meet, a GPU's registers have one value each. */
function loadWords(
  l: Lowering,
  op: LoadOp,
  { pointers, masks, vector }: Accesses,
  others: Registers | null,
  type: IrType,
): Registers {
  const { e } = l;
  const bits = 8 * l.bytesOf(type);
  const inWord = 32 / bits;
  const own = intType(bits);
  const starts = pointers.flatMap((_, r) => (r % inWord === 0 ? [r] : []));
  const packed = (start: number): IrValue =>
    Array.from({ length: inWord }, (_, i): IrValue => {
      const value = others?.[start + i] ?? constZero(type);
      const word = e.cast("zext", e.cast("bitcast", value, own), I32);
      return e.shl(word, i * bits);
    }).reduce((a, b) => e.or(a, b));
  const loaded: IrValue[] = [];
  for (const [mask, registers] of byMask(masks, pointers.length)) {
    const own32 = registers.filter((r) => starts.includes(r));
    const otherwise = own32.map(packed);
    const words = conditional(l, mask, otherwise, () =>
      own32.map((r) => {
        const align = r % vector === 0 ? vector * (bits / 8) : 4;
        return e.load(I32, pointers[r] as IrValue, align, { volatile: op.isVolatile, cache: hintOf(op) });
      }),
    );
    for (const [i, start] of own32.entries())
      for (let part = 0; part < inWord; part++) {
        const low = e.cast("trunc", e.lshr(words[i] as IrValue, part * bits), own);
        loaded[start + part] = e.cast("bitcast", low, type);
      }
  }
  return loaded;
}

export function lowerStore(l: Lowering, op: StoreOp): void {
  const layout = l.layouts.own(op.pointer) ?? l.layouts.own(op.value) ?? l.layouts.blocked(op.pointer.type.shape);
  const values = l.get(op.value, layout);
  const { pointers, masks, alignments } = accessesOf(l, op, layout, l.bytesOf(op.value.type.element));
  l.where(l.isOwner(layout), () => {
    for (const [mask, registers] of byMask(masks, registerCount(layout)))
      l.where(mask, () => {
        for (const r of registers) {
          const value = values[r] as IrValue;
          l.e.store(value, pointers[r] as IrValue, alignments[r] as number, { cache: op.cache });
        }
      });
  });
}

// ---------------------------------------------------------------- atomics

/** Accesses of all threads before the operation happen before it, and those after it after it. */
function orders({ ordering }: AtomicOp | CompareExchangeOp): boolean {
  return ordering !== "monotonic";
}

function atomically(
  l: Lowering,
  op: AtomicOp | CompareExchangeOp,
  mask: BlockValue | null,
  isUsed: boolean,
  apply: (pointer: IrValue, register: number) => IrValue,
  layout: Layout,
): void {
  const [result] = op.results as [BlockValue];
  const pointers = l.get(op.pointer, layout);
  const masks = orNull(l, mask, layout);
  const type = result.type.element;
  if (orders(op)) l.barrier();
  const owner = l.isOwner(layout);
  const old: IrValue[] = [];
  for (let r = 0; r < registerCount(layout); r++) {
    const own = masks?.[r] ?? null;
    const condition = owner !== null && own !== null ? l.e.and(owner, own) : (owner ?? own);
    [old[r]] = conditional(l, condition, [constZero(type)], () => [apply(pointers[r] as IrValue, r)]) as [IrValue];
  }
  if (isUsed && owner !== null) l.define(result, layout, shareOwners(l, old, layout, owner, type));
  else {
    if (orders(op)) l.barrier();
    l.define(result, layout, old);
  }
}

/** What the owners have, in all threads. */
function shareOwners(l: Lowering, values: Registers, layout: Layout, owner: IrValue, type: IrType): Registers {
  const bytes = l.bytesOf(type);
  const size = layout.shape.reduce((a, b) => a * b, 1);
  const base = l.beginExchange(size * bytes);
  const own = l.element(base, l.threadLinear(layout), bytes);
  const at = (r: number): IrValue => l.e.offset(own, constI32(linearOffset(layout, r) * bytes));
  l.where(owner, () => {
    for (const [r, value] of values.entries()) l.e.store(l.toMemory(value), at(r), bytes);
  });
  l.endWriting();
  return values.map((_, r) => l.fromMemory(l.e.load(l.memoryType(type), at(r), bytes), type));
}

function atomicLayout(l: Lowering, result: BlockValue): Layout {
  return l.layouts.preferred(result);
}

export function lowerAtomic(l: Lowering, op: AtomicOp, isUsed: boolean): void {
  const layout = atomicLayout(l, op.results[0] as BlockValue);
  const values = l.get(op.value, layout);
  const apply = (pointer: IrValue, r: number): IrValue =>
    l.e.append(
      newInstruction<AtomicRmwInstruction>(l.e, {
        op: "atomicrmw",
        type: (values[r] as IrValue).type,
        name: l.e.name(),
        operator: op.operator,
        pointer,
        value: values[r] as IrValue,
        volatile: false,
        ordering: op.ordering,
        scope: op.scope,
      }),
    );
  atomically(l, op, op.mask, isUsed, apply, layout);
}

export function lowerCompareExchange(l: Lowering, op: CompareExchangeOp, isUsed: boolean): void {
  const layout = atomicLayout(l, op.results[0] as BlockValue);
  const expected = l.get(op.expected, layout);
  const desired = l.get(op.desired, layout);
  const apply = (pointer: IrValue, r: number): IrValue => {
    const { type } = desired[r] as IrValue;
    const pair = l.e.append(
      newInstruction<CmpxchgInstruction>(l.e, {
        op: "cmpxchg",
        type: structType([type, I1]),
        name: l.e.name(),
        pointer,
        expected: expected[r] as IrValue,
        desired: desired[r] as IrValue,
        volatile: false,
        ordering: op.ordering,
        failureOrdering: op.ordering === "acq_rel" || op.ordering === "release" ? "monotonic" : op.ordering,
        scope: op.scope,
      }),
    );
    return l.e.extractValue(pair, [0], type);
  };
  atomically(l, op, null, isUsed, apply, layout);
}
