/**
 * The small loops around a kernel that are worth having in WebAssembly: running the lanes of a warp one after the
 * other, and making a block's threads ready for their first run.
 */
import type { FunctionBuilder, Label } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { WaitOperation } from "../schedule/task.ts";
import { CONTEXT, CONTEXT_BYTES, FRAME, STATUS, SUMMARY } from "./layout.ts";
import { emitAnswerWarp } from "./warp-collectives-code.ts";

/**
 * So many operations of a whole warp are answered before it yields: it may be a vote that it spins on, for what another
 * warp does.
 */
const ANSWERS_PER_RUN = 1024;

/** `operations`: what the kernel's threads wait for, all of it. */
export function emitWarpRunner(
  module: ModuleBuilder,
  kernel: FunctionBuilder,
  operations: readonly WaitOperation[],
): void {
  const together = operations.some((operation) => operation.kind === "collective" && !operation.converged);
  emitRunLanes(module, kernel, together ? emitAnswerWarp(module, operations) : null);
  emitReset(module);
}

const RUN_LOCALS = ["context", "status", "bit", "exited", "yielded", "waiting", "first", "differs", "answers"] as const;

type RunLocals = Readonly<Record<(typeof RUN_LOCALS)[number], number>>;

/**
 * (contexts of the warp, lanes to run, summary): fills the summary and stops at a fault. Runs the lanes again while
 * `answer` completes a collective of the whole warp.
 */
function emitRunLanes(module: ModuleBuilder, kernel: FunctionBuilder, answer: FunctionBuilder | null): void {
  const code = module.function("run_lanes", ["i32", "i32", "i32"]);
  module.exportFunction("run_lanes", code);
  const [contexts, lanes, summary] = [0, 1, 2];
  const local = Object.fromEntries(RUN_LOCALS.map((name) => [name, code.freshLocal("i32")])) as RunLocals;
  code.i32Const(ANSWERS_PER_RUN).localSet(local.answers);
  const done = code.block();
  const again = code.loop();
  code.localGet(lanes).i32Eqz().if();
  if (answer !== null) emitAnswer(code, answer, { contexts, lanes }, local, again);
  code.localGet(summary).i32Const(-1).i32Store(SUMMARY.faultLane).br(done).end();
  code.localGet(summary).localGet(lanes).i32Ctz().i32Store(SUMMARY.faultLane);
  code.localGet(lanes).i32Const(0).localGet(lanes).i32Sub().i32And().localSet(local.bit);
  code.localGet(contexts).localGet(lanes).i32Ctz().i32Const(CONTEXT_BYTES).i32Mul().i32Add().localTee(local.context);
  code.i32Load(CONTEXT.frame).localGet(local.context).call(kernel).localSet(local.status);
  const next = code.block();
  emitNoteStatus(code, local, next);
  // A fault, or what no kernel returns.
  code.br(done);
  code.end(next);
  code.localGet(lanes).localGet(local.bit).i32Xor().localSet(lanes).br(again);
  code.end(again).end(done);
  for (const [field, mask] of [
    [SUMMARY.exited, local.exited],
    [SUMMARY.yielded, local.yielded],
    [SUMMARY.waiting, local.waiting],
    [SUMMARY.differs, local.differs],
  ] as const) {
    code.localGet(summary).localGet(mask).i32Store(field);
  }
}

/** Stands where all lanes have run. Completes a collective that they all wait at, and branches to `again`. */
function emitAnswer(
  code: FunctionBuilder,
  answer: FunctionBuilder,
  { contexts, lanes }: { readonly contexts: number; readonly lanes: number },
  local: RunLocals,
  again: Label,
): void {
  // All 32 have come to the same place, and to an operation that names them all.
  code
    .localGet(local.waiting)
    .i32Const(-1)
    .i32Eq()
    .localGet(local.differs)
    .i32Eqz()
    .i32And()
    .localGet(contexts)
    .i32Load(CONTEXT.waitMask)
    .i32Const(-1)
    .i32Eq()
    .i32And()
    .if();
  code.localGet(contexts).call(answer).if();
  code.i32Const(0).localSet(local.waiting);
  code.localGet(local.answers).i32Const(1).i32Sub().localTee(local.answers).if();
  code.i32Const(-1).localSet(lanes).i32Const(0).localSet(local.first).br(again);
  code.end();
  code.i32Const(-1).localSet(local.yielded);
  code.end().end();
}

/** Adds the current lane to the mask of its status and branches to `next`. A fault falls through. */
function emitNoteStatus(code: FunctionBuilder, local: RunLocals, next: Label): void {
  const include = (mask: number): void => {
    code.localGet(mask).localGet(local.bit).i32Or().localSet(mask);
  };
  code.localGet(local.status).i32Const(STATUS.exited).i32Eq().if();
  include(local.exited);
  code.br(next).end();
  code.localGet(local.status).i32Const(STATUS.waiting).i32Eq().if();
  include(local.waiting);
  code.localGet(local.first).i32Eqz().if();
  code.localGet(local.context).localSet(local.first);
  code.else();
  for (const field of [CONTEXT.waitOperation, CONTEXT.waitSite, CONTEXT.waitMask, CONTEXT.waitThreads]) {
    code
      .localGet(local.context)
      .i32Load(field)
      .localGet(local.first)
      .i32Load(field)
      .i32Xor()
      .localGet(local.differs)
      .i32Or()
      .localSet(local.differs);
  }
  code.end().br(next).end();
  code.localGet(local.status).i32Const(STATUS.yielded).i32Eq().if();
  include(local.yielded);
  code.br(next).end();
}

/** (contexts, threads): every thread at the kernel's beginning. */
function emitReset(module: ModuleBuilder): void {
  const code = module.function("reset_threads", ["i32", "i32"]);
  module.exportFunction("reset_threads", code);
  const again = code.loop();
  code.localGet(0).i32Load(CONTEXT.frame).i32Const(0).i32Store(FRAME.pc);
  code.localGet(0).localGet(0).i32Load(CONTEXT.localStart).i32Store(CONTEXT.localTop);
  code.localGet(0).i32Const(0).i32Store(CONTEXT.productGroups);
  code.localGet(0).i32Const(CONTEXT_BYTES).i32Add().localSet(0);
  code.localGet(1).i32Const(1).i32Sub().localTee(1).brIf(again);
  code.end(again);
}
