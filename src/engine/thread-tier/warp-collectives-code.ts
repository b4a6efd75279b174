/**
 * Shuffles, votes, reductions and barriers of a whole warp, answered where its lanes run: what schedule/collectives.ts
 * computes, for the case in which all 32 lanes live, have come to the same operation and are named by its mask. The
 * scheduler, which everything else goes to, would cost several times as much as the lanes' own work.
 */
import { bug } from "../../base/diagnostics.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { CollectiveOperation, WaitOperation } from "../schedule/task.ts";
import { CONTEXT, CONTEXT_BYTES } from "./layout.ts";

const LANES = 32;
const WARP_BYTES = LANES * CONTEXT_BYTES;

/**
 * `answer_warp`: (contexts of the warp) → 1 when the results of what its lanes wait for are in their contexts, 0 when
 * the scheduler has to say.
 */
export function emitAnswerWarp(module: ModuleBuilder, operations: readonly WaitOperation[]): FunctionBuilder {
  const f = module.function("answer_warp", ["i32"], ["i32"]);
  const emitters = operations.map((operation) =>
    operation.kind === "collective" && !operation.converged ? emitterOf(operation.operation) : null,
  );
  const unknown = f.block();
  const cases = emitters.map((emitter) => (emitter === null ? unknown : f.block()));
  f.localGet(0).i32Load(CONTEXT.waitOperation).brTable(cases, unknown);
  for (let n = emitters.length - 1; n >= 0; n--) {
    const emit = emitters[n];
    if (emit == null) continue;
    f.end(cases[n]);
    emit(f);
    f.i32Const(1).return();
  }
  f.end(unknown).i32Const(0);
  return f;
}

type Emitter = (f: FunctionBuilder) => void;

function emitterOf(operation: CollectiveOperation): Emitter | null {
  switch (operation) {
    case "syncwarp":
      return () => {
        /* they all came */
      };
    case "shfl-idx":
    case "shfl-up":
    case "shfl-down":
    case "shfl-bfly":
      return (f) => {
        emitShuffle(f, operation);
      };
    case "vote-ballot":
    case "vote-any":
    case "vote-all":
    case "vote-uni":
      return (f) => {
        emitVote(f, operation);
      };
    case "redux-add":
    case "redux-and":
    case "redux-or":
    case "redux-xor":
      return (f) => {
        emitReduction(f, operation);
      };
    default:
      return null;
  }
}

/** `context` goes over the lanes' contexts; `visit` may use it. */
function forEachLane(f: FunctionBuilder, context: number, visit: () => void): void {
  f.localGet(0).localSet(context);
  const again = f.loop();
  visit();
  f.localGet(context).i32Const(CONTEXT_BYTES).i32Add().localTee(context);
  f.localGet(0).i32Const(WARP_BYTES).i32Add().i32LtU().brIf(again);
  f.end(again);
}

function emitShuffle(f: FunctionBuilder, operation: string): void {
  const [context, lane, offset, segment, bound, source, valid] = Array.from({ length: 7 }, () => f.local("i32")) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  f.i32Const(0).localSet(lane);
  forEachLane(f, context, () => {
    f.localGet(context).i32Load(CONTEXT.operand2).i32Const(31).i32And().localSet(offset);
    f.localGet(context).i32Load(CONTEXT.operand3).i32Const(8).i32ShrU().i32Const(31).i32And().localSet(segment);
    // The lane's segment, and the last lane in it that may be read (for "up" the first).
    f.localGet(lane).localGet(segment).i32And();
    f.localGet(context)
      .i32Load(CONTEXT.operand3)
      .i32Const(31)
      .i32And()
      .localGet(segment)
      .i32Const(-1)
      .i32Xor()
      .i32And();
    f.i32Or().localSet(bound);
    switch (operation) {
      case "shfl-up":
        f.localGet(lane).localGet(offset).i32Sub().localTee(source).localGet(bound).i32GeS();
        break;
      case "shfl-down":
        f.localGet(lane).localGet(offset).i32Add().localTee(source).localGet(bound).i32LeS();
        break;
      case "shfl-bfly":
        f.localGet(lane).localGet(offset).i32Xor().localTee(source).localGet(bound).i32LeS();
        break;
      case "shfl-idx":
        f.localGet(lane)
          .localGet(segment)
          .i32And()
          .localGet(offset)
          .localGet(segment)
          .i32Const(-1)
          .i32Xor()
          .i32And()
          .i32Or();
        f.localTee(source).localGet(bound).i32LeS();
        break;
      default:
        bug(`no shuffle ${operation}`);
    }
    f.localSet(valid);
    f.localGet(context);
    f.localGet(0)
      .localGet(source)
      .localGet(lane)
      .localGet(valid)
      .select()
      .i32Const(CONTEXT_BYTES)
      .i32Mul()
      .i32Add()
      .i32Load(CONTEXT.operand0);
    f.i32Store(CONTEXT.resultLow);
    f.localGet(context).localGet(valid).i32Store(CONTEXT.resultHigh);
    f.localGet(lane).i32Const(1).i32Add().localSet(lane);
  });
  f.free(context, lane, offset, segment, bound, source, valid);
}

function emitVote(f: FunctionBuilder, operation: string): void {
  const [context, ballot, bit] = [f.local("i32"), f.local("i32"), f.local("i32")];
  f.i32Const(0).localSet(ballot).i32Const(1).localSet(bit);
  forEachLane(f, context, () => {
    f.localGet(bit)
      .i32Const(0)
      .localGet(context)
      .i32Load(CONTEXT.operand0)
      .select()
      .localGet(ballot)
      .i32Or()
      .localSet(ballot);
    f.localGet(bit).i32Const(1).i32Shl().localSet(bit);
  });
  switch (operation) {
    case "vote-ballot":
      break;
    case "vote-any":
      f.localGet(ballot).i32Const(0).i32Ne().localSet(ballot);
      break;
    case "vote-all":
      f.localGet(ballot).i32Const(-1).i32Eq().localSet(ballot);
      break;
    case "vote-uni":
      f.localGet(ballot).i32Eqz().localGet(ballot).i32Const(-1).i32Eq().i32Or().localSet(ballot);
      break;
    default:
      bug(`no vote ${operation}`);
  }
  storeResult(f, context, ballot);
  f.free(context, ballot, bit);
}

function emitReduction(f: FunctionBuilder, operation: string): void {
  const [context, result] = [f.local("i32"), f.local("i32")];
  f.i32Const(operation === "redux-and" ? -1 : 0).localSet(result);
  forEachLane(f, context, () => {
    f.localGet(result).localGet(context).i32Load(CONTEXT.operand0);
    switch (operation) {
      case "redux-add":
        f.i32Add();
        break;
      case "redux-and":
        f.i32And();
        break;
      case "redux-or":
        f.i32Or();
        break;
      case "redux-xor":
        f.i32Xor();
        break;
      default:
        bug(`no reduction ${operation}`);
    }
    f.localSet(result);
  });
  storeResult(f, context, result);
  f.free(context, result);
}

/** The same for all lanes. */
function storeResult(f: FunctionBuilder, context: number, result: number): void {
  forEachLane(f, context, () => {
    f.localGet(context).localGet(result).i32Store(CONTEXT.resultLow);
  });
}
