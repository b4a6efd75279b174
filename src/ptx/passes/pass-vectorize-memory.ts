/**
 * Which loads, stores and atomic additions of neighbouring bytes are done together as one vector access of up to 16
 * bytes: Clang has taken float4 and its like apart. And which loads may go through the read-only cache.
 *
 * Needs: a legalised function whose address constants are split off (pass-split-offsets.ts), and the spaces of its
 * pointers. Changes nothing: a load is done at the first of its group, a store or an atomic addition at the last,
 * where no access between them can tell the difference.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type {
  AtomicRmwInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { hasSideEffects, operandsOf } from "../../ir/model/operands.ts";
import type { PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";
import { provenAlignment } from "../../analysis/pointers/proven-alignment.ts";
import { underlyingPointer } from "../../analysis/pointers/pointer-origins.ts";

export interface MemoryGroup<T> {
  /** The instruction in whose place the access is: the first load, the last store or atomic addition. */
  readonly leader: T;
  /** By address: 2 or 4; of 16 bits also 8, as 4 words of two. */
  readonly members: readonly T[];
  /** The address of the whole: an offset from a pointer that the leader's place knows. */
  readonly pointer: IrValue;
  readonly offset: number;
}

export interface MemoryGroups {
  readonly loads: ReadonlyMap<LoadInstruction, MemoryGroup<LoadInstruction>>;
  readonly stores: ReadonlyMap<StoreInstruction, MemoryGroup<StoreInstruction>>;
  /** Two or four additions of floats to global memory (PTX ISA, "atom", from sm_90 on). */
  readonly atomics: ReadonlyMap<AtomicRmwInstruction, MemoryGroup<AtomicRmwInstruction>>;
  /** Loads of what nobody writes while the kernel runs. */
  readonly readOnly: ReadonlySet<LoadInstruction>;
}

/** A function, and what is known of its pointers. */
export interface FunctionPointers {
  readonly fn: IrFunction;
  spaceOf(pointer: IrValue): PointerSpace;
  /** A pointer as a base and the bytes that constant indices add to it. */
  splitPointer(pointer: IrValue): { readonly base: IrValue; readonly offset: number };
}

interface Access<T> {
  readonly instruction: T;
  readonly at: number;
  readonly base: IrValue;
  readonly offset: number;
  readonly bytes: number;
  readonly align: number;
}

const MAX_BYTES = 16;

export function groupMemory(f: FunctionPointers, hasVectorAtomics = false): MemoryGroups {
  const loads = new Map<LoadInstruction, MemoryGroup<LoadInstruction>>();
  const stores = new Map<StoreInstruction, MemoryGroup<StoreInstruction>>();
  const atomics = new Map<AtomicRmwInstruction, MemoryGroup<AtomicRmwInstruction>>();
  const readOnly = readOnlyLoads(f);
  for (const block of f.fn.blocks) {
    for (const group of groupsOf(f, block, "load", readOnly))
      for (const member of group.members) loads.set(member, group);
    for (const group of groupsOf(f, block, "store", readOnly))
      for (const member of group.members) stores.set(member, group);
    if (hasVectorAtomics)
      for (const group of groupsOf(f, block, "atomicrmw", readOnly))
        for (const member of group.members) atomics.set(member, group);
  }
  return { loads, stores, atomics, readOnly };
}

/** By LLVM's own rule: through a kernel's parameter that is `noalias` and only read, or where the program says so. */
function readOnlyLoads(f: FunctionPointers): Set<LoadInstruction> {
  const found = new Set<LoadInstruction>();
  for (const block of f.fn.blocks) {
    for (const i of block.instructions) {
      if (
        i.op !== "load" ||
        i.volatile ||
        i.ordering !== null ||
        f.spaceOf(f.splitPointer(i.pointer).base) !== "global"
      )
        continue;
      const root = underlyingPointer(i.pointer);
      if (
        i.invariant ||
        (f.fn.isKernel &&
          root.kind === "param" &&
          root.attributes.has("noalias") &&
          (root.attributes.has("readonly") || root.attributes.has("readnone")))
      )
        found.add(i);
    }
  }
  return found;
}

type Joined = LoadInstruction | StoreInstruction | AtomicRmwInstruction;
type Kind<K extends Joined["op"]> = Extract<Joined, { op: K }>;

function groupsOf<K extends Joined["op"]>(
  f: FunctionPointers,
  block: IrBlock,
  kind: K,
  readOnly: ReadonlySet<LoadInstruction>,
): MemoryGroup<Kind<K>>[] {
  // By base in several rounds: a place that is accessed again begins the next one.
  const byBase = new Map<IrValue, Map<number, Access<Kind<K>>>[]>();
  block.instructions.forEach((i, at) => {
    if (i.op !== kind || !isJoinable(f, i as Kind<K>)) return;
    const { base, offset } = f.splitPointer(i.pointer);
    const type = typeOf(i);
    if (type.kind === "vector" || (type.kind === "int" && type.bits === 1)) return;
    const rounds = byBase.get(base) ?? [new Map<number, Access<Kind<K>>>()];
    byBase.set(base, rounds);
    if (rounds.at(-1)?.has(offset) === true) rounds.push(new Map());
    rounds.at(-1)?.set(offset, {
      instruction: i as Kind<K>,
      at,
      base,
      offset,
      bytes: sizeOf(type),
      align: alignOf(i as Kind<K>),
    });
  });
  return [...byBase].flatMap(([base, rounds]) => {
    const all = rounds.flatMap((round) => [...round.values()]);
    return rounds.flatMap((round) => groupsOfRound(f, block, kind, readOnly, { base, round, all }));
  });
}

function groupsOfRound<K extends Joined["op"]>(
  f: FunctionPointers,
  block: IrBlock,
  kind: K,
  readOnly: ReadonlySet<LoadInstruction>,
  of: {
    readonly base: IrValue;
    /** By offset. */
    readonly round: ReadonlyMap<number, Access<Kind<K>>>;
    /** Of all rounds. */
    readonly all: readonly Access<Kind<K>>[];
  },
): MemoryGroup<Kind<K>>[] {
  const { base, round, all } = of;
  const groups: MemoryGroup<Kind<K>>[] = [];
  if (round.size < 2) return groups;
  const taken = new Set<number>();
  const sorted = [...round.values()].sort((a, b) => a.offset - b.offset);
  for (const width of [16, 8, 4]) {
    for (const first of sorted) {
      const count = width / first.bytes;
      const isPackable = count === 8 && first.bytes === 2;
      if ((count !== 2 && count !== 4 && !isPackable) || taken.has(first.offset)) continue;
      const members = Array.from({ length: count }, (_, n) => round.get(first.offset + n * first.bytes));
      if (
        !members.every(
          (member): member is Access<Kind<K>> =>
            member !== undefined &&
            isSameAccess(member.instruction, first.instruction) &&
            member.bytes === first.bytes &&
            // Floats of 16 bits have registers of 16 bits, integers of 16 bits have none.
            (first.bytes !== 2 || typeOf(member.instruction).kind === typeOf(first.instruction).kind) &&
            !taken.has(member.offset),
        )
      )
        continue;
      if (alignmentAt(f, base, first.offset, all) < width || !mayJoin(f, block, members, kind, readOnly)) continue;
      for (const member of members) taken.add(member.offset);
      const order = [...members].sort((a, b) => a.at - b.at);
      const leader = (kind === "load" ? order[0] : order.at(-1)) as Access<Kind<K>>;
      groups.push({
        leader: leader.instruction,
        members: members.map((member) => member.instruction),
        pointer: base,
        offset: first.offset,
      });
    }
  }
  return groups;
}

function typeOf(i: Joined): IrType {
  return i.op === "load" ? i.type : i.value.type;
}

function alignOf(i: Joined): number {
  return i.op === "atomicrmw" ? (i.align ?? sizeOf(i.type)) : i.align;
}

function isJoinable(f: FunctionPointers, i: Joined): boolean {
  if (i.volatile) return false;
  if (i.op !== "atomicrmw") return i.ordering === null;
  const isRelaxedSum = i.operator === "fadd" && i.ordering === "monotonic";
  return isRelaxedSum && sizeOf(i.type) === 4 && f.spaceOf(f.splitPointer(i.pointer).base) === "global";
}

function isSameAccess(a: Joined, b: Joined): boolean {
  if (a.op === "atomicrmw" || b.op === "atomicrmw") return a.op === b.op && a.scope === b.scope;
  return a.cache === b.cache;
}

/** What the accesses at one base promise of the address at an offset from it. */
function alignmentAt(
  f: FunctionPointers,
  base: IrValue,
  offset: number,
  accesses: readonly { readonly offset: number; readonly align: number }[],
): number {
  const common = (promised: number, distance: number): number => {
    let align = Math.min(promised, MAX_BYTES);
    while (align > 1 && distance % align !== 0) align /= 2;
    return align;
  };
  const isPlaced = base.kind === "global" || (base.kind === "instruction" && base.op === "alloca");
  let best = isPlaced ? common(base.align, offset) : 1;
  if (base.kind === "param" && f.spaceOf(base) === "param") best = common(base.align ?? 1, offset);
  best = Math.max(best, common(provenAlignment(base), offset));
  for (const access of accesses) best = Math.max(best, common(access.align, access.offset - offset));
  return best;
}

/** Whether nothing between the first and the last of them reads or writes what they do. */
function mayJoin<K extends Joined["op"]>(
  f: FunctionPointers,
  block: IrBlock,
  members: readonly Access<Kind<K>>[],
  kind: K,
  readOnly: ReadonlySet<LoadInstruction>,
): boolean {
  const from = Math.min(...members.map(({ at }) => at));
  const to = Math.max(...members.map(({ at }) => at));
  const own = new Set<IrInstruction>(members.map(({ instruction }) => instruction));
  if (kind === "load" && members.every(({ instruction }) => readOnly.has(instruction as LoadInstruction))) return true;
  for (let at = from + 1; at < to; at++) {
    const i = block.instructions[at] as IrInstruction;
    if (kind === "atomicrmw" && operandsOf(i).some((value) => own.has(value as IrInstruction))) return false;
    if (own.has(i)) continue;
    if (i.op === "load" && !i.volatile && i.ordering === null) {
      if (kind !== "load" && !readOnly.has(i) && members.some((member) => mayAlias(f, i, member))) return false;
    } else if (i.op === "store" && !i.volatile && i.ordering === null) {
      if (members.some((member) => mayAlias(f, i, member))) return false;
    } else if (i.op === "call" ? !isPure(i) : hasSideEffects(i)) return false;
  }
  return true;
}

/** Library functions that are instructions are declared without saying that they have no effect. */
function isPure(i: IrInstruction & { op: "call" }): boolean {
  if (!hasSideEffects(i)) return true;
  const facts = calledIntrinsic(i);
  if (facts !== null) return facts.register !== null && !facts.readsClock;
  return i.callee.kind === "function" && i.callee.blocks.length === 0 && i.callee.name.startsWith("__nv_");
}

function mayAlias(f: FunctionPointers, i: LoadInstruction | StoreInstruction, access: Access<Joined>): boolean {
  const { base, offset } = f.splitPointer(i.pointer);
  const bytes = sizeOf(i.op === "load" ? i.type : i.value.type);
  if (base === access.base) return offset < access.offset + access.bytes && access.offset < offset + bytes;
  const [a, b] = [f.spaceOf(base), f.spaceOf(access.base)];
  if (a !== b && a !== "generic" && b !== "generic") return false;
  const [x, y] = [underlyingPointer(base), underlyingPointer(access.base)];
  if (x === y) return true;
  const isOwn = (value: IrValue): boolean =>
    value.kind === "global" || (value.kind === "instruction" && value.op === "alloca");
  const isAlone = (value: IrValue): boolean => value.kind === "param" && value.attributes.has("noalias");
  // A noalias parameter's object is reached through nothing else, and two variables are two objects.
  if (
    (isAlone(x) && (isAlone(y) || isOwn(y) || y.kind === "param")) ||
    (isAlone(y) && (isOwn(x) || x.kind === "param"))
  )
    return false;
  return !(isOwn(x) && isOwn(y));
}
