/**
 * Which code all threads of a block run together, equally often, and which values are the same in all of them.
 *
 * Lattice: the same for all, or not, for values, for blocks of code and for whole functions. Divergence starts at
 * values that are a thread's own: its index, what it loads, the result of an atomic operation. It spreads through
 * operands, and from a branch on such a value to the region between the branch and its post-dominator
 * (control-divergence.ts). Not all threads run that region; phis in it and at its end differ, and so do values of a
 * loop that threads leave at different iterations. Calls are followed through the module: a function is as uniform as
 * its callers.
 *
 * Source: Sampaio, Souza, Collange, Pereira, "Divergence Analysis" (TOPLAS 2013). Used by: synccheck and racecheck.
 *
 * Why divergence.ts does not answer this: it looks at one kernel with everything inlined, needs simplified loops, and
 * is about the 32 lanes of a warp. Checkers need blocks, and ask about the module as the program has it.
 */
import type { ResultUniformity } from "../../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrBlock, IrFunction, IrInstruction, IrModule, IrValue } from "../../ir/model/ir.ts";
import { forEachOperand, operandsOf } from "../../ir/model/operands.ts";
import { InfluenceRegions } from "./control-divergence.ts";
import { underlyingPointer } from "../pointers/pointer-origins.ts";

interface FunctionState {
  /** All threads of a block call it together. */
  uniform: boolean;
  readonly divergentParams: Set<number>;
  divergent: ReadonlySet<IrValue>;
  /** Blocks that not all threads run together. */
  partial: ReadonlySet<IrBlock>;
}

export class Uniformity {
  readonly #states = new Map<IrFunction, FunctionState>();

  constructor(module: IrModule) {
    const functions = [...module.functions.values()].filter(({ blocks }) => blocks.length > 0);
    const called = new Set<IrFunction>();
    const addressTaken = new Set<IrFunction>();
    for (const i of functions.flatMap(({ blocks }) => blocks.flatMap(({ instructions }) => instructions))) {
      if (i.op === "call" && i.callee.kind === "function") called.add(i.callee);
      for (const operand of i.op === "call" ? i.args : operandsOf(i))
        if (operand.kind === "function") addressTaken.add(operand);
    }
    for (const global of module.globals.values())
      if (global.initializer !== null) collectFunctions(global.initializer, addressTaken);
    for (const fn of functions) {
      const known = fn.isKernel || (called.has(fn) && !addressTaken.has(fn));
      this.#states.set(fn, {
        uniform: known,
        divergentParams: new Set(known ? [] : fn.params.keys()),
        divergent: new Set(),
        partial: new Set(),
      });
    }
    // What is known gets less until nothing changes.
    for (let changed = true; changed;) {
      changed = false;
      for (const [fn, state] of this.#states) {
        analyze(fn, state);
        if (this.#tellCallees(fn, state)) changed = true;
      }
    }
  }

  /** All threads of a block come to the instruction together, and equally often. */
  isReachedByAll(i: IrInstruction): boolean {
    const state = this.#states.get(i.block.function);
    return state !== undefined && state.uniform && !state.partial.has(i.block);
  }

  /** The value is the same for all threads of a block that compute it together. */
  isUniform(fn: IrFunction, value: IrValue): boolean {
    return this.#states.get(fn)?.divergent.has(value) === false;
  }

  #tellCallees(fn: IrFunction, { uniform, partial, divergent }: FunctionState): boolean {
    let changed = false;
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        const state = i.op === "call" && i.callee.kind === "function" ? this.#states.get(i.callee) : undefined;
        if (state === undefined) continue;
        if (state.uniform && (!uniform || partial.has(block))) {
          state.uniform = false;
          changed = true;
        }
        for (const [index, arg] of (i as CallInstruction).args.entries()) {
          if (!divergent.has(arg) || state.divergentParams.has(index)) continue;
          state.divergentParams.add(index);
          changed = true;
        }
      }
    }
    return changed;
  }
}

function collectFunctions(value: IrValue, into: Set<IrFunction>): void {
  if (value.kind === "function") into.add(value);
  else if (value.kind === "const-aggregate") for (const element of value.elements) collectFunctions(element, into);
  else if (value.kind === "const-expr" && value.instruction.op === "cast")
    collectFunctions(value.instruction.operand, into);
}

function analyze(fn: IrFunction, state: FunctionState): void {
  const divergent = new Set<IrValue>(fn.params.filter(({ index }) => state.divergentParams.has(index)));
  const partial = new Set<IrBlock>();
  const users = new Map<IrValue, IrInstruction[]>();
  const work: IrInstruction[] = [];
  const mark = (value: IrInstruction): void => {
    if (divergent.has(value)) return;
    divergent.add(value);
    work.push(value);
  };
  const regions = new InfluenceRegions(fn);
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      forEachOperand(i, (operand) => {
        if (operand.kind !== "instruction" && operand.kind !== "param") return;
        const known = users.get(operand);
        if (known === undefined) users.set(operand, [i]);
        else known.push(i);
      });
      if (isOwn(i)) mark(i);
    }
  }
  for (const param of divergent) for (const user of users.get(param) ?? []) if (spreads(user)) mark(user);
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    for (const user of users.get(i) ?? []) if (spreads(user)) mark(user);
    if (i.op !== "condbr" && i.op !== "switch") continue;
    const { between, meeting } = regions.from(i.block);
    for (const block of between) partial.add(block);
    for (const block of [...between, ...(meeting === null ? [] : [meeting])]) {
      for (const phi of block.instructions) {
        if (phi.op !== "phi") break;
        if (new Set(phi.incoming.map(({ value }) => value)).size > 1) mark(phi);
      }
    }
    // A loop that threads leave at different times: outside, its values are those of different rounds.
    if (!between.has(i.block)) continue;
    for (const block of between)
      for (const inside of block.instructions)
        for (const user of users.get(inside) ?? []) if (!between.has(user.block) && spreads(user)) mark(user);
  }
  state.divergent = divergent;
  state.partial = partial;
}

/** A divergent operand makes the result of the instruction divergent, or the branch that it takes. */
function spreads(i: IrInstruction): boolean {
  return (calledIntrinsic(i)?.barrier?.reduction ?? null) === null;
}

/** The same for the threads of a block that pass the same arguments. */
const SAME_FOR_BLOCK: ReadonlySet<ResultUniformity> = new Set(["operands", "block", "grid"]);
const PARAMETER_SPACE = 101;
const CONSTANT_SPACE = 4;

/** Whether the result is a thread's own, whatever the operands are. */
function isOwn(i: IrInstruction): boolean {
  switch (i.op) {
    case "load":
      return !(
        i.invariant ||
        (i.pointer.type.kind === "ptr" && [PARAMETER_SPACE, CONSTANT_SPACE].includes(i.pointer.type.addressSpace)) ||
        isReadOnlyParameter(i.pointer)
      );
    case "alloca":
    case "atomicrmw":
    case "cmpxchg":
    case "va_arg":
      return true;
    case "call":
      return i.type.kind !== "void" && !SAME_FOR_BLOCK.has(calledIntrinsic(i)?.uniformity ?? "lane");
    default:
      return false;
  }
}

/** Into a struct that is passed by value and that nobody writes. */
function isReadOnlyParameter(pointer: IrValue): boolean {
  const at = underlyingPointer(pointer);
  return at.kind === "param" && at.byval !== null && (at.attributes.has("readonly") || at.attributes.has("readnone"));
}
