/**
 * The passes on IR before text is made of it. They change no result, which prepare-module.test.ts checks with the
 * interpreter:
 *
 *   inlineCalls          what kernels call; the assembler hardly inlines
 *   cleanUp              dead code, constant branches
 *   unrollLocalLoops     loops over local arrays, so that these can become registers
 *   copyByvalParams      structs that a function is given and changes become its own
 *   legalizeFunction     scalars only: i1, i8, i16, i32, i64, floats, pointers
 *   unrollLocalLoops     what copies and fills of local arrays have become
 *   expandLocalIndices   a read of a small local array is a choice between its elements
 *   promoteAllocas       local variables and arrays become values
 *   cleanUp              what these left over
 *   unswitchLoops        one loop for each answer to a question that it would ask in every turn
 *   unrollCountedLoops   four turns at once, so that their loads are under way together
 *   expandSharedConstants  addresses of shared variables are instructions
 *   splitOffsets         constants in indices go to the end of addresses, where instructions add them
 *   mergeEqualPhis       values that go around a loop twice do so once
 *   numberValues         equal computations become one
 *   hoistAddresses       and addresses that several ways need are computed where they part
 *   sinkComparisons      predicates are made where they are used
 *   cleanUp              what these left over
 */
import { recursiveFunctions } from "../../ir/graph/call-graph.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../ir/passes/pass-legalize.ts";
import { copyByvalParams } from "./pass-byval-params.ts";
import { mergeEqualPhis } from "./pass-equal-phis.ts";
import { hoistAddresses } from "./pass-hoist-addresses.ts";
import { expandLocalIndices } from "./pass-local-indices.ts";
import { promoteAllocas } from "./pass-promote-allocas.ts";
import { expandSharedConstants } from "./pass-shared-constants.ts";
import { sinkComparisons } from "./pass-sink-comparisons.ts";
import { splitOffsets } from "./pass-split-offsets.ts";
import { unrollCountedLoops } from "./pass-unroll-counted.ts";
import { unrollLocalLoops } from "./pass-unroll-loops.ts";
import { unswitchLoops } from "./pass-unswitch-loops.ts";
import { numberValues } from "./pass-value-numbering.ts";
import { inferPointerSpaces } from "../../analysis/pointer-spaces.ts";

/** Calls that would make a kernel larger than this stay. */
const MAX_INSTRUCTIONS = 50_000;

/** Changes the module in place. Functions without a body, and those that nothing is called of any more, stay in it. */
export function prepareModule(module: IrModule): void {
  const functions = [...module.functions.values()].filter((fn) => fn.blocks.length > 0);
  const recursive = recursiveFunctions(module);
  for (const fn of functions)
    if (fn.isKernel) inlineCalls(fn, module, { recursive, maxInstructions: MAX_INSTRUCTIONS });
  for (const fn of functions) {
    cleanUp(fn);
    unrollLocalLoops(fn);
    copyByvalParams(fn, module);
    legalizeFunction(fn, module);
    unrollLocalLoops(fn);
    expandLocalIndices(fn, module);
    promoteAllocas(fn, module);
    cleanUp(fn);
    unswitchLoops(fn);
    unrollCountedLoops(fn);
    expandSharedConstants(fn);
    splitOffsets(fn, inferPointerSpaces(fn));
    mergeEqualPhis(fn);
    numberValues(fn);
    hoistAddresses(fn);
    sinkComparisons(fn);
    cleanUp(fn);
  }
}
