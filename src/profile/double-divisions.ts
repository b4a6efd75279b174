/**
 * Divisions of doubles that LLVM narrowed to floats, because a float takes the result: `1.0 / x`. With -use_fast_math
 * NVIDIA's compiler divides in doubles, as it is written (seen in the PTX of nvcc 13.0; without that option it narrows,
 * too, and it narrows sums and products in either case). The code has no trace of it, but the source has: a literal
 * beside the operator without an f.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { IrInstruction, IrValue } from "../ir/model/ir.ts";

/** A file's lines; null: the file is not known. */
export type LinesOf = (file: string) => readonly string[] | null;

const DOUBLE = String.raw`(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?`;
const DIVIDED = new RegExp(String.raw`(?:^|[^\w.])${DOUBLE}\s*/|/=?\s*${DOUBLE}(?![\w.])`, "i");

/** @param i a division of floats, compiled with -use_fast_math */
export function isDoubleDivision(i: IrInstruction, linesOf: LinesOf): boolean {
  return i.location !== null && isDividedInDoubles(i.location, linesOf);
}

/** A division has the place of its operator; a narrowed one that of the conversion, where the expression begins. */
function isDividedInDoubles({ file, line, column }: SourceLocation, linesOf: LinesOf): boolean {
  const text = linesOf(file)?.[line - 1];
  return text !== undefined && text[column - 1] !== "/" && DIVIDED.test(text.slice(column - 1));
}

/** The operands that become doubles first: all but the literal. */
export function widenedOperands(operands: readonly IrValue[]): number {
  return operands.filter(({ kind }) => kind !== "const-float").length;
}
