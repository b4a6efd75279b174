/**
 * Calls that lanes make one after the other: routines of instrumentation that run rarely, such as reports, and copies
 * that one lane asks for (planning/lane-functions.ts). They are functions of scalar code. Inlined as vectors, they
 * would be most of a kernel's code and of its compile time.
 */
import { unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrFunction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpRegisters } from "./block-loops.ts";
import { elementOf, scalarTypeOf } from "../lane-operations/element.ts";
import type { ModuleContext } from "./module-context.ts";
import { MATRIX_SLOT, SCRATCH_SLOTS, forEachLane, loadLane, spillToSlot } from "../lane-operations/lane-scratch.ts";
import type { Values } from "../lane-operations/value-location.ts";
import { OWN_PARAMETERS, emitScalarFunction } from "./scalar-function.ts";

export class ColdCalls {
  readonly #kernelModule: ModuleContext;
  readonly #made = new Map<IrFunction, FunctionBuilder>();

  constructor(kernelModule: ModuleContext) {
    this.#kernelModule = kernelModule;
  }

  /**
   * The call, by each lane of `mask`. No load may be deferred: the lanes' operands use the scratch slots of such loads.
   */
  emit(
    code: FunctionBuilder,
    call: CallInstruction,
    callee: IrFunction,
    values: Values,
    registers: WarpRegisters,
    mask: Local,
  ): void {
    const { scratch } = this.#kernelModule.globals;
    const slots = new Map<IrValue, number>();
    for (const arg of call.args) {
      if (slots.has(arg) || values.context.shapeOf(arg).kind === "uniform") continue;
      const slot = SCRATCH_SLOTS + slots.size;
      if (slot === MATRIX_SLOT)
        throw unsupported("a call with so many values in the warp tier", call.location ?? undefined);
      slots.set(arg, slot);
      spillToSlot(code, values, scratch, arg, slot);
    }
    const target = this.#functionOf(callee);
    forEachLane(code, mask, (lane) => {
      code
        .localGet(lane)
        .localGet(registers.warp)
        .localGet(registers.ctaid.x)
        .localGet(registers.ctaid.y)
        .localGet(registers.ctaid.z);
      for (const arg of call.args) {
        const slot = slots.get(arg);
        if (slot === undefined) values.pushScalar(arg);
        else loadLane(code, scratch, lane, elementOf(arg.type), slot);
      }
      code.call(target);
    });
  }

  #functionOf(fn: IrFunction): FunctionBuilder {
    let code = this.#made.get(fn);
    if (code === undefined) {
      code = this.#kernelModule.module.function(
        fn.name,
        [
          ...Array.from({ length: OWN_PARAMETERS }, () => "i32" as const),
          ...fn.params.map(({ type }) => scalarTypeOf(elementOf(type))),
        ],
        [],
      );
      this.#made.set(fn, code);
      const { laneFunctions, locals } = this.#kernelModule;
      const own = laneFunctions.get(fn);
      emitScalarFunction(this.#kernelModule, own ?? fn, code, {
        isTrusted: own === undefined,
        localOffset: locals.ownBytes,
      });
    }
    return code;
  }
}
