/**
 * What tools do rarely (reports), as functions of scalar code that the lanes of a warp call one after the other:
 * inlined as vectors, such calls would be most of a checked kernel's code, and of the time that it takes to compile it.
 */
import { unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrConstant, IrFunction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { constantBits, emitBits } from "../../emit/constants.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { leavesOf, wasmTypeOf } from "../../emit/value-types.ts";
import { calleeName } from "../../../analysis/divergence.ts";
import type { WarpRegisters } from "./block-loops.ts";
import { elementOf, scalarTypeOf } from "../vector/element.ts";
import type { ModuleContext } from "./module-context.ts";
import { MATRIX_SLOT, SCRATCH_SLOTS, forEachLane, loadLane, spillToSlot } from "../vector/lane-scratch.ts";
import { LANES } from "../../../analysis/lane-shape.ts";
import { emitStructured } from "./structured-control-flow.ts";
import type { Values } from "../vector/value-location.ts";

/** The first parameters of each such function; its own follow. */
const LANE = 0;
const WARP = 1;
const CTAID = { x: 2, y: 3, z: 4 } as const;
const OWN = 5;

type Axis = keyof typeof CTAID;

export class ColdCalls {
  readonly #m: ModuleContext;
  readonly #made = new Map<IrFunction, FunctionBuilder>();

  constructor(m: ModuleContext) {
    this.#m = m;
  }

  /**
   * The call, by each lane of `mask`. Nothing may wait to be brought together (deferred-vector-ops.ts): the lanes' operands
   * lie in its place.
   */
  emit(
    f: FunctionBuilder,
    call: CallInstruction,
    callee: IrFunction,
    values: Values,
    registers: WarpRegisters,
    mask: Local,
  ): void {
    const { scratch } = this.#m.globals;
    const slots = new Map<IrValue, number>();
    for (const arg of call.args) {
      if (slots.has(arg) || values.context.shapeOf(arg).kind === "uniform") continue;
      const slot = SCRATCH_SLOTS + slots.size;
      if (slot === MATRIX_SLOT)
        throw unsupported("a call with so many values in the warp tier", call.location ?? undefined);
      slots.set(arg, slot);
      spillToSlot(f, values, scratch, arg, slot);
    }
    const target = this.#functionOf(callee);
    forEachLane(f, mask, (lane) => {
      f.localGet(lane)
        .localGet(registers.warp)
        .localGet(registers.ctaid.x)
        .localGet(registers.ctaid.y)
        .localGet(registers.ctaid.z);
      for (const arg of call.args) {
        const slot = slots.get(arg);
        if (slot === undefined) values.pushScalar(arg);
        else loadLane(f, scratch, lane, elementOf(arg.type), slot);
      }
      f.call(target);
    });
  }

  #functionOf(fn: IrFunction): FunctionBuilder {
    let f = this.#made.get(fn);
    if (f === undefined) {
      f = this.#m.module.function(
        fn.name,
        [
          ...Array.from({ length: OWN }, () => "i32" as const),
          ...fn.params.map(({ type }) => scalarTypeOf(elementOf(type))),
        ],
        [],
      );
      this.#made.set(fn, f);
      new RareFunction(this.#m, fn, f).emit();
    }
    return f;
  }
}

class RareFunction {
  readonly #m: ModuleContext;
  readonly #fn: IrFunction;
  readonly #f: FunctionBuilder;
  readonly #locals = new Map<IrInstruction, Local>();

  constructor(m: ModuleContext, fn: IrFunction, f: FunctionBuilder) {
    this.#m = m;
    this.#fn = fn;
    this.#f = f;
  }

  emit(): void {
    const { blocks } = this.#fn;
    const indexOf = new Map(blocks.map((block, index) => [block, index]));
    const targets = blocks.map(({ instructions }) => {
      const last = instructions.at(-1) as IrInstruction;
      return (last.op === "br" ? [last.target] : last.op === "condbr" ? [last.then, last.else] : []).map(
        (block) => indexOf.get(block) as number,
      );
    });
    emitStructured(this.#f, {
      count: blocks.length,
      entry: 0,
      successors: (block) => targets[block] as number[],
      emit: (block, go) => {
        for (const i of (blocks[block] as IrFunction["blocks"][number]).instructions)
          this.#emitInstruction(i, targets[block] as number[], go);
      },
    });
    this.#f.unreachable();
  }

  #emitInstruction(i: IrInstruction, [then, otherwise]: readonly number[], go: (block: number) => void): void {
    const f = this.#f;
    switch (i.op) {
      case "br":
        go(then as number);
        return;
      case "condbr":
        this.#get(i.condition);
        f.if();
        go(then as number);
        f.else();
        go(otherwise as number);
        f.end();
        f.unreachable();
        return;
      case "ret":
        f.return();
        return;
      case "call":
        this.#emitRegister(i);
        return;
      default:
        if (i.op === "phi" || !emitScalarInstruction(this.#context(), i))
          throw unsupported(`${i.op} in what a tool does rarely`, i.location ?? undefined);
    }
  }

  #context(): ScalarContext {
    const f = this.#f;
    return {
      env: this.#m.env,
      f,
      get: (value) => this.#get(value),
      set: (i) => f.localSet(this.#localOf(i)),
      fault: (code, i, address) => {
        f.localGet(LANE);
        this.#m.emitFault(f, code, i, address);
      },
      // A tool's code accesses its own memory, where it means to (machine/observer.ts).
      alreadyChecked: () => true,
      noteChange: null,
    };
  }

  /** Who and where the thread is. */
  #emitRegister(call: CallInstruction): void {
    const f = this.#f;
    const { x, y } = this.#m.block;
    const [, register, axis] = /^llvm\.nvvm\.read\.ptx\.sreg\.(tid|ctaid)\.([xyz])$/.exec(calleeName(call) ?? "") ?? [];
    if (register === "ctaid") f.localGet(CTAID[axis as Axis]);
    else if (register === "tid") {
      f.localGet(WARP).i32Const(LANES).i32Mul().localGet(LANE).i32Add();
      if (axis === "x") f.i32Const(x).i32RemU();
      else if (axis === "y") f.i32Const(x).i32DivU().i32Const(y).i32RemU();
      else f.i32Const(x * y).i32DivU();
    } else throw unsupported(`a call of ${calleeName(call)} in what a tool does rarely`, call.location ?? undefined);
    f.localSet(this.#localOf(call));
  }

  #get(value: IrValue): void {
    const f = this.#f;
    if (value.kind === "param") f.localGet(OWN + value.index);
    else if (value.kind === "instruction") f.localGet(this.#localOf(value));
    else {
      const { bits, sharedRelative } = constantBits(value as IrConstant, this.#m.env.addresses, () => {
        throw unsupported("shared memory in what a tool does rarely");
      });
      if (sharedRelative) throw unsupported("shared memory in what a tool does rarely");
      emitBits(f, leavesOf(value.type)[0] ?? value.type, bits);
    }
  }

  #localOf(i: IrInstruction): Local {
    let local = this.#locals.get(i);
    if (local === undefined) this.#locals.set(i, (local = this.#f.freshLocal(wasmTypeOf(i.type))));
    return local;
  }
}
