/**
 * One scalar IR instruction as WebAssembly, for every tier: the thread tier's threads and the warp tier's uniform
 * values. Operands and results go through ScalarContext; nothing here knows how a tier keeps its values.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { GepInstruction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../ir/model/layout.ts";
import type { ScalarContext } from "./environment.ts";
import { emitCast, emitFcmp, emitFloatBinary, emitFneg } from "./floats.ts";
import { emitIcmp, emitIntegerBinary, emitSignExtend } from "./integers.ts";
import { emitScalarIntrinsic } from "./intrinsics.ts";
import { emitAtomicRmw, emitCmpxchg, emitLoad, emitStore } from "./memory.ts";
import { bitWidth, leafPath, leavesOf } from "./value-types.ts";

/**
 * Emits an instruction and sets its result. Returns false for what belongs to the tier: phis, terminators, allocas,
 * calls other than scalar intrinsics. Throws unsupported for vectors (legalisation removes them).
 */
export function emitScalarInstruction(c: ScalarContext, i: IrInstruction): boolean {
  switch (i.op) {
    case "binary":
      if (i.type.kind === "float") emitFloatBinary(c, i);
      else emitIntegerBinary(c, i);
      break;
    case "fneg":
      emitFneg(c, i);
      break;
    case "icmp":
      emitIcmp(c, i);
      break;
    case "fcmp":
      emitFcmp(c, i);
      break;
    case "cast":
      emitCast(c, i);
      break;
    case "select": {
      const leaves = leavesOf(i.type);
      for (let n = 0; n < leaves.length; n++) {
        c.get(i.then, n);
        c.get(i.else, n);
        c.get(i.condition);
        c.f.select();
        c.set(i, n);
      }
      return true;
    }
    case "freeze":
      leavesOf(i.type).forEach((_, n) => {
        c.get(i.operand, n);
        c.set(i, n);
      });
      return true;
    case "gep":
      emitGep(c, i);
      break;
    case "load":
      emitLoads(c, i);
      return true;
    case "store":
      emitStores(c, i);
      return true;
    case "atomicrmw":
      emitAtomicRmw(c, i);
      break;
    case "cmpxchg":
      emitCmpxchg(c, i);
      return true;
    case "fence":
      c.f.atomicFence();
      return true;
    case "extractvalue": {
      const { first, type } = leafPath(i.aggregate.type, i.indices);
      leavesOf(type).forEach((_, n) => {
        c.get(i.aggregate, first + n);
        c.set(i, n);
      });
      return true;
    }
    case "insertvalue": {
      const { first, type } = leafPath(i.type, i.indices);
      const count = leavesOf(type).length;
      leavesOf(i.type).forEach((_, n) => {
        if (n >= first && n < first + count) c.get(i.element, n - first);
        else c.get(i.aggregate, n);
        c.set(i, n);
      });
      return true;
    }
    case "call":
      return i.callee.kind === "function" && emitScalarIntrinsic(c, i, i.callee.name);
    case "extractelement": {
      const index = constantIndex(i.index);
      if (index === null)
        throw unsupported("a vector element with a computed index in compiled code", i.location ?? undefined);
      c.get(i.vector, index);
      break;
    }
    case "insertelement": {
      const index = constantIndex(i.index);
      if (index === null)
        throw unsupported("a vector element with a computed index in compiled code", i.location ?? undefined);
      leavesOf(i.type).forEach((_, n) => {
        if (n === index) c.get(i.element);
        else c.get(i.vector, n);
        c.set(i, n);
      });
      return true;
    }
    case "shufflevector":
      throw unsupported(`the vector instruction ${i.op} in compiled code`, i.location ?? undefined);
    default:
      return false;
  }
  c.set(i);
  return true;
}

function constantIndex(value: IrValue): number | null {
  return value.kind === "const-int" ? Number(value.value) : null;
}

/** A load of an aggregate is that of its leaves; the common case is one scalar. */
function emitLoads(c: ScalarContext, i: Extract<IrInstruction, { op: "load" }>): void {
  if (isScalar(i.type)) {
    emitLoad(c, i);
    c.set(i);
    return;
  }
  throw unsupported(`a load of a whole ${i.type.kind}`, i.location ?? undefined);
}

function emitStores(c: ScalarContext, i: Extract<IrInstruction, { op: "store" }>): void {
  if (!isScalar(i.value.type)) throw unsupported(`a store of a whole ${i.value.type.kind}`, i.location ?? undefined);
  emitStore(c, i);
}

function isScalar(type: IrType): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "ptr";
}

/** Pushes the address, modulo 2^32 (LangRef, "getelementptr"). */
function emitGep(c: ScalarContext, i: GepInstruction): void {
  const { f } = c;
  c.get(i.base);
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
    emitIndex(c, index);
    if (step !== 1) {
      if ((step & (step - 1)) === 0) f.i32Const(Math.log2(step)).i32Shl();
      else f.i32Const(step).i32Mul();
    }
    f.i32Add();
  });
  if (constant !== 0) f.i32Const(constant).i32Add();
}

function emitIndex(c: ScalarContext, index: IrValue): void {
  c.get(index);
  const bits = bitWidth(index.type);
  if (bits > 32) c.f.i32WrapI64();
  else emitSignExtend(c.f, bits);
}
