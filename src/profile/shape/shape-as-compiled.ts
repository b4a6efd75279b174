/**
 * The passes that run before a kernel gets its counters: its code becomes what NVIDIA's compilers make of it, as far as
 * that can be counted. How the source is compiled for a profile: frontend/clang/nvcc-form.ts.
 *
 *   partReturns          each early return has its own last store
 *   keepInRegisters      what a GPU keeps in registers is no access to local memory
 *   numberValues         equal addresses are one
 *   removeRepeatedLoads  what has been read is not read again
 *   cleanUp              dead code that these left
 *   sinkBehindBranches   what only the threads need that take one side of a branch is computed there
 *   orderAsUnrolled      lanes meet in loops as they do in unrolled ones
 *   numberValues, cleanUp
 */
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { numberValues } from "../../ptx/passes/pass-value-numbering.ts";
import { keepInRegisters } from "../../ptx/passes/prepare-module.ts";
import { partReturns } from "./early-returns.ts";
import { removeRepeatedLoads } from "./repeated-loads.ts";
import { sinkBehindBranches } from "./sunk-behind-branches.ts";
import { orderAsUnrolled } from "./unrolled-order.ts";

export function shapeAsCompiled(fn: IrFunction, module: IrModule): void {
  partReturns(fn);
  keepInRegisters(fn, module);
  numberValues(fn);
  removeRepeatedLoads(fn);
  cleanUp(fn);
  sinkBehindBranches(fn);
  orderAsUnrolled(fn);
  numberValues(fn);
  cleanUp(fn);
}
