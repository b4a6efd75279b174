/**
 * What the units of a multiprocessor do for an instruction: its class of work, and what kind of floating-point
 * operation it is. Products that are fused with sums are one operation already (ir/passes/pass-contract.ts).
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { isInOwnSources } from "../base/source-places.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type {
  BinaryInstruction,
  CallInstruction,
  CastInstruction,
  IntType,
  IrFunction,
  IrInstruction,
  IrType,
  IrValue,
} from "../ir/model/ir.ts";
import { scalarOf } from "../ir/model/types.ts";
import { useCounts } from "../ir/model/uses.ts";
import { isDivision } from "../ptx/passes/pass-divisions.ts";
import { isMatrixFunction, isWarpgroupProduct } from "../ptx/emit/library-functions.ts";
import { isFast } from "../ptx/passes/pass-gpu-functions.ts";
import { isDoubleDivision, widenedOperands, type LinesOf } from "./double-divisions.ts";
import type { WorkClass } from "./work-classes.ts";
import { MATH_COSTS } from "./math-costs.ts";
import { STEP_PRODUCTS } from "./warpgroup-products.ts";

export interface Work {
  readonly work: WorkClass;
  /** Operations: several for one instruction on vectors. */
  readonly count: number;
}

/** What the work of an instruction depends on beside itself. */
export interface WorkContext {
  /** Compiled with -use_fast_math. */
  readonly fast: boolean;
  /** Where the source is known: divisions are looked up in it. */
  readonly linesOf: LinesOf;
  /** Quotients whose product with the reciprocal is fused with the sum that they are for, and those sums. */
  readonly fused: ReadonlySet<IrInstruction>;
}

/**
 * With -use_fast_math, and by __fdividef, x / y is x times the reciprocal of y, which is fused with a sum as other
 * products are: the assembler does both.
 */
export function workContext(fn: IrFunction, linesOf: LinesOf = () => null): WorkContext {
  const fast = isFast(fn);
  const fused = new Set<IrInstruction>();
  const uses = useCounts(fn);
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      if (i.op !== "binary" || (i.operator !== "fadd" && i.operator !== "fsub") || !i.fastMath?.contract) continue;
      const quotient = [i.lhs, i.rhs].find(
        (value) => isFastQuotient(value, fast) && uses.get(value) === 1 && !isDivisionOfDoubles(value, fast, linesOf),
      );
      if (quotient?.kind !== "instruction" || quotient.block !== i.block) continue;
      fused.add(quotient);
      fused.add(i);
    }
  }
  return { fast, linesOf, fused };
}

function isFastQuotient(value: IrValue, fast: boolean): boolean {
  if (value.kind !== "instruction") return false;
  if (isFastDivision(value)) return true;
  return (
    fast &&
    value.op === "binary" &&
    value.operator === "fdiv" &&
    isFloat32(value.type) &&
    !isOne(value.lhs) &&
    value.fastMath?.contract === true
  );
}

function isDivisionOfDoubles(value: IrValue, fast: boolean, linesOf: LinesOf): value is BinaryInstruction {
  if (!fast || value.kind !== "instruction" || value.op !== "binary" || value.operator !== "fdiv") return false;
  return isFloat32(value.type) && isDoubleDivision(value, linesOf);
}

/** The operands become doubles, the quotient a float. */
function doubleDivisionCost({ lhs, rhs }: BinaryInstruction): MathCost {
  const divided = MATH_COSTS.get(isOne(lhs) ? "reciprocal double" : "fdiv double");
  const widened = widenedOperands([lhs, rhs]);
  return { ...divided, conversion: widened + 1, "fp32-mul": widened };
}

function isFastDivision(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name === "__nv_fast_fdividef";
}

/** What an instruction executes; a division and a mathematical function what NVIDIA's code of it does. */
export function worksOf(i: IrInstruction, context: WorkContext): readonly Work[] {
  const lanes = operationsOf(i.type);
  if (context.fused.has(i)) {
    const isSum = i.op === "binary" && i.operator !== "fdiv";
    const work: Work = { work: isSum ? "fp32-fma" : "special", count: lanes };
    // Without -ftz=true the divisor is scaled, so that small ones have a reciprocal.
    return isFastDivision(i) && !context.fast ? [work, { work: "fp32-mul", count: lanes }] : [work];
  }
  const cost = isDivisionOfDoubles(i, context.fast, context.linesOf)
    ? doubleDivisionCost(i)
    : mathCost(i, context.fast);
  if (cost === null) {
    const work = workOf(i);
    return work === null ? [] : [work];
  }
  return Object.entries(cost).map(([work, count]) => ({ work: work as WorkClass, count: count * lanes }));
}

export type MathCost = Readonly<Partial<Record<WorkClass, number>>>;

/** One instruction of the unit for special functions: sqrt.approx, rcp.approx, tanh.approx. */
const APPROXIMATION: MathCost = { special: 1 };
/** cvt.ftz.f64.f32: a product with 1 makes numbers 0 that are too small for -ftz=true. */
const FLUSHED: MathCost = { conversion: 1, "fp32-mul": 1 };
const NOTHING: MathCost = {};

/** @param fast compiled with -use_fast_math */
export function mathCost(i: IrInstruction, fast: boolean): MathCost | null {
  if (fast && i.op === "cast" && i.operator === "fpext" && isFloat32(i.operand.type)) return FLUSHED;
  if (i.op === "binary" && i.operator === "fdiv") {
    const scalar = scalarOf(i.type);
    const type = scalar.kind === "float" ? scalar.format : "float";
    if (type !== "float" && type !== "double") return null;
    if (type === "float" && fast) return isOne(i.lhs) ? APPROXIMATION : (MATH_COSTS.get("__nv_fast_fdividef") ?? null);
    return MATH_COSTS.get(`${isOne(i.lhs) ? "reciprocal" : "fdiv"} ${type}`) ?? null;
  }
  if (i.op !== "call" || i.callee.kind !== "function") return null;
  const isSqrt = calledIntrinsic(i)?.operation === "sqrt" && scalarOf(i.type) === i.type;
  const sqrt = i.type.kind === "float" && i.type.format === "double" ? "__nv_sqrt" : "__nv_sqrtf";
  const name = isSqrt ? sqrt : i.callee.name;
  if (/^__nv_sqrtf?$/.test(name) && i.args[0]?.kind === "const-float") return NOTHING;
  if (fast && (name === "__nv_sqrtf" || name === "__nv_tanhf")) return APPROXIMATION;
  const fastName = name.replace("__nv_", "__nv_fast_");
  return (fast ? MATH_COSTS.get(fastName) : undefined) ?? MATH_COSTS.get(name) ?? null;
}

/**
 * Instructions of an integer division: of the machine code that ptxas 13.0 makes for sm_90. By a constant it is a
 * product with the reciprocal. Of 64 bits: what is executed where both operands are below 2^32.
 */
const DIVISION = { unsigned: 18, signed: 26, wide: 30, byConstant: 4, wideByConstant: 12 } as const;

/** Instructions that an integer division stands for; null: it is none. */
export function divisionCost(i: IrInstruction): number | null {
  if (!isDivision(i)) return null;
  const isWide = scalarOf(i.type).kind === "int" && (i.type as IntType).bits > 32;
  if (i.rhs.kind === "const-int") return isWide ? DIVISION.wideByConstant : DIVISION.byConstant;
  if (isWide) return DIVISION.wide;
  return i.operator === "udiv" || i.operator === "urem" ? DIVISION.unsigned : DIVISION.signed;
}

/** null: nothing is executed. */
function workOf(i: IrInstruction): Work | null {
  switch (i.op) {
    case "binary":
      return { work: isFloat(i.type) ? floatWork(i) : "alu", count: divisionCost(i) ?? operationsOf(i.type) };
    case "icmp":
    case "fcmp":
    case "select":
      return { work: "alu", count: operationsOf(i.type) };
    case "cast":
      return castWork(i);
    case "gep":
      return { work: "alu", count: 1 };
    case "load":
    case "store":
    case "atomicrmw":
    case "cmpxchg":
      return { work: "memory", count: 1 };
    case "condbr":
    case "switch":
    case "ret":
      return { work: "control", count: 1 };
    case "call":
      return callWork(i);
    default:
      // A sign is part of the operand, a jump of the code's layout, and a phi is a register.
      return null;
  }
}

function callWork(call: CallInstruction): Work | null {
  const facts = calledIntrinsic(call);
  const matrix = call.callee.kind === "function" ? matrixWork(call.callee.name) : null;
  if (matrix !== null) return matrix;
  if (facts === null) return { work: "control", count: 1 };
  const { cost, operation } = facts;
  if (cost === "none") return null;
  const count = operationsOf(call.type);
  if (cost !== "fp64" && cost !== "fp16") return { work: cost, count };
  if (operation === "fma" || operation === "fmuladd") return { work: `${cost}-fma`, count };
  if (operation === "add" || operation === "sub") return { work: `${cost}-add`, count };
  return { work: operation === "mul" ? `${cost}-mul` : `${cost}-other`, count };
}

/** Matrix instructions, by the names of their functions for the emulated device. */
function matrixWork(name: string): Work | null {
  if (isWarpgroupProduct(name)) return { work: "tensor", count: 1 };
  if (!isMatrixFunction(name)) return null;
  const shape = /^__heddle_mma_m(\d+)n(\d+)k(\d+)_/.exec(name);
  const products = /_sp(?:_sat)?$/.test(name) ? 2 * STEP_PRODUCTS : STEP_PRODUCTS; // half of a sparse A is zeros
  if (shape === null) return { work: name.includes("movmatrix") ? "lanes" : "memory", count: 1 };
  const [, m, n, k] = shape.map(Number) as [number, number, number, number];
  return { work: "tensor", count: Math.max(1, Math.round((m * n * k) / products)) };
}

function floatWork({ operator, type, lhs, rhs, location }: BinaryInstruction): WorkClass {
  // CUDA has arithmetic of halves in functions of its headers alone. What stands in the user's code was arithmetic of
  // floats, whose result becomes a half: LLVM narrows it, NVIDIA's compiler does not.
  const isNarrowed = formatOf(type) === "fp16" && location !== null && !isHalfFunction(location);
  const format = isNarrowed ? "fp32" : formatOf(type);
  // x * 2 is x + x: NVIDIA's compiler adds.
  if (operator === "fmul" && [lhs, rhs].some(isTwo)) return `${format}-add`;
  if (operator === "fdiv" || operator === "frem") return format === "fp64" ? "fp64-other" : "special";
  return operator === "fmul" ? `${format}-mul` : `${format}-add`;
}

function isHalfFunction(location: SourceLocation): boolean {
  return isInOwnSources(location) && /__h(?:add|sub|mul|fma|div)/.test(location.functionName ?? "");
}

function isTwo(value: IrValue): boolean {
  return value.kind === "const-float" && value.type.kind === "float" && value.bits === TWO[value.type.format];
}

function isOne(value: IrValue): boolean {
  return value.kind === "const-float" && value.type.kind === "float" && value.bits === ONE[value.type.format];
}

const ONE = { half: 0x3c00n, bfloat: 0x3f80n, float: 0x3f800000n, double: 0x3ff0000000000000n } as const;
const TWO = { half: 0x4000n, bfloat: 0x4000n, float: 0x40000000n, double: 0x4000000000000000n } as const;

function castWork({ operator, type }: CastInstruction): Work | null {
  switch (operator) {
    case "bitcast":
    case "addrspacecast":
    case "ptrtoint":
    case "inttoptr":
    case "trunc":
    case "zext":
      return null; // the same register, read differently
    case "sext":
      return { work: "alu", count: operationsOf(type) };
    default:
      return { work: "conversion", count: operationsOf(type) };
  }
}

function isFloat32(type: IrType): boolean {
  const scalar = scalarOf(type);
  return scalar.kind === "float" && scalar.format === "float";
}

function isFloat(type: IrType): boolean {
  return scalarOf(type).kind === "float";
}

function formatOf(type: IrType): "fp16" | "fp32" | "fp64" {
  const scalar = scalarOf(type);
  if (scalar.kind !== "float" || scalar.format === "float") return "fp32";
  return scalar.format === "double" ? "fp64" : "fp16";
}

/** One for each element of a vector; two halves share one. */
function operationsOf(type: IrType): number {
  if (type.kind !== "vector") return 1;
  return isFloat(type) && formatOf(type) === "fp16" ? Math.ceil(type.length / 2) : type.length;
}
