/**
 * Additions to a function that is being walked: collected first, put in place together, so that a walk sees the
 * original code only. What is added goes before or after an instruction; a block can also be ended early by a test that
 * leads to code for a rare case.
 */
import { NameSource } from "../ir/model/build.ts";
import { Emitter } from "../ir/model/emitter.ts";
import type { IrBlock, IrFunction, IrInstruction, IrModule } from "../ir/model/ir.ts";

export class IrEdits {
  readonly module: IrModule;
  readonly function: IrFunction;
  readonly names: NameSource;
  readonly #before = new Map<IrInstruction, IrInstruction[]>();
  readonly #after = new Map<IrInstruction, IrInstruction[]>();

  constructor(module: IrModule, fn: IrFunction) {
    this.module = module;
    this.function = fn;
    this.names = new NameSource(fn);
  }

  /** Code in front of an instruction that is no phi; what was added there before stays in front. */
  before(instruction: IrInstruction): Emitter {
    return this.#emitter(this.#before, instruction);
  }

  /** Code after an instruction that is no terminator; after a phi, it comes behind the block's last one. */
  after(instruction: IrInstruction): Emitter {
    return this.#emitter(this.#after, instruction);
  }

  /** Code behind an instruction that was added here before: at the end of what was added in the same place. */
  afterAdded(added: IrInstruction): Emitter {
    for (const places of [this.#before, this.#after]) {
      for (const [at, list] of places) if (list.includes(added)) return this.#emitter(places, at);
    }
    return this.after(added);
  }

  /** Code at the end of a block, put in place at once. */
  appendingTo(block: IrBlock): Emitter {
    const emitter = new Emitter(this.module, this.function, this.names, block);
    const append = emitter.append.bind(emitter);
    emitter.append = (made) => append(asToolCode(made));
    return emitter;
  }

  /** Code at the function's start, behind its allocas and what was added after them. */
  atEntry(): Emitter {
    const entry = this.function.blocks[0] as IrBlock;
    return this.before(entry.instructions.find(({ op }) => op !== "alloca" && op !== "phi") as IrInstruction);
  }

  /**
   * Code behind the last local array of the first block: those must stay in it when a function that the code calls is
   * inlined.
   */
  behindAllocas(): Emitter {
    const last = this.function.blocks[0]?.instructions.findLast(({ op }) => op === "alloca");
    return last === undefined ? this.atEntry() : this.after(last);
  }

  #emitter(places: Map<IrInstruction, IrInstruction[]>, instruction: IrInstruction): Emitter {
    let added = places.get(instruction);
    if (added === undefined) places.set(instruction, (added = []));
    const emitter = new Emitter(this.module, this.function, this.names, instruction.block);
    emitter.location = instruction.location;
    emitter.append = (made) => {
      added.push(asToolCode(made));
      return made;
    };
    return emitter;
  }

  /** Puts everything in place. */
  apply(): void {
    for (const block of this.function.blocks) {
      const phis: IrInstruction[] = [];
      const behindPhis: IrInstruction[] = [];
      const rest: IrInstruction[] = [];
      for (const i of block.instructions) {
        const before = this.#before.get(i) ?? [];
        const after = this.#after.get(i) ?? [];
        if (i.op === "phi") {
          phis.push(i, ...after.filter(({ op }) => op === "phi"));
          behindPhis.push(...after.filter(({ op }) => op !== "phi"));
        } else rest.push(...before, i, ...after);
      }
      block.instructions = [...phis, ...behindPhis, ...rest];
    }
    this.#before.clear();
    this.#after.clear();
  }
}

/** Marks what a tool adds, so that other tools do not take it for the program's. */
export function asToolCode<Added extends IrInstruction>(instruction: Added): Added {
  instruction.isToolCode = true;
  return instruction;
}
