/**
 * Where the values of a warp live: locals, made on demand.
 *
 * Pushing a value for slice s (lanes 4s … 4s+3) leaves one v128 on the stack, part p of it for 64-bit types. Deferred
 * vector operations with a single user have no locals: pushing them emits their code.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrParam, IrValue } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { elementOf, isWide, partsOf, scalarTypeOf, type Element } from "./element.ts";
import { SLOT_BYTES } from "./lane-scratch.ts";
import { LANES, SLICES, rowOfLane, type LaneShape } from "../../../analysis/lane-addresses/lane-shape.ts";

export type ValueLocation =
  | { readonly kind: "scalar"; readonly element: Element; readonly local: Local }
  | { readonly kind: "offset"; readonly element: Element; readonly local: Local; readonly offsets: readonly number[] }
  | {
      readonly kind: "rowUniform";
      readonly element: Element;
      readonly locals: readonly Local[];
      readonly offsets: readonly number[];
    }
  | { readonly kind: "vector"; readonly element: Element; readonly locals: readonly Local[] }
  /** The vectors of a varying value, from this offset in the warp's context on. */
  | { readonly kind: "memory"; readonly element: Element; readonly offset: number };

/** Vector constants that a function has locals for. */
const MAX_CONSTANTS = 100;

export interface ValueContext {
  readonly code: FunctionBuilder;
  shapeOf(value: IrValue): LaneShape;
  /** The bits of a constant (integer, float, null, global address, function index, constant expression), or null. */
  constantBits(value: IrValue): bigint | null;
  paramLocal(param: IrParam): Local;
  /** Index of the global that holds the scratch region's address. */
  readonly scratch: number;
  /** Pushes a constant that is an address in the block's shared window (no constant number). */
  pushAddress(value: IrValue): void;
  /** The host has the relaxed SIMD instructions. */
  readonly relaxedSimd: boolean;
  /** Values that are used outside of their block keep their locals. */
  isBlockLocal(instruction: IrInstruction): boolean;
  /** The values that lie in the warp's context, and a local with its address. */
  readonly inMemory: ReadonlyMap<IrInstruction, number>;
  readonly memory: Local;
}

export class Values {
  readonly context: ValueContext;
  readonly #locations = new Map<IrInstruction, ValueLocation>();
  readonly #blockLocals: Local[] = [];
  /** Of values that live longer than their block. */
  readonly lasting: Local[] = [];
  readonly #constants = new Map<string, Local>();
  /** Vector instructions whose code is emitted at their only use. */
  readonly inline: Set<IrInstruction> = new Set();
  /** Results of a scalarized loop: the scratch slots that hold them while the loop's exits are emitted. */
  readonly inScratch: Map<IrInstruction, number> = new Map();
  /** Vectors that the current block reads from the warp's context, where a barrier has put them, and their places. */
  inContext: ReadonlyMap<IrInstruction, number> = new Map();
  emitInline: (i: IrInstruction, slice: number, part: number) => void = () => bug("no inline emitter");

  constructor(context: ValueContext) {
    this.context = context;
  }

  get code(): FunctionBuilder {
    return this.context.code;
  }

  locationOf(i: IrInstruction): ValueLocation {
    let location = this.#locations.get(i);
    if (location === undefined) {
      const element = elementOf(i.type);
      const shape = this.context.shapeOf(i);
      const local = this.context.isBlockLocal(i);
      const offset = this.context.inMemory.get(i);
      const take = (type: Parameters<FunctionBuilder["local"]>[0]): Local =>
        local ? this.blockLocal(type) : this.code.freshLocal(type);
      if (offset !== undefined) location = { kind: "memory", element, offset };
      else if (shape.kind === "varying")
        location = {
          kind: "vector",
          element,
          locals: Array.from({ length: SLICES * partsOf(element) }, () => take("v128")),
        };
      else if (shape.kind === "rowUniform")
        location = {
          kind: "rowUniform",
          element,
          locals: Array.from({ length: shape.rows }, () => take(scalarTypeOf(element))),
          offsets: shape.offsets,
        };
      else if (shape.kind === "offset")
        location = { kind: "offset", element, local: take("i32"), offsets: shape.offsets };
      else location = { kind: "scalar", element, local: take(scalarTypeOf(element)) };
      this.#locations.set(i, location);
      if (!local && location.kind !== "memory")
        this.lasting.push(
          ...(location.kind === "vector" || location.kind === "rowUniform" ? location.locals : [location.local]),
        );
    }
    return location;
  }

  /** A local for the rest of the block. */
  blockLocal(type: Parameters<FunctionBuilder["local"]>[0]): Local {
    const local = this.code.local(type);
    this.#blockLocals.push(local);
    return local;
  }

  /** Gives the locals of block-local values back; their values are dead. */
  endBlock(): void {
    this.code.free(...this.#blockLocals);
    this.#blockLocals.length = 0;
  }

  /**
   * Clears all values that live longer than a block, before the next warp starts. A warp does not need them, but
   * engines cannot know: a warp that resumes after a barrier sets a value on some paths only, so the engine would carry
   * the last warp's value through the loop over warps, in registers that are scarce there. (Tiled matrix products are
   * 10 % faster with this.)
   */
  emitClearAll(): void {
    const { code } = this;
    for (const local of this.lasting) {
      const type = code.localType(local);
      if (type === "v128") code.v128Const(new Uint8Array(16));
      else if (type === "i64") code.i64Const(0n);
      else if (type === "f64") code.f64ConstBits(0n);
      else if (type === "f32") code.f32ConstBits(0);
      else code.i32Const(0);
      code.localSet(local);
    }
  }

  /** Where one is, there the other is, too. */
  areOnePlace(i: IrInstruction, value: IrValue): boolean {
    if (i === value) return true;
    const { inMemory } = this.context;
    return value.kind === "instruction" && inMemory.has(i) && inMemory.get(i) === inMemory.get(value);
  }

  // ---------------------------------------------------------------- scalars

  isUniform(value: IrValue): boolean {
    return this.context.shapeOf(value).kind === "uniform";
  }

  /** The value of a uniform, or the base of a value with lane offsets. */
  pushScalar(value: IrValue): void {
    const { code } = this;
    const element = elementOf(value.type);
    const bits = this.context.constantBits(value);
    if (bits !== null) {
      if (element === "i64") code.i64Const(BigInt.asIntN(64, bits));
      else if (element === "f64") code.f64ConstBits(bits);
      else if (element === "f32") code.f32ConstBits(Number(bits));
      else code.i32Const(Number(BigInt.asIntN(32, bits)));
    } else if (value.kind === "param") code.localGet(this.context.paramLocal(value));
    else if (value.kind === "instruction") {
      const location = this.locationOf(value);
      if (location.kind === "vector" || location.kind === "memory" || location.kind === "rowUniform")
        bug(`scalar of the varying value %${value.name}`);
      code.localGet(location.local);
    } else this.context.pushAddress(value);
  }

  setScalar(i: IrInstruction): void {
    const location = this.locationOf(i);
    if (location.kind === "vector" || location.kind === "memory" || location.kind === "rowUniform")
      bug(`scalar set of the varying value %${i.name}`);
    this.code.localSet(location.local);
  }

  /** Pushes what the first lane of a row has, of `rows` rows. */
  pushBase(value: IrValue, row: number, rows: number): void {
    this.pushLane(value, (row * LANES) / rows);
  }

  /**
   * Pushes the same less a constant, and returns the constant: the access adds it as its immediate. The constant is 0
   * where its sum with `distance` would be negative.
   */
  pushBaseNear(value: IrValue, row: number, rows: number, distance: number): number {
    const shape = this.context.shapeOf(value);
    const lane = (row * LANES) / rows;
    const offset = shape.kind === "offset" ? shape.offsets[lane]! : 0;
    if (offset === 0 || distance + offset < 0) {
      this.pushBase(value, row, rows);
      return 0;
    }
    this.pushScalar(value);
    return offset;
  }

  // ---------------------------------------------------------------- vectors

  pushVector(value: IrValue, slice: number, part = 0): void {
    const { code } = this;
    const element = elementOf(value.type);
    const bits = this.context.constantBits(value);
    if (bits !== null) {
      this.pushConstant(splatBytes(element, bits));
      return;
    }
    if (value.kind === "param") {
      this.pushScalar(value);
      splatOf(code, element);
      return;
    }
    if (value.kind !== "instruction") {
      this.context.pushAddress(value);
      code.i32x4Splat();
      return;
    }
    if (this.inline.has(value)) {
      this.emitInline(value, slice, part);
      return;
    }
    const slot = this.inScratch.get(value);
    if (slot !== undefined) {
      code.globalGet(this.context.scratch).v128Load(slot * SLOT_BYTES + 16 * (slice * partsOf(element) + part));
      return;
    }
    const place = this.inContext.get(value);
    if (place !== undefined) {
      code.localGet(this.context.memory).v128Load(place + 16 * (slice * partsOf(element) + part));
      return;
    }
    const location = this.locationOf(value);
    if (location.kind === "vector") code.localGet(location.locals[slice * partsOf(element) + part]!);
    else if (location.kind === "memory")
      code.localGet(this.context.memory).v128Load(placeInMemory(location, slice, part));
    else if (location.kind === "scalar") {
      code.localGet(location.local);
      splatOf(code, element);
    } else if (location.kind === "rowUniform") {
      const o = location.offsets.slice(slice * 4, slice * 4 + 4);
      code.localGet(location.locals[rowOfLane(slice * 4, location.locals.length)]!);
      splatOf(code, element);
      this.#addOffsets(o);
    } else {
      const o = location.offsets.slice(slice * 4, slice * 4 + 4);
      code.localGet(location.local).i32x4Splat();
      this.#addOffsets(o);
    }
  }

  #addOffsets(offsets: readonly number[]): void {
    if (offsets.every((o) => o === 0)) return;
    this.pushIntegers(...(offsets as [number, number, number, number]));
    this.code.i32x4Add();
  }

  /**
   * Vector constants are made once, at the function's entry, and not in every iteration of a loop: an engine builds
   * each with several instructions through general registers. All zeros and all ones take one instruction.
   */
  pushConstant(bytes: Uint8Array): void {
    const { code } = this;
    const key = bytes.join();
    const isEasy = bytes.every((byte) => byte === bytes[0]) && (bytes[0] === 0 || bytes[0] === 255);
    let local = this.#constants.get(key);
    if (isEasy || (local === undefined && this.#constants.size >= MAX_CONSTANTS)) {
      code.v128Const(bytes);
      return;
    }
    if (local === undefined) {
      const made = code.freshLocal("v128");
      this.#constants.set(key, (local = made));
      code.atEntry(() => code.v128Const(bytes).localSet(made));
    }
    code.localGet(local);
  }

  /** Pushes a constant of four 32-bit integers, or of one in all four lanes. */
  pushIntegers(a: number, b: number = a, c: number = a, d: number = a): void {
    this.pushConstant(new Uint8Array(new Int32Array([a, b, c, d]).buffer));
  }

  /** Pops a vector of a varying value. */
  setVector(i: IrInstruction, slice: number, part = 0): void {
    const { code } = this;
    const location = this.locationOf(i);
    if (location.kind !== "memory") {
      code.localSet(this.vectorLocal(i, slice, part));
      return;
    }
    const vector = code.local("v128");
    code.localSet(vector).localGet(this.context.memory).localGet(vector);
    code.v128Store(placeInMemory(location, slice, part)).free(vector);
  }

  vectorLocal(i: IrInstruction, slice: number, part = 0): Local {
    const location = this.locationOf(i);
    if (location.kind !== "vector") bug(`vector local of the ${location.kind} %${i.name}`);
    return location.locals[slice * partsOf(location.element) + part]!;
  }

  /** Stack: a, b, a mask of whole lanes → a where the mask is set, else b. One instruction with relaxed SIMD. */
  selectByMask(): void {
    if (this.context.relaxedSimd) this.code.i32x4RelaxedLaneselect();
    else this.code.v128Bitselect();
  }

  /** Pushes one lane of any value as a scalar. */
  pushLane(value: IrValue, lane: number): void {
    const { code } = this;
    const element = elementOf(value.type);
    const shape = this.context.shapeOf(value);
    if (shape.kind === "uniform") {
      this.pushScalar(value);
      return;
    }
    if (shape.kind === "offset") {
      this.pushScalar(value);
      if (shape.offsets[lane] !== 0) code.i32Const(shape.offsets[lane]!).i32Add();
      return;
    }
    if (shape.kind === "rowUniform") {
      const location = this.locationOf(value as IrInstruction);
      if (location.kind !== "rowUniform") bug("a row-uniform value without its locals");
      code.localGet(location.locals[rowOfLane(lane, location.locals.length)]!);
      if (location.offsets[lane] !== 0) code.i32Const(location.offsets[lane]!).i32Add();
      return;
    }
    const slice = lane >> 2;
    const part = isWide(element) ? (lane >> 1) & 1 : 0;
    this.pushVector(value, slice, part);
    extractLane(code, element, isWide(element) ? lane & 1 : lane & 3);
  }
}

function placeInMemory({ offset, element }: { offset: number; element: Element }, slice: number, part: number): number {
  return offset + 16 * (slice * partsOf(element) + part);
}

/** Takes a v128, leaves the scalar of the lane within it. A mask lane becomes 0 or 1. */
export function extractLane(code: FunctionBuilder, element: Element, lane: number): void {
  if (element === "i64") code.i64x2ExtractLane(lane);
  else if (element === "f64") code.f64x2ExtractLane(lane);
  else if (element === "f32") code.f32x4ExtractLane(lane);
  else {
    code.i32x4ExtractLane(lane);
    if (element === "i1") code.i32Const(1).i32And();
  }
}

/** Takes a v128 and a scalar, leaves the v128 with that lane replaced. */
export function replaceLane(code: FunctionBuilder, element: Element, lane: number): void {
  if (element === "i64") code.i64x2ReplaceLane(lane);
  else if (element === "f64") code.f64x2ReplaceLane(lane);
  else if (element === "f32") code.f32x4ReplaceLane(lane);
  else {
    if (element === "i1") {
      const t = code.local("i32");
      code.localSet(t).i32Const(0).localGet(t).i32Sub();
      code.free(t);
    }
    code.i32x4ReplaceLane(lane);
  }
}

export function splatOf(code: FunctionBuilder, element: Element): void {
  if (element === "i64") code.i64x2Splat();
  else if (element === "f64") code.f64x2Splat();
  else if (element === "f32") code.f32x4Splat();
  else if (element === "i1") {
    const t = code.local("i32");
    code.localSet(t).i32Const(0).localGet(t).i32Sub().i32x4Splat();
    code.free(t);
  } else code.i32x4Splat();
}

function splatBytes(element: Element, bits: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 16; i += isWide(element) ? 8 : 4) {
    if (isWide(element)) view.setBigUint64(i, BigInt.asUintN(64, bits), true);
    else view.setUint32(i, Number(BigInt.asUintN(32, element === "i1" ? -(bits & 1n) : bits)), true);
  }
  return bytes;
}
