/**
 * Writes one WebAssembly function's body: `f.localGet(x); f.i32Const(1); f.i32Add();`.
 *
 * Every instruction of opcodes.ts is a method named after it in camelCase (`i32x4.trunc_sat_f32x4_s` →
 * `i32x4TruncSatF32x4S`): plain ones take nothing, memory ones `(offset = 0, align = natural, in bytes)`, lane ones the
 * lane. Methods return the builder. Control is structured with symbolic labels: `const exit = f.block(); …
 * f.brIf(exit); … f.end();`. Nothing is validated here beyond labels: WebAssembly.validate does that in tests.
 */
import { bug } from "../base/diagnostics.ts";
import { float32ToBits, float64ToBits } from "../base/float-bits.ts";
import { ByteWriter } from "./byte-writer.ts";
import {
  addInstructionMethods,
  type LaneMethods,
  type MemoryLaneMethods,
  type MemoryMethods,
  type PlainMethods,
} from "./instruction-methods.ts";
import { VALUE_TYPE_CODES, type BlockType, type FunctionRef, type ValueType } from "./types.ts";
import { addressesToExtend, type CodeTypes } from "./wide-addresses.ts";
import { encodeBody, type BranchHint, type EncodedBody, type SourceMark } from "./function-body.ts";

/** A local variable's index; parameters come first. */
export type Local = number;

/** An open block, loop or if: the target of branches (a loop's start, else the end). */
export interface Label {
  readonly kind: "block" | "loop" | "if";
  /** How many constructs were open when it was opened. */
  readonly depth: number;
}

export type PlainMethod = keyof PlainMethods<unknown>;

export type MemoryMethod = keyof MemoryMethods<unknown>;

// The table-made methods are installed on the prototype below; this declaration gives them their types.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface FunctionBuilder
  extends
    PlainMethods<FunctionBuilder>,
    MemoryMethods<FunctionBuilder>,
    LaneMethods<FunctionBuilder>,
    MemoryLaneMethods<FunctionBuilder> {}

/** V8 refuses functions above 7,654,321 bytes (V8, src/wasm/wasm-limits.h); locals come on top of the instructions. */
const MAX_FUNCTION_BYTES = 7_500_000;

/** V8's limit is 50,000 locals, parameters included (wasm-limits.h). */
const MAX_FUNCTION_LOCALS = 49_900;

export class FunctionBuilder {
  readonly ref: FunctionRef;
  readonly name: string;
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
  #code = new ByteWriter();
  readonly #entry = new ByteWriter(16);
  /** Code that is added inside, ascending. */
  readonly #places: { readonly offset: number; readonly code: ByteWriter }[] = [];
  readonly #localTypes: ValueType[] = [];
  readonly #freeLocals = new Map<ValueType, Local[]>();
  readonly #open: Label[] = [];
  readonly #marks: SourceMark[] = [];
  readonly #hints: BranchHint[] = [];
  readonly #internType: (params: readonly ValueType[], results: readonly ValueType[]) => number;
  #finished = false;

  /** Made by ModuleBuilder.function. */
  constructor(
    ref: FunctionRef,
    name: string,
    params: readonly ValueType[],
    results: readonly ValueType[],
    internType: (params: readonly ValueType[], results: readonly ValueType[]) => number,
  ) {
    this.ref = ref;
    this.name = name;
    this.params = params;
    this.results = results;
    this.#internType = internType;
  }

  // -------------------------------------------------------------- locals

  /** A fresh or recycled local; a recycled one holds an old value. */
  local(type: ValueType): Local {
    const recycled = this.#freeLocals.get(type)?.pop();
    if (recycled !== undefined) return recycled;
    this.#localTypes.push(type);
    return this.params.length + this.#localTypes.length - 1;
  }

  /** A local that was never used before: zero at entry. */
  freshLocal(type: ValueType): Local {
    this.#localTypes.push(type);
    return this.params.length + this.#localTypes.length - 1;
  }

  free(...locals: Local[]): void {
    for (const local of locals) {
      const type = this.#localTypes[local - this.params.length];
      if (type === undefined) bug(`free of local ${local}, which is a parameter or unknown`);
      const list = this.#freeLocals.get(type);
      if (list === undefined) this.#freeLocals.set(type, [local]);
      else list.push(local);
    }
  }

  localType(local: Local): ValueType {
    return this.params[local] ?? this.#localTypes[local - this.params.length] ?? bug(`unknown local ${local}`);
  }

  localGet(local: Local): this {
    return this.#withIndex(0x20, local);
  }
  localSet(local: Local): this {
    return this.#withIndex(0x21, local);
  }
  localTee(local: Local): this {
    return this.#withIndex(0x22, local);
  }
  globalGet(index: number): this {
    return this.#withIndex(0x23, index);
  }
  globalSet(index: number): this {
    return this.#withIndex(0x24, index);
  }

  // -------------------------------------------------------------- constants

  /** Any number modulo 2^32 (signed or unsigned writing). */
  i32Const(value: number): this {
    this.#code.u8(0x41);
    this.#code.s32(value);
    return this;
  }
  i64Const(value: bigint): this {
    this.#code.u8(0x42);
    this.#code.s64(value);
    return this;
  }
  f32Const(value: number): this {
    return this.f32ConstBits(float32ToBits(value));
  }
  f32ConstBits(bits: number): this {
    this.#code.u8(0x43);
    this.#code.f32Bits(bits);
    return this;
  }
  f64Const(value: number): this {
    return this.f64ConstBits(float64ToBits(value));
  }
  f64ConstBits(bits: bigint): this {
    this.#code.u8(0x44);
    this.#code.f64Bits(bits);
    return this;
  }
  /** Sixteen bytes, lowest lane first. */
  v128Const(bytes: Uint8Array | readonly number[]): this {
    this.opcode(0xfd_00c);
    return this.#sixteen(bytes);
  }
  i32x4Const(a: number, b: number, c: number, d: number): this {
    return this.v128Const(new Uint8Array(new Int32Array([a, b, c, d]).buffer));
  }
  /** Byte i of the result is byte `lanes[i]` of the two operands' 32. */
  i8x16Shuffle(lanes: Uint8Array | readonly number[]): this {
    this.opcode(0xfd_00d);
    return this.#sixteen(lanes);
  }
  /** The shuffle of 32-bit lanes: four numbers 0–7. */
  i32x4Shuffle(a: number, b: number, c: number, d: number): this {
    return this.i8x16Shuffle([a, b, c, d].flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]));
  }

  // -------------------------------------------------------------- memory

  memorySize(): this {
    return this.#withIndex(0x3f, 0);
  }
  memoryGrow(): this {
    return this.#withIndex(0x40, 0);
  }
  /** Stack: destination, source, bytes. */
  memoryCopy(): this {
    this.opcode(0xfc_00a);
    this.#code.u8(0);
    this.#code.u8(0);
    return this;
  }
  /** Stack: destination, byte, bytes. */
  memoryFill(): this {
    this.opcode(0xfc_00b);
    this.#code.u8(0);
    return this;
  }
  memoryInit(segment: number): this {
    this.opcode(0xfc_008);
    this.#code.u32(segment);
    this.#code.u8(0);
    return this;
  }
  dataDrop(segment: number): this {
    this.opcode(0xfc_009);
    this.#code.u32(segment);
    return this;
  }
  atomicFence(): this {
    this.opcode(0xfe_003);
    this.#code.u8(0);
    return this;
  }

  // -------------------------------------------------------------- control

  block(type?: BlockType): Label {
    return this.#construct("block", 0x02, type);
  }
  loop(type?: BlockType): Label {
    return this.#construct("loop", 0x03, type);
  }
  /** Takes the condition from the stack. */
  if(type?: BlockType): Label {
    return this.#construct("if", 0x04, type);
  }
  else(): this {
    if (this.#open.at(-1)?.kind !== "if") bug(`else outside an if in ${this.name}`);
    this.#code.u8(0x05);
    return this;
  }
  /** Closes the innermost construct; naming it checks the nesting. */
  end(label?: Label): this {
    const innermost = this.#open.pop();
    if (innermost === undefined || (label !== undefined && label !== innermost)) bug(`unbalanced end in ${this.name}`);
    this.#code.u8(0x0b);
    return this;
  }
  br(label: Label): this {
    return this.#withIndex(0x0c, this.#distance(label));
  }
  brIf(label: Label): this {
    return this.#withIndex(0x0d, this.#distance(label));
  }
  /** Takes an index from the stack; past the end means `fallback`. */
  brTable(labels: readonly Label[], fallback: Label): this {
    this.#code.u8(0x0e);
    this.#code.u32(labels.length);
    for (const label of labels) this.#code.u32(this.#distance(label));
    this.#code.u32(this.#distance(fallback));
    return this;
  }
  call(target: FunctionRef | FunctionBuilder): this {
    return this.#withIndex(0x10, target instanceof FunctionBuilder ? target.ref.index : target.index);
  }
  /** Takes the table index from the top of the stack. */
  callIndirect(params: readonly ValueType[], results: readonly ValueType[], table = 0): this {
    this.#code.u8(0x11);
    this.#code.u32(this.#internType(params, results));
    this.#code.u32(table);
    return this;
  }
  selectTyped(type: ValueType): this {
    this.#code.u8(0x1c);
    this.#code.u8(1);
    this.#code.u8(VALUE_TYPE_CODES[type]);
    return this;
  }

  // -------------------------------------------------------------- by name

  /** A plain instruction chosen by a table. */
  op(name: PlainMethod): this {
    (this[name] as () => this)();
    return this;
  }
  memoryOp(name: MemoryMethod, offset = 0, align?: number): this {
    (this[name] as (offset?: number, align?: number) => this)(offset, align);
    return this;
  }

  /** Adds code in front of all other, at any time: no control, marks or hints in it. */
  atEntry(emit: () => void): void {
    const code = this.#code;
    this.#code = this.#entry;
    emit();
    this.#code = code;
  }

  /** Returns what adds code at this place of the function, later on: no control, marks or hints in it. */
  laterHere(): (emit: () => void) => void {
    const place = { offset: this.#code.length, code: new ByteWriter(16) };
    this.#places.push(place);
    return (emit) => {
      const code = this.#code;
      this.#code = place.code;
      emit();
      this.#code = code;
    };
  }

  /** The if or brIf that comes next. See ModuleBuilder.finish for what becomes of it. */
  hint(branch: "likely" | "unlikely"): this {
    this.#hints.push({ offset: this.#code.length, likely: branch === "likely" });
    return this;
  }

  // -------------------------------------------------------------- places

  /** What follows belongs to source mark `mark` (a location id of the caller's), until the next call. */
  mark(mark: number): this {
    const last = this.#marks.at(-1);
    if (last?.mark === mark) return this;
    if (last?.offset === this.#code.length) this.#marks.pop();
    this.#marks.push({ offset: this.#code.length, mark });
    return this;
  }

  /** WebAssembly engines would refuse it. */
  get isTooLarge(): boolean {
    return this.#code.length > MAX_FUNCTION_BYTES || this.#localTypes.length > MAX_FUNCTION_LOCALS;
  }

  /**
   * For ModuleBuilder: the encoded body (locals and code), the marks and the hints, counted from the body's first byte.
   *
   * @param types for a 64-bit memory: what the code mentions by number, local variables aside
   */
  encode(types: Omit<CodeTypes, "local"> | null = null): EncodedBody {
    if (this.#open.length > 0) bug(`${this.#open.length} constructs still open at the end of ${this.name}`);
    this.#finished = true;
    const parts = {
      localTypes: this.#localTypes,
      entry: this.#entry.written(),
      code: this.#code.written(),
      insertions: this.#places.map(({ offset, code }) => ({ offset, code: code.written() })),
      marks: this.#marks,
      hints: this.#hints,
    };
    if (types === null) return encodeBody(parts, null);
    return encodeBody(parts, (code) => addressesToExtend(code, { ...types, local: (index) => this.localType(index) }));
  }

  /** For the table-made methods. */
  opcode(code: number): void {
    if (this.#finished) bug(`${this.name} was already encoded`);
    if (code <= 0xff) this.#code.u8(code);
    else {
      this.#code.u8(code >> 12);
      this.#code.u32(code & 0xfff);
    }
  }

  memoryArgument(align: number, offset: number): void {
    this.#code.u32(31 - Math.clz32(align));
    this.#code.u32(offset);
  }

  byte(value: number): void {
    this.#code.u8(value);
  }

  #withIndex(code: number, index: number): this {
    this.#code.u8(code);
    this.#code.u32(index);
    return this;
  }

  #sixteen(bytes: Uint8Array | readonly number[]): this {
    if (bytes.length !== 16) bug(`sixteen bytes expected, got ${bytes.length}`);
    for (const byte of bytes) this.#code.u8(byte);
    return this;
  }

  #construct(kind: Label["kind"], code: number, type: BlockType | undefined): Label {
    const label: Label = { kind, depth: this.#open.length };
    this.#open.push(label);
    this.#code.u8(code);
    if (type === undefined) this.#code.u8(0x40);
    else if (typeof type === "string") this.#code.u8(VALUE_TYPE_CODES[type]);
    else this.#code.s32(this.#internType(type.params, type.results));
    return label;
  }

  #distance(label: Label): number {
    if (this.#open[label.depth] !== label) bug(`branch to a label that is not open in ${this.name}`);
    return this.#open.length - 1 - label.depth;
  }
}

addInstructionMethods(FunctionBuilder.prototype);
