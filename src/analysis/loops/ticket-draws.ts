/**
 * Loops that draw tickets: `while ((mine = atomicAdd(next, 1)) < count)`. The thread itself brings the number on until
 * it is large enough, so it waits for nobody. A spin lock has the same operation, but another test:
 * `while (atomicAdd(lock, 1) != 0)`.
 *
 * Used by: waiting-loops.ts.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { signedValue } from "../../ir/model/build.ts";
import type { AtomicRmwInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { underlyingPointer } from "../pointers/pointer-origins.ts";
import type { FlowGraph, FlowLoop } from "./flow-graph.ts";

/** What is known of the last number that the thread has drawn, until it is found to be small. */
interface Facts {
  /** It, or what grows with it. */
  readonly numbers: ReadonlySet<IrInstruction>;
  /** Conditions that prove it small if they hold, and such that prove it if they do not. */
  readonly ifTrue: ReadonlySet<IrInstruction>;
  readonly ifFalse: ReadonlySet<IrInstruction>;
}

/** Null: no number is drawn that has not been found small. */
type State = Facts | null;

const SMALLER: ReadonlySet<string> = new Set(["slt", "sle", "ult", "ule"]);
const LARGER: ReadonlySet<string> = new Set(["sgt", "sge", "ugt", "uge"]);

/**
 * Between two draws the former number is always found to be smaller than something that the loop does not change. So
 * the draws come to an end, as nothing in the loop makes the counter smaller.
 */
export function drawsTickets(flow: FlowGraph, loop: FlowLoop, draw: AtomicRmwInstruction): boolean {
  const counter = underlyingPointer(draw.pointer);
  const blocks = [...loop.blocks].sort((a, b) => a - b);
  for (const b of blocks) {
    for (const i of flow.blocks[b]!.instructions) {
      if (i.op !== "atomicrmw" && i.op !== "cmpxchg" && i.op !== "store") continue;
      if (underlyingPointer(i.pointer) === counter && !goesUp(i)) return false;
    }
  }
  return new TicketDraws(flow, loop, counter).areTested(blocks);
}

function goesUp(i: IrInstruction): boolean {
  return i.op === "atomicrmw" && i.operator === "add" && i.value.kind === "const-int" && signedValue(i.value) > 0n;
}

/** A dataflow analysis over the loop's blocks. States only lose facts from round to round, so that it ends. */
class TicketDraws {
  readonly #flow: FlowGraph;
  readonly #loop: FlowLoop;
  readonly #counter: IrValue;
  readonly #after = new Map<number, State>();

  constructor(flow: FlowGraph, loop: FlowLoop, counter: IrValue) {
    this.#flow = flow;
    this.#loop = loop;
    this.#counter = counter;
  }

  areTested(blocks: readonly number[]): boolean {
    for (let changed = true; changed;) {
      changed = false;
      for (const b of blocks) {
        const before = this.#flow.predecessors[b]!.filter((from) => this.#loop.blocks.has(from));
        const state = this.#through(b, before.map((from) => this.#alongEdge(from, b)).reduce(meet, null));
        if (state === "untested") return false;
        if (sizeOf(state) !== sizeOf(this.#after.get(b) ?? null)) changed = true;
        this.#after.set(b, state);
      }
    }
    return true;
  }

  #through(block: number, before: State): State | "untested" {
    let state = before;
    for (const i of this.#flow.blocks[block]!.instructions) {
      if (i.op === "phi") continue;
      if (i.op === "atomicrmw" && underlyingPointer(i.pointer) === this.#counter) {
        if (state !== null) return "untested";
        // What does not hold here cannot be found to hold before it is asked again.
        const [ifTrue, ifFalse] = [this.#knownAt(block, false), this.#knownAt(block, true)];
        state = { numbers: new Set([i]), ifTrue, ifFalse };
      } else if (state !== null) {
        state = withValue(state, i, this.#isNumber(i, state), (holds) => this.#proves(i, holds, state!));
      }
    }
    return state;
  }

  /** The conditions that branches on the way to the block have found to have the outcome. */
  #knownAt(block: number, outcome: boolean): Set<IrInstruction> {
    const { blocks, predecessors, idom } = this.#flow;
    const known = new Set<IrInstruction>();
    for (let b = block; idom[b]! >= 0; b = idom[b]!) {
      const last = blocks[idom[b]!]!.instructions.at(-1)!;
      if (predecessors[b]!.length !== 1 || last.op !== "condbr" || last.then === last.else) continue;
      const { condition } = last;
      if (condition.kind === "instruction" && (last.then === blocks[b]) === outcome) known.add(condition);
    }
    return known;
  }

  #alongEdge(from: number, to: number): State {
    const state = this.#after.get(from) ?? null;
    if (state === null) return null;
    const [source, target] = [this.#flow.blocks[from]!, this.#flow.blocks[to]!];
    const last = source.instructions.at(-1)!;
    if (last.op === "condbr" && last.then !== last.else && isProof(state, last.condition, last.then === target))
      return null;
    let result = state;
    for (const phi of target.instructions) {
      if (phi.op !== "phi") break;
      const { value } = phi.incoming.find(({ block }) => block === source)!;
      result = withValue(result, phi, has(state.numbers, value), (holds) => isProof(state, value, holds));
    }
    return result;
  }

  /** Grows with the number. */
  #isNumber(i: IrInstruction, { numbers }: Facts): boolean {
    switch (i.op) {
      case "freeze":
        return has(numbers, i.operand);
      case "cast":
        return (i.operator === "zext" || i.operator === "sext") && has(numbers, i.operand);
      case "call":
        // One lane draws for its warp.
        return calledIntrinsic(i)?.shuffle?.hasMask === true && has(numbers, i.args[1]!);
      case "binary":
        if (i.operator === "sub" || i.operator === "shl") return has(numbers, i.lhs) && this.#isFixed(i.rhs);
        if (i.operator !== "add" && i.operator !== "mul") return false;
        return [
          [i.lhs, i.rhs],
          [i.rhs, i.lhs],
        ].some(
          ([number, other]) =>
            has(numbers, number!) &&
            this.#isFixed(other!) &&
            (i.operator === "add" || other!.kind !== "const-int" || signedValue(other!) > 0n),
        );
      default:
        return false;
    }
  }

  #proves(i: IrInstruction, holds: boolean, state: Facts): boolean {
    const proof = (value: IrValue, outcome: boolean): boolean => isProof(state, value, outcome);
    switch (i.op) {
      case "icmp": {
        const [smaller, larger] = holds ? [SMALLER, LARGER] : [LARGER, SMALLER];
        const { lhs, rhs, predicate } = i;
        return (
          (smaller.has(predicate) && has(state.numbers, lhs) && this.#isFixed(rhs)) ||
          (larger.has(predicate) && has(state.numbers, rhs) && this.#isFixed(lhs))
        );
      }
      case "select":
        return (
          (proof(i.condition, true) || proof(i.then, holds)) && (proof(i.condition, false) || proof(i.else, holds))
        );
      case "binary":
        if (i.operator === (holds ? "and" : "or")) return proof(i.lhs, holds) || proof(i.rhs, holds);
        if (i.operator === (holds ? "or" : "and")) return proof(i.lhs, holds) && proof(i.rhs, holds);
        return i.operator === "xor" && i.rhs.kind === "const-int" && i.rhs.value !== 0n && proof(i.lhs, !holds);
      default:
        return false;
    }
  }

  #isFixed(value: IrValue): boolean {
    return value.kind !== "instruction" || !this.#loop.blocks.has(this.#flow.indexOf.get(value.block)!);
  }
}

function has(set: ReadonlySet<IrInstruction>, value: IrValue): boolean {
  return value.kind === "instruction" && set.has(value);
}

/** Where the condition has the outcome, the number is small. That a constant never has the outcome proves it, too. */
function isProof({ ifTrue, ifFalse }: Facts, condition: IrValue, holds: boolean): boolean {
  if (condition.kind === "const-int" && condition.type.bits === 1) return (condition.value !== 0n) !== holds;
  return has(holds ? ifTrue : ifFalse, condition);
}

/** What is known once the instruction has a new value. */
function withValue(facts: Facts, i: IrInstruction, isNumber: boolean, proves: (holds: boolean) => boolean): Facts {
  const put = (set: ReadonlySet<IrInstruction>, isIn: boolean): ReadonlySet<IrInstruction> => {
    if (set.has(i) === isIn) return set;
    const changed = new Set(set);
    if (isIn) changed.add(i);
    else changed.delete(i);
    return changed;
  };
  const isCondition = i.type.kind === "int" && i.type.bits === 1;
  return {
    numbers: put(facts.numbers, isNumber),
    ifTrue: put(facts.ifTrue, isCondition && proves(true)),
    ifFalse: put(facts.ifFalse, isCondition && proves(false)),
  };
}

/** Where one of the ways has no number to be tested, anything may be said of it. */
function meet(a: State, b: State): State {
  if (a === null || b === null) return a ?? b;
  const both = (x: ReadonlySet<IrInstruction>, y: ReadonlySet<IrInstruction>): Set<IrInstruction> =>
    new Set([...x].filter((i) => y.has(i)));
  return {
    numbers: both(a.numbers, b.numbers),
    ifTrue: both(a.ifTrue, b.ifTrue),
    ifFalse: both(a.ifFalse, b.ifFalse),
  };
}

/** Smaller where more is known; -1: nothing is to be known. */
function sizeOf(state: State): number {
  return state === null ? -1 : state.numbers.size + state.ifTrue.size + state.ifFalse.size;
}
