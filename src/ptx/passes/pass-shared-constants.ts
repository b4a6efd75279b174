/**
 * Constant expressions on addresses of shared variables become instructions at the function's entry: the assembler
 * places those variables, so that the numbers are not known here.
 *
 * Needs: a valid function. Afterwards: a constant that mentions a variable of address space 3 is that variable.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { NameSource, isConstant, newBinary, newCast, newInstruction } from "../../ir/model/build.ts";
import type { GepInstruction, IrBlock, IrConstant, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { mapOperands } from "../../ir/model/operands.ts";
import { sharedSymbol } from "../emit/ptx-function.ts";

export function expandSharedConstants(fn: IrFunction): void {
  const entry = fn.blocks[0] as IrBlock;
  const made = new Map<IrConstant, IrValue>();
  const instructions: IrInstruction[] = [];
  let names: NameSource | null = null;
  const expand = (constant: IrConstant): IrValue => {
    if (constant.kind !== "const-expr" || sharedSymbol(constant) === null) {
      if (constant.kind === "const-aggregate" && sharedSymbol(constant) !== null)
        throw unsupported("the address of a __shared__ variable in an aggregate constant");
      return constant;
    }
    const known = made.get(constant);
    if (known !== undefined) return known;
    const e = constant.instruction;
    names ??= new NameSource(fn);
    const place = { block: entry, location: null };
    let instruction: IrInstruction;
    switch (e.op) {
      case "gep": {
        const base = expand(e.base);
        instruction = newInstruction<GepInstruction>(place, {
          op: "gep",
          type: constant.type,
          name: names.fresh("shared"),
          sourceType: e.sourceType,
          base,
          indices: e.indices.map(expand),
          inbounds: true,
        });
        break;
      }
      case "cast":
        instruction = newCast(place, names.fresh("shared"), e.operator, expand(e.operand), constant.type);
        break;
      case "binary":
        instruction = newBinary(place, names.fresh("shared"), e.operator, expand(e.lhs), expand(e.rhs));
        break;
    }
    made.set(constant, instruction);
    instructions.push(instruction);
    return instruction;
  };
  for (const block of fn.blocks)
    for (const i of block.instructions) mapOperands(i, (value) => (isConstant(value) ? expand(value) : value));
  if (instructions.length === 0) return;
  const at = entry.instructions.findIndex((i) => i.op !== "alloca" && i.op !== "phi");
  if (at < 0) bug("an entry without a terminator");
  entry.instructions.splice(at, 0, ...instructions);
}
