/**
 * Places a module in device memory: the first step of every engine.
 *
 * Afterwards every global outside address space 3 has an absolute address and its initial bytes there, every function
 * whose address is taken has an index in the function table (0 stays null), and every kernel has its parameter layout
 * (natural alignment, as the NVPTX ABI lays out the parameter buffer) and the offsets of the static shared variables
 * that it or anything it may call uses. `extern __shared__` arrays all begin where dynamic shared memory begins, after
 * the static part, at a multiple of 16.
 */
import { isLlvmName } from "../ir/intrinsics/name-fields.ts";
import { HeddleError, unsupported } from "../base/diagnostics.ts";
import type { IrFunction, IrGlobal, IrModule, IrParam, IrType, IrValue } from "../ir/model/ir.ts";
import { DYNAMIC_SHARED_ALIGN, SHARED_SPACE, alignOf, isDynamicShared, sizeOf } from "../ir/model/layout.ts";
import { alignUp } from "../base/align.ts";
import { formatType } from "../ir/model/types.ts";
import type { KernelParam } from "../machine/launch.ts";
import { writeConstant } from "../ir/model/constant-bits.ts";
import type { LoadedKernel, LoadedProgram } from "./executor.ts";
import { operandsOf } from "../ir/model/operands.ts";
import { TOOL_PREFIX } from "../machine/observer.ts";
import { reachableFunctions } from "../ir/graph/reachable-functions.ts";
import { forEachSymbol } from "../ir/model/constant-symbols.ts";

/** Where a program goes: `allocate` hands out user memory of `memory`, which may grow meanwhile. */
export interface ProgramPlace {
  allocate(bytes: number, align: number): number;
  readonly memory: WebAssembly.Memory;
  /** The address of a variable that lies in memory already, with its content; null for all others. */
  placed?(variable: string): number | null;
  /** Functions that have the first numbers: those of an earlier form of the program, whose addresses are in use. */
  readonly numbered?: readonly string[];
}

export interface LoadOptions {
  /** a*b+c is fused where the source allows (nvcc's default). */
  readonly fmad: boolean;
}

/** Throws HeddleError("link-error") for a variable that is declared and nowhere defined. */
export function loadProgram(module: IrModule, place: ProgramPlace, options: LoadOptions): LoadedProgram {
  const globalAddresses = allocateGlobals(module, place);
  const { functionTable, functionAddresses } = numberFunctions(module, place.numbered ?? []);
  writeInitializers(module, place, globalAddresses, functionAddresses);

  const kernels = new Map<string, LoadedKernel>();
  for (const f of module.functions.values())
    if (f.isKernel && f.blocks.length > 0) kernels.set(f.name, loadKernel(f, functionTable));
  return { module, globalAddresses, functionAddresses, functionTable, kernels, fmad: options.fmad };
}

/** llvm.used, llvm.global_ctors and the like tell the compiler something and are no data. */
function isPlaced(global: IrGlobal): boolean {
  return global.type.addressSpace !== SHARED_SPACE && !isLlvmName(global.name);
}

function allocateGlobals(module: IrModule, place: ProgramPlace): Map<string, number> {
  const addresses = new Map<string, number>();
  for (const global of module.globals.values()) {
    if (!isPlaced(global)) continue;
    const placed = place.placed?.(global.name) ?? null;
    if (placed !== null) {
      addresses.set(global.name, placed);
      continue;
    }
    if (global.initializer === null)
      throw new HeddleError("link-error", `the device variable ${global.name} is declared but nowhere defined`);
    const align = Math.max(global.align || 1, alignOf(global.valueType));
    addresses.set(global.name, place.allocate(Math.max(1, sizeOf(global.valueType)), align));
  }
  return addresses;
}

function writeInitializers(
  module: IrModule,
  place: ProgramPlace,
  globals: ReadonlyMap<string, number>,
  functions: ReadonlyMap<string, number>,
): void {
  const addressOf = (symbol: IrGlobal | IrFunction): number => {
    if (symbol.kind === "global" && symbol.type.addressSpace === SHARED_SPACE)
      throw unsupported(`the address of the __shared__ variable ${symbol.name} in another variable's initialiser`);
    const address = (symbol.kind === "global" ? globals : functions).get(symbol.name);
    if (address === undefined)
      throw new HeddleError("link-error", `${symbol.name} is used in an initialiser but nowhere defined`);
    return address;
  };
  const bytes = new Uint8Array(place.memory.buffer);
  for (const global of module.globals.values()) {
    const address = globals.get(global.name);
    if ((place.placed?.(global.name) ?? null) !== null) continue;
    if (address !== undefined && global.initializer !== null)
      writeConstant(bytes, address, global.initializer, addressOf);
  }
}

// ---------------------------------------------------------------- functions

function numberFunctions(
  module: IrModule,
  first: readonly string[],
): {
  functionTable: (IrFunction | null)[];
  functionAddresses: Map<string, number>;
} {
  const functionTable: (IrFunction | null)[] = [null];
  const functionAddresses = new Map<string, number>();
  // By name: initializers of a copied module name the original's functions.
  const take = ({ name }: IrFunction): void => {
    const f = module.functions.get(name);
    if (f === undefined || functionAddresses.has(name)) return;
    functionAddresses.set(name, functionTable.length);
    functionTable.push(f);
  };
  for (const name of first) {
    const f = module.functions.get(name);
    if (f !== undefined) take(f);
  }
  const takeIn = (value: IrValue): void => forEachSymbol(value, (symbol) => symbol.kind === "function" && take(symbol));
  for (const global of module.globals.values())
    if (isPlaced(global) && global.initializer !== null) takeIn(global.initializer);
  for (const f of module.functions.values())
    for (const block of f.blocks)
      for (const instruction of block.instructions)
        for (const operand of operandsOf(instruction)) {
          // The callee of a direct call is not an address.
          if (
            instruction.op === "call" &&
            operand === instruction.callee &&
            operand.kind === "function" &&
            !instruction.args.includes(operand)
          )
            continue;
          takeIn(operand);
        }
  return { functionTable, functionAddresses };
}

// ---------------------------------------------------------------- kernels

function loadKernel(f: IrFunction, functionTable: readonly (IrFunction | null)[]): LoadedKernel {
  const params: KernelParam[] = [];
  let paramBytes = 0;
  for (const param of f.params) {
    const layout = kernelParam(param, paramBytes);
    params.push(layout);
    paramBytes = layout.offset + layout.size;
  }
  return { name: f.name, function: f, params, paramBytes, ...layOutShared(f, functionTable) };
}

/** Where the shared variables that a kernel may use lie in its block's window. */
export function layOutShared(
  f: IrFunction,
  functionTable: readonly (IrFunction | null)[],
): Pick<LoadedKernel, "sharedOffsets" | "staticSharedBytes" | "toolSharedBytes"> {
  const used = new Set<IrGlobal>();
  for (const reached of reachableFunctions(f, functionTable))
    for (const block of reached.blocks)
      for (const instruction of block.instructions)
        for (const operand of operandsOf(instruction))
          forEachSymbol(operand, (symbol) => {
            if (symbol.kind === "global" && symbol.type.addressSpace === SHARED_SPACE) used.add(symbol);
          });
  const sharedOffsets = new Map<string, number>();
  let bytes = 0;
  // The strictest first: no padding between variables of different alignment.
  const variables = [...used]
    .filter((global) => !isDynamicShared(global))
    .sort((a, b) => sharedAlign(b) - sharedAlign(a));
  const place = (global: IrGlobal): void => {
    bytes = alignUp(bytes, sharedAlign(global));
    sharedOffsets.set(global.name, bytes);
    bytes += sizeOf(global.valueType);
  };
  variables.filter(({ name }) => !name.startsWith(TOOL_PREFIX)).forEach(place);
  const userBytes = bytes;
  // What a tool keeps for each block comes behind, so that the program's own variables lie where they always do.
  variables.filter(({ name }) => name.startsWith(TOOL_PREFIX)).forEach(place);
  const toolSharedBytes = bytes - userBytes;
  const dynamic = [...used].filter(isDynamicShared);
  if (dynamic.length > 0) bytes = alignUp(bytes, Math.max(DYNAMIC_SHARED_ALIGN, ...dynamic.map(sharedAlign)));
  for (const global of dynamic) sharedOffsets.set(global.name, bytes);
  return { sharedOffsets, staticSharedBytes: bytes, toolSharedBytes };
}

function sharedAlign(global: IrGlobal): number {
  return Math.max(global.align || 1, alignOf(global.valueType));
}

/** Of a pointer of a 64-bit program. */
const WIDE_POINTER_BYTES = 8;

function kernelParam(param: IrParam, end: number): KernelParam {
  const type = param.byval ?? param.type;
  const size = param.isWide ? WIDE_POINTER_BYTES : sizeOf(type);
  const own = param.isWide ? WIDE_POINTER_BYTES : alignOf(type);
  const align = param.byval === null ? own : Math.max(param.align ?? 1, own);
  return { name: param.name, offset: alignUp(end, align), size, align, kind: paramKind(type) };
}

function paramKind(type: IrType): KernelParam["kind"] {
  switch (type.kind) {
    case "ptr":
      return "pointer";
    case "float":
      return ({ half: "f16", bfloat: "bf16", float: "f32", double: "f64" } as const)[type.format];
    case "int":
      if (type.bits <= 8) return "i8";
      if (type.bits <= 16) return "i16";
      if (type.bits <= 32) return "i32";
      return type.bits <= 64 ? "i64" : "struct";
    case "struct":
    case "array":
    case "vector":
      return "struct";
    default:
      throw unsupported(`a kernel parameter of type ${formatType(type)}`);
  }
}
