/**
 * The thread tier: every kernel, whatever it does, compiled so that each CUDA thread is a coroutine of its own.
 * function-compiler.ts makes the code, and schedule/block-scheduler.ts runs it.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { IrBlock, IrFunction } from "../../ir/model/ir.ts";
import type { CompiledKernel, KernelBackend } from "../backend.ts";
import type { MemoryKind } from "../emit/environment.ts";
import { hostFeatures, type Features } from "../emit/features.ts";
import type { LoadedKernel, LoadedProgram } from "../executor.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { leavesOf } from "../emit/value-types.ts";
import type { FrameLayout } from "./frame-layout.ts";
import { FunctionCompiler } from "./function-compiler.ts";
import { planFunction, type FunctionPlan } from "./function-plan.ts";
import { THREAD_BACKEND, type ThreadTierMetadata } from "./metadata.ts";
import { prepareKernel } from "./prepare.ts";
import { emitWarpRunner } from "./warp-runner-code.ts";
import { callKind, ProgramCompiler } from "./program-compiler.ts";
import { communicatingFunctions, runsThrough } from "./non-suspending.ts";
import type { LiveValue } from "./segments.ts";

/** The memory: shared between threads by default. */
export interface CompileOptions extends Partial<MemoryKind> {
  /** Let threads enter the kernel at every block (threads handed over by the warp tier). */
  readonly everyBlock?: boolean;
  readonly features?: Features;
}

export interface ThreadTierKernel {
  readonly wasm: Uint8Array;
  readonly metadata: ThreadTierMetadata;
  readonly layout: FrameLayout;
}

export function threadBackend(options: CompileOptions = {}): KernelBackend {
  return {
    name: THREAD_BACKEND,
    compile(program: LoadedProgram, kernel: LoadedKernel, _block: Dim3): CompiledKernel {
      const { wasm, metadata } = compileThreadTier(program, kernel, options);
      return { backend: THREAD_BACKEND, wasm, metadata };
    },
  };
}

/** Compiles a kernel for blocks of any shape. Throws unsupported for what compiled code cannot do. */
export function compileThreadTier(
  program: LoadedProgram,
  kernel: LoadedKernel,
  options: CompileOptions = {},
): ThreadTierKernel {
  const ready = prepareKernel(program, kernel);
  return compilePrepared(ready.program, ready.kernel, options);
}

/**
 * The same for IR that is legal already, e.g. the warp tier's own copy of a kernel, whose values `layout` then speaks
 * of.
 */
export function compilePrepared(
  program: LoadedProgram,
  kernel: LoadedKernel,
  options: CompileOptions = {},
): ThreadTierKernel {
  const p = new ProgramCompiler(program, kernel, options.features ?? hostFeatures(), {
    sharedMemory: true,
    ...options,
  });
  const bodies = [...p.functions.keys()];
  const communicating = communicatingFunctions(bodies);
  const through = runsThrough(communicating);
  const plans = new Map<IrFunction, FunctionPlan>();
  for (const fn of bodies) {
    plans.set(
      fn,
      planFunction(fn, {
        runsThrough: through,
        mayCommunicate: (call) =>
          callKind(call) === "call" && (call.callee.kind !== "function" || communicating.has(call.callee)),
        countsChanges: fn !== kernel.function && communicating.size > 0,
        everyBlock: (options.everyBlock ?? false) && fn === kernel.function,
      }),
    );
  }
  for (const [fn, plan] of plans) {
    new FunctionCompiler(p, plan).compile();
    if (p.functions.get(fn)?.isTooLarge === true)
      throw unsupported(
        `a function of the size of ${fn.name} (WebAssembly engines refuse its code)`,
        fn.location ?? undefined,
      );
  }
  const main = p.functions.get(kernel.function) ?? bug(`the kernel ${kernel.name} has no body`);
  p.module.exportFunction("kernel", main);
  emitWarpRunner(p.module, main, p.operations);
  const depth = measureDepth(kernel.function, plans, program);
  return {
    wasm: p.module.finish(),
    metadata: {
      kernel: kernel.name,
      sites: p.sites,
      loops: p.loopMarks.locations,
      operations: p.operations,
      externals: p.externals,
      stackBytes: depth.stack,
      localBytes: depth.local,
      addressType: p.addressType,
      staticSharedBytes: kernel.staticSharedBytes,
    },
    layout: frameLayout(plans.get(kernel.function) as FunctionPlan),
  };
}

/** The deepest chain of calls from `root`; -1 where it may call itself. */
function measureDepth(
  root: IrFunction,
  plans: ReadonlyMap<IrFunction, FunctionPlan>,
  program: LoadedProgram,
): { stack: number; local: number } {
  const known = new Map<IrFunction, { stack: number; local: number } | null>();
  const measure = (fn: IrFunction): { stack: number; local: number } => {
    const seen = known.get(fn);
    if (seen !== undefined) return seen ?? { stack: -1, local: -1 };
    known.set(fn, null); // being measured: meeting it again is recursion
    const plan = plans.get(fn);
    if (plan === undefined) return { stack: 0, local: 0 };
    let stack = 0;
    let local = 0;
    /** Some callee takes local memory of a size that is not known before. */
    let isOpen = plan.dynamicAllocas;
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        if (i.op !== "call" || callKind(i) !== "call") continue;
        const targets =
          i.callee.kind === "function"
            ? [i.callee]
            : program.functionTable.filter((f) => f !== null && f.blocks.length > 0);
        const reserve =
          8 + 8 * leavesOf({ kind: "struct", name: null, packed: false, elements: i.args.map((a) => a.type) }).length;
        stack = Math.max(stack, reserve);
        for (const target of targets) {
          const below = measure(target as IrFunction);
          if (below.stack < 0 || stack < 0) stack = -1;
          else {
            stack = Math.max(stack, below.stack);
            local = Math.max(local, below.local);
            isOpen ||= below.local < 0;
          }
          if (stack < 0) break;
        }
        if (stack < 0) break;
      }
      if (stack < 0) break;
    }
    const result =
      stack < 0
        ? { stack: -1, local: -1 }
        : { stack: stack + plan.frameBytes, local: isOpen ? -1 : local + plan.localBytes };
    known.set(fn, result);
    return result;
  };
  const total = measure(root);
  // Recursion needs local memory only where some function has local variables.
  const anyLocal = [...reachableFunctions(root, program.functionTable)].some(
    (fn) => (plans.get(fn)?.localBytes ?? 0) > 0 || (plans.get(fn)?.dynamicAllocas ?? false),
  );
  return anyLocal ? total : { stack: total.stack, local: 0 };
}

function frameLayout(plan: FunctionPlan): FrameLayout {
  return {
    frameBytes: plan.frameBytes,
    slotOffset: (value, component = 0) => plan.slots.get(value as LiveValue)?.[component]?.offset ?? null,
    resumePc: (block: IrBlock) => {
      const pc = plan.segmented.segmentOf.get(block)?.resumePc ?? 0;
      return pc > 0 ? pc : bug(`block %${block.name} cannot be entered: compile with everyBlock`);
    },
    liveIn: (block: IrBlock) => {
      const segment = plan.segmented.segmentOf.get(block) ?? bug(`unknown block %${block.name}`);
      return [...(plan.segmented.liveIn[segment.index] as ReadonlySet<LiveValue>)];
    },
  };
}
