/**
 * The warp tier's compiler: a kernel for blocks of one shape becomes a WebAssembly module in which one call runs some
 * blocks.
 *
 *   clone → inline all but matrix products and cold calls → copy written parameters → legalize → local variables become
 *   values → answer __isShared(p) → clean up → reuse multiplies → split at barriers → simplify loops → sink addresses
 *   and conditions → flow graph → divergence and lane shapes → bring parted lanes together (then again from the
 *   clean-up on) → fold decided comparisons (then again from the clean-up on) → order blocks → emit
 */
import type { Dim3 } from "../../base/dim3.ts";
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { cloneFunction } from "../../ir/model/clone.ts";
import type { CallInstruction, IrFunction, IrModule } from "../../ir/model/ir.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { copyWrittenParams } from "../../ir/passes/pass-copy-written-params.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../ir/passes/pass-legalize.ts";
import { promoteAllocas } from "../../ir/passes/pass-promote-allocas.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { shareProducts } from "../../ir/passes/pass-reuse-multiplies.ts";
import { sinkAddresses } from "../../ir/passes/pass-sink-addresses.ts";
import { sinkConditions } from "../../ir/passes/pass-sink-conditions.ts";
import type { CompiledKernel, KernelBackend } from "../backend.ts";
import type { MemoryKind } from "../emit/environment.ts";
import { hostFeatures, type Features } from "../emit/features.ts";
import type { LoadedKernel, LoadedProgram } from "../executor.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { foldSpaceTests } from "../../analysis/pointers/pass-space-tests.ts";
import { analyzeWarp, type WarpAnalysis } from "../../analysis/divergence/divergence.ts";
import { whyNotEligible } from "./planning/eligibility.ts";
import { buildFlowGraph } from "../../analysis/loops/flow-graph.ts";
import { FunctionEmitter } from "./control-flow/function-emitter.ts";
import { loopsToScalarize } from "./control-flow/scalarized-loops.ts";
import { WARP_BACKEND, type WarpMetadata } from "./metadata.ts";
import { isRareToolRoutine, isToolRoutine } from "../../machine/observer.ts";
import { isMatrixFunction, matrixOperation } from "./planning/matrix-shapes.ts";
import { BARRIER_BYTES } from "./control-flow/barrier-reductions.ts";
import { layoutLocals } from "./control-flow/local-memory.ts";
import { ModuleContext } from "./control-flow/module-context.ts";
import { foldComparisons } from "./planning/pass-fold-comparisons.ts";
import { RangeChecks } from "./planning/in-bounds-accesses.ts";
import { buildSchedule } from "./planning/block-order.ts";
import { countedRecords } from "./planning/counted-records.ts";
import { isLaneFunction, prepareLaneFunction } from "./planning/lane-functions.ts";
import { rejoinBranches } from "./planning/pass-rejoin-branches.ts";
import { suspendAtProducts } from "./planning/pass-suspend-at-products.ts";
import { isBarrierTest, suspendAtTests } from "./planning/pass-suspend-at-tests.ts";
import { splitBarriers, suspensionAtEnd } from "./planning/pass-split-barriers.ts";
import { isWarpgroupProduct, nameWarpgroupProducts } from "./planning/warpgroup-products.ts";
import { waitsApart } from "./planning/suspensions.ts";

/** Products of warpgroups that this tier has no code for (planning/warpgroup-products.ts). */
const LEFT_TO_THREADS = /^__heddle_wgmma_/;

export interface WarpOptions extends MemoryKind {
  readonly features?: Features;
}

/** The module of a kernel, or the reason why the thread tier must run it. */
export type WarpCompilation = { readonly compiled: CompiledKernel } | { readonly reason: string };

/** The kernel ready for analysis, made once: inlined, legalised, loops simplified. The original is untouched. */
const prepared = new WeakMap<IrFunction, PreparedKernel>();

interface PreparedKernel {
  readonly fn: IrFunction;
  /** Calls that cannot be inlined. */
  readonly remaining: number;
  /** Functions that lanes call, and their code for this kernel. */
  readonly laneFunctions: ReadonlyMap<IrFunction, IrFunction>;
}

function prepare(module: IrModule, kernel: IrFunction): PreparedKernel {
  let entry = prepared.get(kernel);
  if (entry === undefined && [...reachableFunctions(kernel, [])].some((fn) => fn !== kernel && isToolRoutine(fn)))
    prepared.set(kernel, (entry = { fn: kernel, remaining: 1, laneFunctions: new Map() }));
  if (entry === undefined) {
    const fn = cloneFunction(kernel);
    const remaining = inlineCalls(fn, module, {
      keeps: (callee) =>
        isMatrixFunction(callee) ||
        isWarpgroupProduct(callee) ||
        isRareToolRoutine(callee) ||
        isBarrierTest(callee) ||
        isLaneFunction(callee),
    }).length;
    nameMatrixProducts(fn, module);
    if (remaining === 0) {
      suspendAtTests(fn, module);
      nameWarpgroupProducts(fn, module);
      suspendAtProducts(fn, module);
      copyWrittenParams(fn, module);
      legalizeFunction(fn, module);
      keepInRegisters(fn, module);
      foldSpaceTests(fn, "global");
      arrange(fn);
    }
    entry = { fn, remaining, laneFunctions: remaining === 0 ? laneFunctionsOf(fn, module) : new Map() };
    prepared.set(kernel, entry);
  }
  return entry;
}

/** Local variables become values. What a lambda captures by reference has its address in one: that goes first. */
function keepInRegisters(fn: IrFunction, module: IrModule): void {
  cleanUp(fn);
  for (let round = 0; round < MOST_ROUNDS && promoteAllocas(fn, module); round++) cleanUp(fn);
}

/** Lambdas that capture lambdas need a round for each. */
const MOST_ROUNDS = 4;

/** Matrix products are operations of a warp: calls of their library functions become calls of declared intrinsics. */
function nameMatrixProducts(fn: IrFunction, module: IrModule): void {
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op === "call" && i.callee.kind === "function" && isMatrixFunction(i.callee))
        i.callee = matrixOperation(module, i.callee);
    }
  }
}

function laneFunctionsOf(fn: IrFunction, module: IrModule): ReadonlyMap<IrFunction, IrFunction> {
  const calls = new Map<IrFunction, CallInstruction[]>();
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      if (i.op !== "call" || i.callee.kind !== "function" || !isLaneFunction(i.callee)) continue;
      const list = calls.get(i.callee);
      if (list === undefined) calls.set(i.callee, [i]);
      else list.push(i);
    }
  }
  return new Map([...calls].map(([callee, list]) => [callee, prepareLaneFunction(module, callee, list)]));
}

/** The form that the analyses need. */
function arrange(fn: IrFunction): void {
  cleanUp(fn);
  shareProducts(fn);
  splitBarriers(fn);
  simplifyLoops(fn);
  sinkAddresses(fn);
  sinkConditions(fn);
}

export function compileWarp(
  program: LoadedProgram,
  kernel: LoadedKernel,
  block: Dim3,
  options: WarpOptions,
): WarpCompilation {
  try {
    return compileOrThrow(program, kernel, block, options);
  } catch (error) {
    // The thread tier has code for more, and reports what no tier supports.
    if (error instanceof HeddleError && error.code === "unsupported") return { reason: error.summary };
    throw error;
  }
}

function compileOrThrow(
  program: LoadedProgram,
  kernel: LoadedKernel,
  block: Dim3,
  options: WarpOptions,
): WarpCompilation {
  if (pointerBitsOf(program.module) === 64) return { reason: "pointers of 64 bits" };
  // Said at the end, too, after a long preparation: such kernels are large.
  const early = [...reachableFunctions(kernel.function, [])].find(
    (fn) => LEFT_TO_THREADS.test(fn.name) && !isWarpgroupProduct(fn),
  );
  if (early !== undefined) return { reason: `a call of ${early.name}` };
  const { fn, remaining, laneFunctions } = prepare(program.module, kernel.function);
  if (remaining > 0) return { reason: "calls that cannot be inlined" };
  const addresses = {
    global: (name: string): number | null =>
      program.globalAddresses.get(name) ?? (kernel.sharedOffsets.has(name) ? null : bug(`no address for @${name}`)),
    functionAddress: (name: string): number =>
      program.functionAddresses.get(name) ?? bug(`no address for the function ${name}`),
  };
  const loaded = (fn: IrFunction): LoadedKernel => ({ ...kernel, function: fn });
  const analyze = (fn: IrFunction): WarpAnalysis | null => {
    const flow = buildFlowGraph(fn);
    return flow === null
      ? null
      : analyzeWarp(flow, block, layoutLocals(loaded(fn), laneFunctions.values()).bytesPerThread);
  };
  const first = analyzeRejoined(fn, analyze);
  if (first === null) return { reason: "irreducible control flow" };
  const folded = foldComparisons(fn, new RangeChecks(first, loaded(fn), block, addresses).rangesOf("active"));
  if (folded !== null) arrange(folded);
  const analysis =
    folded === null ? first : (analyze(folded) ?? bug(`folding made the control flow of ${kernel.name} irreducible`));
  const { warps } = analysis.geometry;
  const apart = waitsApart(folded ?? fn);
  const schedule = buildSchedule(
    analysis,
    (b) => (warps > 1 || apart) && suspensionAtEnd(b.instructions) !== null,
    loopsToScalarize(analysis),
  );
  const ranges = new RangeChecks(analysis, loaded(folded ?? fn), block, addresses);
  const reason = whyNotEligible(analysis, schedule, apart, (pointer) => ranges.isInSharedWindow(pointer));
  if (reason !== null) return { reason };

  const locals = layoutLocals(loaded(folded ?? fn), laneFunctions.values());
  const context = new ModuleContext(
    loaded(folded ?? fn),
    block,
    analysis,
    addresses,
    options.features ?? hostFeatures(),
    locals,
    options,
    countedRecords(folded ?? fn, addresses),
    laneFunctions,
    apart,
  );
  const run = context.module.function("run", ["i32", "i32"], []);
  context.module.exportFunction("run", run);
  const emitted = new FunctionEmitter(context, run, analysis, schedule).emit();
  if (run.isTooLarge) return { reason: "code of a size that WebAssembly engines refuse" };
  const metadata: WarpMetadata = {
    kernel: kernel.name,
    block,
    warps,
    contextBytes: emitted.contextBytes,
    scratchBytes: context.groupRoom.end,
    barrierBytes: BARRIER_BYTES,
    localBytesPerThread: locals.bytesPerThread,
    staticSharedBytes: kernel.staticSharedBytes,
    sites: context.sites,
    loops: context.loopMarks.locations,
    counts: context.counts,
    externals: context.externals,
    waits: apart ? emitted.waits : null,
  };
  return { compiled: { backend: WARP_BACKEND, wasm: context.module.finish(), metadata } };
}

/** Brings lanes together that a branch has parted needlessly. Null: the control flow is irreducible. */
function analyzeRejoined(fn: IrFunction, analyze: (fn: IrFunction) => WarpAnalysis | null): WarpAnalysis | null {
  let analysis = analyze(fn);
  while (analysis !== null && rejoinBranches(fn, analysis)) {
    arrange(fn);
    analysis = analyze(fn);
  }
  return analysis;
}

export function warpBackend(options: WarpOptions): KernelBackend {
  return {
    name: WARP_BACKEND,
    compile(program, kernel, block) {
      const result = compileWarp(program, kernel, block, options);
      return "compiled" in result ? result.compiled : null;
    },
    whyNot(program, kernel, block) {
      const result = compileWarp(program, kernel, block, options);
      return "reason" in result ? result.reason : null;
    },
  };
}
