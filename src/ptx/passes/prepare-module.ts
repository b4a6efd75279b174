/**
 * The passes on IR in front of the emission of text. They change no result: prepare-module.test.ts checks that with the
 * interpreter.
 *
 *   inlineCalls            calls of kernels; the assembler hardly inlines
 *   cleanUp                dead code, constant branches
 *   unrollLocalLoops       loops over local arrays, so that the arrays can become registers
 *   copyByvalParams        structs by value that a function changes become local copies; others stay parameters
 *   legalizeFunction       scalars only: i1, i8, i16, i32, i64, floats, pointers
 *   unrollLocalLoops       the loops that copies and fills of local arrays have become
 *   expandLocalIndices     a read of a small local array selects between its elements
 *   promoteAllocas         local variables and arrays become values
 *   cleanUp                dead code that these left
 *   splitUnaligned         an access is aligned to its own size
 *   foldSpaceTests         __isShared(p) is answered where it is known what p points at
 *   cleanUp                the ways that are not taken
 *   prefetchLoads          the next tile is loaded where the program does it, not a round later
 *   joinHalves             words whose halves go around a loop apart stay whole
 *   sinkHalves             a half that only the end of a loop reads is taken there
 *   unswitchLoops          a copy of the loop for each outcome of a condition that is the same in all iterations
 *   unrollCountedLoops     four iterations at a time, so that their loads are in flight together
 *   separateSelectedSpaces an access to one of two memories becomes two, on the sides of a branch
 *   expandDivisions        divisions by constants become products, those of 64 bits are done in 32 where they can be
 *   expandSharedConstants  addresses of shared variables are instructions
 *   splitOffsets           constants in indices move to the end of addresses, where instructions add them
 *   mergeEqualPhis         equal phis become one
 *   numberValues           equal computations become one
 *   removeDeadStores       a store that is overwritten before anything reads it goes
 *   hoistAddresses         an address that several branches need is computed in front of them
 *   sinkComparisons        predicates are computed where they are used
 *   cleanUp                dead code that these left
 */
import { recursiveFunctions } from "../../ir/graph/call-graph.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../ir/passes/pass-legalize.ts";
import { copyByvalParams } from "./pass-byval-params.ts";
import { removeDeadStores } from "./pass-dead-stores.ts";
import { mergeEqualPhis } from "./pass-equal-phis.ts";
import { expandDivisions } from "./pass-divisions.ts";
import { joinHalves } from "./pass-join-halves.ts";
import { hoistAddresses } from "./pass-hoist-addresses.ts";
import { expandLocalIndices } from "./pass-local-indices.ts";
import { promoteAllocas } from "../../ir/passes/pass-promote-allocas.ts";
import { prefetchLoads } from "./pass-prefetch-loads.ts";
import { separateSelectedSpaces } from "./pass-select-spaces.ts";
import { expandSharedConstants } from "./pass-shared-constants.ts";
import { sinkHalves } from "./pass-sink-halves.ts";
import { sinkComparisons } from "./pass-sink-comparisons.ts";
import { splitUnaligned } from "./pass-split-unaligned.ts";
import { splitOffsets } from "./pass-split-offsets.ts";
import { unrollCountedLoops } from "./pass-unroll-counted.ts";
import { unrollLocalLoops } from "./pass-unroll-loops.ts";
import { unswitchLoops } from "./pass-unswitch-loops.ts";
import { numberValues } from "./pass-value-numbering.ts";
import { foldSpaceTests } from "../../analysis/pointers/pass-space-tests.ts";
import { inferPointerSpaces } from "../../analysis/pointers/pointer-spaces.ts";

/** Calls that would make a kernel larger than this stay. */
const MAX_INSTRUCTIONS = 50_000;

/** Lambdas that capture lambdas need a round for each. */
const MOST_ROUNDS = 4;

/** Local variables and arrays become registers where they can; scalars only. */
export function keepInRegisters(fn: IrFunction, module: IrModule): void {
  cleanUp(fn);
  unrollLocalLoops(fn);
  copyByvalParams(fn, module);
  legalizeFunction(fn, module);
  // What a lambda captures by reference has its address in a local variable: that becomes a value first.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    unrollLocalLoops(fn);
    expandLocalIndices(fn, module);
    const isChanged = promoteAllocas(fn, module);
    cleanUp(fn);
    if (!isChanged) return;
  }
}

/** Changes the module in place. Functions without a body, and those that nothing is called of any more, stay in it. */
export function prepareModule(module: IrModule): void {
  const functions = [...module.functions.values()].filter((fn) => fn.blocks.length > 0);
  const recursive = recursiveFunctions(module);
  for (const fn of functions)
    if (fn.isKernel) inlineCalls(fn, module, { recursive, maxInstructions: MAX_INSTRUCTIONS });
  for (const fn of functions) {
    keepInRegisters(fn, module);
    splitUnaligned(fn, module);
    foldSpaceTests(fn, "constant");
    cleanUp(fn);
    prefetchLoads(fn);
    joinHalves(fn);
    sinkHalves(fn);
    unswitchLoops(fn);
    unrollCountedLoops(fn);
    separateSelectedSpaces(fn);
    expandDivisions(fn, module);
    expandSharedConstants(fn);
    splitOffsets(fn, inferPointerSpaces(fn));
    mergeEqualPhis(fn);
    numberValues(fn);
    removeDeadStores(fn);
    hoistAddresses(fn);
    sinkComparisons(fn);
    cleanUp(fn);
  }
}
