/**
 * Copies of instructions, blocks and functions: for the inliner and for the device library, whose functions serve many
 * programs.
 */
import { isConstant, newBlock } from "./build.ts";
import { constantMapper } from "./constant-symbols.ts";
import type { IrBlock, IrFunction, IrInstruction, IrModule, IrValue } from "./ir.ts";
import { mapOperands, mapTargets } from "./operands.ts";

/** A copy that shares no array with the original. Operands and targets are still the original's. */
export function cloneInstruction(instruction: IrInstruction, block: IrBlock): IrInstruction {
  switch (instruction.op) {
    case "phi":
      return { ...instruction, block, incoming: instruction.incoming.map((incoming) => ({ ...incoming })) };
    case "gep":
      return { ...instruction, block, indices: [...instruction.indices] };
    case "call":
      return {
        ...instruction,
        block,
        args: [...instruction.args],
        byval: [...instruction.byval],
        ...(instruction.argAlign ? { argAlign: [...instruction.argAlign] } : {}),
      };
    case "extractvalue":
    case "insertvalue":
      return { ...instruction, block, indices: [...instruction.indices] };
    case "shufflevector":
      return { ...instruction, block, mask: [...instruction.mask] };
    case "switch":
      return { ...instruction, block, cases: instruction.cases.map((c) => ({ ...c })) };
    default:
      return { ...instruction, block };
  }
}

export interface ClonedBlocks {
  readonly blocks: IrBlock[];
  /** Originals to copies. */
  readonly values: Map<IrValue, IrValue>;
  readonly blockOf: Map<IrBlock, IrBlock>;
}

/**
 * Copies blocks into `target` (its block list stays as it is). `values` says what stands for values from outside, such
 * as parameters; what it does not name stays itself. `rename` gives values and blocks their names in the target.
 */
export function cloneBlocks(
  blocks: readonly IrBlock[],
  target: IrFunction,
  values: Map<IrValue, IrValue>,
  rename: (name: string) => string,
): ClonedBlocks {
  const blockOf = new Map<IrBlock, IrBlock>();
  for (const block of blocks) blockOf.set(block, newBlock(target, rename(block.name)));
  for (const block of blocks) {
    const copy = blockOf.get(block) as IrBlock;
    for (const instruction of block.instructions) {
      const cloned = cloneInstruction(instruction, copy);
      if (cloned.type.kind !== "void") {
        cloned.name = rename(cloned.name);
        values.set(instruction, cloned);
      }
      copy.instructions.push(cloned);
    }
  }
  const mapValue = (value: IrValue): IrValue => values.get(value) ?? value;
  const mapBlock = (block: IrBlock): IrBlock => blockOf.get(block) ?? block;
  for (const copy of blockOf.values()) {
    for (const instruction of copy.instructions) {
      mapOperands(instruction, mapValue);
      mapTargets(instruction, mapBlock);
      if (instruction.op === "phi")
        for (const incoming of instruction.incoming) incoming.block = mapBlock(incoming.block);
    }
  }
  return { blocks: [...blockOf.values()], values, blockOf };
}

/** A copy with its own parameters and blocks; it is in no module yet, and still calls what the original calls. */
export function cloneFunction(fn: IrFunction): IrFunction {
  const copy: IrFunction = { ...fn, params: [], blocks: [] };
  copy.params = fn.params.map((param) => ({ ...param, function: copy }));
  const values = new Map<IrValue, IrValue>(fn.params.map((param, i) => [param, copy.params[i] as IrValue]));
  copy.blocks = cloneBlocks(fn.blocks, copy, values, (name) => name).blocks;
  return copy;
}

/**
 * A copy of a module whose functions are its own, for passes that change them; globals, types and aliases are shared
 * with the original. Globals' initializers and aliases still name the original's functions: take addresses of functions
 * by name.
 */
export function cloneModule(module: IrModule): IrModule {
  const functions = new Map<IrValue, IrFunction>();
  for (const fn of module.functions.values()) functions.set(fn, cloneFunction(fn));
  const map = constantMapper((symbol) => functions.get(symbol) ?? symbol);
  for (const copy of functions.values()) {
    for (const block of copy.blocks)
      for (const instruction of block.instructions)
        mapOperands(instruction, (value) => (isConstant(value) ? map(value) : value));
  }
  return {
    ...module,
    functions: new Map([...module.functions].map(([name, fn]) => [name, functions.get(fn) as IrFunction])),
  };
}
