/**
 * Calls the functions that exist for a GPU: `__heddle_gpu_expf` for `__nv_expf` where the device library has it
 * (libdevice/gpu*.cu); and functions of the library for what is an operation in LLVM but not in PTX: frem, llvm.sin and
 * the like. Functions that were compiled with -use_fast_math call the fast forms that nvcc's documentation names for
 * it; Clang's headers do so for some of them only.
 *
 * Needs: a parsed module that is not linked yet.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { float32FromBits } from "../../base/float-bits.ts";
import { NameSource, constF32, newCall, newCast } from "../../ir/model/build.ts";
import { declareFunction } from "../../ir/model/build-module.ts";
import type {
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { mapOperands } from "../../ir/model/operands.ts";
import { F32, F64, I32 } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";

const LIBRARY_OPERATIONS: ReadonlySet<string> = new Set(
  "exp exp10 log log2 log10 sin cos tan asin acos atan sinh cosh tanh pow atan2 powi ldexp exp2".split(" "),
);

/** "Functions Affected by -use_fast_math" (CUDA programming guide, "Intrinsic Functions"). */
const FAST: ReadonlySet<string> = new Set(
  ["expf", "exp10f", "logf", "log2f", "log10f", "powf", "sinf", "cosf", "tanf", "sincosf", "tanhf"].map(
    (name) => `__nv_${name}`,
  ),
);

export function useGpuFunctions(module: IrModule, gpuFunctions: ReadonlySet<string>): void {
  for (const fn of Array.from(module.functions.values())) {
    if (fn.blocks.length === 0) continue;
    foldConstants(fn);
    replaceOperations(module, fn);
    if (isFast(fn)) useFastFunctions(module, fn);
  }
  for (const fn of Array.from(module.functions.values())) {
    if (fn.blocks.length > 0) continue;
    const name = `__heddle_gpu_${fn.name.replace(/^__nv_|^__heddle_/, "")}`;
    if (!gpuFunctions.has(name)) continue;
    const known = module.functions.get(name);
    module.functions.delete(fn.name);
    fn.name = name;
    if (known === undefined) module.functions.set(name, fn);
    else replaceFunction(module, fn, known);
  }
}

const SQUARE_ROOTS: ReadonlySet<string> = new Set(["__nv_sqrtf", "llvm.sqrt.f32"]);

/** Square roots of constants, which the assembler would leave for the GPU to take. */
function foldConstants(fn: IrFunction): void {
  const folded = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter((i) => {
      const argument =
        i.op === "call" && i.callee.kind === "function" && SQUARE_ROOTS.has(i.callee.name) ? i.args[0] : undefined;
      if (argument?.kind !== "const-float" || argument.type.format !== "float") return true;
      folded.set(i, constF32(Math.fround(Math.sqrt(float32FromBits(Number(argument.bits))))));
      return false;
    });
  }
  replaceUses(fn, folded);
}

/** -use_fast_math is an attribute of the functions that were compiled with it (frontend/clang/flags.ts). */
export function isFast(fn: IrFunction): boolean {
  for (const attribute of fn.attributes)
    if (/denormal-fp-math-f32"?="?preserve-sign,preserve-sign/.test(attribute)) return true;
  return false;
}

/** -ftz=true, which is part of -use_fast_math. */
export function flushesDenormals(fn: IrFunction): boolean {
  for (const attribute of fn.attributes) if (/denormal-fp-math-f32"?="?preserve-sign/.test(attribute)) return true;
  return false;
}

function useFastFunctions(module: IrModule, fn: IrFunction): void {
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op !== "call" || i.callee.kind !== "function" || !FAST.has(i.callee.name)) continue;
      const { result, params } = i.callee.functionType;
      i.callee = declareFunction(module, i.callee.name.replace("__nv_", "__nv_fast_"), result, params);
    }
  }
}

function replaceFunction(module: IrModule, old: IrFunction, replacement: IrFunction): void {
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const i of block.instructions) mapOperands(i, (value) => (value === old ? replacement : value));
}

function replaceOperations(module: IrModule, fn: IrFunction): void {
  let names: NameSource | null = null;
  for (const block of fn.blocks) {
    if (!block.instructions.some(isLibraryOperation)) continue;
    names ??= new NameSource(fn);
    const replaced = new Map<IrValue, IrValue>();
    const out: IrInstruction[] = [];
    for (const i of block.instructions) {
      if (isLibraryOperation(i)) replaced.set(i, callLibrary(module, block, i, names, out));
      else out.push(i);
    }
    block.instructions = out;
    for (const other of fn.blocks)
      for (const i of other.instructions) mapOperands(i, (value) => replaced.get(value) ?? value);
  }
}

function isLibraryOperation(i: IrInstruction): boolean {
  if (i.type.kind !== "float") return false;
  if (i.op === "binary") return i.operator === "frem";
  const facts = calledIntrinsic(i);
  return facts !== null && !facts.isNvvm && LIBRARY_OPERATIONS.has(facts.operation);
}

/** In float where the type is narrower. */
function callLibrary(
  module: IrModule,
  block: IrBlock,
  i: IrInstruction,
  names: NameSource,
  out: IrInstruction[],
): IrValue {
  const place = { block, location: i.location };
  const type: IrType = i.type.kind === "float" && i.type.format === "double" ? F64 : F32;
  const args = i.op === "binary" ? [i.lhs, i.rhs] : (i as CallInstruction).args;
  const word = i.op === "binary" ? "fmod" : (calledIntrinsic(i)?.operation as string);
  const widened = (value: IrValue): IrValue => {
    if (value.type.kind !== "float" || value.type.format === "float" || value.type.format === "double") return value;
    const cast = newCast(place, names.fresh("wide"), "fpext", value, F32);
    out.push(cast);
    return cast;
  };
  const callee = declareFunction(
    module,
    `__nv_${word}${type === F32 ? "f" : ""}`,
    type,
    args.map((argument) => (argument.type.kind === "float" ? type : I32)),
  );
  const call = newCall(place, names.fresh(i.name), callee, args.map(widened));
  out.push(call);
  if (i.type.kind === "float" && (i.type.format === "half" || i.type.format === "bfloat")) {
    const cast = newCast(place, names.fresh(i.name), "fptrunc", call, i.type);
    out.push(cast);
    return cast;
  }
  return call;
}
