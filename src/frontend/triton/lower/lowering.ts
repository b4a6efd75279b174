/**
 * Block IR → the IR of src/ir: one program becomes one block of 32 · num_warps threads. Each holds the elements
 * that a value's layout gives it, a register each.
 *
 * This file keeps what is known: values by layout, scopes, shared memory. What each operation becomes stands in the
 * files beside it: element-wise.ts, memory.ts, exchange.ts, reductions.ts, products.ts, control.ts.
 */
import { bug } from "../../../base/diagnostics.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { IrBlock, IrGlobal, IrModule, IrType, IrValue } from "../../../ir/model/ir.ts";
import { SHARED_SPACE, sizeOf } from "../../../ir/model/layout.ts";
import { I1, I32, I8, VOID, arrayType, ptrType } from "../../../ir/model/types.ts";
import type { BlockOp, BlockValue, Region, Ring } from "../blocks/model.ts";
import type { LayoutTable } from "./assign-layouts.ts";
import type { StagedRings } from "./ring-layout.ts";
import type { Rotation } from "./rotation.ts";
import { layoutKey, registerCount, threadBits, type Layout } from "./layout.ts";
import type { NumberingEmitter } from "./numbering-emitter.ts";

/** The values of one register each. */
export type Registers = readonly IrValue[];

const SREG = "llvm.nvvm.read.ptx.sreg";
const SHARED_ALIGN = 128;
/** Small exchanges take memory of their own, so that no thread waits for the readers of the last one. */
const MAX_FRESH_BYTES = 2048;
const NOWHERE = { begin: 0, end: 0 };

interface Scope {
  readonly values: Map<BlockValue, Map<string, Registers>>;
  /** Operands of tensor cores, as the instructions take them. */
  readonly fragments: Map<BlockValue, Map<string, Registers>>;
  /** Ends with a branch into the loop: what does not depend on an iteration is computed before it. */
  readonly preheader: IrBlock | null;
}

export type LowerOp = (l: Lowering, op: BlockOp) => void;
export type Compute = (l: Lowering, op: BlockOp, result: number, layout: Layout) => Registers;
export type Convert = (l: Lowering, values: Registers, from: Layout, to: Layout) => Registers;

export class Lowering {
  readonly e: NumberingEmitter;
  readonly module: IrModule;
  readonly layouts: LayoutTable;
  readonly name: string;
  readonly #scopes: Scope[] = [{ values: new Map(), fragments: new Map(), preheader: null }];
  readonly #lowerOp: LowerOp;
  readonly #compute: Compute;
  readonly #convert: Convert;
  readonly #rings: StagedRings;
  #shared: IrGlobal | null = null;
  #exchangeBytes = 0;
  /** Loads that their product does. */
  readonly deferredLoads: Set<BlockOp> = new Set();
  /** Of the loop that is being lowered, if its product's operands are read ahead. */
  rotation: Rotation | null = null;
  /** A thread may still be reading shared memory: all of it, or what the last exchange has. */
  #isRead = false;
  #last = NOWHERE;

  constructor(
    e: NumberingEmitter,
    layouts: LayoutTable,
    name: string,
    parts: { readonly lowerOp: LowerOp; readonly compute: Compute; readonly convert: Convert },
    rings: StagedRings,
  ) {
    this.#rings = rings;
    this.e = e;
    this.module = e.module;
    this.layouts = layouts;
    this.name = name;
    this.#lowerOp = parts.lowerOp;
    this.#compute = parts.compute;
    this.#convert = parts.convert;
  }

  get numWarps(): number {
    return this.layouts.numWarps;
  }

  region(region: Region): void {
    for (const op of region.ops) {
      this.e.location = op.location;
      this.#lowerOp(this, op);
    }
  }

  // ---------------------------------------------------------------- values

  define(value: BlockValue, layout: Layout, registers: Registers): void {
    this.#define(value, layout, registers, this.#scopes.length - 1);
  }

  #define(value: BlockValue, layout: Layout, registers: Registers, depth: number): void {
    if (registers.length !== registerCount(layout)) bug(`${registers.length} registers for ${layoutKey(layout)}`);
    const { values } = this.#scopes[depth] as Scope;
    let known = values.get(value);
    if (known === undefined) values.set(value, (known = new Map()));
    known.set(layoutKey(layout), registers);
  }

  /** The value in a layout: as it is known, computed anew, or exchanged between threads. */
  get(value: BlockValue, layout: Layout): Registers {
    const key = layoutKey(layout);
    for (const { values } of this.#scopes) {
      const found = values.get(value)?.get(key);
      if (found !== undefined) return found;
    }
    const own = this.layouts.own(value);
    const depth = this.#depthOf(value);
    if (own !== null && layoutKey(own) !== key) {
      const converted = this.#convert(this, this.get(value, own), own, layout);
      this.define(value, layout, converted);
      return converted;
    }
    const { op } = value;
    if (op === null) return bug("a parameter without a value");
    const location = this.e.location;
    this.e.location = op.location;
    const at =
      depth < this.#scopes.length - 1 && this.#isAvailable(op, layout, depth) ? depth : this.#scopes.length - 1;
    const registers = this.#before(at, () => this.#compute(this, op, op.results.indexOf(value), layout));
    this.#define(value, layout, registers, at);
    this.e.location = location;
    return registers;
  }

  /** A scalar, which every thread has. */
  scalar(value: BlockValue): IrValue {
    return this.get(value, this.layouts.blocked([]))[0] as IrValue;
  }

  /** The outermost scope that knows all that the value is made of. */
  #depthOf(value: BlockValue): number {
    const known = this.#depths.get(value);
    if (known !== undefined) return known;
    return this.#scopes.length - 1;
  }

  readonly #depths = new Map<BlockValue, number>();

  /** The operation belongs to the current scope. */
  noteDepth(op: BlockOp): void {
    for (const result of op.results) this.#depths.set(result, this.#scopes.length - 1);
  }

  /** Whether it can be computed before the loops that have begun since. */
  #isAvailable(op: BlockOp, layout: Layout, depth: number): boolean {
    for (let inner = depth + 1; inner < this.#scopes.length; inner++)
      if (this.#scopes[inner]?.preheader === null) return false;
    // What only the loops know is not known before them.
    const loops = this.#scopes.splice(depth + 1);
    const is = this.canCompute(op, layout);
    this.#scopes.push(...loops);
    return is;
  }

  /** Set by what computes values: true if that needs no exchange between threads. */
  canCompute: (op: BlockOp, layout: Layout) => boolean = () => false;

  hasFragments(value: BlockValue, key: string): boolean {
    return this.#scopes.some(({ fragments }) => fragments.get(value)?.has(key) === true);
  }

  /** What tensor cores take of a value, made once. */
  fragments(value: BlockValue, key: string, make: () => Registers): Registers {
    for (const { fragments } of this.#scopes) {
      const found = fragments.get(value)?.get(key);
      if (found !== undefined) return found;
    }
    const made = make();
    const { fragments } = this.#scopes.at(-1) as Scope;
    let known = fragments.get(value);
    if (known === undefined) fragments.set(value, (known = new Map()));
    known.set(key, made);
    return made;
  }

  /** Code without branches that no iteration of the loops around it changes: it runs before them. */
  hoisted(body: () => IrValue): IrValue {
    let depth = this.#scopes.length - 1;
    while (depth > 0 && this.#scopes[depth]?.preheader !== null) depth--;
    return this.#before(depth, body);
  }

  isKnown(value: BlockValue, layout: Layout): boolean {
    const key = layoutKey(layout);
    return this.#scopes.some(({ values }) => values.get(value)?.has(key) === true);
  }

  #before<T>(depth: number, body: () => T): T {
    const loop = this.#scopes[depth + 1];
    if (loop === undefined || loop.preheader === null) return body();
    const { e } = this;
    const { block } = e;
    const branch = loop.preheader.instructions.pop() ?? bug("a loop's preheader without a branch");
    e.block = loop.preheader;
    const inner = this.#scopes.splice(depth + 1);
    const result = e.inScope(depth, body);
    this.#scopes.push(...inner);
    if (e.block !== loop.preheader) bug("code before a loop that has branches");
    loop.preheader.instructions.push(branch);
    e.block = block;
    return result;
  }

  /** Code that may not run, or runs many times: what it computes is not known behind it. */
  inScope(preheader: IrBlock | null, body: () => void): void {
    this.#scopes.push({ values: new Map(), fragments: new Map(), preheader });
    this.e.enterScope();
    body();
    this.e.leaveScope();
    this.#scopes.pop();
  }

  // ---------------------------------------------------------------- threads

  get threadId(): IrValue {
    return this.e.intrinsic(`${SREG}.tid.x`, I32, []);
  }

  /** The part of the index along `dim` that the thread decides. */
  threadIndex(layout: Layout, dim: number): IrValue {
    return this.gatherBits(threadBits(layout).map((bit) => (bit !== null && bit.dim === dim ? bit.bit : null)));
  }

  /** Bit i of the thread's number goes to `places[i]`; runs of bits go together. */
  gatherBits(places: readonly (number | null)[]): IrValue {
    const { e } = this;
    let sum: IrValue = constI32(0);
    for (let i = 0; i < places.length;) {
      const to = places[i];
      if (to === null || to === undefined) {
        i++;
        continue;
      }
      let end = i + 1;
      while (end < places.length && places[end] === to + end - i) end++;
      const isTop = end === places.length;
      let part = e.lshr(this.threadId, i);
      if (!isTop) part = e.and(part, constI32(2 ** (end - i) - 1));
      sum = e.add(sum, e.shl(part, to));
      i = end;
    }
    return sum;
  }

  /** Bit `bit` of the thread's number, as a condition. */
  threadBit(bit: number): IrValue {
    return this.e.icmp("ne", this.e.and(this.threadId, constI32(1 << bit)), 0);
  }

  /** True in one of the threads that hold the same elements; null: every thread has its own. */
  isOwner(layout: Layout): IrValue | null {
    const mask = threadBits(layout).reduce((bits, bit, i) => (bit === null ? bits | (1 << i) : bits), 0);
    return mask === 0 ? null : this.e.icmp("eq", this.e.and(this.threadId, constI32(mask)), 0);
  }

  /** The thread's part of the position in row-major order. */
  threadLinear(layout: Layout): IrValue {
    const strides = layout.shape.map((_, d) => layout.shape.slice(d + 1).reduce((a, b) => a * b, 1));
    return this.gatherBits(
      threadBits(layout).map((bit) => (bit === null ? null : Math.log2(strides[bit.dim] as number) + bit.bit)),
    );
  }

  // ---------------------------------------------------------------- shared memory

  /** Memory for an exchange: written from here on, until the next exchange. Nobody reads it still. */
  beginExchange(bytes: number): IrValue {
    const size = Math.ceil(bytes / SHARED_ALIGN) * SHARED_ALIGN;
    const isBehind = this.#last.end + size <= MAX_FRESH_BYTES;
    const isBefore = size <= this.#last.begin;
    if (this.#isRead || (this.#last.end > 0 && !isBehind && !isBefore)) this.barrier();
    const at = isBefore ? 0 : this.#last.end;
    this.#last = { begin: at, end: at + size };
    this.#exchangeBytes = Math.max(this.#exchangeBytes, at + bytes);
    return this.e.offset(this.#sharedMemory(), constI32(this.#rings.bytes + at));
  }

  /** Where the slots of a ring begin. */
  ringBase(ring: Ring): IrValue {
    const offset = this.#rings.offsets.get(ring) ?? bug("a ring without a place");
    return this.e.offset(this.#sharedMemory(), constI32(offset));
  }

  #sharedMemory(): IrValue {
    if (this.#shared === null) {
      this.#shared = {
        kind: "global",
        name: "exchange",
        type: ptrType(SHARED_SPACE),
        valueType: arrayType(I8, 0),
        isConstant: false,
        align: SHARED_ALIGN,
        initializer: null,
        linkage: "external",
      };
      this.module.globals.set("exchange", this.#shared);
    }
    return this.#shared;
  }

  /** What was written can be read by all threads. */
  endWriting(): void {
    // Whoever reads the exchange before has done so.
    const written = this.#last;
    this.barrier();
    this.#last = written;
  }

  /** Shared memory may be in use where a loop begins again, or where branches meet. */
  assumeRead(): void {
    this.#isRead = true;
  }

  get sharedBytes(): number {
    return this.#rings.bytes + this.#exchangeBytes;
  }

  barrier(): void {
    if (this.numWarps === 1) this.e.intrinsic("llvm.nvvm.bar.warp.sync", VOID, [constI32(-1)]);
    else this.e.intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", VOID, [constI32(0)]);
    this.#isRead = false;
    this.#last = NOWHERE;
  }

  // ---------------------------------------------------------------- memory

  /** A value as it lies in memory: conditions are bytes. */
  toMemory(value: IrValue): IrValue {
    return value.type === I1 ? this.e.cast("zext", value, I8) : value;
  }

  fromMemory(value: IrValue, type: IrType): IrValue {
    return type === I1 ? this.e.icmp("ne", value, 0) : value;
  }

  memoryType(type: IrType): IrType {
    return type === I1 ? I8 : type;
  }

  /** Addresses have 8 bytes: those of a GPU. The emulated device leaves half of them. */
  bytesOf(type: IrType): number {
    return type.kind === "ptr" ? 8 : sizeOf(this.memoryType(type));
  }

  /** The address of element `index` behind a base; equal types make equal addresses. */
  element(base: IrValue, index: IrValue, bytes: number): IrValue {
    return this.e.offset(base, this.e.mul(index, constI32(bytes)));
  }

  /** Runs code in the threads where the condition holds. */
  where(condition: IrValue | null, body: () => void): void {
    if (condition === null) {
      body();
      return;
    }
    const { e } = this;
    if (condition.kind === "const-int") {
      if (condition.value === 1n) body();
      return;
    }
    const then = e.newBlock("then");
    const end = e.newBlock("end");
    e.condBr(condition, then, end);
    this.startBlock(then);
    e.enterScope();
    body();
    e.leaveScope();
    e.br(end);
    this.startBlock(end);
  }

  startBlock(block: IrBlock): void {
    const { blocks } = this.e.function;
    blocks.push(block);
    this.e.block = block;
  }
}
