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
  const code = module.function("answer_warp", ["i32"], ["i32"]);
  const emitters = operations.map((operation) =>
    operation.kind === "collective" && !operation.converged ? emitterOf(operation.operation) : null,
  );
  const unknown = code.block();
  const cases = emitters.map((emitter) => (emitter === null ? unknown : code.block()));
  code.localGet(0).i32Load(CONTEXT.waitOperation).brTable(cases, unknown);
  for (let n = emitters.length - 1; n >= 0; n--) {
    const emit = emitters[n];
    if (emit == null) continue;
    code.end(cases[n]);
    emit(code);
    code.i32Const(1).return();
  }
  code.end(unknown).i32Const(0);
  return code;
}

type Emitter = (code: FunctionBuilder) => void;

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
      return (code) => {
        emitShuffle(code, operation);
      };
    case "vote-ballot":
    case "vote-any":
    case "vote-all":
    case "vote-uni":
      return (code) => {
        emitVote(code, operation);
      };
    case "redux-add":
    case "redux-and":
    case "redux-or":
    case "redux-xor":
      return (code) => {
        emitReduction(code, operation);
      };
    default:
      return null;
  }
}

/** `context` goes over the lanes' contexts; `visit` may use it. */
function forEachLane(code: FunctionBuilder, context: number, visit: () => void): void {
  code.localGet(0).localSet(context);
  const again = code.loop();
  visit();
  code.localGet(context).i32Const(CONTEXT_BYTES).i32Add().localTee(context);
  code.localGet(0).i32Const(WARP_BYTES).i32Add().i32LtU().brIf(again);
  code.end(again);
}

function emitShuffle(code: FunctionBuilder, operation: string): void {
  const [context, lane, offset, segment, bound, source, valid] = Array.from({ length: 7 }, () => code.local("i32")) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  code.i32Const(0).localSet(lane);
  forEachLane(code, context, () => {
    code.localGet(context).i32Load(CONTEXT.operand2).i32Const(31).i32And().localSet(offset);
    code.localGet(context).i32Load(CONTEXT.operand3).i32Const(8).i32ShrU().i32Const(31).i32And().localSet(segment);
    // The lane's segment, and the last lane in it that may be read (for "up" the first).
    code.localGet(lane).localGet(segment).i32And();
    code
      .localGet(context)
      .i32Load(CONTEXT.operand3)
      .i32Const(31)
      .i32And()
      .localGet(segment)
      .i32Const(-1)
      .i32Xor()
      .i32And();
    code.i32Or().localSet(bound);
    switch (operation) {
      case "shfl-up":
        code.localGet(lane).localGet(offset).i32Sub().localTee(source).localGet(bound).i32GeS();
        break;
      case "shfl-down":
        code.localGet(lane).localGet(offset).i32Add().localTee(source).localGet(bound).i32LeS();
        break;
      case "shfl-bfly":
        code.localGet(lane).localGet(offset).i32Xor().localTee(source).localGet(bound).i32LeS();
        break;
      case "shfl-idx":
        code
          .localGet(lane)
          .localGet(segment)
          .i32And()
          .localGet(offset)
          .localGet(segment)
          .i32Const(-1)
          .i32Xor()
          .i32And()
          .i32Or();
        code.localTee(source).localGet(bound).i32LeS();
        break;
      default:
        bug(`no shuffle ${operation}`);
    }
    code.localSet(valid);
    code.localGet(context);
    code
      .localGet(0)
      .localGet(source)
      .localGet(lane)
      .localGet(valid)
      .select()
      .i32Const(CONTEXT_BYTES)
      .i32Mul()
      .i32Add()
      .i32Load(CONTEXT.operand0);
    code.i32Store(CONTEXT.resultLow);
    code.localGet(context).localGet(valid).i32Store(CONTEXT.resultHigh);
    code.localGet(lane).i32Const(1).i32Add().localSet(lane);
  });
  code.free(context, lane, offset, segment, bound, source, valid);
}

function emitVote(code: FunctionBuilder, operation: string): void {
  const [context, ballot, bit] = [code.local("i32"), code.local("i32"), code.local("i32")];
  code.i32Const(0).localSet(ballot).i32Const(1).localSet(bit);
  forEachLane(code, context, () => {
    code
      .localGet(bit)
      .i32Const(0)
      .localGet(context)
      .i32Load(CONTEXT.operand0)
      .select()
      .localGet(ballot)
      .i32Or()
      .localSet(ballot);
    code.localGet(bit).i32Const(1).i32Shl().localSet(bit);
  });
  switch (operation) {
    case "vote-ballot":
      break;
    case "vote-any":
      code.localGet(ballot).i32Const(0).i32Ne().localSet(ballot);
      break;
    case "vote-all":
      code.localGet(ballot).i32Const(-1).i32Eq().localSet(ballot);
      break;
    case "vote-uni":
      code.localGet(ballot).i32Eqz().localGet(ballot).i32Const(-1).i32Eq().i32Or().localSet(ballot);
      break;
    default:
      bug(`no vote ${operation}`);
  }
  storeResult(code, context, ballot);
  code.free(context, ballot, bit);
}

function emitReduction(code: FunctionBuilder, operation: string): void {
  const [context, result] = [code.local("i32"), code.local("i32")];
  code.i32Const(operation === "redux-and" ? -1 : 0).localSet(result);
  forEachLane(code, context, () => {
    code.localGet(result).localGet(context).i32Load(CONTEXT.operand0);
    switch (operation) {
      case "redux-add":
        code.i32Add();
        break;
      case "redux-and":
        code.i32And();
        break;
      case "redux-or":
        code.i32Or();
        break;
      case "redux-xor":
        code.i32Xor();
        break;
      default:
        bug(`no reduction ${operation}`);
    }
    code.localSet(result);
  });
  storeResult(code, context, result);
  code.free(context, result);
}

/** The same for all lanes. */
function storeResult(code: FunctionBuilder, context: number, result: number): void {
  forEachLane(code, context, () => {
    code.localGet(context).localGet(result).i32Store(CONTEXT.resultLow);
  });
}
