/** The code of `count.lines`: marks the sectors that a warp touches, and records their lines where it is asked to. */
import { LANES, SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { CallInstruction, ConstInt, IrValue } from "../../../ir/model/ir.ts";
import { unpackLines } from "../../../machine/line-records.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { markRuns, sectorRuns } from "./sector-marks.ts";
import type { CountContext } from "./counting.ts";

export function noteLines(context: CountContext, i: CallInstruction): void {
  const { code, helpers, mask, isFull } = context;
  const start = context.recordAddress(i.args[0] as IrValue);
  const address = i.args[2] as IrValue;
  const { space, operation, isRecorded } = unpackLines(Number((i.args[3] as ConstInt).value));
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
  if (space === "generic") leaveOutWindows(context, lanes, vectors);
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

/** Takes the lanes out whose addresses are in shared or local memory. */
function leaveOutWindows(
  { code, helpers, globals, warps, localBytesPerThread }: CountContext,
  lanes: Local,
  vectors: readonly Local[],
): void {
  const leaveOut = (window: number, pushBytes: () => void): void => {
    code.localGet(lanes);
    for (const vector of vectors) code.localGet(vector);
    code.globalGet(window);
    pushBytes();
    code.call(helpers.inWindow).localGet(lanes).i32Xor().localSet(lanes);
  };
  leaveOut(globals.shared, () => code.globalGet(globals.sharedBytes));
  leaveOut(globals.local, () => code.i32Const(warps * LANES * localBytesPerThread));
}
