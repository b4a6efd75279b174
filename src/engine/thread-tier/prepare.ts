/**
 * A program made ready for the thread tier, kernel by kernel: on copies, so that the interpreter and other tiers keep
 * the original.
 *
 *   cloneModule        the tier's own functions: those that the kernel may call
 *   inlineCalls        inlines all calls but those of tools (non-suspending.ts): a call through the frame costs more
 *                      than most callees
 *   cleanUp            no unreachable blocks
 *   legalizeFunction   scalars only, in every function that the kernel may still call
 *   foldSpaceTests     __isShared(p) is answered where it is known what p points at
 *   cleanUp            what inlining and legalisation left over
 */
import { bug } from "../../base/diagnostics.ts";
import { foldSpaceTests } from "../../analysis/pointers/pass-space-tests.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrFunction } from "../../ir/model/ir.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../ir/passes/pass-legalize.ts";
import type { LoadedKernel, LoadedProgram } from "../executor.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { toolFunctionsToCall } from "./non-suspending.ts";

/** Every value takes a local, and V8 allows a function 50,000 of them; calls that stay cost little here. */
const MAX_INSTRUCTIONS = 20_000;

export interface PreparedKernel {
  readonly program: LoadedProgram;
  readonly kernel: LoadedKernel;
}

const prepared = new WeakMap<LoadedKernel, PreparedKernel>();

export function prepareKernel(program: LoadedProgram, kernel: LoadedKernel): PreparedKernel {
  let entry = prepared.get(kernel);
  if (entry === undefined) prepared.set(kernel, (entry = prepare(program, kernel)));
  return entry;
}

function prepare(program: LoadedProgram, kernel: LoadedKernel): PreparedKernel {
  // Only what the kernel may call: a module may hold hundreds of kernels.
  const needed = reachableFunctions(kernel.function, program.functionTable);
  const functions = new Map([...program.module.functions].filter(([, fn]) => needed.has(fn)));
  const module = cloneModule({ ...program.module, functions });
  // The kernel calls no other functions of the table.
  const functionTable = program.functionTable.map((f) => (f === null ? null : (module.functions.get(f.name) ?? null)));
  const main = module.functions.get(kernel.name) ?? bug(`no copy of ${kernel.name}`);
  const called = toolFunctionsToCall(module);
  const inline = (fn: IrFunction): void => {
    inlineCalls(fn, module, { maxInstructions: MAX_INSTRUCTIONS, keeps: (callee) => called.has(callee) });
  };
  inline(main);
  // Inline everywhere before anything is legalised: afterwards signatures differ.
  const done = new Set([main]);
  for (let grew = true; grew;) {
    grew = false;
    for (const fn of reachableFunctions(main, functionTable)) {
      if (done.has(fn) || fn.blocks.length === 0) continue;
      done.add(fn);
      inline(fn);
      grew = true;
    }
  }
  const reached = [...reachableFunctions(main, functionTable)].filter((fn) => fn.blocks.length > 0);
  for (const fn of reached) cleanUp(fn);
  for (const fn of reached) legalizeFunction(fn, module);
  for (const fn of reached) foldSpaceTests(fn, "global");
  for (const fn of reached) cleanUp(fn);
  return { program: { ...program, module, functionTable }, kernel: { ...kernel, function: main } };
}
