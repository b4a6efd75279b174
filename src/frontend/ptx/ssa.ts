/**
 * Registers as SSA values (Braun et al., "Simple and Efficient Construction of SSA Form", 2013). A register that is
 * read at the beginning of a block with several predecessors becomes a phi, whose values are looked up when all blocks
 * are there; phis that merge one value go afterwards.
 */
import { constZero, newPhi, type NameSource } from "../../ir/model/build.ts";
import type { IrBlock, IrFunction, IrType, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import type { Variable } from "../../ir/inline-ptx/emit.ts";

/** What is written to a register is made this type first, so that all its values agree. */
export type Coerce = (value: IrValue, type: IrType) => IrValue;

export class SsaBuilder {
  readonly #names: NameSource;
  readonly #pending: { readonly variable: SsaVariable; readonly block: IrBlock; readonly phi: PhiInstruction }[] = [];
  /** Where the next instruction goes. */
  current: IrBlock;
  readonly predecessors: Map<IrBlock, IrBlock[]> = new Map();
  /** How many predecessors a block will have; absent: those that it has. */
  readonly expected: Map<IrBlock, number> = new Map();

  constructor(names: NameSource, entry: IrBlock) {
    this.#names = names;
    this.current = entry;
    this.predecessors.set(entry, []);
  }

  addEdge(from: IrBlock, to: IrBlock): void {
    const list = this.predecessors.get(to);
    if (list === undefined) this.predecessors.set(to, [from]);
    else list.push(from);
  }

  read(variable: SsaVariable, block: IrBlock): IrValue {
    const passed: IrBlock[] = [];
    let at = block;
    let value: IrValue;
    for (;;) {
      const known = variable.definitions.get(at);
      if (known !== undefined) {
        value = known;
        break;
      }
      const from = this.predecessors.get(at) ?? [];
      const count = this.expected.get(at) ?? from.length;
      passed.push(at);
      if (count === 0) {
        // Reading a register that nothing was written to gives whatever the hardware holds; zero is as good.
        value = constZero(variable.type);
        break;
      }
      if (count === 1 && from.length === 1) {
        at = from[0] as IrBlock;
        continue;
      }
      const phi = newPhi({ block: at, location: null }, this.#names.fresh(variable.name), variable.type);
      at.instructions.unshift(phi);
      this.#pending.push({ variable, block: at, phi });
      value = phi;
      break;
    }
    for (const each of passed) variable.definitions.set(each, value);
    return value;
  }

  /** When all blocks are there. */
  complete(fn: IrFunction): void {
    const phis: PhiInstruction[] = [];
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      const { variable, block, phi } = next;
      const from = this.predecessors.get(block) ?? [];
      phi.incoming = from.map((each) => ({ value: this.read(variable, each), block: each }));
      phis.push(phi);
    }
    const replaced = trivialPhis(phis);
    for (const block of fn.blocks)
      block.instructions = block.instructions.filter((i) => i.op !== "phi" || !replaced.has(i));
    replaceUses(fn, replaced);
  }
}

/** Phis of one value, and what stands for them. */
function trivialPhis(phis: readonly PhiInstruction[]): Map<IrValue, IrValue> {
  const replaced = new Map<IrValue, IrValue>();
  const resolve = (value: IrValue): IrValue => {
    let current = value;
    for (let next = replaced.get(current); next !== undefined; next = replaced.get(current)) current = next;
    return current;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const phi of phis) {
      if (replaced.has(phi)) continue;
      let only: IrValue | null = null;
      let several = false;
      for (const { value } of phi.incoming) {
        const resolved = resolve(value);
        if (resolved === phi || resolved === only) continue;
        if (only !== null) several = true;
        only = resolved;
      }
      if (several || only === null) continue;
      replaced.set(phi, only);
      changed = true;
    }
  }
  return replaced;
}

export class SsaVariable implements Variable {
  readonly name: string;
  readonly bits: number;
  readonly type: IrType;
  readonly definitions: Map<IrBlock, IrValue> = new Map();
  readonly #ssa: SsaBuilder;
  readonly #coerce: Coerce;

  constructor(ssa: SsaBuilder, coerce: Coerce, name: string, bits: number, type: IrType) {
    this.#ssa = ssa;
    this.#coerce = coerce;
    this.name = name;
    this.bits = bits;
    this.type = type;
  }

  get value(): IrValue {
    return this.#ssa.read(this, this.#ssa.current);
  }
  set value(value: IrValue | null) {
    if (value !== null) this.definitions.set(this.#ssa.current, this.#coerce(value, this.type));
  }
}
