/**
 * The copies of the tensor memory accelerator as calls of our device library (libdevice/hopper.cu): cp.async.bulk,
 * cp.reduce.async.bulk, their tensor forms, and st.async (PTX ISA 8.5, 9.7.8.24).
 *
 * They are made at the instruction: there is nothing to wait for, so that groups of them are notes for checkers.
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
  e.callVoid("__heddle_bulk_reduce", [to, from, bytes, e.i32(type.bits / 8), operationOf(e, c), e.i32(kind)]);
  if (usesBarrier) e.callVoid("__heddle_mbarrier_complete_tx", [e.address(c, 3), bytes]);
}

/** [tensorMap, {x, y}]: the map's address and five coordinates. */
function tensorPlace(e: PtxEmitter, c: PtxCall, index: number): IrValue[] {
  const operand: PtxOperand | undefined = c.operands[index];
  const coordinates = operand?.kind === "address" ? operand.coordinates : null;
  const rank = Number(c.words.find((word) => /^[1-5]d$/.test(word))?.[0] ?? e.unsupported(c));
  if (coordinates?.length !== rank) return e.unsupported(c);
  const values = coordinates.map((coordinate) => e.readOperand(c, coordinate, I32));
  return [e.address(c, index), ...values, ...Array.from({ length: 5 - rank }, () => e.i32(0))];
}

function copyTensor(e: PtxEmitter, c: PtxCall): void {
  const mode = c.words.find((word) => /^(?:im2col|tile::|im2col_no_offs)/.test(word));
  if (mode !== undefined || has(c, "cta_group::2")) return e.unsupported(c);
  if (c.words[1] === "reduce")
    return e.callVoid("__heddle_tensor_reduce", [addressNumber(e, c, 1), ...tensorPlace(e, c, 0), operationOf(e, c)]);
  if (has(c, "bulk_group"))
    return e.callVoid("__heddle_tensor_store", [addressNumber(e, c, 1), ...tensorPlace(e, c, 0)]);
  if (!has(c, "mbarrier::complete_tx::bytes")) return e.unsupported(c);
  const place = tensorPlace(e, c, 1);
  e.callVoid("__heddle_tensor_load", [
    addressNumber(e, c, 0),
    ...place,
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
  values.forEach((value, i) => {
    e.add(newStore(e, e.readOperand(c, value, type.ir), e.address(c, 0, i * bytes), bytes));
  });
  e.callVoid("__heddle_mbarrier_complete_tx", [e.address(c, 2), e.i32(bytes * values.length)]);
}
