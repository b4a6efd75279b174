/** The code of `count.lines`: marks the sectors that a warp touches, and records their lines where it is asked to. */
import { LANES, SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { CallInstruction, ConstInt, IrValue } from "../../../ir/model/ir.ts";
import { LINE_BYTES, LOCAL_LINE, LOCAL_WORDS, unpackLines, type PackedLines } from "../../../machine/line-records.ts";
import { BANK_BYTES } from "../../../machine/warp-counts.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { markRuns, sectorRuns } from "./sector-marks.ts";
import type { CountContext } from "./counting.ts";

export function noteLines(context: CountContext, i: CallInstruction): void {
  const { code, helpers, mask, isFull } = context;
  const start = context.recordAddress(i.args[0] as IrValue);
  const address = i.args[2] as IrValue;
  const known = unpackLines(Number((i.args[3] as ConstInt).value));
  const { space, operation, isRecorded } = known;
  const runs = space === "global" ? sectorRuns(context, address) : null;
  if (runs !== null && isFull && !isRecorded) {
    markRuns(context, address, runs, { start, operation });
    return;
  }
  context.flush();
  const vectors = Array.from({ length: SLICES }, () => code.local("v128"));
  vectors.forEach((vector, s) => {
    context.values.pushVector(address, s);
    code.localSet(vector);
  });
  const lanes = code.local("i32");
  code.localGet(mask).localSet(lanes);
  if (space === "local") {
    recordLocal(context, start, known, lanes, vectors);
    code.free(lanes, ...vectors);
    return;
  }
  if (space === "generic") {
    const local = leaveOutWindows(context, lanes, vectors);
    if (isRecorded) {
      code.localGet(local).if();
      recordLocal(context, start, known, local, vectors);
      code.end();
    }
    code.free(local);
  }
  const pushLanes = (): void => {
    code.localGet(lanes);
    for (const vector of vectors) code.localGet(vector);
    code.i32Const(start);
  };
  if (runs !== null) {
    code.localGet(lanes).i32Const(-1).i32Eq().if();
    markRuns(context, address, runs, { start, operation });
    code.else();
    pushLanes();
    code.call(helpers.markLanes(operation));
    code.end();
  } else {
    pushLanes();
    code.call(helpers.markLanes(operation));
  }
  if (isRecorded) {
    pushLanes();
    code.i32Const(operation).localGet(context.warp).call(helpers.noteLines);
  }
  code.free(lanes, ...vectors);
}

/** Records the lines of local memory that lanes touch: machine/line-records.ts has their addresses. */
function recordLocal(
  { code, values, helpers, globals, warp, localBytesPerThread }: CountContext,
  start: number,
  { operation, bytes }: PackedLines,
  lanes: Local,
  vectors: readonly Local[],
): void {
  const [base, first] = [code.local("i32"), code.local("i32")];
  code
    .globalGet(globals.local)
    .localGet(warp)
    .i32Const(LANES * localBytesPerThread)
    .i32Mul()
    .i32Add()
    .localSet(base);
  code.globalGet(globals.block).i32Const(LANES).i32Mul().localGet(warp).i32Add();
  code
    .i32Const(LOCAL_WORDS * LINE_BYTES)
    .i32Mul()
    .localSet(first);
  for (let word = 0; word * BANK_BYTES < bytes; word++) {
    code.localGet(lanes);
    for (const [s, vector] of vectors.entries()) {
      const ofLanes = (step: number): [number, number, number, number] => {
        const lane = (LANES / SLICES) * s;
        return [lane * step, (lane + 1) * step, (lane + 2) * step, (lane + 3) * step];
      };
      code.localGet(vector).localGet(base).i32x4Splat().i32x4Sub();
      values.pushIntegers(...ofLanes(localBytesPerThread));
      code.i32x4Sub().i32Const(Math.log2(BANK_BYTES)).i32x4ShrU();
      if (word > 0) {
        values.pushIntegers(word);
        code.i32x4Add();
      }
      values.pushIntegers(LOCAL_WORDS - 1);
      code.v128And().i32Const(Math.log2(LINE_BYTES)).i32x4Shl();
      values.pushIntegers(...ofLanes(BANK_BYTES));
      code.i32x4Add().localGet(first).i32x4Splat().i32x4Add();
    }
    code.i32Const(start).i32Const(operation).localGet(warp).i32Const(LOCAL_LINE).i32Or().call(helpers.noteLines);
  }
  code.free(base, first);
}

/** Takes the lanes out whose addresses are in shared or local memory. @returns those of local memory */
function leaveOutWindows(
  { code, helpers, globals, warps, localBytesPerThread }: CountContext,
  lanes: Local,
  vectors: readonly Local[],
): Local {
  const local = code.local("i32");
  const leaveOut = (window: number, pushBytes: () => void): void => {
    code.localGet(lanes);
    for (const vector of vectors) code.localGet(vector);
    code.globalGet(window);
    pushBytes();
    code.call(helpers.inWindow).localTee(local).localGet(lanes).i32Xor().localSet(lanes);
  };
  leaveOut(globals.shared, () => code.globalGet(globals.sharedBytes));
  leaveOut(globals.local, () => code.i32Const(warps * LANES * localBytesPerThread));
  return local;
}
