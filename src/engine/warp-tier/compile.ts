/**
 * The warp tier's compiler: a kernel for blocks of one shape becomes a WebAssembly module in which one call runs a warp.
 *
 *   clone → inline → fuse nothing more (pass-contract ran) → legalise → clean up → split at barriers → simplify loops
 *   → flow graph → shapes and divergence → schedule → emit
 */
import type { Dim3 } from "../../base/dim3.ts";
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { cloneFunction } from "../../ir/clone.ts";
import type { IrFunction, IrModule } from "../../ir/ir.ts";
import { cleanUp } from "../../ir/pass-cleanup.ts";
import { inlineCalls } from "../../ir/pass-inline.ts";
import { legalizeFunction } from "../../ir/pass-legalize.ts";
import { simplifyLoops } from "../../ir/pass-loop-simplify.ts";
import type { CompiledKernel, KernelBackend } from "../backend.ts";
import { hostFeatures, type Features } from "../emit/features.ts";
import type { LoadedKernel, LoadedProgram } from "../executor.ts";
import { analyzeWarp } from "./analyze.ts";
import { whyNotEligible } from "./eligibility.ts";
import { buildFlowGraph } from "./flow-graph.ts";
import { FunctionEmitter } from "./function-emitter.ts";
import { WARP_BACKEND, type WarpMetadata } from "./metadata.ts";
import { BARRIER_BYTES, BARRIER_OFFSETS, ModuleContext, layoutLocals } from "./module-context.ts";
import { buildSchedule } from "./schedule.ts";
import { SCRATCH_BYTES } from "./scratch.ts";
import { endsInBarrier, splitBarriers } from "./split-barriers.ts";

export interface WarpOptions {
  /** The device's memory is shared between threads. */
  readonly sharedMemory: boolean;
  readonly features?: Features;
}

/** V8 refuses functions above 7,654,321 bytes (V8, src/wasm/wasm-limits.h); locals come on top of the instructions. */
const MAX_FUNCTION_BYTES = 7_500_000;
/** V8's limit is 50,000 locals, parameters included (wasm-limits.h). */
const MAX_FUNCTION_LOCALS = 49_900;

/** Why a kernel is left to the thread tier, or its module. */
export type WarpCompilation = { readonly compiled: CompiledKernel } | { readonly reason: string };

/** The kernel ready for analysis, made once: inlined, legalised, loops simplified. The original is untouched. */
const prepared = new WeakMap<IrFunction, { readonly fn: IrFunction; readonly remaining: number }>();

function prepare(module: IrModule, kernel: IrFunction): { readonly fn: IrFunction; readonly remaining: number } {
  let entry = prepared.get(kernel);
  if (entry === undefined) {
    const fn = cloneFunction(kernel);
    const remaining = inlineCalls(fn, module).length;
    if (remaining === 0) {
      legalizeFunction(fn, module);
      cleanUp(fn);
      splitBarriers(fn);
      simplifyLoops(fn);
    }
    entry = { fn, remaining };
    prepared.set(kernel, entry);
  }
  return entry;
}

export function compileWarp(program: LoadedProgram, kernel: LoadedKernel, block: Dim3, options: WarpOptions): WarpCompilation {
  try {
    return compileOrThrow(program, kernel, block, options);
  } catch (error) {
    // What this tier has no code for, the thread tier has: it reports what nobody supports.
    if (error instanceof HeddleError && error.code === "unsupported") return { reason: error.message };
    throw error;
  }
}

function compileOrThrow(program: LoadedProgram, kernel: LoadedKernel, block: Dim3, options: WarpOptions): WarpCompilation {
  const { fn, remaining } = prepare(program.module, kernel.function);
  if (remaining > 0) return { reason: "calls that cannot be inlined" };
  const flow = buildFlowGraph(fn);
  if (flow === null) return { reason: "irreducible control flow" };
  const loaded: LoadedKernel = { ...kernel, function: fn };
  const locals = layoutLocals(loaded);
  const analysis = analyzeWarp(flow, block, locals.bytesPerThread);
  const { warps } = analysis.geometry;
  const schedule = buildSchedule(analysis, (b) => warps > 1 && endsInBarrier(b.instructions));
  const reason = whyNotEligible(analysis, schedule);
  if (reason !== null) return { reason };

  const addresses = {
    global: (name: string): number | null => program.globalAddresses.get(name) ?? (kernel.sharedOffsets.has(name) ? null : bug(`no address for @${name}`)),
    functionAddress: (name: string): number => program.functionAddresses.get(name) ?? bug(`no address for the function ${name}`),
  };
  const context = new ModuleContext(loaded, block, analysis, addresses, options.features ?? hostFeatures(), locals, options.sharedMemory);
  const warp = context.module.function(kernel.name, ["i32", "i32", "i32"], ["i32"]);
  const { contextBytes } = new FunctionEmitter(context, warp, analysis, schedule).emit();
  if (warp.size > MAX_FUNCTION_BYTES || warp.localCount > MAX_FUNCTION_LOCALS) return { reason: "code of a size that WebAssembly engines refuse" };
  const stride = Math.ceil(contextBytes / 16) * 16;
  emitRunBlock(context, warp.ref, warps, stride, schedule.resumes.length > 0);
  const metadata: WarpMetadata = {
    kernel: kernel.name, block, warps, contextBytes: stride, scratchBytes: SCRATCH_BYTES, barrierBytes: BARRIER_BYTES,
    localBytesPerThread: locals.bytesPerThread, staticSharedBytes: kernel.staticSharedBytes, sites: context.sites,
    externals: context.externals,
  };
  return { compiled: { backend: WARP_BACKEND, wasm: context.module.finish(), metadata } };
}

/** run(x, y, z): all warps of a block, in turn from barrier to barrier. */
function emitRunBlock(m: ModuleContext, warpFunction: ModuleContext["imports"]["print"], warps: number, stride: number, suspends: boolean): void {
  const f = m.module.function("run_block", ["i32", "i32", "i32"], []);
  const { globals } = m;
  f.localGet(0).globalSet(globals.ctaid.x).localGet(1).globalSet(globals.ctaid.y).localGet(2).globalSet(globals.ctaid.z);
  const warp = f.local("i32");
  const forEachWarp = (body: () => void): void => {
    f.i32Const(0).localSet(warp);
    const loop = f.loop();
    body();
    f.localGet(warp).i32Const(1).i32Add().localTee(warp).i32Const(warps).i32LtU().brIf(loop);
    f.end(loop);
  };
  const forEachWarpBackwards = (body: () => void): void => {
    f.i32Const(warps - 1).localSet(warp);
    const loop = f.loop();
    body();
    f.localGet(warp).i32Const(1).i32Sub().localTee(warp).i32Const(0).i32GeS().brIf(loop);
    f.end(loop);
  };
  const pushContext = (): void => { f.globalGet(globals.contexts).localGet(warp).i32Const(stride).i32Mul().i32Add(); };
  if (!suspends) {
    forEachWarp(() => {
      f.localGet(warp).globalSet(globals.warp);
      pushContext();
      f.localGet(warp).i32Const(0).call(warpFunction).drop();
    });
  } else {
    // A round takes every live warp to its next barrier or its end: then all have arrived (those that ended do not count).
    // The last warp goes first: real code often has the first warp write, without a barrier, what the others read just after
    // one. On a GPU the others have read it by then; so they have here.
    const running = f.local("i32");
    const state = f.local("i32");
    forEachWarp(() => { pushContext(); f.i32Const(0).i32Store(); });
    const rounds = f.loop();
    const cell = (): void => { f.globalGet(globals.barrier).globalGet(globals.parity).i32Add(); };
    cell(); f.i32Const(0).i32Store(BARRIER_OFFSETS.popc);
    cell(); f.i32Const(1).i32Store(BARRIER_OFFSETS.and);
    cell(); f.i32Const(0).i32Store(BARRIER_OFFSETS.or);
    f.i32Const(0).localSet(running);
    forEachWarpBackwards(() => {
      pushContext();
      f.i32Load().localTee(state).i32Const(0).i32GeS().if();
      f.localGet(warp).globalSet(globals.warp);
      pushContext();
      f.localGet(warp).localGet(state).call(warpFunction).localSet(state);
      pushContext();
      f.i32Const(-1).localGet(state).localGet(state).i32Eqz().select().i32Store();
      f.localGet(running).localGet(state).i32Or().localSet(running);
      f.end();
    });
    f.globalGet(globals.parity).i32Const(16).i32Xor().globalSet(globals.parity);
    f.localGet(running).brIf(rounds);
    f.end(rounds);
  }
  m.module.exportFunction("run_block", f);
}

export function warpBackend(options: WarpOptions): KernelBackend {
  return {
    name: WARP_BACKEND,
    compile(program, kernel, block) {
      const result = compileWarp(program, kernel, block, options);
      return "compiled" in result ? result.compiled : null;
    },
  };
}
