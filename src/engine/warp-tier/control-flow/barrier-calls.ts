/** Barriers of a block, of some of its warps, or of a cluster: a warp says that it has come, and is suspended then. */
import type { CallInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { barrierOf, clusterBarrierOf, namedBarrierOf } from "../planning/suspensions.ts";
import type { Values } from "../lane-operations/value-location.ts";
import { emitBarrierArrival, pushWarpReduction } from "./barrier-reductions.ts";
import type { ConditionMasks } from "./condition-masks.ts";
import type { ModuleContext, WaitImports } from "./module-context.ts";

interface BarrierContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly kernelModule: ModuleContext;
  readonly conditions: ConditionMasks;
}

/** No operation on vectors may be deferred. `mask`: the lanes that come. */
export function emitBarrier(context: BarrierContext, i: CallInstruction, mask: Local): void {
  const { code, kernelModule, values, conditions } = context;
  if (kernelModule.waits !== null) {
    emitArrival(context, i, kernelModule.waits);
    return;
  }
  const { reduction } = barrierOf(i)!;
  const pushBits = (): void => conditions.push(i.args[i.args.length - 1]!);
  if (kernelModule.warps > 1) emitBarrierArrival(code, kernelModule.globals, reduction, pushBits, mask);
  else if (reduction !== "none") {
    pushWarpReduction(code, reduction, pushBits, mask);
    values.setScalar(i);
  }
}

/** Where warps wait apart from one another, the runner knows who has come. */
function emitArrival(
  { code, values, kernelModule }: BarrierContext,
  i: CallInstruction,
  { arrive, cluster }: WaitImports,
): void {
  const atCluster = clusterBarrierOf(i);
  if (atCluster !== null) {
    code.i32Const(Number(atCluster === "wait")).call(cluster);
    return;
  }
  const { id, threads, waits } = namedBarrierOf(i) ?? { id: null, threads: null, waits: true };
  if (id === null) code.i32Const(0);
  else values.pushScalar(id);
  if (threads === null) code.i32Const(-1);
  else values.pushScalar(threads);
  code.i32Const(Number(waits)).i32Const(kernelModule.siteOf(i)).call(arrive);
}
