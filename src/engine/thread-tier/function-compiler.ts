/**
 * One IR function as a resumable coroutine in WebAssembly: (frame, context) → status.
 *
 * Values live in wasm locals. Where a thread stops (at a wait, a callee that stopped, or a yield), the live values go
 * to slots of the frame, the number of the place goes to frame[0], and the function returns. The next call resumes
 * there: every loop with such a place begins with a dispatch on that number. So the code stays structured (Ramsey,
 * "Beyond Relooper", ICFP 2022), and runs at full speed while no thread waits. Irreducible functions use one dispatch
 * loop over all segments.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { AllocaInstruction, CallInstruction, IrBlock, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import { constantBits, emitBits } from "../emit/constants.ts";
import { FAULT_CODES, type FaultCode, type ScalarContext } from "../emit/environment.ts";
import { emitScalarInstruction } from "../emit/scalar.ts";
import { bitWidth, leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import { undefinedDeviceFunction } from "../../ir/intrinsics/lookup.ts";
import { emitCall, emitWait, emitWaitResult, prepareCall } from "./function-calls.ts";
import { emitDispatched, emitNested } from "./function-control.ts";
import { emitPrologue } from "./function-entry.ts";
import { emitInlineCall } from "./inline-calls.ts";
import { emitThreadInformation } from "./thread-information.ts";
import { CONTEXT, FRAME, STATUS } from "./layout.ts";
import { LOCAL_ALIGN, type FunctionPlan } from "./function-plan.ts";
import type { FunctionContext } from "./function-context.ts";
import { emitBranch } from "./branches.ts";
import type { ProgramCompiler } from "./program-compiler.ts";
import { type LiveValue, type Segment } from "./segments.ts";
import { shareLocals } from "./share-locals.ts";
import { accessOf } from "./fault-sites.ts";

export class FunctionCompiler implements FunctionContext {
  readonly program: ProgramCompiler;
  readonly plan: FunctionPlan;
  readonly code: FunctionBuilder;
  /** Parameters of every compiled function. */
  readonly frame: Local = 0;
  readonly context: Local = 1;
  readonly #locals: Map<LiveValue, readonly Local[]>;
  readonly pc: Local;
  readonly localBase: Local;
  readonly sharedBase: Local;
  readonly fuel: Local;
  readonly usesLocalStack: boolean;
  readonly scalar: ScalarContext & { noteChange: (() => void) | null };
  readonly #noteChange: () => void;
  /** Pointers that were checked in the segment being emitted. */
  readonly #checked = new Map<IrValue, { bytes: number; align: number }>();

  constructor(program: ProgramCompiler, plan: FunctionPlan) {
    this.program = program;
    this.plan = plan;
    this.code = program.functions.get(plan.fn) ?? bug("function without a builder");
    this.pc = this.code.freshLocal("i32");
    this.localBase = this.code.freshLocal("i32");
    this.sharedBase = this.code.freshLocal("i32");
    this.fuel = this.code.freshLocal("i32");
    this.#locals = shareLocals(
      plan.segmented,
      (value) => plan.staticAllocas.has(value as AllocaInstruction),
      (type) => this.code.freshLocal(type),
    );
    this.usesLocalStack = plan.localBytes > 0 || plan.dynamicAllocas;
    this.#noteChange = (): void => {
      this.code.globalGet(program.changes).i32Const(1).i32Add().globalSet(program.changes);
    };
    this.scalar = {
      env: program.env,
      code: this.code,
      get: (value, component) => this.get(value, component),
      set: (instruction, component) => this.set(instruction, component),
      fault: (reason, instruction, address, bytes) => this.fault(reason, instruction, address, bytes),
      addressFaultIf: (instruction, address) => {
        // A return, and no branch: for each branch out of a loop V8's optimizing compiler makes a node for each local
        // that the loop assigns, and has room for 2^24.
        this.code.hint("unlikely").if();
        this.fault("address", instruction, address, { constant: 0 }); // the site knows the bytes
        this.code.end();
      },
      alreadyChecked: (pointer, bytes, align) => this.#alreadyChecked(pointer, bytes, align),
      noteChange: null,
    };
  }

  compile(): void {
    const { code, plan } = this;
    emitPrologue(this);
    if (plan.loops.irreducible.length > 0) emitDispatched(this);
    else emitNested(this);
    code.unreachable();
  }

  #alreadyChecked(pointer: IrValue, bytes: number, align: number): boolean {
    if (pointer.kind !== "instruction" && pointer.kind !== "param") return false;
    const before = this.#checked.get(pointer);
    if (before !== undefined && before.bytes >= bytes && before.align >= align) return true;
    this.#checked.set(pointer, {
      bytes: Math.max(bytes, before?.bytes ?? 0),
      align: Math.max(align, before?.align ?? 0),
    });
    return false;
  }

  // -------------------------------------------------------------- values

  localsOf(value: LiveValue): readonly Local[] {
    let list = this.#locals.get(value);
    if (list === undefined) {
      list = leavesOf(value.type).map((leaf) => this.code.freshLocal(wasmTypeOf(leaf)));
      this.#locals.set(value, list);
    }
    return list;
  }

  get(value: IrValue, component = 0): void {
    const { code } = this;
    switch (value.kind) {
      case "instruction": {
        const offset = this.plan.staticAllocas.get(value as AllocaInstruction);
        if (offset !== undefined) {
          const { align } = value as AllocaInstruction;
          const up = align > LOCAL_ALIGN ? align - 1 : 0;
          code.localGet(this.localBase);
          if (offset + up !== 0) code.i32Const(offset + up).i32Add();
          if (up > 0) code.i32Const(-align).i32And();
          this.#fitAddress();
          return;
        }
        code.localGet(this.localsOf(value)[component] ?? bug(`no component ${component} of ${value.op}`));
        return;
      }
      case "param":
        code.localGet(this.localsOf(value)[component] ?? bug("parameter component"));
        return;
      case "inline-asm":
      case "metadata":
        bug(`${value.kind} as an operand`);
      // eslint-disable-next-line no-fallthrough
      default: {
        const { bits, sharedRelative } = constantBits(
          value,
          this.program.env.addresses,
          (name) => this.program.kernel.sharedOffsets.get(name) ?? bug(`shared variable ${name}`),
          component,
        );
        emitBits(code, leavesOf(value.type)[component] ?? value.type, bits);
        if (!sharedRelative) return;
        const carrier = wasmTypeOf(value.type) as "i32" | "i64";
        code.localGet(this.sharedBase);
        if (carrier === "i64") code.i64ExtendI32U();
        code.op(`${carrier}Add`);
      }
    }
  }

  /** An address of ours, of 32 bits, on the stack becomes a pointer of the program. */
  #fitAddress(): void {
    if (this.program.addressType === "i64") this.code.i64ExtendI32U();
  }

  set(instruction: IrInstruction, component = 0): void {
    this.code.localSet(
      this.localsOf(instruction)[component] ?? bug(`no component ${component} to set of ${instruction.op}`),
    );
  }

  /** Writes a fault record and returns. */
  fault(
    reason: FaultCode,
    instruction: IrInstruction,
    address?: Local,
    bytes?: Local | { readonly constant: number },
  ): void {
    const { code } = this;
    code.localGet(this.context).i32Const(FAULT_CODES[reason]).i32Store(CONTEXT.faultCode);
    code
      .localGet(this.context)
      .i32Const(this.program.site(instruction, accessOf(instruction)))
      .i32Store(CONTEXT.faultSite);
    if (address !== undefined) {
      const isLong = code.localType(address) === "i64";
      code.localGet(this.context).localGet(address);
      if (isLong) code.i32WrapI64();
      code.i32Store(CONTEXT.faultAddress);
      if (isLong)
        code
          .localGet(this.context)
          .localGet(address)
          .i64Const(32n)
          .i64ShrU()
          .i32WrapI64()
          .i32Store(CONTEXT.faultAddressHigh);
    }
    if (bytes !== undefined) {
      code.localGet(this.context);
      if (typeof bytes !== "number") code.i32Const(bytes.constant);
      else {
        code.localGet(bytes);
        if (code.localType(bytes) === "i64") code.i32WrapI64();
      }
      code.i32Store(CONTEXT.faultBytes);
    }
    code.i32Const(STATUS.fault).return();
  }

  loadSlot(local: Local, offset: number): void {
    const { code } = this;
    code
      .localGet(this.frame)
      .memoryOp(`${code.localType(local) as "i32"}Load`, offset)
      .localSet(local);
  }

  #storeSlot(local: Local, base: Local, offset: number): void {
    const { code } = this;
    code
      .localGet(base)
      .localGet(local)
      .memoryOp(`${code.localType(local) as "i32"}Store`, offset);
  }

  // -------------------------------------------------------------- stopping and going on

  /** Saves what `segment` needs and returns. */
  stopAt(segment: Segment, pushStatus: () => void): void {
    const { code } = this;
    this.#forSlots(segment, (local, offset) => this.#storeSlot(local, this.frame, offset));
    code.localGet(this.frame).i32Const(segment.resumePc).i32Store(FRAME.pc);
    pushStatus();
    code.return();
  }

  /** Lets other threads run. `place`: where the thread waits, should it do so for ever. */
  yieldAt(segment: Segment, place: IrInstruction): void {
    this.code.localGet(this.context).i32Const(this.program.site(place)).i32Store(CONTEXT.waitSite);
    this.stopAt(segment, () => this.code.i32Const(STATUS.yielded));
  }

  reload(segment: Segment): void {
    this.#forSlots(segment, (local, offset) => this.loadSlot(local, offset));
    this.code.i32Const(0).localSet(this.pc);
  }

  #forSlots(segment: Segment, visit: (local: Local, offset: number) => void): void {
    for (const value of this.plan.segmented.liveIn[segment.index] as ReadonlySet<LiveValue>) {
      const slots = this.plan.slots.get(value);
      if (slots === undefined) continue;
      this.localsOf(value).forEach((local, i) => visit(local, (slots[i] as { offset: number }).offset));
    }
  }

  // -------------------------------------------------------------- segments

  emitSegment(segment: Segment, goBlock: (block: IrBlock) => void, goSegment: (index: number) => void): void {
    const { plan } = this;
    const { entry } = segment;
    this.#checked.clear();
    if (entry?.kind === "call") emitCall(this, entry.call, segment);
    if (entry?.kind === "wait") emitWaitResult(this, entry.call);
    this.scalar.noteChange = plan.countsChanges || this.#inYieldingLoop(segment.block) ? this.#noteChange : null;
    for (const i of segment.instructions) this.#emitInstruction(i, goBlock);
    if (segment.next !== null) {
      const { call, kind } = segment.next.entry as { call: CallInstruction; kind: "call" | "wait" };
      if (kind === "wait") emitWait(this, call, segment.next); // goes on by resumption only
      else {
        prepareCall(this, call);
        goSegment(segment.next.index);
      }
    }
  }

  #inYieldingLoop(block: IrBlock): boolean {
    if (this.plan.yieldingTargets.size > 0) return true;
    for (let loop = this.plan.loops.loopOf(block); loop !== null; loop = loop.parent)
      if (this.plan.yielding.has(loop)) return true;
    return false;
  }

  #emitInstruction(i: IrInstruction, goBlock: (block: IrBlock) => void): void {
    switch (i.op) {
      case "alloca":
        if (!this.plan.staticAllocas.has(i)) this.#emitDynamicAlloca(i);
        return;
      case "call": {
        const { callee } = i;
        if (callee.kind === "inline-asm") return;
        if (callee.kind !== "function") bug("a computed call is cut out of its segment");
        if (callee.blocks.length > 0) {
          prepareCall(this, i);
          emitCall(this, i, null);
          return;
        }
        if (emitScalarInstruction(this.scalar, i)) return;
        if (emitThreadInformation(this, i, callee.name)) return;
        if (emitInlineCall(this, this.scalar, i, callee.name)) return;
        throw undefinedDeviceFunction(callee.name, i.location);
      }
      case "br":
      case "condbr":
      case "switch":
        emitBranch(this, i, goBlock);
        return;
      case "ret":
        this.#emitReturn(i.value);
        return;
      case "unreachable":
        this.fault("illegal-instruction", i);
        return;
      default:
        if (!emitScalarInstruction(this.scalar, i))
          throw unsupported(`the instruction ${i.op} in compiled code`, i.location ?? undefined);
    }
  }

  #emitReturn(value: IrValue | null): void {
    const { code, plan } = this;
    if (this.usesLocalStack) code.localGet(this.context).localGet(this.localBase).i32Store(CONTEXT.localTop);
    if (value !== null) {
      leavesOf(value.type).forEach((leaf, n) => {
        code.localGet(this.frame);
        this.get(value, n);
        code.memoryOp(`${wasmTypeOf(leaf) as "i32"}Store`, FRAME.values + 8 * n);
      });
    }
    code.i32Const(plan.isKernel ? STATUS.exited : STATUS.returned).return();
  }

  #emitDynamicAlloca(i: AllocaInstruction): void {
    const { code } = this;
    const bytes = code.local("i32");
    const up = i.align > LOCAL_ALIGN ? i.align - LOCAL_ALIGN : 0;
    const size = sizeOf(i.allocatedType);
    code.i32Const(size);
    if (i.count !== null) {
      this.get(i.count);
      if (bitWidth(i.count.type) > 32) code.i32WrapI64();
      code.i32Mul();
    }
    code
      .i32Const(LOCAL_ALIGN - 1 + up)
      .i32Add()
      .i32Const(-LOCAL_ALIGN)
      .i32And()
      .localSet(bytes);
    const address = code.local("i32");
    code.localGet(this.context).i32Load(CONTEXT.localTop).localTee(address);
    code.localGet(bytes).i32Add().localGet(this.context).i32Load(CONTEXT.localEnd).i32GtU();
    code.localGet(bytes).localGet(this.context).i32Load(CONTEXT.localEnd).i32GtU().i32Or().if();
    this.fault("stack-overflow", i);
    code.end();
    code.localGet(this.context).localGet(address).localGet(bytes).i32Add().i32Store(CONTEXT.localTop);
    if (up > 0)
      code
        .localGet(address)
        .i32Const(i.align - 1)
        .i32Add()
        .i32Const(-i.align)
        .i32And()
        .localSet(address);
    code.localGet(address);
    this.#fitAddress();
    code.localSet(this.localsOf(i)[0] as Local);
    code.free(bytes, address);
  }
}
