/**
 * Brings several definitions of one variable back into SSA form (Braun et al., "Simple and Efficient Construction of
 * Static Single Assignment Form", 2013): a use is given the definition that reaches it, through new phis where several
 * do.
 */
import { constPoison, newPhi } from "../model/build.ts";
import type { NameSource } from "../model/build.ts";
import type { IrBlock, IrInstruction, IrType, IrValue, PhiInstruction } from "../model/ir.ts";
import { mapOperands } from "../model/operands.ts";

export class SsaRewriter {
  readonly #predecessors: ReadonlyMap<IrBlock, readonly IrBlock[]>;
  readonly #names: NameSource;
  readonly #type: IrType;
  readonly #hint: string;
  /** The value at the end of each block that has been asked for or defined. */
  readonly #atEnd = new Map<IrBlock, IrValue>();

  constructor(predecessors: ReadonlyMap<IrBlock, readonly IrBlock[]>, names: NameSource, type: IrType, hint: string) {
    this.#predecessors = predecessors;
    this.#names = names;
    this.#type = type;
    this.#hint = hint;
  }

  /** From here to the end of the block, the variable is `value`. */
  define(block: IrBlock, value: IrValue): void {
    this.#atEnd.set(block, value);
  }

  /** The variable's value at the end of the block. */
  valueAtEnd(block: IrBlock): IrValue {
    // Walk up through blocks with one predecessor without recursion.
    const path: IrBlock[] = [];
    let current = block;
    let value = this.#atEnd.get(current);
    while (value === undefined) {
      const before = this.#predecessors.get(current) ?? [];
      const only = before[0];
      if (only === undefined) {
        value = constPoison(this.#type);
      } else if (before.length === 1) {
        path.push(current);
        current = only;
        value = this.#atEnd.get(current);
      } else {
        value = this.#join(current, before);
      }
    }
    this.#atEnd.set(current, value);
    for (const passed of path) this.#atEnd.set(passed, value);
    return value;
  }

  /** The value at the start of a block with one use there: what its predecessors bring. */
  valueAtStart(block: IrBlock): IrValue {
    const before = this.#predecessors.get(block) ?? [];
    const only = before[0];
    if (only === undefined) return constPoison(this.#type);
    return before.length === 1 ? this.valueAtEnd(only) : (this.#joins.get(block) ?? this.#join(block, before));
  }

  readonly #joins = new Map<IrBlock, IrValue>();
  readonly #created: PhiInstruction[] = [];

  /**
   * Takes back the phis that turned out to choose between one value and themselves: a loop around a use makes such.
   * `users` are the instructions that were given values from here; after this nothing more may be asked.
   */
  removeTrivialPhis(users: Iterable<IrInstruction>): void {
    const replaced = new Map<IrValue, IrValue>();
    const resolve = (value: IrValue): IrValue => {
      let current = value;
      for (let next = replaced.get(current); next !== undefined; next = replaced.get(current)) current = next;
      return current;
    };
    for (let changed = true; changed;) {
      changed = false;
      for (const phi of this.#created) {
        if (replaced.has(phi)) continue;
        for (const incoming of phi.incoming) incoming.value = resolve(incoming.value);
        const others = new Set(phi.incoming.map((incoming) => incoming.value).filter((value) => value !== phi));
        if (others.size > 1) continue;
        replaced.set(phi, [...others][0] ?? constPoison(this.#type));
        phi.block.instructions.splice(phi.block.instructions.indexOf(phi), 1);
        changed = true;
      }
    }
    if (replaced.size > 0) for (const user of users) mapOperands(user, resolve);
  }

  #join(block: IrBlock, before: readonly IrBlock[]): IrValue {
    const phi = newPhi({ block, location: null }, this.#names.fresh(this.#hint), this.#type);
    // Set first: a loop asks again for what is being found.
    const redefined = this.#atEnd.has(block);
    if (!redefined) this.#atEnd.set(block, phi);
    this.#joins.set(block, phi);
    this.#created.push(phi);
    block.instructions.unshift(phi);
    phi.incoming = before.map((from) => ({ value: this.valueAtEnd(from), block: from }));
    return phi;
  }
}
