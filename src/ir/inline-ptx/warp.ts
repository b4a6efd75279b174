/**
 * PTX warp communication, barriers and control as calls of NVVM's intrinsics (PTX ISA 8.5, 9.7.9.6, 9.7.12 and 9.7.18).
 */
import { constInt } from "../model/build.ts";
import type { IntType, IrValue } from "../model/ir.ts";
import type { PtxHandler } from "./handler.ts";
import type { PtxCall, PtxEmitter } from "./emit.ts";
import { I1, I32, I64, structType } from "../model/types.ts";

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);

/** Writes `value|predicate` or the value alone. */
function writePair(e: PtxEmitter, c: PtxCall, value: IrValue, predicate: () => IrValue): void {
  const destination = c.operands[0];
  if (destination?.kind !== "pair") return e.write(c, 0, value);
  e.writeOperand(c, destination.first, value);
  e.writeOperand(c, destination.second, predicate());
}

function shuffle(e: PtxEmitter, c: PtxCall): void {
  const mode = c.words.find((word) => /^(?:up|down|bfly|idx)$/.test(word)) ?? e.unsupported(c);
  const value = e.read(c, 1, I32);
  const args = [value, e.read(c, 2, I32), e.read(c, 3, I32)];
  const sync = has(c, "sync");
  const name = sync ? `llvm.nvvm.shfl.sync.${mode}.i32` : `llvm.nvvm.shfl.${mode}.i32`;
  const all = sync ? [e.read(c, 4, I32), ...args] : args;
  if (c.operands[0]?.kind !== "pair") return e.write(c, 0, e.call(name, I32, all));
  const result = e.call(`${name}p`, structType([I32, I1]), all);
  writePair(e, c, e.extract(result, 0, I32), () => e.extract(result, 1, I1));
}

function vote(e: PtxEmitter, c: PtxCall): void {
  const mode = c.words.find((word) => /^(?:all|any|uni|ballot)$/.test(word)) ?? e.unsupported(c);
  const predicate = e.read(c, 1, I1);
  const mask = has(c, "sync") ? e.read(c, 2, I32) : e.call("llvm.nvvm.activemask", I32, []);
  e.write(
    c,
    0,
    mode === "ballot"
      ? e.call("llvm.nvvm.vote.ballot.sync", I32, [mask, predicate])
      : e.call(`llvm.nvvm.vote.${mode}.sync`, I1, [mask, predicate]),
  );
}

function match(e: PtxEmitter, c: PtxCall): void {
  const type: IntType = has(c, "b64") ? I64 : I32;
  const value = e.read(c, 1, type);
  const mask = e.read(c, 2, I32);
  if (has(c, "any")) return e.write(c, 0, e.call(`llvm.nvvm.match.any.sync.i${type.bits}`, I32, [mask, value]));
  const result = e.call(`llvm.nvvm.match.all.sync.i${type.bits}p`, structType([I32, I1]), [mask, value]);
  writePair(e, c, e.extract(result, 0, I32), () => e.extract(result, 1, I1));
}

function reduce(e: PtxEmitter, c: PtxCall): void {
  const operation = c.words.find((word) => /^(?:add|min|max|and|or|xor)$/.test(word)) ?? e.unsupported(c);
  const type = c.types[0] ?? e.unsupported(c);
  if (type.kind === "float") return e.unsupported(c);
  const prefix = type.kind === "unsigned" && (operation === "min" || operation === "max") ? "u" : "";
  e.write(c, 0, e.call(`llvm.nvvm.redux.sync.${prefix}${operation}`, I32, [e.read(c, 1, I32), e.read(c, 2, I32)]));
}

/** One lane of the mask is elected: the lowest. */
function elect(e: PtxEmitter, c: PtxCall): void {
  const mask = e.read(c, 1, I32);
  const leader = e.call("llvm.cttz.i32", I32, [mask, constInt(I1, 0)]);
  const lane = e.call("llvm.nvvm.read.ptx.sreg.laneid", I32, []);
  writePair(e, c, leader, () => e.icmp("eq", leader, lane));
}

/** bar and barrier: .sync, .arrive, .red; .warp.sync; .cluster. */
function barrier(e: PtxEmitter, c: PtxCall): void {
  if (has(c, "warp")) return e.callVoid("llvm.nvvm.bar.warp.sync", [e.read(c, 0, I32)]);
  if (has(c, "cluster")) {
    const arrive = has(c, "relaxed") ? "arrive.relaxed" : "arrive";
    return e.callVoid(`llvm.nvvm.barrier.cluster.${has(c, "wait") ? "wait" : arrive}`, []);
  }
  const aligned = c.words[0] === "bar" || has(c, "aligned") ? "aligned." : "";
  if (has(c, "sync")) {
    const id = e.read(c, 0, I32);
    if (c.operands.length > 1) return e.callVoid(`llvm.nvvm.barrier.cta.sync.${aligned}count`, [id, e.read(c, 1, I32)]);
    return e.callVoid(`llvm.nvvm.barrier.cta.sync.${aligned}all`, [id]);
  }
  if (has(c, "arrive"))
    return e.callVoid(`llvm.nvvm.barrier.cta.arrive.${aligned}count`, [e.read(c, 0, I32), e.read(c, 1, I32)]);
  if (!has(c, "red")) return e.unsupported(c);
  const operation = c.words.find((word) => /^(?:popc|and|or)$/.test(word)) ?? e.unsupported(c);
  const result = operation === "popc" ? I32 : I1;
  const predicate = e.read(c, c.operands.length - 1, I1);
  const args =
    c.operands.length > 3 ? [e.read(c, 1, I32), e.read(c, 2, I32), predicate] : [e.read(c, 1, I32), predicate];
  e.write(
    c,
    0,
    e.call(`llvm.nvvm.barrier.cta.red.${operation}.${aligned}${c.operands.length > 3 ? "count" : "all"}`, result, args),
  );
}

const nothing: PtxHandler = () => {};

export const WARP: Readonly<Record<string, PtxHandler>> = {
  shfl: shuffle,
  vote,
  match,
  redux: reduce,
  elect,
  activemask: (e, c) => e.write(c, 0, e.call("llvm.nvvm.activemask", I32, [])),
  bar: barrier,
  barrier,
  nanosleep: (e, c) => e.callVoid("llvm.nvvm.nanosleep", [e.read(c, 0, I32)]),
  trap: (e) => e.callVoid("llvm.trap", []),
  brkpt: (e) => e.callVoid("llvm.debugtrap", []),
  exit: (e) => e.callVoid("llvm.nvvm.exit", []),
  griddepcontrol: nothing,
  setmaxnreg: nothing,
  pmevent: nothing,
};
