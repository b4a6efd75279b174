/**
 * Loads and stores of any type as scalar ones, and the memory intrinsics as loads, stores and loops (LangRef, "load",
 * "store", "llvm.memcpy", "llvm.memmove", "llvm.memset").
 *
 * An int of another width than a machine's is stored as its store size in bytes, little endian; a vector of such ints
 * is packed bits.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { constInt } from "../model/build.ts";
import { startBlock } from "../model/emitter.ts";
import type { Emitter } from "../model/emitter.ts";
import type { IntType, IrType, IrValue, LoadInstruction, StoreInstruction } from "../model/ir.ts";
import { gepOffset } from "../model/gep.ts";
import { DYNAMIC_SHARED_ALIGN, isDynamicShared, sizeOf, storeSize, structOffsets } from "../model/layout.ts";
import { regroup } from "./legalize-ints.ts";
import type { BitField } from "./legalize-ints.ts";
import { isLegal, partTypes } from "./legalize-types.ts";
import { formatType, intType, scalarBits } from "../model/types.ts";

type LoadFlags = Pick<LoadInstruction, "volatile" | "ordering" | "scope" | "cache" | "invariant">;
type StoreFlags = Pick<StoreInstruction, "volatile" | "ordering" | "scope" | "cache">;

/** Reads the parts of a `type` at `pointer`, which is `align`ed. */
export function loadParts(e: Emitter, type: IrType, pointer: IrValue, align: number, flags: LoadFlags): IrValue[] {
  const parts: IrValue[] = [];
  visitScalars(type, 0, (scalar, offset) => {
    const at = e.offset(pointer, offset);
    const alignHere = alignAt(align, offset);
    if (isLegal(scalar) && scalarBits(scalar) > 1) return void parts.push(e.load(scalar, at, alignHere, flags));
    checkNotAtomic(flags.ordering, scalar);
    const widths = memoryPieces(scalar);
    let byte = 0;
    const fields: BitField[] = widths.map((width) => {
      const value = e.load(intType(width), e.offset(at, byte), alignAt(alignHere, byte), flags);
      byte += width / 8;
      return { value, bits: width };
    });
    parts.push(...regroup(e, fields, partWidths(scalar)));
  });
  return parts;
}

export function storeParts(
  e: Emitter,
  type: IrType,
  parts: readonly IrValue[],
  pointer: IrValue,
  align: number,
  flags: StoreFlags,
): void {
  let next = 0;
  visitScalars(type, 0, (scalar, offset) => {
    const count = partTypes(scalar).length;
    const mine = parts.slice(next, next + count);
    next += count;
    const at = e.offset(pointer, offset);
    const alignHere = alignAt(align, offset);
    if (isLegal(scalar) && scalarBits(scalar) > 1) return e.store(mine[0] as IrValue, at, alignHere, flags);
    checkNotAtomic(flags.ordering, scalar);
    const widths = partWidths(scalar);
    const fields = mine.map((value, i) => ({ value, bits: widths[i] as number }));
    const pieces = memoryPieces(scalar);
    let byte = 0;
    for (const [i, value] of regroup(e, fields, pieces).entries()) {
      e.store(value, e.offset(at, byte), alignAt(alignHere, byte), flags);
      byte += (pieces[i] as number) / 8;
    }
  });
}

/** The bits that each part of a type uses, in the order of its parts. */
export function partWidths(type: IrType): number[] {
  switch (type.kind) {
    case "int":
      return type.bits <= 64
        ? [type.bits]
        : Array.from({ length: Math.ceil(type.bits / 64) }, (_, i) => Math.min(64, type.bits - 64 * i));
    case "vector":
      return Array.from({ length: type.length }, () => partWidths(type.element)).flat();
    case "float":
    case "ptr":
      return [scalarBits(type)];
    default:
      return bug(`the bits of a ${formatType(type)}`);
  }
}

/** Scalars (or packed vectors) with their byte offsets, in order. */
function visitScalars(type: IrType, offset: number, visit: (scalar: IrType, offset: number) => void): void {
  switch (type.kind) {
    case "struct": {
      const offsets = structOffsets(type);
      return type.elements.forEach((element, i) => visitScalars(element, offset + (offsets[i] as number), visit));
    }
    case "array":
      for (let i = 0; i < type.length; i++) visitScalars(type.element, offset + i * sizeOf(type.element), visit);
      return;
    case "vector":
      // Elements of whole bytes lie one after the other; others are packed bits.
      if (scalarBits(type.element) % 8 !== 0) return visit(type, offset);
      for (let i = 0; i < type.length; i++)
        visitScalars(type.element, offset + (i * scalarBits(type.element)) / 8, visit);
      return;
    default:
      return visit(type, offset);
  }
}

/** Widths, in bits, of the memory accesses that cover an int's or packed vector's store size. */
function memoryPieces(type: IrType): number[] {
  const pieces: number[] = [];
  for (let bytes = storeSize(type); bytes > 0;) {
    const piece = [8, 4, 2].find((size) => bytes >= size) ?? 1;
    pieces.push(piece * 8);
    bytes -= piece;
  }
  return pieces;
}

/** What is known about `align`ed address + offset. */
export function alignAt(align: number, offset: number): number {
  let result = align;
  while (result > 1 && offset % result !== 0) result /= 2;
  return result;
}

function checkNotAtomic(ordering: string | null, type: IrType): void {
  if (ordering !== null) throw unsupported(`an atomic access of type ${formatType(type)}`);
}

// ---------------------------------------------------------------- memcpy, memmove, memset

/** Copies of at most this many accesses are written out. */
const MAX_UNROLLED = 32;

const plain = { volatile: false, ordering: null, scope: null, cache: null, invariant: false } as const;

/** The integer of `bytes` bytes; doubles' size moves as i64. */
function chunkType(bytes: number): IntType {
  return intType(bytes * 8);
}

/** What is known of the two addresses. */
export interface CopyAlignment {
  readonly destination: number;
  readonly source: number;
}

export function emitCopy(
  e: Emitter,
  kind: "memcpy" | "memmove",
  destination: IrValue,
  source: IrValue,
  length: IrValue,
  align: CopyAlignment,
  isVolatile: boolean,
): void {
  const flags = { ...plain, volatile: isVolatile };
  const chunk = Math.min(align.destination, align.source, 8);
  if (length.kind === "const-int") {
    const pieces = chunksOf(Number(length.value), chunk);
    if (pieces !== null) {
      // All loads before all stores: right for overlapping ranges, too. Each keeps what is known of its own side, by
      // which a device can make wide accesses of it.
      const values = pieces.map(({ at, bytes }) =>
        e.load(chunkType(bytes), e.offset(source, at), alignAt(align.source, at), flags),
      );
      for (const [i, { at }] of pieces.entries())
        e.store(values[i] as IrValue, e.offset(destination, at), alignAt(align.destination, at), flags);
      return;
    }
  }
  const word = wordOf(destination);
  const bytes = e.zextOrTrunc(length, word);
  const forward = (): void => {
    const whole = e.and(bytes, constInt(word, -chunk));
    emitLoop(e, constInt(word, 0), whole, chunk, (at) => copyOne(e, destination, source, at, chunk, flags));
    if (chunk > 1) emitLoop(e, whole, bytes, 1, (at) => copyOne(e, destination, source, at, 1, flags));
  };
  if (kind === "memcpy") return forward();
  // Downwards where the destination begins inside of the source.
  const up = e.newBlock("move.up");
  const down = e.newBlock("move.down");
  const done = e.newBlock("move.done");
  const distance = e.sub(e.cast("ptrtoint", destination, word), e.cast("ptrtoint", source, word));
  e.condBr(e.icmp("ult", distance, bytes), down, up);
  startBlock(e, up);
  forward();
  e.br(done);
  startBlock(e, down);
  emitLoop(e, constInt(word, 0), bytes, 1, (at) =>
    copyOne(e, destination, source, e.sub(e.sub(bytes, constInt(word, 1)), at), 1, flags),
  );
  e.br(done);
  startBlock(e, done);
}

function copyOne(
  e: Emitter,
  destination: IrValue,
  source: IrValue,
  at: IrValue,
  bytes: number,
  flags: LoadFlags,
): void {
  e.store(e.load(chunkType(bytes), e.offset(source, at), bytes, flags), e.offset(destination, at), bytes, flags);
}

export function emitFill(
  e: Emitter,
  destination: IrValue,
  byte: IrValue,
  length: IrValue,
  align: number,
  isVolatile: boolean,
): void {
  const flags = { ...plain, volatile: isVolatile };
  const chunk = Math.min(align, 8);
  const repeated = (bytes: number): IrValue => {
    if (bytes === 1) return byte;
    const type = chunkType(bytes);
    return e.mul(e.cast("zext", byte, type), constInt(type, 0x0101010101010101n));
  };
  if (length.kind === "const-int") {
    const pieces = chunksOf(Number(length.value), chunk);
    if (pieces !== null) {
      const values = new Map<number, IrValue>();
      for (const { at, bytes } of pieces) {
        let value = values.get(bytes);
        if (value === undefined) values.set(bytes, (value = repeated(bytes)));
        e.store(value, e.offset(destination, at), alignAt(align, at), flags);
      }
      return;
    }
  }
  const word = wordOf(destination);
  const bytes = e.zextOrTrunc(length, word);
  const whole = e.and(bytes, constInt(word, -chunk));
  const value = repeated(chunk);
  emitLoop(e, constInt(word, 0), whole, chunk, (at) => e.store(value, e.offset(destination, at), chunk, flags));
  if (chunk > 1) emitLoop(e, whole, bytes, 1, (at) => e.store(byte, e.offset(destination, at), 1, flags));
}

/** Offsets and sizes of the accesses that cover `length` bytes, or null where they are too many. */
function chunksOf(length: number, chunk: number): { at: number; bytes: number }[] | null {
  const pieces: { at: number; bytes: number }[] = [];
  for (let at = 0; at < length;) {
    let bytes = chunk;
    while (bytes > length - at) bytes /= 2;
    pieces.push({ at, bytes });
    if (pieces.length > MAX_UNROLLED) return null;
    at += bytes;
  }
  return pieces;
}

/** Integers as wide as this pointer. */
function wordOf({ type }: IrValue): IntType {
  return type.kind === "ptr" ? intType(type.bits) : bug("memory without a pointer");
}

/** for (i = from; i < to; i += step) body(i), where `to` - `from` is a multiple of `step`. */
function emitLoop(e: Emitter, from: IrValue, to: IrValue, step: number, body: (index: IrValue) => void): void {
  const before = e.block;
  const head = e.newBlock("copy.loop");
  const done = e.newBlock("copy.done");
  e.condBr(e.icmp("ult", from, to), head, done);
  startBlock(e, head);
  const index = e.phi(from.type as IntType, [{ value: from, block: before }]);
  body(index);
  const next = e.add(index, constInt(from.type as IntType, step));
  index.incoming.push({ value: next, block: e.block });
  e.condBr(e.icmp("ult", next, to), head, done);
  startBlock(e, done);
}

/** What is known about the alignment of a pointer from where it comes from. */
export function knownAlignment(value: IrValue, depth: number): number {
  if (depth > 8) return 1;
  switch (value.kind) {
    case "global":
      return isDynamicShared(value) ? Math.max(value.align, DYNAMIC_SHARED_ALIGN) : value.align;
    case "param":
      return value.align ?? 1;
    case "const-expr":
      return value.instruction.op === "cast" && value.instruction.operator === "addrspacecast"
        ? knownAlignment(value.instruction.operand, depth + 1)
        : 1;
    case "instruction":
      if (value.op === "alloca") return value.align;
      if (value.op === "cast" && value.operator === "addrspacecast") return knownAlignment(value.operand, depth + 1);
      if (value.op === "gep" && value.indices.every(({ type }) => type.kind === "int")) {
        const { constant, terms } = gepOffset(value.sourceType, value.indices);
        return terms.reduce(
          (align, { index, scale }) => alignAt(align, scale * multipleOf(index, 0)),
          alignAt(knownAlignment(value.base, depth + 1), constant),
        );
      }
      return 1;
    default:
      return 1;
  }
}

/** A power of two that divides the number. */
function multipleOf(value: IrValue, depth: number): number {
  if (value.kind === "const-int") return alignAt(LARGEST_MULTIPLE, Number(BigInt.asUintN(32, value.value)));
  if (value.kind !== "instruction" || depth > 6) return 1;
  const of = (operand: IrValue): number => multipleOf(operand, depth + 1);
  if (value.op === "cast" && (value.operator === "sext" || value.operator === "zext")) return of(value.operand);
  if (value.op !== "binary") return 1;
  switch (value.operator) {
    case "mul":
      return Math.min(LARGEST_MULTIPLE, of(value.lhs) * of(value.rhs));
    case "shl":
      return value.rhs.kind === "const-int"
        ? Math.min(LARGEST_MULTIPLE, of(value.lhs) * 2 ** Math.min(8, Number(value.rhs.value)))
        : 1;
    case "and":
      return Math.max(of(value.lhs), of(value.rhs));
    case "or":
    case "add":
    case "sub":
      return Math.min(of(value.lhs), of(value.rhs));
    default:
      return 1;
  }
}

/** More than any access asks for. */
const LARGEST_MULTIPLE = 256;
