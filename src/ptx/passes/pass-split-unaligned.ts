/**
 * Loads and stores of more bytes than their address is aligned to become several: a GPU's access must be aligned to its
 * own size (PTX ISA, 6.4.1 "Addresses as operands"). LLVM copies the middle of a struct of floats as an i64 at a
 * multiple of 4, and what memcpy or a packed struct reads may lie anywhere.
 *
 * Needs: a legalised function. What lies at a constant distance from a variable keeps its size if the variable's own
 * alignment allows it. Atomic accesses stay as they are: they have no parts.
 */
import { NameSource, newBlock } from "../../ir/model/build.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type {
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { intType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";

type Access = LoadInstruction | StoreInstruction;

export function splitUnaligned(fn: IrFunction, module: IrModule): void {
  if (!fn.blocks.some(({ instructions }) => instructions.some(isUnaligned))) return;
  const e = new Emitter(module, fn, new NameSource(fn), newBlock(fn, ""));
  const replacements = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) {
    if (!block.instructions.some(isUnaligned)) continue;
    const out: IrInstruction[] = [];
    for (const i of block.instructions) {
      if (!isUnaligned(i)) {
        out.push(i);
        continue;
      }
      e.block = newBlock(fn, "");
      e.location = i.location;
      if (i.op === "load") replacements.set(i, loadPieces(e, i));
      else storePieces(e, i);
      for (const made of e.block.instructions) {
        made.block = block;
        out.push(made);
      }
    }
    block.instructions = out;
  }
  replaceUses(fn, replacements);
}

function isUnaligned(i: IrInstruction): i is Access {
  if ((i.op !== "load" && i.op !== "store") || i.ordering !== null) return false;
  const bytes = bytesOf(i);
  return i.align < bytes && placedAlignment(i.pointer) < bytes;
}

function bytesOf(i: Access): number {
  return sizeOf(i.op === "load" ? i.type : i.value.type);
}

/** What a variable's own alignment promises of an address at a constant distance from it; 1 where it is none. */
function placedAlignment(pointer: IrValue): number {
  let [base, distance] = [pointer, 0];
  while (base.kind === "instruction" && (base.op === "gep" || base.op === "cast")) {
    if (base.op === "gep") {
      const { constant, terms } = gepOffset(base.sourceType, base.indices);
      if (terms.length > 0) return 1;
      distance += constant;
      base = base.base;
    } else if (base.operator === "addrspacecast") base = base.operand;
    else return 1;
  }
  let align = base.kind === "global" || (base.kind === "instruction" && base.op === "alloca") ? base.align : 1;
  while (align > 1 && distance % align !== 0) align /= 2;
  return align;
}

function loadPieces(e: Emitter, i: LoadInstruction): IrValue {
  const { align } = i;
  const whole = intType(8 * bytesOf(i));
  let bits: IrValue | null = null;
  for (let byte = 0; byte < bytesOf(i); byte += align) {
    const piece = e.load(intType(8 * align), e.offset(i.pointer, byte), align, i);
    const wide = e.cast("zext", piece, whole);
    bits = bits === null ? wide : e.or(bits, e.shl(wide, 8 * byte));
  }
  return fromBits(e, bits as IrValue, i.type);
}

function storePieces(e: Emitter, i: StoreInstruction): void {
  const { align } = i;
  const bits = toBits(e, i.value, 8 * bytesOf(i));
  for (let byte = 0; byte < bytesOf(i); byte += align)
    e.store(e.cast("trunc", e.lshr(bits, 8 * byte), intType(8 * align)), e.offset(i.pointer, byte), align, i);
}

function fromBits(e: Emitter, bits: IrValue, type: IrType): IrValue {
  if (type.kind === "int") return bits;
  return e.cast(type.kind === "ptr" ? "inttoptr" : "bitcast", bits, type);
}

function toBits(e: Emitter, value: IrValue, bits: number): IrValue {
  if (value.type.kind === "int") return value;
  return e.cast(value.type.kind === "ptr" ? "ptrtoint" : "bitcast", value, intType(bits));
}
