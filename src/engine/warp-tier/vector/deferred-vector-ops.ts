/**
 * Pure instructions on varying values, and loads of which a slice can be loaded when it is needed. They are collected
 * and emitted slice by slice (depth first, so that few vectors are live) when something needs their results; one that
 * is used once, within the segment, is emitted in its user's place.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type {
  IrBlock,
  IrInstruction,
  IrValue,
  LoadInstruction,
  SelectInstruction,
  StoreInstruction,
} from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { calleeName, type WarpAnalysis } from "../../../analysis/divergence.ts";
import { elementOf, isWide, partsOf, type Element } from "./element.ts";
import type { FloatHelpers } from "./float-helpers.ts";
import type { WarpRegisters } from "../codegen/block-loops.ts";
import type { ModuleContext } from "../codegen/module-context.ts";
import { pushVectorRegister } from "../codegen/special-registers.ts";
import { pushVectorGep } from "./address-arithmetic.ts";
import { SLICES } from "../../../analysis/lane-shape.ts";
import type { Uses } from "../analysis/value-uses.ts";
import { extractLane, replaceLane, type Values } from "./value-location.ts";
import type { DeferredStoreValue } from "./stores.ts";
import type { SliceLoader } from "./slice-loads.ts";
import { emitBinary } from "./arithmetic.ts";
import { emitCompare, emitFloatCompare, widenMask } from "./comparisons.ts";
import { type VectorEmitter } from "./vector-emitter.ts";
import { emitCast } from "./casts.ts";
import { emitVectorIntrinsic } from "./intrinsics.ts";

/** Deeper trees would make one long chain of a sum: the slices' chains can overlap only when each is cut up. */
const MAX_INLINE_DEPTH = 4;
/** Segments longer than this are not looked through at every scalar. */
const MAX_OPS_SCANNED = 64;
/**
 * Slices that are computed side by side where each is stored at once: later ones overlap with earlier ones in the
 * processor anyway.
 */
const SLICES_BETWEEN_STORES = 2;
/** A segment that ends in a store is emitted twice, if it is no longer than this. */
const MAX_OPS_EMITTED_TWICE = 48;
/**
 * Vectors that may be live at once: WebAssembly engines have sixteen registers on x86-64, and need some for operands.
 */
const LIVE_VECTORS = 12;

export class DeferredVectorOps implements VectorEmitter {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly #kernelModule: ModuleContext;
  readonly #analysis: WarpAnalysis;
  readonly #uses: Uses;
  readonly #scalarContext: () => ScalarContext;
  readonly #registers: WarpRegisters;
  #pending: IrInstruction[] = [];
  #depths = new Map<IrInstruction, number>();
  /** Index in the block of the last instruction that uses a value. */
  #lastUse = new Map<IrInstruction, number>();
  /** What loads a slice of the segment's loads: memory does not change within a segment. */
  #loaders = new Map<IrInstruction, SliceLoader>();
  /** Slices of the segment's loads that are needed again, for other slices. */
  readonly #repeated = new Map<string, Local>();

  constructor(
    kernelModule: ModuleContext,
    code: FunctionBuilder,
    values: Values,
    analysis: WarpAnalysis,
    uses: Uses,
    scalarContext: () => ScalarContext,
    registers: WarpRegisters,
  ) {
    this.#kernelModule = kernelModule;
    this.code = code;
    this.values = values;
    this.#analysis = analysis;
    this.#uses = uses;
    this.#scalarContext = scalarContext;
    this.#registers = registers;
    values.emitInline = (i, s, p) => this.#emitPure(i, s, p);
  }

  get helpers(): FloatHelpers {
    return this.#kernelModule.floatHelpers;
  }

  beginBlock(block: IrBlock): void {
    this.#pending = [];
    this.#lastUse = new Map();
    block.instructions.forEach((user, at) => {
      for (const o of operandsOf(user)) if (o.kind === "instruction") this.#lastUse.set(o, at);
    });
    this.#depths = new Map();
    this.#loaders = new Map();
    this.values.inline.clear();
  }

  defer(i: IrInstruction): void {
    this.#pending.push(i);
  }

  /** Loads that were deferred and not emitted yet. */
  get pendingLoads(): number {
    return this.#loaders.size;
  }

  deferLoad(i: IrInstruction, loader: SliceLoader): void {
    this.#loaders.set(i, loader);
    this.#pending.push(i);
  }

  /**
   * Emits what was collected when at most one of its values is needed from instruction `at` on: before a scalar is
   * loaded, so that the scalars of many steps of a sum are not all loaded first and kept.
   */
  flushIfSettled(at: number): void {
    if (this.#pending.length === 0 || this.#pending.length > MAX_OPS_SCANNED) return;
    let needed = 0;
    for (const i of this.#pending) if (this.#uses.crossesBlocks.has(i) || (this.#lastUse.get(i) ?? -1) >= at) needed++;
    if (needed <= 1) this.flush();
  }

  /** Emits the collected instructions: afterwards all their results are in locals. */
  flush(): void {
    if (this.#pending.length === 0) return;
    this.#emitSlices(SLICES, () => {});
    this.drop();
  }

  /** What was collected is emitted, or of no use. */
  drop(): void {
    this.#pending = [];
    this.#loaders.clear();
  }

  /**
   * The segment as the last part of a store, which is instruction `at`: nothing else needs its results. Null if that is
   * not so, or where there is nothing to gain.
   */
  valueOfStore(store: StoreInstruction, at: number): DeferredStoreValue | null {
    const { value } = store;
    if (value.kind !== "instruction" || this.#pending.length > MAX_OPS_EMITTED_TWICE || !this.#pending.includes(value))
      return null;
    if (this.#pending.some((i) => this.#uses.crossesBlocks.has(i) || (this.#lastUse.get(i) ?? -1) > at)) return null;
    return {
      loads: [...this.#loaders].map(([load, loader]) => ({ pointer: (load as LoadInstruction).pointer, loader })),
      emit: (afterSlice) => this.#emitSlices(SLICES_BETWEEN_STORES, afterSlice),
      flush: () => this.flush(),
    };
  }

  /** All slices of the segment's instructions, at most so many side by side. */
  #emitSlices(most: number, afterSlice: (slice: number) => void): void {
    const members = new Set(this.#pending);
    const { inline } = this.values;
    inline.clear();
    for (const i of this.#pending) {
      let depth = 1;
      for (const o of operandsOf(i))
        if (o.kind === "instruction" && inline.has(o)) depth = Math.max(depth, 1 + (this.#depths.get(o) ?? 0));
      this.#depths.set(i, depth);
      const user = this.#uses.onlyUser.get(i);
      if (
        user &&
        members.has(user) &&
        !this.#uses.crossesBlocks.has(i) &&
        depth < MAX_INLINE_DEPTH &&
        pushesOnce(user, this.values)
      )
        inline.add(i);
    }
    const emitted = this.#pending.filter((i) => !inline.has(i));
    for (const i of emitted) this.values.locationOf(i);
    const together = Math.min(most, this.#slicesTogether(emitted));
    const order = this.#sliceOrder();
    for (let first = 0; first < SLICES; first += together) {
      for (const i of emitted) {
        const parts = partsOf(elementOf(i.type));
        for (const s of order.slice(first, first + together)) {
          for (let p = 0; p < parts; p++) {
            this.#emitPure(i, s, p);
            this.code.localSet(this.values.vectorLocal(i, s, p));
          }
        }
      }
      order.slice(first, first + together).forEach(afterSlice);
    }
    inline.clear();
    this.code.free(...this.#repeated.values());
    this.#repeated.clear();
  }

  /** Slices for which the same is loaded come one after the other, so that it is loaded once. */
  #sliceOrder(): readonly number[] {
    const period = Math.min(SLICES, ...[...this.#loaders.values()].map((loader) => loader.period));
    const slices = Array.from({ length: SLICES }, (_, s) => s);
    return slices.sort((a, b) => (a % period) - (b % period) || a - b);
  }

  #pushLoaded(i: IrInstruction, s: number, p: number): void {
    const { code } = this;
    const repeated = this.#repeated;
    const loader = this.#loaders.get(i) ?? bug("a load without its loader");
    if (loader.period === SLICES) {
      loader.push(s, p);
      return;
    }
    const key = `${this.#pending.indexOf(i)}.${s % loader.period}.${p}`;
    const known = repeated.get(key);
    if (known !== undefined) {
      code.localGet(known);
      return;
    }
    const local = code.local("v128");
    repeated.set(key, local);
    loader.push(s, p);
    code.localTee(local);
  }

  /**
   * How many slices are emitted side by side: many hide the latency of dependent operations, few keep values in
   * registers.
   */
  #slicesTogether(emitted: readonly IrInstruction[]): number {
    const lastUse = new Map<IrInstruction, number>();
    const note = (user: IrInstruction, at: number): void => {
      for (const o of operandsOf(user)) {
        if (o.kind !== "instruction") continue;
        if (this.values.inline.has(o)) note(o, at);
        else lastUse.set(o, at);
      }
    };
    emitted.forEach((i, at) => note(i, at));
    const ends = new Map<number, number>();
    for (const i of emitted) {
      const end = lastUse.get(i);
      if (end !== undefined) ends.set(end, (ends.get(end) ?? 0) + partsOf(elementOf(i.type)));
    }
    let live = 0;
    let most = 1;
    emitted.forEach((i, at) => {
      // A slice's operands make room for its result.
      live += partsOf(elementOf(i.type)) - (ends.get(at) ?? 0);
      most = Math.max(most, live);
      if (!lastUse.has(i) && !this.#uses.crossesBlocks.has(i)) live -= partsOf(elementOf(i.type));
    });
    for (let slices = SLICES; slices > 1; slices /= 2) if (slices * most <= LIVE_VECTORS) return slices;
    return 1;
  }

  /** One slice of a pure varying instruction: leaves a v128. */
  #emitPure(i: IrInstruction, s: number, p: number): void {
    const { code, values } = this;
    switch (i.op) {
      case "binary":
        emitBinary(this, i, s, p);
        return;
      case "icmp":
        emitCompare(this, i, s);
        return;
      case "fcmp":
        emitFloatCompare(this, i, s);
        return;
      case "cast":
        emitCast(this, i, s, p);
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
        if (pushVectorRegister({ code, kernelModule: this.#kernelModule, registers: this.#registers }, i, s)) return;
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
        this.#analysis.shapeOf(o).kind === "uniform"
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
        ...this.#scalarContext(),
        get: (v) => {
          const parts = operands.get(v);
          if (parts === undefined) {
            this.values.pushScalar(v);
            return;
          }
          const e = elementOf(v.type);
          const inPart = isWide(e);
          code.localGet(parts[inPart ? (lane >> 1) & 1 : 0]!);
          extractLane(code, e, inPart ? lane & 1 : lane & 3);
        },
        set: () => undefined,
        fault: (reason, instruction, address) => {
          code.i32Const(lane);
          this.#kernelModule.emitFault(code, reason, instruction, address);
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
function pushesOnce(user: IrInstruction, values: Values): boolean {
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
      return calleeName(user) === "llvm.fma.f32";
    default:
      return false;
  }
}
