/** Single vector instructions: one slice of each pure instruction on varying values. */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrValue, SelectInstruction } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { type WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import { elementOf, isWide, partsOf, type Element } from "./element.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import type { WarpRegisters } from "../control-flow/block-loops.ts";
import type { ModuleContext } from "../control-flow/module-context.ts";
import { pushVectorRegister } from "../control-flow/special-registers.ts";
import { pushVectorGep } from "./address-arithmetic.ts";
import { extractLane, replaceLane, type Values } from "./value-location.ts";
import { emitBinary } from "./arithmetic.ts";
import { emitCompare, emitFloatCompare, widenMask } from "./comparisons.ts";
import type { VectorEmitter } from "./vector-emitter.ts";
import { emitCast } from "./casts.ts";
import { emitVectorIntrinsic } from "./intrinsics.ts";
import { pushHighWords, pushJoinedWords } from "./word-pairs.ts";

export interface VectorInstructionContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly kernelModule: ModuleContext;
  readonly registers: WarpRegisters;
  readonly analysis: WarpAnalysis;
  scalarContext(): ScalarContext;
}

/** Pushes a slice of a load whose result is not in locals. */
type PushLoaded = (i: IrInstruction, slice: number, part: number) => void;

export class VectorInstructions implements VectorEmitter {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly #context: VectorInstructionContext;
  readonly #pushLoaded: PushLoaded;

  constructor(context: VectorInstructionContext, pushLoaded: PushLoaded) {
    this.code = context.code;
    this.values = context.values;
    this.#context = context;
    this.#pushLoaded = pushLoaded;
  }

  get helpers(): FloatHelpers {
    return this.#context.kernelModule.floatHelpers;
  }

  /** One slice of a pure varying instruction: leaves a v128. */
  push(i: IrInstruction, s: number, p: number): void {
    const { code, values } = this;
    switch (i.op) {
      case "binary":
        if (!pushJoinedWords(this, i, s, p)) emitBinary(this, i, s, p);
        return;
      case "icmp":
        emitCompare(this, i, s);
        return;
      case "fcmp":
        emitFloatCompare(this, i, s);
        return;
      case "cast":
        if (!pushHighWords(this, i, s)) emitCast(this, i, s, p);
        return;
      case "freeze":
        values.pushVector(i.operand, s, p);
        return;
      case "fneg": {
        values.pushVector(i.operand, s, p);
        const element = elementOf(i.type);
        if (element === "f64") code.f64x2Neg();
        else if (element === "f32") code.f32x4Neg();
        else code.i32x4Const(0x8000, 0x8000, 0x8000, 0x8000).v128Xor();
        return;
      }
      case "select": {
        const extreme = extremeOf(i);
        if (extreme !== null) {
          values.pushVector(extreme.first, s, p);
          values.pushVector(extreme.second, s, p);
          code.op(extreme.isMaximum ? "f32x4Pmax" : "f32x4Pmin");
          return;
        }
        values.pushVector(i.then, s, p);
        values.pushVector(i.else, s, p);
        if (values.isUniform(i.condition)) {
          values.pushScalar(i.condition);
          code.selectTyped("v128");
          return;
        }
        values.pushVector(i.condition, s);
        if (partsOf(elementOf(i.type)) === 2) widenMask(code, p);
        values.selectByMask();
        return;
      }
      case "load":
        this.#pushLoaded(i, s, p);
        return;
      case "gep":
        pushVectorGep(values, i, s);
        return;
      case "call":
        if (pushVectorRegister(this.#context, i, s)) return;
        if (!emitVectorIntrinsic(this, i, calleeName(i)!, s, p)) this.laneByLane(i, s, p);
        return;
      default:
        bug(`${i.op} is no pure vector instruction`);
    }
  }

  laneByLane(i: IrInstruction, s: number, p: number): void {
    const { code } = this;
    const element: Element = elementOf(i.type);
    const lanes = isWide(element) ? [4 * s + 2 * p, 4 * s + 2 * p + 1] : [4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3];
    // Operands go to locals first, as they may be code.
    const operands = new Map<IrValue, Local[]>();
    for (const o of operandsOf(i)) {
      if (
        o.kind === "function" ||
        o.kind === "metadata" ||
        operands.has(o) ||
        this.#context.analysis.shapeOf(o).kind === "uniform"
      )
        continue;
      const parts = partsOf(elementOf(o.type));
      operands.set(
        o,
        Array.from({ length: parts }, (_, part) => {
          const l = code.local("v128");
          this.values.pushVector(o, s, part);
          code.localSet(l);
          return l;
        }),
      );
    }
    const result = code.local("v128");
    lanes.forEach((lane, n) => {
      if (n === 0) code.v128Const(new Uint8Array(16));
      else code.localGet(result);
      const context: ScalarContext = {
        ...this.#context.scalarContext(),
        get: (v) => {
          const parts = operands.get(v);
          if (parts === undefined) {
            this.values.pushScalar(v);
            return;
          }
          const e = elementOf(v.type);
          const inPart = isWide(e);
          code.localGet(parts[inPart && (lane & 2) !== 0 ? 1 : 0]!);
          extractLane(code, e, inPart ? lane & 1 : lane & 3);
        },
        set: () => undefined,
        fault: (reason, instruction, address) => {
          code.i32Const(lane);
          this.#context.kernelModule.emitFault(code, reason, instruction, address);
        },
      };
      if (!emitScalarInstruction(context, i)) throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
      replaceLane(code, element, isWide(element) ? n : lane & 3);
      code.localSet(result);
    });
    for (const locals of operands.values()) code.free(...locals);
    code.localGet(result);
    code.free(result);
  }
}

/**
 * `a < b ? a : b` and its kin for float are one instruction: pmin(x, y) is y < x ? y : x, pmax(x, y) is x < y ? y : x,
 * whatever a NaN or the sign of a zero makes of the comparison.
 */
function extremeOf(i: SelectInstruction): { first: IrValue; second: IrValue; isMaximum: boolean } | null {
  const c = i.condition;
  if (
    c.kind !== "instruction" ||
    c.op !== "fcmp" ||
    elementOf(i.type) !== "f32" ||
    (c.predicate !== "olt" && c.predicate !== "ogt")
  )
    return null;
  const [small, large] = c.predicate === "olt" ? [c.lhs, c.rhs] : [c.rhs, c.lhs];
  if (sameValue(i.then, small) && sameValue(i.else, large)) return { first: large, second: small, isMaximum: false };
  if (sameValue(i.then, large) && sameValue(i.else, small)) return { first: small, second: large, isMaximum: true };
  return null;
}

function sameValue(a: IrValue, b: IrValue): boolean {
  return a === b || (a.kind === "const-float" && b.kind === "const-float" && a.bits === b.bits);
}

/** The user pushes each slice of its operands exactly once, so that an operand's code may stand in its place. */
export function pushesOnce(user: IrInstruction, values: Values, hasFusedDoubles: boolean): boolean {
  switch (user.op) {
    case "binary":
    case "fneg":
    case "freeze":
      return true;
    case "icmp":
      return true;
    case "fcmp":
      return ["oeq", "une", "ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule"].includes(user.predicate);
    case "select":
      return (
        extremeOf(user) !== null || (partsOf(elementOf(user.type)) === 1 && values.isUniform(user.condition) === false)
      );
    case "cast":
      return partsOf(elementOf(user.type)) <= partsOf(elementOf(user.operand.type));
    case "call":
      return calleeName(user) === "llvm.fma.f32" || (hasFusedDoubles && calleeName(user) === "llvm.fma.f64");
    default:
      return false;
  }
}
