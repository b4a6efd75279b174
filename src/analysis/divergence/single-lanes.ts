/**
 * Code that at most one lane of a warp runs: `if (threadIdx.x % 128 == 0)`. What an atomic operation returns there is
 * the same in all lanes that run it.
 *
 * Used by: divergence.ts.
 */
import type { IrValue } from "../../ir/model/ir.ts";
import { LANES } from "../lane-addresses/lane-shape.ts";
import type { ShapeOf } from "../lane-addresses/lane-shape-transfer.ts";
import type { FlowGraph } from "../loops/flow-graph.ts";

/** `a` equals `b` in all lanes that run the block. */
interface Equality {
  readonly a: IrValue;
  readonly b: IrValue;
}

export class SingleLanes {
  readonly #flow: FlowGraph;
  readonly #shapeOf: ShapeOf;
  readonly #equalities = new Map<number, readonly Equality[]>();

  /** `shapeOf`: shapes as far as they are known, which only fall. */
  constructor(flow: FlowGraph, shapeOf: ShapeOf) {
    this.#flow = flow;
    this.#shapeOf = shapeOf;
  }

  /** The lanes' numbers differ, and one number is asked for. */
  runsAlone(block: number): boolean {
    return this.#equalitiesOf(block).some(({ a, b }) => {
      const [x, y] = [this.#shapeOf(a), this.#shapeOf(b)];
      return x?.kind === "offset" && y?.kind === "uniform" && new Set(x.offsets).size === LANES;
    });
  }

  /** What the branches on the way to the block have found. */
  #equalitiesOf(block: number): readonly Equality[] {
    let known = this.#equalities.get(block);
    if (known === undefined) {
      known = [...this.#onEntry(block), ...this.#above(block)].filter(({ a, b }) =>
        [a, b].every((value) => !this.#isOfEarlierIterations(value, block)),
      );
      this.#equalities.set(block, known);
    }
    return known;
  }

  #above(block: number): readonly Equality[] {
    const dominator = this.#flow.idom[block]!;
    return dominator < 0 ? [] : this.#equalitiesOf(dominator);
  }

  /**
   * The block is behind a loop that computes the value. All lanes come to the block together, each with the value of
   * the iteration in which it left: `if (lane == i) break;`.
   */
  #isOfEarlierIterations(value: IrValue, block: number): boolean {
    if (value.kind !== "instruction") return false;
    const from = this.#flow.indexOf.get(value.block)!;
    return this.#flow.loops.some(({ blocks }) => blocks.has(from) && !blocks.has(block));
  }

  #onEntry(block: number): readonly Equality[] {
    const flow = this.#flow;
    const [before, ...others] = flow.predecessors[block]!;
    if (before === undefined || others.length > 0) return [];
    const last = flow.blocks[before]!.instructions.at(-1)!;
    if (last.op !== "condbr" || last.then === last.else) return [];
    return equalitiesIn(last.condition, last.then === flow.blocks[block]);
  }
}

/** What follows from a condition's outcome. */
function equalitiesIn(condition: IrValue, holds: boolean): readonly Equality[] {
  if (condition.kind !== "instruction") return [];
  if (condition.op === "icmp")
    return condition.predicate === (holds ? "eq" : "ne")
      ? [
          { a: condition.lhs, b: condition.rhs },
          { a: condition.rhs, b: condition.lhs },
        ]
      : [];
  // Both hold.
  if (condition.op === "binary" && condition.operator === (holds ? "and" : "or"))
    return [...equalitiesIn(condition.lhs, holds), ...equalitiesIn(condition.rhs, holds)];
  if (condition.op !== "select") return [];
  const isConnective = holds ? isConstant(condition.else, 0n) : isConstant(condition.then, 1n);
  if (!isConnective) return [];
  return [...equalitiesIn(condition.condition, holds), ...equalitiesIn(holds ? condition.then : condition.else, holds)];
}

function isConstant(value: IrValue, bits: bigint): boolean {
  return value.kind === "const-int" && value.value === bits;
}
