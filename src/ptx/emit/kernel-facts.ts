/** What a loader is told of kernels: parameters, and what they may come to while they run. */
import { summarizeAccesses } from "../../analysis/pointers/access-summary.ts";
import { isLlvmName } from "../../ir/intrinsics/name-fields.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import type { IrFunction, IrModule, IrType } from "../../ir/model/ir.ts";
import { alignOf, sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isConstant } from "../../ir/model/build.ts";
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import type { KernelParam } from "../../machine/launch.ts";
import { launchBound } from "../../program/launch-bounds.ts";
import type { PtxKernel } from "../ptx-module.ts";
import { LAUNCH_FUNCTION } from "./device-runtime.ts";

const GRID_SYNC = /^__heddle_grid_sync/;
const PRINTF = /^(?:vprintf|__heddle_gpu_vprintf)$/;
const HEAP = /^(?:malloc|free)$/;

/** Before passes change the function: parameters are laid out as the device ABI has them. */
export function describeKernel(fn: IrFunction, table: readonly (IrFunction | null)[]): PtxKernel {
  const params: KernelParam[] = [];
  let paramBytes = 0;
  for (const param of fn.params) {
    const type = param.byval ?? param.type;
    const size = sizeOf(type);
    const align = param.byval === null ? alignOf(type) : Math.max(param.align ?? 1, alignOf(type));
    const offset = alignUp(paramBytes, align);
    params.push({ name: param.name, offset, size, align, kind: paramKind(type) });
    paramBytes = offset + size;
  }
  const own = [...reachableFunctions(fn, table)].map(({ name }) => name);
  const called = own.includes(LAUNCH_FUNCTION) ? [...own, ...functionsOfKernels(table)] : own;
  return {
    name: fn.name,
    params,
    paramBytes,
    maxThreads: launchBound(fn, "maxntid"),
    clusterBlocks: launchBound(fn, "cluster_dim") ?? 1,
    usesGridSync: own.some((name) => GRID_SYNC.test(name)),
    usesHeap: called.some((name) => HEAP.test(name)),
    usesPrintf: called.some((name) => PRINTF.test(name)),
    regions: summarizeAccesses(fn).regions,
  };
}

/** What a kernel that launches kernels may come to: any whose address is taken. */
function functionsOfKernels(table: readonly (IrFunction | null)[]): string[] {
  const kernels = table.filter((fn) => fn?.isKernel === true) as IrFunction[];
  return kernels.flatMap((kernel) => [...reachableFunctions(kernel, table)].map(({ name }) => name));
}

function paramKind(type: IrType): KernelParam["kind"] {
  if (type.kind === "ptr") return "pointer";
  if (type.kind === "float")
    return ({ half: "f16", bfloat: "bf16", float: "f32", double: "f64" } as const)[type.format];
  if (type.kind !== "int" || type.bits > 64) return "struct";
  if (type.bits <= 8) return "i8";
  if (type.bits <= 16) return "i16";
  return type.bits <= 32 ? "i32" : "i64";
}

/** Functions whose address is taken, by number; 0 is the null pointer. */
export function numberFunctions(module: IrModule): { table: (IrFunction | null)[]; numbers: Map<string, number> } {
  const table: (IrFunction | null)[] = [null];
  const numbers = new Map<string, number>();
  const take = (name: string): void => {
    const fn = module.functions.get(name);
    if (fn === undefined || numbers.has(name)) return;
    numbers.set(name, table.length);
    table.push(fn);
  };
  for (const global of module.globals.values()) {
    if (global.initializer !== null && !isLlvmName(global.name))
      forEachSymbol(global.initializer, (symbol) => symbol.kind === "function" && take(symbol.name));
  }
  for (const fn of module.functions.values()) {
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        for (const operand of operandsOf(i)) {
          if (i.op === "call" && operand === i.callee && operand.kind === "function" && !i.args.includes(operand))
            continue;
          if (isConstant(operand)) forEachSymbol(operand, (symbol) => symbol.kind === "function" && take(symbol.name));
        }
      }
    }
  }
  return { table, numbers };
}
