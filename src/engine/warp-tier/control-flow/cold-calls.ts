/**
 * Cold calls: routines of instrumentation that run rarely, such as reports. They become functions of scalar code that
 * the lanes of a warp call one after the other. Inlined as vectors, they would be most of a checked kernel's code and
 * of its compile time.
 */
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import { unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrBlock, IrConstant, IrFunction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { constantBits, emitBits } from "../../emit/constants.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { leavesOf, wasmTypeOf } from "../../emit/value-types.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { WarpRegisters } from "./block-loops.ts";
import { elementOf, scalarTypeOf } from "../lane-operations/element.ts";
import type { ModuleContext } from "./module-context.ts";
import { MATRIX_SLOT, SCRATCH_SLOTS, forEachLane, loadLane, spillToSlot } from "../lane-operations/lane-scratch.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { emitStructured } from "./structured-control-flow.ts";
import type { Values } from "../lane-operations/value-location.ts";

/** The first parameters of each such function; its own follow. */
const LANE = 0;
const WARP = 1;
const CTAID = { x: 2, y: 3, z: 4 } as const;
const OWN = 5;

type Axis = keyof typeof CTAID;

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
          ...Array.from({ length: OWN }, () => "i32" as const),
          ...fn.params.map(({ type }) => scalarTypeOf(elementOf(type))),
        ],
        [],
      );
      this.#made.set(fn, code);
      new ColdFunction(this.#kernelModule, fn, code).emit();
    }
    return code;
  }
}

function targetsOf(last: IrInstruction): readonly IrBlock[] {
  if (last.op === "br") return [last.target];
  return last.op === "condbr" ? [last.then, last.else] : [];
}

class ColdFunction {
  readonly #kernelModule: ModuleContext;
  readonly #fn: IrFunction;
  readonly #code: FunctionBuilder;
  readonly #locals = new Map<IrInstruction, Local>();

  constructor(kernelModule: ModuleContext, fn: IrFunction, code: FunctionBuilder) {
    this.#kernelModule = kernelModule;
    this.#fn = fn;
    this.#code = code;
  }

  emit(): void {
    const { blocks } = this.#fn;
    const indexOf = new Map(blocks.map((block, index) => [block, index]));
    const targets = blocks.map(({ instructions }) => {
      const last = instructions.at(-1) as IrInstruction;
      return targetsOf(last).map((block) => indexOf.get(block) as number);
    });
    emitStructured(this.#code, {
      count: blocks.length,
      entry: 0,
      successors: (block) => targets[block] as number[],
      emit: (block, go) => {
        for (const i of (blocks[block] as IrFunction["blocks"][number]).instructions)
          this.#emitInstruction(i, targets[block] as number[], go);
      },
    });
    this.#code.unreachable();
  }

  #emitInstruction(i: IrInstruction, [then, otherwise]: readonly number[], go: (block: number) => void): void {
    const code = this.#code;
    switch (i.op) {
      case "br":
        go(then as number);
        return;
      case "condbr":
        this.#get(i.condition);
        code.if();
        go(then as number);
        code.else();
        go(otherwise as number);
        code.end();
        code.unreachable();
        return;
      case "ret":
        code.return();
        return;
      case "call":
        this.#emitRegister(i);
        return;
      default:
        if (i.op === "phi" || !emitScalarInstruction(this.#context(), i))
          throw unsupported(`${i.op} in a cold routine of a tool`, i.location ?? undefined);
    }
  }

  #context(): ScalarContext {
    const code = this.#code;
    return {
      env: this.#kernelModule.env,
      code,
      get: (value) => this.#get(value),
      set: (i) => code.localSet(this.#localOf(i)),
      fault: (reason, i, address) => {
        code.localGet(LANE);
        this.#kernelModule.emitFault(code, reason, i, address);
      },
      // A tool's code accesses its own memory, where it means to (machine/observer.ts).
      alreadyChecked: () => true,
      noteChange: null,
    };
  }

  /** threadIdx and blockIdx: the only registers that such routines read. */
  #emitRegister(call: CallInstruction): void {
    const code = this.#code;
    const { x, y } = this.#kernelModule.block;
    const { register, axis } = calledIntrinsic(call)?.register ?? {};
    if (register === "ctaid") code.localGet(CTAID[axis as Axis]);
    else if (register === "tid") {
      code.localGet(WARP).i32Const(LANES).i32Mul().localGet(LANE).i32Add();
      if (axis === "x") code.i32Const(x).i32RemU();
      else if (axis === "y") code.i32Const(x).i32DivU().i32Const(y).i32RemU();
      else code.i32Const(x * y).i32DivU();
    } else throw unsupported(`a call of ${calleeName(call)} in a cold routine of a tool`, call.location ?? undefined);
    code.localSet(this.#localOf(call));
  }

  #get(value: IrValue): void {
    const code = this.#code;
    if (value.kind === "param") code.localGet(OWN + value.index);
    else if (value.kind === "instruction") code.localGet(this.#localOf(value));
    else {
      const { bits, sharedRelative } = constantBits(value as IrConstant, this.#kernelModule.env.addresses, () => {
        throw unsupported("shared memory in a cold routine of a tool");
      });
      if (sharedRelative) throw unsupported("shared memory in a cold routine of a tool");
      emitBits(code, leavesOf(value.type)[0] ?? value.type, bits);
    }
  }

  #localOf(i: IrInstruction): Local {
    let local = this.#locals.get(i);
    if (local === undefined) this.#locals.set(i, (local = this.#code.freshLocal(wasmTypeOf(i.type))));
    return local;
  }
}
