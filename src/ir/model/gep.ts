/** What getelementptr computes (LangRef, "getelementptr"): its type, and its offset as bytes. */
import { sizeOf, structOffsets } from "./layout.ts";
import type { GepInstruction, IrType, IrValue } from "./ir.ts";
import { ptrType, scalarOf, vectorType } from "./types.ts";
import { bug } from "../../base/diagnostics.ts";
import { signedValue } from "./build.ts";

/** A pointer in the base's address space, or a vector of them where the base or an index is a vector. */
export function gepType(base: IrType, indices: readonly { readonly type: IrType }[]): IrType {
  const pointer = scalarOf(base);
  const result = pointer.kind === "ptr" ? ptrType(pointer.addressSpace, pointer.bits) : ptrType(0);
  const vector = [base, ...indices.map((index) => index.type)].find((type) => type.kind === "vector");
  return vector?.kind === "vector" ? vectorType(result, vector.length) : result;
}

export interface GepOffset {
  /** Bytes, signed. */
  readonly constant: number;
  /** The indices that are not constants, each with the bytes one step of it moves. */
  readonly terms: readonly { readonly index: IrValue; readonly scale: number }[];
}

/** The byte offset that the indices add up to: a constant and scaled variables. Works on scalar indices. */
export function gepOffset(sourceType: IrType, indices: readonly IrValue[]): GepOffset {
  let constant = 0;
  const terms: { index: IrValue; scale: number }[] = [];
  let current = sourceType;
  for (const [i, index] of indices.entries()) {
    let scale: number;
    if (i === 0) scale = sizeOf(current);
    else if (current.kind === "struct") {
      if (index.kind !== "const-int") bug("an index into a struct is not a constant");
      const element = Number(index.value);
      constant += structOffsets(current)[element] ?? bug("an index is outside of its struct");
      current = current.elements[element] as IrType;
      continue;
    } else if (current.kind === "array" || current.kind === "vector") {
      current = current.element;
      scale = sizeOf(current);
    } else bug("an index goes into a scalar");
    if (index.kind === "const-int") constant += Number(signedValue(index)) * scale;
    else if (scale !== 0) terms.push({ index, scale });
  }
  return { constant, terms };
}

/** The bytes that a getelementptr adds where all of its indices are constants, else null. */
export function constantGepOffset(gep: {
  readonly sourceType: IrType;
  readonly indices: readonly IrValue[];
}): number | null {
  return hasConstantIndices(gep) ? gepOffset(gep.sourceType, gep.indices).constant : null;
}

export function hasConstantIndices({ indices }: { readonly indices: readonly IrValue[] }): boolean {
  return indices.every((index) => index.kind === "const-int");
}

/**
 * A pointer as a base and constant bytes behind it: walks back over geps with constant indices.
 *
 * @param accepts false ends the walk in front of this gep; `offset` is the sum with its own bytes.
 */
export function splitConstantOffset(
  pointer: IrValue,
  accepts: (gep: GepInstruction, offset: number) => boolean = () => true,
): { readonly base: IrValue; readonly offset: number } {
  let base = pointer;
  let offset = 0;
  while (base.kind === "instruction" && base.op === "gep") {
    const step = constantGepOffset(base);
    if (step === null || !accepts(base, offset + step)) break;
    offset += step;
    base = base.base;
  }
  return { base, offset };
}
