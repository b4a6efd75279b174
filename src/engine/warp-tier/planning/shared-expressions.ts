/**
 * What is computed several times behind a branch, of the same values in front of it: which of these computations are
 * equal, and copies of them elsewhere behind the branch.
 */
import { dominates, type FlowGraph } from "../../../analysis/loops/flow-graph.ts";
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import { isConstant, type NameSource } from "../../../ir/model/build.ts";
import { cloneInstruction } from "../../../ir/model/clone.ts";
import type { IrBlock, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { mapOperands, operandsOf } from "../../../ir/model/operands.ts";
import { formatType } from "../../../ir/model/types.ts";

const MOST_OPERATIONS = 24;

export class SharedExpressions {
  readonly #flow: FlowGraph;
  readonly #branch: number;
  readonly #numbers = new Map<unknown, number>();
  readonly #copies = new Map<IrBlock, Map<IrValue, IrValue>>();

  /** `branch`: the block that ends with it. */
  constructor(flow: FlowGraph, branch: number) {
    this.#flow = flow;
    this.#branch = branch;
  }

  /** Equal for computations that give equal values; null for what must not be computed again. */
  keyOf(value: IrValue): string | null {
    let left = MOST_OPERATIONS;
    const visit = (v: IrValue): string | null => {
      if (v.kind === "const-int") return `${v.value}:${v.type.bits}`;
      if (isConstant(v) || v.kind === "param" || v.kind !== "instruction" || this.#isInFront(v)) return this.#number(v);
      const operation = nameOf(v);
      if (operation === null || left-- === 0) return null;
      const operands = operandsOf(v).map(visit);
      return operands.includes(null) ? null : `(${operation} ${operands.join(" ")})`;
    };
    return visit(value);
  }

  /** One of the values if all of them are equal, else null. */
  same(values: readonly IrValue[]): IrValue | null {
    const [first] = values;
    if (first === undefined) return null;
    const key = this.keyOf(first);
    return key !== null && values.every((value) => this.keyOf(value) === key) ? first : null;
  }

  /** The value as a computation at the end of a block that the branch dominates. Only for values with a key. */
  copyOf(value: IrValue, block: IrBlock, names: NameSource): IrValue {
    if (value.kind !== "instruction" || this.#isInFront(value)) return value;
    let copies = this.#copies.get(block);
    if (copies === undefined) this.#copies.set(block, (copies = new Map()));
    const known = copies.get(value);
    if (known !== undefined) return known;
    const copy = cloneInstruction(value, block);
    copy.name = names.fresh(value.name);
    mapOperands(copy, (operand) => this.copyOf(operand, block, names));
    block.instructions.push(copy);
    copies.set(value, copy);
    return copy;
  }

  #isInFront(i: IrInstruction): boolean {
    const { idom, indexOf } = this.#flow;
    const block = indexOf.get(i.block);
    return block !== undefined && dominates(idom, block, this.#branch);
  }

  #number(thing: unknown): string {
    let known = this.#numbers.get(thing);
    if (known === undefined) this.#numbers.set(thing, (known = this.#numbers.size));
    return `v${known}`;
  }
}

/** What the instruction does to its operands, if it does nothing else; null for others. */
function nameOf(i: IrInstruction): string | null {
  const type = formatType(i.type);
  switch (i.op) {
    case "binary":
      return i.type.kind === "int" ? `${i.operator} ${type}` : null;
    case "icmp":
      return `icmp ${i.predicate}`;
    case "cast":
      return `${i.operator} ${type}`;
    case "gep":
      return `gep ${formatType(i.sourceType)}`;
    case "select":
    case "freeze":
      return `${i.op} ${type}`;
    case "call": {
      const facts = calledIntrinsic(i);
      return facts?.kind === "pure" ? `${facts.name}${facts.overload}` : null;
    }
    default:
      return null;
  }
}
