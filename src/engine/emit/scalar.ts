/**
 * One scalar IR instruction as WebAssembly, for every tier: the thread tier's threads and the warp tier's uniform
 * values. Operands and results go through ScalarContext; nothing here knows how a tier keeps its values.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { GepInstruction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../ir/model/layout.ts";
import type { AddressType, ScalarContext } from "./environment.ts";
import { emitCast, emitFcmp, emitFloatBinary, emitFneg } from "./floats.ts";
import { emitIcmp, emitIntegerBinary, emitIntegerConstant, emitSignExtend } from "./integers.ts";
import { emitScalarIntrinsic } from "./intrinsics.ts";
import { emitAtomicRmw, emitCmpxchg, emitLoad, emitStore } from "./memory.ts";
import { bitWidth, leafPath, leavesOf, wasmTypeOf } from "./value-types.ts";

/**
 * Emits an instruction and sets its result. Returns false for what belongs to the tier: phis, terminators, allocas,
 * calls other than scalar intrinsics. Throws unsupported for vectors (legalisation removes them).
 */
// oxlint-disable-next-line max-lines-per-function -- one case an instruction
export function emitScalarInstruction(context: ScalarContext, i: IrInstruction): boolean {
  switch (i.op) {
    case "binary":
      if (i.type.kind === "float") emitFloatBinary(context, i);
      else emitIntegerBinary(context, i);
      break;
    case "fneg":
      emitFneg(context, i);
      break;
    case "icmp":
      emitIcmp(context, i);
      break;
    case "fcmp":
      emitFcmp(context, i);
      break;
    case "cast":
      emitCast(context, i);
      break;
    case "select": {
      const leaves = leavesOf(i.type);
      for (let n = 0; n < leaves.length; n++) {
        context.get(i.then, n);
        context.get(i.else, n);
        context.get(i.condition);
        context.code.select();
        context.set(i, n);
      }
      return true;
    }
    case "freeze":
      leavesOf(i.type).forEach((_, n) => {
        context.get(i.operand, n);
        context.set(i, n);
      });
      return true;
    case "gep":
      emitGep(context, i);
      break;
    case "load":
      emitLoads(context, i);
      return true;
    case "store":
      emitStores(context, i);
      return true;
    case "atomicrmw":
      emitAtomicRmw(context, i);
      break;
    case "cmpxchg":
      emitCmpxchg(context, i);
      return true;
    case "fence":
      context.code.atomicFence();
      return true;
    case "extractvalue": {
      const { first, type } = leafPath(i.aggregate.type, i.indices);
      leavesOf(type).forEach((_, n) => {
        context.get(i.aggregate, first + n);
        context.set(i, n);
      });
      return true;
    }
    case "insertvalue": {
      const { first, type } = leafPath(i.type, i.indices);
      const count = leavesOf(type).length;
      leavesOf(i.type).forEach((_, n) => {
        if (n >= first && n < first + count) context.get(i.element, n - first);
        else context.get(i.aggregate, n);
        context.set(i, n);
      });
      return true;
    }
    case "call":
      return i.callee.kind === "function" && emitScalarIntrinsic(context, i, i.callee.name);
    case "extractelement": {
      const index = constantIndex(i.index);
      if (index === null)
        throw unsupported("a vector element with a computed index in compiled code", i.location ?? undefined);
      context.get(i.vector, index);
      break;
    }
    case "insertelement": {
      const index = constantIndex(i.index);
      if (index === null)
        throw unsupported("a vector element with a computed index in compiled code", i.location ?? undefined);
      leavesOf(i.type).forEach((_, n) => {
        if (n === index) context.get(i.element);
        else context.get(i.vector, n);
        context.set(i, n);
      });
      return true;
    }
    case "shufflevector":
      throw unsupported(`the vector instruction ${i.op} in compiled code`, i.location ?? undefined);
    default:
      return false;
  }
  context.set(i);
  return true;
}

function constantIndex(value: IrValue): number | null {
  return value.kind === "const-int" ? Number(value.value) : null;
}

/** A load of an aggregate is that of its leaves; the common case is one scalar. */
function emitLoads(context: ScalarContext, i: Extract<IrInstruction, { op: "load" }>): void {
  if (isScalar(i.type)) {
    emitLoad(context, i);
    context.set(i);
    return;
  }
  throw unsupported(`a load of a whole ${i.type.kind}`, i.location ?? undefined);
}

function emitStores(context: ScalarContext, i: Extract<IrInstruction, { op: "store" }>): void {
  if (!isScalar(i.value.type)) throw unsupported(`a store of a whole ${i.value.type.kind}`, i.location ?? undefined);
  emitStore(context, i);
}

function isScalar(type: IrType): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "ptr";
}

/** Pushes the address, modulo 2^32, or 2^64 where addresses have 64 bits (LangRef, "getelementptr"). */
function emitGep(context: ScalarContext, i: GepInstruction): void {
  const { code } = context;
  const carrier = wasmTypeOf(i.base.type) as AddressType;
  context.get(i.base);
  let constant = 0;
  let type: IrType = i.sourceType;
  i.indices.forEach((index, n) => {
    if (n > 0 && type.kind === "struct") {
      const field = index.kind === "const-int" ? Number(index.value) : 0;
      constant += structOffsets(type)[field] ?? bug("gep outside a struct");
      type = type.elements[field] as IrType;
      return;
    }
    if (n > 0) {
      if (type.kind !== "array" && type.kind !== "vector") bug("gep into a scalar");
      type = type.element;
    }
    const step = sizeOf(type);
    if (index.kind === "const-int") {
      constant += Number(BigInt.asIntN(index.type.bits, index.value)) * step;
      return;
    }
    emitIndex(context, index, carrier);
    if (step !== 1) {
      if ((step & (step - 1)) === 0) emitIntegerConstant(code, carrier, Math.log2(step)).op(`${carrier}Shl`);
      else emitIntegerConstant(code, carrier, step).op(`${carrier}Mul`);
    }
    code.op(`${carrier}Add`);
  });
  if (constant !== 0) emitIntegerConstant(code, carrier, constant).op(`${carrier}Add`);
}

function emitIndex(context: ScalarContext, index: IrValue, carrier: AddressType): void {
  context.get(index);
  const bits = bitWidth(index.type);
  if (bits > 32 && carrier === "i32") context.code.i32WrapI64();
  else emitSignExtend(context.code, bits);
  if (bits <= 32 && carrier === "i64") context.code.i64ExtendI32S();
}
