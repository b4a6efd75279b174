/**
 * Products of warpgroups as one operation of a warp: calls of libdevice/wgmma.cu, whose accumulators go through local
 * memory (ir/inline-ptx/wgmma.ts), become calls whose operands and results are values. Each warp computes its 16 rows.
 *
 * An operation's name says all that does not change: `llvm.nvvm.heddle.mma.warpgroup.f32_bf16_bf16.n128.a.o18`: types,
 * columns, `a` where A is in registers, the options of wgmma.cu but whether sums are kept. Operands: the accumulators,
 * A's four registers or its descriptor, B's descriptor, whether sums are kept.
 */
import { declareFunction } from "../../../ir/model/build-module.ts";
import { newCall, newCast, newInstruction } from "../../../ir/model/build.ts";
import type {
  CallInstruction,
  ExtractValueInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../../ir/model/ir.ts";
import { F32, I32, I64, structType } from "../../../ir/model/types.ts";
import { replaceUses } from "../../../ir/model/uses.ts";
import { isInstrumented } from "./instrumented.ts";

export type WarpgroupElement = "f16" | "bf16" | "tf32" | "e4m3" | "e5m2" | "s8" | "u8";

export interface WarpgroupShape {
  readonly sum: "f32" | "f16" | "s32";
  readonly a: WarpgroupElement;
  readonly b: WarpgroupElement;
  readonly columns: number;
  readonly aInRegisters: boolean;
  readonly negatesA: boolean;
  readonly negatesB: boolean;
  readonly transposesA: boolean;
  readonly transposesB: boolean;
}

const LIBRARY = "__heddle_wgmma_";
const OPERATION = "llvm.nvvm.heddle.mma.warpgroup.";
/** Of libdevice/wgmma.cu. */
const OPTION = { keep: 1, negateA: 2, negateB: 4, transposeA: 8, transposeB: 16 } as const;
const TYPES = /^(f32|f16|s32)_(f16|bf16|tf32|e4m3|e5m2|s8|u8)_(f16|bf16|tf32|e4m3|e5m2|s8|u8)$/;
/** Registers of A: 16 rows of 32 bytes of a warp. */
const A_REGISTERS = 4;

/**
 * The function is a product of a warpgroup that this tier has code for: all but sums of integers that are clamped, and
 * functions to which a tool has added code.
 */
export function isWarpgroupProduct(fn: IrFunction): boolean {
  return fn.name.startsWith(LIBRARY) && TYPES.test(fn.name.slice(LIBRARY.length)) && !isInstrumented(fn);
}

/** What an operation's name says, or null for other names. */
export function warpgroupShapeOf(name: string): WarpgroupShape | null {
  if (!name.startsWith(OPERATION)) return null;
  const [types = "", n = "", a, o] = name.slice(OPERATION.length).split(".");
  const [, sum, elementA, elementB] = TYPES.exec(types) ?? [];
  const options = Number(o?.slice(1));
  return {
    sum: sum as WarpgroupShape["sum"],
    a: elementA as WarpgroupElement,
    b: elementB as WarpgroupElement,
    columns: Number(n.slice(1)),
    aInRegisters: a === "a",
    negatesA: (options & OPTION.negateA) !== 0,
    negatesB: (options & OPTION.negateB) !== 0,
    transposesA: (options & OPTION.transposeA) !== 0,
    transposesB: (options & OPTION.transposeB) !== 0,
  };
}

/** Registers of accumulators of each lane: two halves in a register. */
export function accumulatorsOf({ sum, columns }: Pick<WarpgroupShape, "sum" | "columns">): number {
  return columns / (sum === "f16" ? 4 : 2);
}

/** A call that does not look as inline PTX makes it stays. */
export function nameWarpgroupProducts(fn: IrFunction, module: IrModule): void {
  const replaced = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    for (;;) {
      const call = block.instructions.find((i) => isProductCall(i) && !replaced.has(i));
      if (call?.op !== "call" || !replaceProduct(block, call, module, replaced)) break;
    }
  }
  replaceUses(fn, replaced);
}

/** Whether products have been named. */
export function hasWarpgroupProducts({ blocks }: IrFunction): boolean {
  return blocks.some(({ instructions }) =>
    instructions.some(
      (i) => i.op === "call" && i.callee.kind === "function" && warpgroupShapeOf(i.callee.name) !== null,
    ),
  );
}

function isProductCall(i: IrInstruction): boolean {
  return i.op === "call" && i.callee.kind === "function" && isWarpgroupProduct(i.callee);
}

function replaceProduct(
  block: IrBlock,
  call: CallInstruction,
  module: IrModule,
  replaced: Map<IrValue, IrValue>,
): boolean {
  const [d, a, descA, descB, n, options] = call.args as [IrValue, IrValue, IrValue, IrValue, IrValue, IrValue];
  const fixed = fixedOptions(options);
  if (n.kind !== "const-int" || fixed === null) return false;
  const types = (call.callee as IrFunction).name.slice(LIBRARY.length);
  const sum = TYPES.exec(types)![1] as WarpgroupShape["sum"];
  const count = accumulatorsOf({ sum, columns: Number(n.value) });
  const aInRegisters = a.kind === "instruction" && a.op === "alloca";
  const at = block.instructions.indexOf(call);
  const stored = storesBefore(block, at, d, count);
  const factors = aInRegisters ? storesBefore(block, at, a, A_REGISTERS) : [];
  const loads = loadsAfter(block, at, d, count);
  if (stored === null || factors === null || loads === null) return false;

  const place = { block, location: call.location };
  const type = sum === "f32" ? F32 : I32;
  const operandsOfA = aInRegisters ? factors.map(({ value }) => value) : [descA];
  const callee = declareFunction(
    module,
    `${OPERATION}${types}.n${n.value}.${aInRegisters ? "a" : "d"}.o${fixed.options}`,
    structType(stored.map(() => type)),
    [...stored.map(() => type), ...operandsOfA.map(() => (aInRegisters ? I32 : I64)), I64, I32],
  );
  const made: IrInstruction[] = [];
  let keeps = fixed.keeps;
  if (keeps.type.kind === "int" && keeps.type.bits === 1) {
    const wide = newCast(place, `${loads[0]!.name}.keeps`, "zext", keeps, I32);
    made.push(wide);
    keeps = wide;
  }
  const product = newCall(place, `${loads[0]!.name}.product`, callee, [
    ...stored.map(({ value }) => value),
    ...operandsOfA,
    descB,
    keeps,
  ]);
  made.push(product);
  loads.forEach((load, index) => {
    const result = newInstruction<ExtractValueInstruction>(place, {
      op: "extractvalue",
      type,
      name: load.name,
      aggregate: product,
      indices: [index],
    });
    made.push(result);
    replaced.set(load, result);
  });
  const gone = new Set<IrInstruction>([...stored, ...factors, ...loads]);
  block.instructions.splice(at, 1, ...made);
  block.instructions = block.instructions.filter((i) => !gone.has(i));
  return true;
}

/** The options but `keep`, and what says whether sums are kept: a bit of a constant, or a condition. */
function fixedOptions(value: IrValue): { readonly options: number; readonly keeps: IrValue } | null {
  const I = (n: number): IrValue => ({ kind: "const-int", type: I32, value: BigInt(n) });
  if (value.kind === "const-int") {
    const options = Number(value.value);
    return { options: options & ~OPTION.keep, keeps: I(options & OPTION.keep) };
  }
  if (value.kind !== "instruction" || value.op !== "select") return null;
  const { then, else: otherwise } = value;
  if (then.kind !== "const-int" || otherwise.kind !== "const-int") return null;
  const options = Number(otherwise.value);
  return Number(then.value) === (options | OPTION.keep) && (options & OPTION.keep) === 0
    ? { options, keeps: value.condition }
    : null;
}

/** The last stores of words 0 to count − 1 of an alloca before an instruction; null if one is missing. */
function storesBefore(block: IrBlock, at: number, base: IrValue, count: number): readonly StoreInstruction[] | null {
  const found = new Map<number, StoreInstruction>();
  for (let n = at - 1; n >= 0 && found.size < count; n--) {
    const i = block.instructions[n]!;
    if (isProductCall(i)) break;
    if (i.op !== "store") continue;
    const word = wordOf(i.pointer, base);
    if (word !== null && !found.has(word)) found.set(word, i);
  }
  return inOrder(found, count);
}

/** The first loads of the words behind an instruction, before anything is stored there. */
function loadsAfter(block: IrBlock, at: number, base: IrValue, count: number): readonly LoadInstruction[] | null {
  const found = new Map<number, LoadInstruction>();
  for (const i of block.instructions.slice(at + 1)) {
    if (found.size === count || isProductCall(i) || (i.op === "store" && wordOf(i.pointer, base) !== null)) break;
    const word = i.op === "load" ? wordOf(i.pointer, base) : null;
    if (i.op === "load" && word !== null && !found.has(word)) found.set(word, i);
  }
  return inOrder(found, count);
}

function inOrder<T>(found: ReadonlyMap<number, T>, count: number): readonly T[] | null {
  const list = Array.from({ length: count }, (_, n) => found.get(n));
  return list.includes(undefined) ? null : (list as readonly T[]);
}

function wordOf(pointer: IrValue, base: IrValue): number | null {
  if (pointer === base) return 0;
  if (pointer.kind !== "instruction" || pointer.op !== "gep" || pointer.base !== base) return null;
  const [index] = pointer.indices;
  const isBytes = pointer.sourceType.kind === "int" && pointer.sourceType.bits === 8 && pointer.indices.length === 1;
  return isBytes && index?.kind === "const-int" && index.value % 4n === 0n ? Number(index.value / 4n) : null;
}
