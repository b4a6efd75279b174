/**
 * Asynchronous copies are made when somebody waits for them, and sums that are read early are NaN: what comes too early
 * is wrong every time, as on no GPU.
 *
 * The program's instructions change after all visitors have seen them: a copy becomes a call of a hook in
 * async-check.cu, which makes it later. Products are made where they stand, since their sums are values, not places:
 * reads of them choose between the sum and NaN.
 */
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { asToolCode } from "../../instrument/ir-edits.ts";
import { partialCopyBytes } from "../../instrument/accesses.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { constFloatBits, constI32, constInt, newIcmp, newSelect } from "../../ir/model/build.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { declareFunction } from "../../ir/model/build-module.ts";
import type {
  CallInstruction,
  IrInstruction,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { storeSize } from "../../ir/model/layout.ts";
import { mapOperands } from "../../ir/model/operands.ts";
import { I32, VOID, intType } from "../../ir/model/types.ts";
import { ARRIVAL, nextCall, toldOf } from "./async-operations.ts";
import { hookName, type AsyncHook } from "./async-state.ts";

const TRACK = "llvm.nvvm.cp.async.mbarrier.arrive";
const LIBRARY_COPY = /^__heddle_((?:bulk|tensor)_(?:load|store|reduce|reduce_shared))$/;
/** Of a float, and of two halves. */
const NAN_BITS = { float: 0x7fffffffn, word: 0x7fff7fffn } as const;

/** What an instruction reads of sums, and what the hook answered for the product. */
interface SpoiledRead {
  readonly at: IrInstruction;
  readonly value: IrValue;
  readonly pending: IrValue;
}

export class LateCompletion {
  readonly #context: FunctionContext;
  readonly #copies: IrInstruction[] = [];
  readonly #reads: SpoiledRead[] = [];
  /** The call that belongs to an operation: of a barrier that is told of it. */
  readonly #partners = new Map<IrInstruction, CallInstruction>();
  /** Calls that tell a barrier of stores which tell it themselves now. */
  readonly #sent = new Set<CallInstruction>();

  constructor(context: FunctionContext) {
    this.#context = context;
  }

  /** An operation that can be made later, or a wait. */
  delay(i: IrInstruction): void {
    this.#copies.push(i);
    // Later the call may be in another block.
    const partner = i.op === "store" ? toldOf(i) : nextCall(i, ARRIVAL);
    if (partner !== null) this.#partners.set(i, partner);
  }

  spoil(at: IrInstruction, value: IrValue, pending: IrValue): void {
    this.#reads.push({ at, value, pending });
  }

  putInPlace(): void {
    for (const i of this.#copies) this.#delay(i);
    for (const told of this.#sent) told.block.instructions.splice(told.block.instructions.indexOf(told), 1);
    for (const read of this.#reads) this.#spoil(read);
  }

  #delay(i: IrInstruction): void {
    if (i.op === "store" && i.isAsynchronous === true) return this.#delaySend(i);
    if (i.op === "store") {
      const { pointer } = i.value as LoadInstruction;
      return this.#replace(i, i.pointer, pointer, constI32(4), constI32(4));
    }
    if (i.op !== "call" || i.callee.kind !== "function") return;
    const [to, from, , available] = i.args as [IrValue, IrValue, IrValue, IrValue];
    const partial = partialCopyBytes(i);
    if (partial !== null) return this.#replace(i, to, from, constI32(partial), available);
    const copy = calledIntrinsic(i)?.asyncCopy ?? null;
    if (copy !== null) {
      const bytes = constI32(copy.bytes);
      return this.#replace(i, to, from, bytes, copy.isPartial ? (i.args[2] as IrValue) : bytes);
    }
    if (i.callee.name === TRACK) {
      // The arrival that the barrier expects comes with the copies.
      const arrival = isOne(i.args[1]) ? this.#partners.get(i) : undefined;
      if (arrival !== undefined) this.#callInstead(arrival, "late_mbarrier_arrive");
      return;
    }
    const name = LIBRARY_COPY.exec(i.callee.name)?.[1];
    if (name !== undefined) this.#callInstead(i, `late_${name}` as AsyncHook);
  }

  #callInstead(i: CallInstruction, hook: AsyncHook): void {
    const params = i.args.map(({ type }) => type);
    i.callee = declareFunction(this.#context.module, hookName(hook), i.type, params);
  }

  /** A store that a barrier counts: in words, each of which tells the barrier itself. */
  #delaySend(i: StoreInstruction): void {
    const told = this.#partners.get(i);
    if (told === undefined) return;
    const e = this.#emitter(i);
    const { value } = i;
    const bytes = storeSize(value.type);
    const bits = e.cast(value.type.kind === "ptr" ? "ptrtoint" : "bitcast", value, intType(8 * bytes));
    const low = e.zextOrTrunc(bits, I32);
    const high = bytes === 8 ? e.cast("trunc", e.lshr(bits, 32), I32) : constI32(0);
    const [to, barrier] = [e.cast("ptrtoint", i.pointer, I32), e.cast("ptrtoint", told.args[0] as IrValue, I32)];
    e.intrinsic(hookName("late_send"), VOID, [to, low, high, constI32(bytes), barrier]);
    e.putInPlace();
    this.#sent.add(told);
  }

  /** A call of the hook in place of an instruction without a result. */
  #replace(i: IrInstruction, to: IrValue, from: IrValue, bytes: IrValue, available: IrValue): void {
    const e = this.#emitter(i);
    const args = [
      e.cast("ptrtoint", to, I32),
      e.cast("ptrtoint", from, I32),
      bytes,
      available.type.kind === "int" ? e.zextOrTrunc(available, I32) : available,
    ];
    e.intrinsic(hookName("late_copy"), VOID, args);
    e.putInPlace();
  }

  /** Its code comes in place of the instruction. */
  #emitter(i: IrInstruction): Emitter & { putInPlace(): void } {
    const made: IrInstruction[] = [];
    const { edits, module, function: fn } = this.#context;
    const e = new Emitter(module, fn, edits.names, i.block);
    e.location = i.location;
    e.append = (one) => {
      made.push(asToolCode(one));
      return one;
    };
    const putInPlace = (): void => {
      const { instructions } = i.block;
      instructions.splice(instructions.indexOf(i), 1, ...made);
    };
    return Object.assign(e, { putInPlace });
  }

  #spoil({ at, value, pending }: SpoiledRead): void {
    const nan = nanOf(value.type);
    if (nan === null) return;
    const place = { block: at.block, location: at.location };
    const { names } = this.#context.edits;
    const isGone = newIcmp(place, names.fresh("spoiled"), "ne", pending, constI32(0));
    const chosen = newSelect(place, names.fresh("sum"), isGone, nan, value);
    at.block.instructions.splice(at.block.instructions.indexOf(at), 0, asToolCode(isGone), asToolCode(chosen));
    mapOperands(at, (operand) => (operand === value ? chosen : operand));
  }
}

function isOne(value: IrValue | undefined): boolean {
  return value?.kind === "const-int" && value.value === 1n;
}

function nanOf(type: IrType): IrValue | null {
  if (type.kind === "float" && type.format === "float") return constFloatBits(type, NAN_BITS.float);
  return type.kind === "int" && type.bits === 32 ? constInt(type, NAN_BITS.word) : null;
}
