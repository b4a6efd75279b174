/**
 * Fuses a·b+c into one rounding, as nvcc does by default (-fmad=true; CUDA programming guide, "Floating-Point
 * Standard").
 *
 * Needs: nothing. Afterwards: where an fadd or fsub and a product in the same block both carry `contract`, and the
 * product has no other use, there is a call of @llvm.fma; every @llvm.fmuladd is @llvm.fma too. Runs before the
 * interpreter and the compiled tiers alike, so that they round alike. Without the flags (-fmad=false, __fmul_rn)
 * nothing is fused.
 *
 * The choices follow LLVM's NVPTX back end, which nvcc derives from: of two products, the left one is fused; a product
 * in another block (one hoisted out of a loop) stays. Unlike there, a product with several uses stays, too.
 */
import { calledIntrinsic } from "../model/called-intrinsic.ts";
import { NameSource, newCall, newInstruction } from "../model/build.ts";
import { declareFunction } from "../model/build-module.ts";

import type {
  BinaryInstruction,
  FnegInstruction,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
} from "../model/ir.ts";
import { scalarOf } from "../model/types.ts";
import { replaceUses, useCounts } from "../model/uses.ts";

/** Returns how many operations were fused. */
export function fuseMultiplyAdd(module: IrModule): number {
  let fused = 0;
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) fused += fuseInFunction(fn, module);
  return fused;
}

export function fuseInFunction(fn: IrFunction, module: IrModule): number {
  const counts = useCounts(fn);
  const names = new NameSource(fn);
  const dead = new Set<IrInstruction>();
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    const out: IrInstruction[] = [];
    for (const instruction of block.instructions) {
      if (instruction.op === "call" && calledIntrinsic(instruction)?.operation === "fmuladd")
        instruction.callee = fmaOf(module, instruction.type);
      const fusion = instruction.op === "binary" ? findFusion(instruction, counts) : null;
      if (fusion === null) {
        out.push(instruction);
        continue;
      }
      const sum = instruction as BinaryInstruction;
      for (const passed of fusion.through) dead.add(passed);
      const a = negatedIf(fusion.negateProduct, fusion.product.lhs, sum, names, out);
      const c = negatedIf(fusion.negateAddend, fusion.addend, sum, names, out);
      const fma = newCall(
        sum,
        names.fresh(sum.name),
        fmaOf(module, sum.type),
        [a, fusion.product.rhs, c],
        sum.fastMath,
      );
      out.push(fma);
      replacements.set(sum, fma);
    }
    block.instructions = out;
  }
  replaceUses(fn, replacements);
  if (dead.size > 0)
    for (const block of fn.blocks)
      block.instructions = block.instructions.filter((instruction) => !dead.has(instruction));
  return replacements.size;
}

interface Fusion {
  readonly product: BinaryInstruction;
  readonly addend: IrValue;
  readonly negateProduct: boolean;
  readonly negateAddend: boolean;
  /** The product and the fneg around it: without use afterwards. */
  readonly through: readonly IrInstruction[];
}

function findFusion(sum: BinaryInstruction, counts: ReadonlyMap<IrValue, number>): Fusion | null {
  if ((sum.operator !== "fadd" && sum.operator !== "fsub") || sum.fastMath?.contract !== true) return null;
  const isSub = sum.operator === "fsub";
  const left = productBehind(sum.lhs, sum, counts);
  if (left)
    return {
      product: left.product,
      addend: sum.rhs,
      negateProduct: left.negated,
      negateAddend: isSub,
      through: left.through,
    };
  const right = productBehind(sum.rhs, sum, counts);
  if (right)
    return {
      product: right.product,
      addend: sum.lhs,
      negateProduct: right.negated !== isSub,
      negateAddend: false,
      through: right.through,
    };
  return null;
}

/** A product that only `user` uses, possibly through an fneg that only `user` uses. */
function productBehind(
  value: IrValue,
  user: BinaryInstruction,
  counts: ReadonlyMap<IrValue, number>,
): { product: BinaryInstruction; negated: boolean; through: IrInstruction[] } | null {
  if (value.kind !== "instruction" || value.block !== user.block || counts.get(value) !== 1) return null;
  if (value.op === "fneg") {
    const inner = productBehind(value.operand, user, counts);
    return inner === null
      ? null
      : { product: inner.product, negated: !inner.negated, through: [...inner.through, value] };
  }
  return value.op === "binary" && value.operator === "fmul" && value.fastMath?.contract === true
    ? { product: value, negated: false, through: [value] }
    : null;
}

function negatedIf(
  negate: boolean,
  value: IrValue,
  place: BinaryInstruction,
  names: NameSource,
  out: IrInstruction[],
): IrValue {
  if (!negate) return value;
  const negated = newInstruction<FnegInstruction>(place, {
    op: "fneg",
    type: value.type,
    name: names.fresh("neg"),
    operand: value,
    fastMath: null,
  });
  out.push(negated);
  return negated;
}

function fmaOf(module: IrModule, type: IrType): IrFunction {
  return declareFunction(module, `llvm.fma.${typeSuffix(type)}`, type, [type, type, type]);
}

/** The mangling of intrinsic names: f32, bf16, v4f32. */
export function typeSuffix(type: IrType): string {
  if (type.kind === "vector") return `v${type.length}${typeSuffix(type.element)}`;
  const scalar = scalarOf(type);
  if (scalar.kind === "int") return `i${scalar.bits}`;
  if (scalar.kind === "float") return { half: "f16", bfloat: "bf16", float: "f32", double: "f64" }[scalar.format];
  return scalar.kind === "ptr" ? `p${scalar.addressSpace}` : "";
}
