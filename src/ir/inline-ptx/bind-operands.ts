/** The operands of an asm statement: what each placeholder of its text stands for. */
import { unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, InlineAsm, IrType } from "../model/ir.ts";
import type { Variable } from "./emit.ts";

/** The widths of the constraint letters ("Inline PTX Assembly in CUDA", Constraints). */
const CONSTRAINT_BITS: Readonly<Record<string, number>> = { b: 1, c: 8, h: 16, r: 32, l: 64, f: 32, d: 64, q: 128 };

/**
 * The operands in the order of the template's numbers: the outputs, then the inputs; an input may be tied to an output
 * by its number.
 */
export function bindOperands(call: CallInstruction & { callee: InlineAsm }): {
  variables: Variable[];
  outputs: { variable: Variable; type: IrType }[];
} {
  const variables: Variable[] = [];
  const outputs: { variable: Variable; type: IrType }[] = [];
  const resultTypes = resultTypesOf(call.type);
  let argument = 0;
  for (const constraint of call.callee.constraints.split(",")) {
    if (constraint === "" || constraint.startsWith("~")) continue;
    if (constraint.startsWith("=")) {
      const letter = constraint.replace(/^=&?/, "");
      const bits = CONSTRAINT_BITS[letter];
      const type = resultTypes[outputs.length];
      if (bits === undefined || type === undefined)
        throw unsupported(`the constraint "${constraint}" of inline PTX`, call.location ?? undefined);
      const variable: Variable = { bits, value: null };
      variables.push(variable);
      outputs.push({ variable, type });
      continue;
    }
    const value = call.args[argument++];
    if (value === undefined)
      throw unsupported(`the constraint "${constraint}" of inline PTX`, call.location ?? undefined);
    if (/^\d+$/.test(constraint)) {
      const tied = outputs[Number(constraint)];
      if (!tied) throw unsupported(`the constraint "${constraint}" of inline PTX`, call.location ?? undefined);
      tied.variable.value = value;
      variables.push(tied.variable);
      continue;
    }
    const isImmediate = constraint === "n" || constraint === "i" || constraint === "C";
    const immediateBits = value.type.kind === "int" ? value.type.bits : 32;
    const bits = CONSTRAINT_BITS[constraint] ?? (isImmediate ? immediateBits : undefined);
    if (bits === undefined)
      throw unsupported(`the constraint "${constraint}" of inline PTX`, call.location ?? undefined);
    variables.push({ bits, value });
  }
  return { variables, outputs };
}

function resultTypesOf(type: IrType): readonly IrType[] {
  if (type.kind === "void") return [];
  return type.kind === "struct" ? type.elements : [type];
}
