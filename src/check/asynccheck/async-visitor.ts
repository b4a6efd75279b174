/** Asynccheck's code in a function: calls of libdevice/async-check.cu where operations begin, end and are met. */
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { accessesOf } from "../../instrument/accesses.ts";
import type { FunctionContext, FunctionVisitor, SiteOf } from "../../instrument/instrumenter.ts";
import { constI32 } from "../../ir/model/build.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { CallInstruction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { I32, I64, VOID, ptrType } from "../../ir/model/types.ts";
import { CHECK_NAMES } from "../check-names.ts";
import { asyncOperationOf, type AsyncOperation } from "./async-operations.ts";
import { BLOCK_BYTES, BLOCK_VARIABLE, EVERYTHING, GROUP_KINDS, hookName, type AsyncHook } from "./async-state.ts";
import { LateCompletion } from "./late-completion.ts";
import { bitsOf, ProductOperands } from "./product-operands.ts";
import { ProductSums } from "./product-sums.ts";

/** What a site does: for reports. */
export interface AsyncDetail {
  readonly does: "read" | "write" | "copy" | "tile" | "store" | "product" | "sums" | "registers";
}
export type AsyncSite = SiteOf<AsyncDetail>;

const GENERIC = ptrType(0);
const READS = 1;
const WRITES = 2;
const SHARED_OR_GENERIC: ReadonlySet<number> = new Set([0, 3]);
const ROW_BYTES = 16;

export class AsyncVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #number: (site: AsyncSite) => number;
  readonly #sums: ProductSums;
  readonly #operands: ProductOperands;
  readonly #productSites = new Map<CallInstruction, IrValue>();
  readonly #late: LateCompletion;
  /** What the hook answered for a product at the first read since the last wait. */
  readonly #pending = new Map<CallInstruction, IrValue>();

  /** @param number of a site, from 1 on: what the hooks know it by. */
  constructor(context: FunctionContext, number: (site: AsyncSite) => number) {
    this.#context = context;
    this.#number = number;
    this.#sums = new ProductSums(context.function);
    this.#operands = new ProductOperands(context.function);
    this.#late = new LateCompletion(context);
    if (!context.function.isKernel) return;
    const e = context.edits.behindAllocas();
    const block = CHECK_NAMES.shared(context.module, BLOCK_VARIABLE, BLOCK_BYTES);
    this.#call(e, "enter", VOID, [e.cast("addrspacecast", block, GENERIC)]);
  }

  visit(i: IrInstruction): void {
    this.#operandDefined(i);
    const operation = asyncOperationOf(i);
    if (operation !== null) return this.#operation(i, operation);
    const matrix = matrixRows(i);
    if (matrix !== null) this.#access(i, matrix.pointer, constI32(ROW_BYTES), matrix.kind, matrix.lanes);
    for (const { pointer, kind, bytes } of accessesOf(i)) {
      if (!mayBeShared(pointer)) continue;
      const length = typeof bytes === "number" ? constI32(bytes) : bytes;
      const does = { read: READS, write: WRITES, atomic: READS | WRITES }[kind];
      this.#access(i, pointer, length, does, null);
    }
    this.#sumsRead(i);
    if (endsThread(i, this.#context.function.isKernel)) this.#call(this.#context.edits.before(i), "leave", VOID, []);
  }

  finish(): void {
    this.#late.putInPlace();
  }

  /** @param lanes that take part; null: all. */
  #access(i: IrInstruction, pointer: IrValue, bytes: IrValue, kind: number, lanes: number | null): void {
    const e = this.#context.edits.before(i);
    const site = this.#site(i, kind === READS ? "read" : "write");
    const own = e.zextOrTrunc(bytes, I32);
    const length =
      lanes === null
        ? own
        : e.select(e.icmp("ult", e.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", I32, []), lanes), own, constI32(0));
    this.#check(i, site, e, "access", [this.#address(e, pointer), length, constI32(kind), this.#id(site)]);
  }

  #operation(i: IrInstruction, operation: AsyncOperation): void {
    this.#late.delay(i);
    const e = this.#context.edits.before(i);
    const begin = (does: AsyncDetail["does"], hook: AsyncHook, args: readonly IrValue[]): void => {
      const site = this.#site(i, does);
      this.#check(i, site, e, hook, [...args, this.#id(site)]);
    };
    switch (operation.kind) {
      case "copy":
        return begin("copy", "copy", [this.#address(e, operation.to), constI32(operation.bytes)]);
      case "send":
        return begin("copy", "load", [
          this.#address(e, operation.to),
          constI32(operation.bytes),
          this.#address(e, operation.barrier),
          constI32(0),
        ]);
      case "track":
        return void this.#call(e, "track", VOID, [this.#address(e, operation.barrier), operation.expected]);
      case "store":
        return begin("store", "store", [operation.from, operation.bytes]);
      case "tile-store":
        return begin("store", "tile_store", [operation.from, this.#generic(e, operation.map)]);
      case "load":
        return begin("copy", "load", [operation.to, operation.bytes, operation.barrier, operation.blocks]);
      case "tile-load":
        return begin("tile", "tile_load", [
          operation.to,
          this.#generic(e, operation.map),
          operation.barrier,
          operation.blocks,
        ]);
      case "product":
        return this.#product(i as CallInstruction, e);
      case "commit":
        return void this.#call(e, "commit", VOID, [constI32(GROUP_KINDS[operation.of])]);
      case "wait": {
        const left = operation.left === EVERYTHING ? constI32(-1) : e.zextOrTrunc(operation.left, I32);
        const onlyReads = constI32(operation.onlyReads ? 1 : 0);
        return void this.#call(e, "wait", VOID, [constI32(GROUP_KINDS[operation.of]), left, onlyReads]);
      }
      case "fence":
        return void this.#call(e, "fence", VOID, []);
      case "test":
        return this.#test(i as CallInstruction, operation.barrier, operation.phase);
    }
  }

  #product(i: CallInstruction, e: Emitter): void {
    const [, a, descriptorA, descriptorB, columns, options] = i.args as [
      IrValue,
      IrValue,
      IrValue,
      IrValue,
      IrValue,
      IrValue,
    ];
    const site = this.#site(i, "product");
    const inRegisters = e.zextOrTrunc(e.icmp("ne", e.cast("ptrtoint", a, I32), 0), I32);
    const args = [descriptorA, inRegisters, descriptorB, columns, options, this.#productSite(i)];
    this.#check(i, site, e, "product", args);
    const { edits } = this.#context;
    const group = this.#sums.groupOf(i, edits);
    if (group === null) return;
    e.store(this.#call(e, "group", I32, []), group, 4);
    this.#operands.keep(i, e, edits);
  }

  /** A register that products read gets another value: while the last one that has read it may be under way? */
  #operandDefined(i: IrInstruction): void {
    const { edits } = this.#context;
    for (const { product, read } of this.#operands.definedBy(i, edits)) {
      const group = this.#sums.groupOf(product, edits);
      if (group === null) continue;
      const e = edits.after(i);
      const isOther = e.icmp("ne", bitsOf(e, i), e.load(I32, read, 4));
      const last = e.select(isOther, e.load(I32, group, 4), constI32(0));
      const answer = this.#call(e, "changed", I32, [last, this.#productSite(product)]);
      const site = this.#site(i, "registers");
      this.#context.checkAt(i, site, e.icmp("ne", answer, 0), [answer, constI32(0)], "after");
    }
  }

  #productSite(product: CallInstruction): IrValue {
    let id = this.#productSites.get(product);
    if (id === undefined) this.#productSites.set(product, (id = this.#id(this.#site(product, "product"))));
    return id;
  }

  /** A read of what products leave in registers. */
  #sumsRead(i: IrInstruction): void {
    for (const { value, product, isFirst } of this.#sums.readBy(i)) {
      const group = this.#sums.groupOf(product, this.#context.edits);
      if (group === null) continue;
      const e = this.#context.edits.before(i);
      if (isFirst) {
        const pending = this.#call(e, "pending", I32, [e.load(I32, group, 4)]);
        this.#pending.set(product, pending);
        const site = this.#site(i, "sums");
        this.#context.checkAt(i, site, e.icmp("eq", pending, 1), [constI32(0), constI32(0)]);
      }
      const pending = this.#pending.get(product) as IrValue;
      this.#late.spoil(i, value, pending);
    }
  }

  #test(i: CallInstruction, barrier: IrValue, phase: IrValue): void {
    const before = this.#context.edits.before(i);
    const isState = phase.type.kind === "int" && phase.type.bits === 64;
    const bit = isState
      ? before.cast("trunc", before.binary("lshr", phase, before.like(phase, 63)), I32)
      : before.and(phase, constI32(1));
    const address = this.#address(before, barrier);
    this.#call(before, "test", VOID, [address, bit]);
    this.#call(this.#context.edits.after(i), "tested", VOID, [address, bit, i]);
  }

  #check(i: IrInstruction, site: AsyncSite, e: Emitter, hook: AsyncHook, args: readonly IrValue[]): void {
    const answer = this.#call(e, hook, I32, args);
    this.#context.checkAt(i, site, e.icmp("ne", answer, 0), [
      answer,
      args[0]?.type === I64 ? constI32(0) : addressOf(args),
    ]);
  }

  #site(i: IrInstruction, does: AsyncDetail["does"]): AsyncSite {
    return this.#context.site(i, { does });
  }

  #id(site: AsyncSite): IrValue {
    return constI32(this.#number(site));
  }

  #address(e: Emitter, pointer: IrValue): IrValue {
    return e.cast("ptrtoint", pointer, I32);
  }

  #generic(e: Emitter, pointer: IrValue): IrValue {
    return pointer.type.kind === "ptr" && pointer.type.addressSpace !== 0
      ? e.cast("addrspacecast", pointer, GENERIC)
      : pointer;
  }

  #call(e: Emitter, hook: AsyncHook, result: IrType, args: readonly IrValue[]): IrValue {
    return e.intrinsic(hookName(hook), result, [...args]);
  }
}

function addressOf(args: readonly IrValue[]): IrValue {
  const [first] = args;
  return first?.type.kind === "int" && first.type.bits === 32 ? first : constI32(0);
}

/** A function that a kernel calls may end the thread, too. */
function endsThread(i: IrInstruction, isKernel: boolean): boolean {
  return (isKernel && i.op === "ret") || (i.op === "call" && calledIntrinsic(i)?.operation === "exit");
}

function mayBeShared(pointer: IrValue): boolean {
  if (pointer.type.kind !== "ptr" || !SHARED_OR_GENERIC.has(pointer.type.addressSpace)) return false;
  return ![...originsOf(pointer)].every(
    (root) =>
      (root.kind === "param" && root.function?.isKernel === true) ||
      (root.kind === "global" && root.type.kind === "ptr" && root.type.addressSpace !== 3) ||
      (root.kind === "instruction" && root.op === "alloca"),
  );
}

/** ldmatrix and stmatrix: each lane names a row of 16 bytes; how many lanes do. */
function matrixRows(
  i: IrInstruction,
): { readonly pointer: IrValue; readonly kind: number; readonly lanes: number } | null {
  if (i.op !== "call" || i.callee.kind !== "function") return null;
  const [, what, count] = /^__heddle_(ld|st)matrix_x([124])/.exec(i.callee.name) ?? [];
  if (what === undefined) return null;
  return { pointer: i.args[0] as IrValue, kind: what === "ld" ? READS : WRITES, lanes: 8 * Number(count) };
}
