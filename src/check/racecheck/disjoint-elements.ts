/**
 * Pairs of accesses that never touch the same bytes in different threads: `x[i]` and `x[i]`, where i is the thread's
 * number in its block or in the launch.
 *
 * An address becomes a sum: thread indices times constants, and the rest. Two addresses are compared if they have the
 * same rest, and the rest is the same in all threads and at all times. If the parts of two threads then lie at least as
 * far apart as the accesses reach, different threads access different bytes. A variable that starts at the thread's
 * number and goes on in steps of the number of all threads (a grid-stride loop) counts as that number.
 *
 * The result may assume something of the launch's shape, such as that a block is no wider than a row of the array. The
 * assumption is tested when the kernel is launched.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import {
  EXACT,
  affineForm,
  leafForm,
  plus,
  type AffineForm,
  type AffineRules,
} from "../../analysis/loops/affine-forms.ts";
import { stepOf } from "../../analysis/loops/induction.ts";
import type { IrFunction, IrInstruction, IrType, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import type { ShapeLimits } from "../../instrument/speculative-kernels.ts";

/** Who the two threads are: of one block, or of any. */
export type Among = "block" | "grid";

/** An address: bytes. Keys of `own` are names of thread indices; `rest`, values that are the same for all. */
interface Sum {
  readonly own: ReadonlyMap<Own, number>;
  readonly rest: ReadonlyMap<IrValue, number>;
  readonly constant: number;
}

/**
 * tid.*: the index in the block. row, plane: tid.y · ntid.x, tid.z · ntid.x · ntid.y, as in the thread's number in its
 * block. base: ctaid.x · ntid.x.
 */
type Own = "tid.x" | "tid.y" | "tid.z" | "row" | "base";

const MAX_DEPTH = 24;

/** The axes of blocks and grids whose index the kernel reads: along the others, a size of 1 may be assumed. */
export interface UsedAxes {
  readonly block: readonly [boolean, boolean, boolean];
  readonly grid: readonly [boolean, boolean, boolean];
}

export function usedAxes(functions: Iterable<IrFunction>): UsedAxes {
  const block: [boolean, boolean, boolean] = [false, false, false];
  const grid: [boolean, boolean, boolean] = [false, false, false];
  for (const fn of functions) {
    for (const { instructions } of fn.blocks) {
      for (const i of instructions) {
        const register = registerOf(i);
        const axis = register === null ? -1 : "xyz".indexOf(register.slice(-1));
        if (register?.startsWith("tid.")) block[axis] = true;
        if (register?.startsWith("ctaid.")) grid[axis] = true;
      }
    }
  }
  return { block, grid };
}

export class DisjointElements {
  readonly #axes: UsedAxes;
  readonly #sums = new Map<IrValue, Record<Among, Sum | null>>();

  constructor(axes: UsedAxes) {
    this.#axes = axes;
  }

  /**
   * @param a,b pointers into the same object, and how many bytes are accessed there.
   * @returns null: two threads may meet; else the launches in which they do not.
   */
  apart(
    a: { pointer: IrValue; bytes: number },
    b: { pointer: IrValue; bytes: number },
    among: Among,
  ): ShapeLimits | null {
    const [left, right] = [this.#address(a.pointer, among), this.#address(b.pointer, among)];
    if (left === null || right === null || !sameTerms(left.own, right.own)) return null;
    const step = left.own.get("tid.x") ?? 0;
    const rests = [withoutRounds(left.rest, step, among), withoutRounds(right.rest, step, among)] as const;
    if (rests[0] === null || rests[1] === null || !sameTerms(rests[0], rests[1])) return null;
    const extent =
      Math.max(left.constant + a.bytes, right.constant + b.bytes) - Math.min(left.constant, right.constant);
    return among === "grid" ? this.#apartInGrid(left, extent) : this.#apartInBlock(left, extent);
  }

  #apartInGrid({ own }: Sum, extent: number): ShapeLimits | null {
    const [x, base] = [own.get("tid.x") ?? 0, own.get("base") ?? 0];
    if (own.size !== 2 || x !== base || Math.abs(x) < extent) return null;
    const { block, grid } = this.#axes;
    if (block[1] || block[2] || grid[1] || grid[2]) return null;
    return { block: [Infinity, 1, 1], grid: [Infinity, 1, 1] };
  }

  #apartInBlock({ own, rest }: Sum, extent: number): ShapeLimits | null {
    const { block } = this.#axes;
    if (own.has("base") || own.has("tid.z") || block[2]) return null;
    // Rounds of threads along x.
    if (
      [...rest.keys()].some(
        (value) => value.kind === "instruction" && (value.op === "phi" || isRound(value, "block")),
      ) &&
      (own.size > 1 || block[1])
    )
      return null;
    const [x, y, row] = (["tid.x", "tid.y", "row"] as const).map((name) => Math.abs(own.get(name) ?? 0)) as [
      number,
      number,
      number,
    ];
    if (row !== 0) return y === 0 && row === x && x >= extent ? { block: [Infinity, Infinity, 1] } : null;
    if (y === 0) return !block[1] && x >= extent ? { block: [Infinity, 1, 1] } : null;
    if (x === 0) return !block[0] && y >= extent ? { block: [1, Infinity, 1] } : null;
    if (x <= y) return x >= extent ? { block: [Math.floor(y / x), Infinity, 1] } : null;
    return y >= extent ? { block: [Infinity, Math.floor(x / y), 1] } : null;
  }

  /** null: no such sum. */
  #address(pointer: IrValue, among: Among): Sum | null {
    let known = this.#sums.get(pointer);
    if (known === undefined)
      this.#sums.set(
        pointer,
        (known = { block: sumOf(pointer, "block", MAX_DEPTH), grid: sumOf(pointer, "grid", MAX_DEPTH) }),
      );
    return known[among];
  }
}

function sumOf(value: IrValue, among: Among, depth: number): Sum | null {
  const form = affineForm(value, rulesFor(among), depth);
  if (form === null) return null;
  const own = new Map<Own, number>();
  const rest = new Map<IrValue, number>();
  for (const { value: leaf, factor } of form.terms) {
    if (typeof leaf === "string") own.set(leaf, factor);
    else rest.set(leaf, factor);
  }
  return { own, rest, constant: form.constant };
}

/** Sums over the threads' own indices and over values that are the same for all threads. */
function rulesFor(among: Among): AffineRules<Own | IrValue> {
  return {
    arithmetic: EXACT,
    accepts: () => true,
    leafOf: (value, depth) => {
      const own = ownOf(value, among);
      if (own !== null) return leafForm<Own | IrValue>(own);
      if (isSameForAll(value, among, depth)) return leafForm<Own | IrValue>(value);
      return depth > 0 && value.kind === "instruction" && value.op === "phi" ? strided(value, among, depth) : null;
    },
    looksThrough: (i) => i.op === "freeze" || CASTS.has(i.operator) || (i.operator === "trunc" && isWide(i)),
    isScale: () => false,
    isSum: () => false,
    maxTerms: Infinity,
  };
}

/** They keep the value, as long as nothing wraps. */
const CASTS: ReadonlySet<string> = new Set(["sext", "zext", "addrspacecast", "bitcast", "ptrtoint", "inttoptr"]);

function isWide(i: object): boolean {
  return "type" in i && scalarBits(i.type as IrType) >= 32;
}

/**
 * A loop's variable that begins at the thread's number and goes on in steps of the number of all threads: that number,
 * and whole rounds of threads, which stand as the variable itself.
 */
function strided(phi: PhiInstruction, among: Among, depth: number): AffineForm<Own | IrValue> | null {
  const [first, ...others] = phi.incoming.filter(({ value }) => !isRoundStep(value, phi, among));
  if (first === undefined || others.length > 0 || phi.incoming.length < 2) return null;
  const rules = rulesFor(among);
  const start = affineForm(first.value, rules, depth - 1);
  const factorOf = (own: Own): number | undefined => start?.terms.find(({ value }) => value === own)?.factor;
  if (factorOf("tid.x") !== 1 || factorOf("base") !== (among === "grid" ? 1 : undefined)) return null;
  return plus(start, leafForm<Own | IrValue>(phi), rules);
}

function isRoundStep(value: IrValue, phi: PhiInstruction, among: Among): boolean {
  const by = stepOf(value, phi);
  return by?.sign === 1 && isRound(by.step, among);
}

/** The number of all threads: nctaid.x · ntid.x, and for threads of one block ntid.x. */
function isRound(value: IrValue, among: Among): boolean {
  const i = throughCasts(value);
  if (among === "block" && registerOf(i) === "ntid.x") return true;
  if (i?.op !== "binary" || i.operator !== "mul") return false;
  const names = [i.lhs, i.rhs].map((operand) => registerOf(throughCasts(operand)));
  return names.includes("nctaid.x") && names.includes("ntid.x");
}

/**
 * The rest without whole rounds of threads: threads that are `step` bytes apart never meet by those. null: something
 * else is left of a round.
 */
function withoutRounds(rest: Sum["rest"], step: number, among: Among): Sum["rest"] | null {
  const left = new Map(rest);
  for (const [value, factor] of rest) {
    if (!(value.kind === "instruction" && value.op === "phi") && !isRound(value, among)) continue;
    if (step === 0 || factor % step !== 0) return null;
    left.delete(value);
  }
  return left;
}

function ownOf(value: IrValue, among: Among): Own | null {
  const register = registerOf(value);
  if (register === "tid.x" || register === "tid.y" || register === "tid.z") return register;
  const i = throughCasts(value);
  if (i?.op !== "binary" || i.operator !== "mul") return null;
  const names = [i.lhs, i.rhs].map((operand) => registerOf(throughCasts(operand)));
  if (!names.includes("ntid.x")) return null;
  if (names.includes("tid.y")) return "row";
  return among === "grid" && names.includes("ctaid.x") ? "base" : null;
}

/** Whether all threads (of a block; of the launch) have the same value there, at all times. */
function isSameForAll(value: IrValue, among: Among, depth: number): boolean {
  if (value.kind === "param") return value.function.isKernel;
  if (value.kind === "global" || value.kind.startsWith("const-")) return true;
  if (value.kind !== "instruction" || depth === 0) return false;
  const register = registerOf(value);
  if (register !== null)
    return (
      /^n?(?:tid|ctaid)\./.test(register) &&
      (register.startsWith("n") || (among === "block" && register.startsWith("ctaid")))
    );
  if (value.op === "binary")
    return isSameForAll(value.lhs, among, depth - 1) && isSameForAll(value.rhs, among, depth - 1);
  if (value.op === "cast" || value.op === "freeze") return isSameForAll(value.operand, among, depth - 1);
  return false;
}

function throughCasts(value: IrValue): IrInstruction | null {
  let at = value;
  while (at.kind === "instruction" && at.op === "cast" && (at.operator === "zext" || at.operator === "sext"))
    at = at.operand;
  return at.kind === "instruction" ? at : null;
}

const COORDINATES: ReadonlySet<string> = new Set(["tid", "ntid", "ctaid", "nctaid"]);

/** "tid.x" and the like, for a read of such a register. */
function registerOf(value: IrValue | null): string | null {
  const { register, axis } = (value === null ? null : calledIntrinsic(value)?.register) ?? {};
  return register !== undefined && COORDINATES.has(register) ? `${register}.${axis}` : null;
}

function sameTerms<Key>(a: ReadonlyMap<Key, number>, b: ReadonlyMap<Key, number>): boolean {
  return a.size === b.size && [...a].every(([key, factor]) => b.get(key) === factor);
}
