/**
 * A function of scalar code, for one lane: routines of tools (cold-calls.ts) and of the device library
 * (planning/lane-functions.ts). It returns nothing and calls nothing but intrinsics.
 */
import { unsupported } from "../../../base/diagnostics.ts";
import { calledIntrinsic, calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrBlock, IrConstant, IrFunction, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { constantBits, emitBits } from "../../emit/constants.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { leavesOf, wasmTypeOf } from "../../emit/value-types.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { ModuleContext } from "./module-context.ts";
import { pushClusterBlocks } from "./special-registers.ts";
import { emitStructured } from "./structured-control-flow.ts";

/** The first parameters of each such function; its own follow. */
const LANE = 0;
const WARP = 1;
const CTAID = { x: 2, y: 3, z: 4 } as const;
export const OWN_PARAMETERS = 5;

type Axis = keyof typeof CTAID;

export interface ScalarFunctionOptions {
  /** What it accesses needs no test: a tool's code accesses its own memory, where it means to (machine/observer.ts). */
  readonly isTrusted: boolean;
  /** Where the function's allocas begin in a lane's local memory. */
  readonly localOffset: number;
}

export function emitScalarFunction(
  kernelModule: ModuleContext,
  fn: IrFunction,
  code: FunctionBuilder,
  options: ScalarFunctionOptions,
): void {
  new ScalarFunction(kernelModule, fn, code, options).emit();
}

function targetsOf(last: IrInstruction): readonly IrBlock[] {
  if (last.op === "br") return [last.target];
  if (last.op === "condbr") return [last.then, last.else];
  return last.op === "switch" ? [...last.cases.map(({ target }) => target), last.defaultTarget] : [];
}

class ScalarFunction {
  readonly #kernelModule: ModuleContext;
  readonly #fn: IrFunction;
  readonly #code: FunctionBuilder;
  readonly #options: ScalarFunctionOptions;
  readonly #locals = new Map<IrInstruction, readonly Local[]>();
  readonly #indexOf: ReadonlyMap<IrBlock, number>;
  #localOffset: number;

  constructor(kernelModule: ModuleContext, fn: IrFunction, code: FunctionBuilder, options: ScalarFunctionOptions) {
    this.#kernelModule = kernelModule;
    this.#fn = fn;
    this.#code = code;
    this.#options = options;
    this.#localOffset = options.localOffset;
    this.#indexOf = new Map(fn.blocks.map((block, index) => [block, index]));
  }

  emit(): void {
    const { blocks } = this.#fn;
    emitStructured(this.#code, {
      count: blocks.length,
      entry: 0,
      successors: (block) =>
        targetsOf(blocks[block]!.instructions.at(-1)!).map((target) => this.#indexOf.get(target) as number),
      emit: (block, go) => {
        for (const i of blocks[block]!.instructions) this.#emitInstruction(i, go);
      },
    });
    this.#code.unreachable();
  }

  // oxlint-disable-next-line max-lines-per-function -- one case an instruction
  #emitInstruction(i: IrInstruction, go: (block: number) => void): void {
    const code = this.#code;
    const leaveTo = (target: IrBlock): void => {
      this.#setPhis(i.block, target);
      go(this.#indexOf.get(target) as number);
    };
    switch (i.op) {
      case "phi":
        return;
      case "br":
        leaveTo(i.target);
        return;
      case "condbr":
        this.#get(i.condition);
        code.if();
        leaveTo(i.then);
        code.else();
        leaveTo(i.else);
        code.end();
        code.unreachable();
        return;
      case "switch":
        for (const { value, target } of i.cases) {
          this.#get(i.value);
          this.#get(value);
          code.op(`${wasmTypeOf(i.value.type)}Eq` as "i32Eq").if();
          leaveTo(target);
          code.end();
        }
        leaveTo(i.defaultTarget);
        return;
      case "ret":
        code.return();
        return;
      case "unreachable":
        code.localGet(LANE);
        this.#kernelModule.emitFault(code, "illegal-instruction", i, undefined);
        return;
      case "alloca":
        this.#emitAlloca(i);
        return;
      default:
        if (i.op === "call" && this.#emitRegister(i)) return;
        if (this.#kernelModule.printfAndAssert.emitForLane(code, i, this.#context())) return;
        if (!emitScalarInstruction(this.#context(), i))
          throw unsupported(
            `${i.op === "call" ? calleeName(i) : i.op} in scalar code of the warp tier`,
            i.location ?? undefined,
          );
    }
  }

  /** All values are read before the first is set. */
  #setPhis(from: IrBlock, to: IrBlock): void {
    const phis = to.instructions.filter((i) => i.op === "phi");
    if (phis.some(({ type }) => leavesOf(type).length !== 1))
      throw unsupported("a structure from several blocks in scalar code of the warp tier");
    for (const { incoming } of phis) this.#get(incoming.find(({ block }) => block === from)!.value);
    for (const phi of phis.toReversed()) this.#code.localSet(this.#localsOf(phi)[0]!);
  }

  #emitAlloca(i: IrInstruction & { readonly op: "alloca" }): void {
    const { globals, locals } = this.#kernelModule;
    if (i.count !== null && !(i.count.kind === "const-int" && i.count.value === 1n))
      throw unsupported("a stack allocation of several elements in scalar code of the warp tier");
    const code = this.#code;
    code.localGet(WARP).i32Const(LANES).i32Mul().localGet(LANE).i32Add().i32Const(locals.bytesPerThread).i32Mul();
    code.globalGet(globals.local).i32Add().i32Const(this.#localOffset).i32Add().localSet(this.#localsOf(i)[0]!);
    this.#localOffset += (sizeOf(i.allocatedType) + 15) & ~15;
  }

  #context(): ScalarContext {
    const code = this.#code;
    return {
      env: this.#kernelModule.env,
      code,
      get: (value, component) => this.#get(value, component),
      set: (i, component = 0) => code.localSet(this.#localsOf(i)[component]!),
      fault: (reason, i, address) => {
        code.localGet(LANE);
        this.#kernelModule.emitFault(code, reason, i, address);
      },
      alreadyChecked: (pointer) => this.#options.isTrusted || isOwn(pointer),
      noteChange: null,
    };
  }

  /** threadIdx, blockIdx and the places of shared memory: the only registers that such functions read. */
  #emitRegister(call: CallInstruction): boolean {
    const code = this.#code;
    const { x, y } = this.#kernelModule.block;
    const facts = calledIntrinsic(call)?.register ?? null;
    if (facts === null) return false;
    const { register, axis } = facts;
    if (register === "ctaid") code.localGet(CTAID[axis as Axis]);
    else if (register === "shared.window") code.globalGet(this.#kernelModule.globals.shared);
    else if (register === "cluster.window") code.globalGet(this.#kernelModule.globals.cluster.window);
    else if (register === "cluster.stride") code.globalGet(this.#kernelModule.globals.cluster.stride);
    else if (register === "cluster.nctarank") pushClusterBlocks(code, this.#kernelModule);
    else if (register === "tid") {
      code.localGet(WARP).i32Const(LANES).i32Mul().localGet(LANE).i32Add();
      if (axis === "x") code.i32Const(x).i32RemU();
      else if (axis === "y") code.i32Const(x).i32DivU().i32Const(y).i32RemU();
      else code.i32Const(x * y).i32DivU();
    } else
      throw unsupported(`a call of ${calleeName(call)} in scalar code of the warp tier`, call.location ?? undefined);
    code.localSet(this.#localsOf(call)[0]!);
    return true;
  }

  #get(value: IrValue, component = 0): void {
    const code = this.#code;
    if (value.kind === "param") code.localGet(OWN_PARAMETERS + value.index);
    else if (value.kind === "instruction") code.localGet(this.#localsOf(value)[component]!);
    else {
      const { bits, sharedRelative } = constantBits(value as IrConstant, this.#kernelModule.env.addresses, () => {
        throw unsupported("shared memory in scalar code of the warp tier");
      });
      if (sharedRelative) throw unsupported("shared memory in scalar code of the warp tier");
      emitBits(code, leavesOf(value.type)[component] ?? value.type, bits);
    }
  }

  #localsOf(i: IrInstruction): readonly Local[] {
    let locals = this.#locals.get(i);
    if (locals === undefined)
      this.#locals.set(i, (locals = leavesOf(i.type).map((leaf) => this.#code.freshLocal(wasmTypeOf(leaf)))));
    return locals;
  }
}

/** The pointer is into an alloca, wherever in it. The library's own code stays within. */
function isOwn(pointer: IrValue): boolean {
  let base = pointer;
  while (base.kind === "instruction" && base.op === "gep") base = base.base;
  return base.kind === "instruction" && base.op === "alloca";
}
