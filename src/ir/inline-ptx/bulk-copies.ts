/**
 * The copies of the tensor memory accelerator as calls of our device library (libdevice/hopper.cu): cp.async.bulk,
 * cp.reduce.async.bulk, their tensor forms, and st.async (PTX ISA 8.5, 9.7.8.24).
 *
 * They are made at the instruction: there is nothing to wait for, so that groups of them are notes for checkers. Under
 * asynccheck they are made when somebody waits (check/asynccheck/late-completion.ts).
 */
import { unsupported } from "../../base/diagnostics.ts";
import type { IrValue } from "../model/ir.ts";
import { I32 } from "../model/types.ts";
import { newStore } from "../model/build.ts";
import { ptxType, type PtxCall, type PtxEmitter } from "./emit.ts";
import { has } from "./handler.ts";
import type { PtxOperand } from "./syntax.ts";

/** As libdevice/hopper.cu numbers them. */
const OPERATIONS = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
const KINDS = { unsigned: 0, signed: 1, half: 2, bfloat: 3, float: 4, double: 5 } as const;

const hasHint = (c: PtxCall): boolean => c.words.some((word) => word.includes("cache_hint"));

/** An address as a number: of shared memory it has 32 bits, and so has every other here. */
function addressNumber(e: PtxEmitter, c: PtxCall, index: number): IrValue {
  // The library's functions take addresses as numbers of 32 bits.
  if (e.pointer.bits === 64)
    throw unsupported(`${c.source.text} on a device with more than 4 GiB of memory`, e.location ?? undefined);
  return e.coerce(e.address(c, index), I32);
}

/** The blocks that a multicast names; 0: none is named. */
function blocksOf(e: PtxEmitter, c: PtxCall, index: number): IrValue {
  if (!has(c, "multicast::cluster")) return e.i32(0);
  return e.binary("and", e.read(c, index, I32), e.i32(0xffff));
}

function operationOf(e: PtxEmitter, c: PtxCall): IrValue {
  const found = OPERATIONS.findIndex((word) => has(c, word));
  return found < 0 ? e.unsupported(c) : e.i32(found);
}

/** cp.async.bulk and cp.reduce.async.bulk: `bulk` among the words. */
export function copyBulk(e: PtxEmitter, c: PtxCall): void {
  if (has(c, "commit_group")) return e.callVoid("llvm.nvvm.cp.async.bulk.commit.group", []);
  if (has(c, "wait_group"))
    return e.callVoid(`llvm.nvvm.cp.async.bulk.wait.group${has(c, "read") ? ".read" : ""}`, [e.read(c, 0, I32)]);
  if (has(c, "prefetch")) return;
  if (has(c, "tensor")) return copyTensor(e, c);
  const reduces = c.words[1] === "reduce";
  const usesBarrier = has(c, "mbarrier::complete_tx::bytes");
  if (!usesBarrier && !has(c, "bulk_group")) return e.unsupported(c);
  // With a mask of bytes (.cp_mask) a store writes some of each 16 only.
  if (has(c, "cp_mask")) return e.unsupported(c);
  const [to, from, bytes] = [addressNumber(e, c, 0), addressNumber(e, c, 1), e.read(c, 2, I32)];
  if (!reduces) {
    if (usesBarrier)
      return e.callVoid("__heddle_bulk_load", [to, from, bytes, addressNumber(e, c, 3), blocksOf(e, c, 4)]);
    return e.callVoid("__heddle_bulk_store", [to, from, bytes]);
  }
  const type = ptxType(c.words.at(-1) as string) ?? e.unsupported(c);
  if (type.lanes !== 1) return e.unsupported(c);
  const kind = type.ir.kind === "float" ? KINDS[type.ir.format] : KINDS[type.kind === "signed" ? "signed" : "unsigned"];
  const how = [e.i32(type.bits / 8), operationOf(e, c), e.i32(kind)];
  if (usesBarrier) return e.callVoid("__heddle_bulk_reduce_shared", [to, from, bytes, ...how, addressNumber(e, c, 3)]);
  e.callVoid("__heddle_bulk_reduce", [to, from, bytes, ...how]);
}

/** Bits of an offset of im2col mode, by the dimensions of the tensor, as libdevice/hopper.cu packs them. */
const OFFSET_BITS: Readonly<Record<number, number>> = { 3: 16, 4: 8, 5: 5 };
const IM2COL = 0x8000_0000;

function rankOf(e: PtxEmitter, c: PtxCall): number {
  return Number(c.words.find((word) => /^[1-5]d$/.test(word))?.[0] ?? e.unsupported(c));
}

/** [tensorMap, {x, y}]: the map's address and five coordinates. */
function tensorPlace(e: PtxEmitter, c: PtxCall, index: number): IrValue[] {
  const operand: PtxOperand | undefined = c.operands[index];
  const coordinates = operand?.kind === "address" ? operand.coordinates : null;
  const rank = rankOf(e, c);
  if (coordinates?.length !== rank) return e.unsupported(c);
  const values = coordinates.map((coordinate) => e.readOperand(c, coordinate, I32));
  return [e.address(c, index), ...values, ...Array.from({ length: 5 - rank }, () => e.i32(0))];
}

/** Tiles, or pixels (im2col), whose offsets are operand `index`; `.im2col_no_offs` has none. */
function modeOf(e: PtxEmitter, c: PtxCall, index: number | null): IrValue {
  const isPixels = has(c, "im2col") || has(c, "im2col_no_offs");
  if (!isPixels) return e.i32(0);
  const bits = OFFSET_BITS[rankOf(e, c)] ?? e.unsupported(c);
  if (index === null) return e.i32(IM2COL);
  const operand = c.operands[index];
  if (operand?.kind !== "vector" || operand.elements.length !== rankOf(e, c) - 2) return e.unsupported(c);
  return operand.elements.reduce<IrValue>((packed, element, axis) => {
    const offset = e.binary("and", e.readOperand(c, element, I32), e.i32((1 << bits) - 1));
    return e.binary("or", packed, e.binary("shl", offset, e.i32(axis * bits)));
  }, e.i32(IM2COL));
}

function copyTensor(e: PtxEmitter, c: PtxCall): void {
  // Blackwell's: gather and scatter, the wide modes of im2col, pairs of blocks.
  if (c.words.some((word) => /^(?:im2col::|tile::|cta_group::)/.test(word))) return e.unsupported(c);
  if (c.words[1] === "reduce" || has(c, "bulk_group")) {
    if (has(c, "im2col")) return e.unsupported(c);
    const what = [addressNumber(e, c, 1), ...tensorPlace(e, c, 0), modeOf(e, c, null)];
    if (c.words[1] === "reduce") return e.callVoid("__heddle_tensor_reduce", [...what, operationOf(e, c)]);
    return e.callVoid("__heddle_tensor_store", what);
  }
  if (!has(c, "mbarrier::complete_tx::bytes") || has(c, "im2col_no_offs")) return e.unsupported(c);
  const [to, ...place] = [addressNumber(e, c, 0), ...tensorPlace(e, c, 1)];
  e.callVoid("__heddle_tensor_load", [
    to,
    ...place,
    modeOf(e, c, 3),
    addressNumber(e, c, 2),
    blocksOf(e, c, c.operands.length - (hasHint(c) ? 2 : 1)),
  ]);
}

/** st.async: a store to another block of the cluster that its mbarrier counts. */
export function storeAsync(e: PtxEmitter, c: PtxCall): void {
  const type = ptxType(c.words.at(-1) as string) ?? e.unsupported(c);
  if (!has(c, "mbarrier::complete_tx::bytes")) return e.unsupported(c);
  const bytes = type.bits / 8;
  const values = e.elements(c, 1);
  // In front of the stores: tools name the barrier there.
  const barrier = e.address(c, 2);
  values.forEach((value, i) => {
    const store = newStore(e, e.readOperand(c, value, type.ir), e.address(c, 0, i * bytes), bytes);
    e.add({ ...store, isAsynchronous: true });
  });
  e.callVoid("__heddle_mbarrier_complete_tx", [barrier, e.i32(bytes * values.length)]);
}
