/**
 * Single instructions lane by lane, in scalar code: atomics, ordered accesses, printf, and whatever has no vector form.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import type { Uses } from "../planning/value-uses.ts";
import { elementOf, scalarTypeOf } from "../lane-operations/element.ts";
import { forEachLane, loadLane, reloadFromSlot, spillToSlot, storeLane } from "../lane-operations/lane-scratch.ts";
import type { ValueLocation, Values } from "../lane-operations/value-location.ts";
import type { CompoundResults } from "./compound-results.ts";
import type { ModuleContext } from "./module-context.ts";

export interface LaneLoopContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly kernelModule: ModuleContext;
  readonly analysis: WarpAnalysis;
  readonly uses: Uses;
  readonly results: CompoundResults;
  /** The lanes for which the instruction runs. */
  readonly mask: Local;
}

/** The slots of the scratch region: first the varying operands of the instruction, then its results. */
const MAX_OPERANDS = 6;

/**
 * Runs the instruction for each active lane in turn. No vector operation may be deferred: operands come from their
 * locations.
 *
 * @param scalar what scalar code of this block needs.
 */
export function emitLaneLoop(context: LaneLoopContext, i: IrInstruction, scalar: ScalarContext): void {
  const { code, kernelModule, values } = context;
  const { scratch } = kernelModule.globals;
  const slots = spillOperands(context, i);
  const results = resultLocations(context, i);
  forEachLane(code, context.mask, (lane) => {
    const forLane: ScalarContext = {
      ...scalar,
      get: (v) => {
        const slot = slots.get(v);
        if (slot === undefined) values.pushScalar(v);
        else loadLane(code, scratch, lane, elementOf(v.type), slot);
      },
      set: (_, component = 0) => {
        if (results.length === 0) {
          code.drop();
          return;
        }
        const element = results[component]!.element;
        const value = code.local(scalarTypeOf(element));
        storeLane(code, scratch, lane, element, MAX_OPERANDS + component, value);
        code.free(value);
      },
      fault: (reason, instruction, address) => {
        code.localGet(lane);
        kernelModule.emitFault(code, reason, instruction, address);
      },
    };
    if (!kernelModule.printfAndAssert.emitForLane(code, i, forLane) && !emitScalarInstruction(forLane, i))
      throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
  });
  results.forEach((location, n) => reloadResult(context, location, MAX_OPERANDS + n));
}

/** Stores the varying operands into slots, and returns the slots. */
function spillOperands(context: LaneLoopContext, i: IrInstruction): ReadonlyMap<IrValue, number> {
  const { code, kernelModule, values, analysis } = context;
  const slots = new Map<IrValue, number>();
  for (const operand of operandsOf(i)) {
    if (operand.kind === "metadata" || operand.kind === "function" || slots.has(operand)) continue;
    if (analysis.shapeOf(operand).kind === "uniform") continue;
    if (slots.size >= MAX_OPERANDS) {
      const what = "an instruction with more than six varying operands in the warp tier";
      throw unsupported(what, i.location ?? undefined);
    }
    const slot = slots.size;
    slots.set(operand, slot);
    spillToSlot(code, values, kernelModule.globals.scratch, operand, slot);
  }
  return slots;
}

function resultLocations({ uses, results }: LaneLoopContext, i: IrInstruction): readonly ValueLocation[] {
  if (i.type.kind === "void" || !uses.isUsed.has(i)) return [];
  const count = i.type.kind === "struct" ? i.type.elements.length : 1;
  return Array.from({ length: count }, (_, n) => results.locationOf(i, n)!);
}

function reloadResult({ code, kernelModule, mask }: LaneLoopContext, location: ValueLocation, slot: number): void {
  const { scratch } = kernelModule.globals;
  if (location.kind === "vector") reloadFromSlot(code, location.locals, scratch, slot);
  else if (location.kind === "rowUniform" || location.kind === "memory")
    bug("a row-uniform result of what single lanes compute");
  else {
    // All active lanes have computed the same value: take the first one's.
    const lane = code.local("i32");
    code.localGet(mask).i32Ctz().localSet(lane);
    loadLane(code, scratch, lane, location.element, slot);
    code.localSet(location.local).free(lane);
  }
}
