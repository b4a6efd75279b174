/**
 * PTX loads, stores, atomics, copies, fences and mbarriers as IR (PTX ISA 8.5, 9.7.8 and 9.7.12).
 *
 * Eviction priorities and prefetches do not change results and are dropped. Asynchronous copies are made at the
 * instruction, so that waiting for them is nothing. Orders and scopes are kept (8, "Memory Consistency Model"): what
 * names none is relaxed for the GPU where it is atomic, and otherwise a plain access.
 */
import type {
  AtomicOperator,
  AtomicOrdering,
  AtomicRmwInstruction,
  CmpxchgInstruction,
  FenceInstruction,
  IrType,
  IrValue,
  LoadInstruction,
} from "../model/ir.ts";
import { newInstruction, newLoad, newStore } from "../model/build.ts";
import type { PtxHandler } from "./handler.ts";
import { copyBulk, storeAsync } from "./bulk-copies.ts";
import { ptxType, type PtxCall, type PtxEmitter, type PtxType } from "./emit.ts";
import { I1, I32, I64, VOID, intType, structType } from "../model/types.ts";

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);

const ORDERS: Readonly<Record<string, AtomicOrdering>> = {
  relaxed: "monotonic",
  acquire: "acquire",
  release: "release",
  acq_rel: "acq_rel",
};
const SCOPES: Readonly<Record<string, string>> = { cta: "block", cluster: "cluster", gpu: "device" };

function orderOf(c: PtxCall): AtomicOrdering | null {
  const word = c.words.find((w) => w in ORDERS);
  return word === undefined ? null : (ORDERS[word] as AtomicOrdering);
}
/** null is the system, as everywhere in IR. */
function scopeOf(c: PtxCall, otherwise: string | null): string | null {
  if (has(c, "sys")) return null;
  const word = c.words.find((w) => w in SCOPES);
  return word === undefined ? otherwise : (SCOPES[word] as string);
}
/** How a load or a store is made. */
function access(c: PtxCall): Pick<LoadInstruction, "volatile" | "ordering" | "scope" | "cache"> {
  const ordering = orderOf(c);
  // What looks at memory again each time.
  const volatile = c.words.some((word) => /^(?:volatile|mmio|cv|wt)$/.test(word));
  return {
    volatile,
    ordering,
    scope: ordering === null ? null : scopeOf(c, null),
    cache: cacheOf(c),
  };
}

function cacheOf(c: PtxCall): "cs" | "cg" | null {
  if (has(c, "cs") || has(c, "lu")) return "cs";
  return has(c, "cg") ? "cg" : null;
}

function accessType(e: PtxEmitter, c: PtxCall): PtxType {
  return ptxType(c.words[c.words.length - 1] as string) ?? e.unsupported(c);
}
/** 1, 2, 4 or 8 elements. */
function vectorLength(c: PtxCall): number {
  return Number(c.words.find((word) => /^v[248]$/.test(word))?.slice(1) ?? 1);
}

function load(e: PtxEmitter, c: PtxCall): void {
  const type = accessType(e, c);
  if (has(c, "param")) return e.unsupported(c);
  const length = vectorLength(c);
  const destinations = e.elements(c, 0);
  if (destinations.length !== length) return e.unsupported(c);
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  // A vector's address is aligned to the whole of it.
  const values = destinations.map((_, i) => {
    const instruction = newLoad(
      e,
      e.name(),
      ir,
      e.address(c, 1, (i * type.bits) / 8),
      i === 0 ? (length * type.bits) / 8 : type.bits / 8,
    );
    return e.add(Object.assign(instruction, access(c)));
  });
  destinations.forEach((destination, i) =>
    e.writeOperand(c, destination, values[i] as IrValue, type.kind === "signed"),
  );
}

function store(e: PtxEmitter, c: PtxCall): void {
  if (c.words[1] === "async") return storeAsync(e, c);
  const type = accessType(e, c);
  const length = vectorLength(c);
  const sources = e.elements(c, 1);
  if (sources.length !== length) return e.unsupported(c);
  const ir: IrType = type.lanes === 2 ? I32 : type.ir;
  sources.forEach((source, i) => {
    const instruction = newStore(
      e,
      e.readOperand(c, source, ir),
      e.address(c, 0, (i * type.bits) / 8),
      i === 0 ? (length * type.bits) / 8 : type.bits / 8,
    );
    e.add(Object.assign(instruction, access(c)));
  });
}

// ---------------------------------------------------------------- atomics

function operatorOf(e: PtxEmitter, c: PtxCall, type: PtxType): AtomicOperator {
  const word = c.words.slice(1).find((w) => /^(?:add|min|max|inc|dec|and|or|xor|exch)$/.test(w)) ?? e.unsupported(c);
  switch (word) {
    case "add":
      return type.kind === "float" ? "fadd" : "add";
    case "min":
    case "max":
      if (type.kind === "float") return `f${word}`;
      return type.kind === "signed" ? word : `u${word}`;
    case "inc":
      return "uinc_wrap";
    case "dec":
      return "udec_wrap";
    case "exch":
      return "xchg";
    default:
      return word as "and" | "or" | "xor";
  }
}

/** atom d, [a], b and red [a], b; vectors and packed types one element at a time, as PTX promises no more. */
function atomic(e: PtxEmitter, c: PtxCall): void {
  const type = accessType(e, c);
  const reduction = c.words[0] === "red";
  const at = reduction ? 0 : 1;
  if (has(c, "cas")) return compareAndSwap(e, c, type);
  const operator = operatorOf(e, c, type);
  const sources = e.elements(c, at + 1);
  const results: IrValue[] = [];
  sources.forEach((source, i) => {
    const offset = (i * type.bits) / 8;
    if (type.lanes === 2 && type.ir.kind === "float") {
      const [low, high] = e.unpack(e.readOperand(c, source, I32), type.ir);
      if (operator === "fadd" && (orderOf(c) ?? "monotonic") === "monotonic" && scopeOf(c, "device") === "device") {
        results.push(
          e.call(`__heddle_atomic_add_${type.ir.format === "half" ? "f16x2" : "bf16x2"}`, I32, [
            e.address(c, at, offset),
            e.readOperand(c, source, I32),
          ]),
        );
        return;
      }
      results.push(
        e.pack(
          atomicRmw(e, c, operator, e.address(c, at, offset), low),
          atomicRmw(e, c, operator, e.address(c, at, offset + 2), high),
        ),
      );
    } else results.push(atomicRmw(e, c, operator, e.address(c, at, offset), e.readOperand(c, source, type.ir)));
  });
  if (reduction) return;
  e.elements(c, 0).forEach((destination, i) => e.writeOperand(c, destination, results[i] ?? e.unsupported(c)));
}
function atomicRmw(e: PtxEmitter, c: PtxCall, operator: AtomicOperator, pointer: IrValue, value: IrValue): IrValue {
  return e.add(
    newInstruction<AtomicRmwInstruction>(e, {
      op: "atomicrmw",
      type: value.type,
      name: e.name(),
      operator,
      pointer,
      value,
      volatile: false,
      ordering: orderOf(c) ?? "monotonic",
      scope: scopeOf(c, "device"),
    }),
  );
}
function compareAndSwap(e: PtxEmitter, c: PtxCall, type: PtxType): void {
  const ir = intType(type.bits);
  const pair = structType([ir, I1]);
  const ordering = orderOf(c) ?? "monotonic";
  const failureOrdering = ordering === "acquire" || ordering === "acq_rel" ? "acquire" : "monotonic";
  const result = e.add(
    newInstruction<CmpxchgInstruction>(e, {
      op: "cmpxchg",
      type: pair,
      name: e.name(),
      pointer: e.address(c, 1),
      expected: e.read(c, 2, ir),
      desired: e.read(c, 3, ir),
      volatile: false,
      ordering,
      failureOrdering,
      scope: scopeOf(c, "device"),
    }),
  );
  e.write(c, 0, e.extract(result, 0, ir));
}

// ---------------------------------------------------------------- copies

/** cp.async of 4, 8 or 16 bytes; a fourth operand is the number of bytes to read, the rest being zeros. */
function copyAsync(e: PtxEmitter, c: PtxCall): void {
  if (has(c, "bulk")) return copyBulk(e, c);
  if (has(c, "commit_group")) return e.callVoid("llvm.nvvm.cp.async.commit.group", []);
  if (has(c, "wait_group")) return e.callVoid("llvm.nvvm.cp.async.wait.group", [e.read(c, 0, I32)]);
  if (has(c, "wait_all")) return e.callVoid("llvm.nvvm.cp.async.wait.all", []);
  if (has(c, "mbarrier")) {
    // The copies are made: the barrier sees an ordinary arrival, unless it does not expect one.
    e.callVoid("llvm.nvvm.cp.async.mbarrier.arrive", [e.address(c, 0), e.i32(has(c, "noinc") ? 1 : 0)]);
    if (has(c, "noinc")) e.call("__heddle_mbarrier_arrive", I64, [e.address(c, 0), e.i32(1)]);
    return;
  }
  const size = c.operands[2];
  if (size?.kind !== "int" && size?.kind !== "asm") return e.unsupported(c);
  const bytes = e.read(c, 2, I32);
  if (bytes.kind !== "const-int") return e.unsupported(c);
  const count = Number(bytes.value);
  const hasPolicy = c.words.some((word) => word.includes("cache_hint"));
  const extra = c.operands.length - 3 - (hasPolicy ? 1 : 0);
  if (extra > 0)
    return e.callVoid("__heddle_copy_zero_fill", [e.address(c, 0), e.address(c, 1), bytes, e.read(c, 3, I32)]);
  const words = Array.from({ length: count / 4 }, (_, i) =>
    e.add({ ...newLoad(e, e.name(), I32, e.address(c, 1, i * 4), i === 0 ? count : 4), isAsynchronous: true }),
  );
  words.forEach((word, i) => e.add(newStore(e, word, e.address(c, 0, i * 4), i === 0 ? count : 4)));
}

const nothing: PtxHandler = () => {};

function membarScope(c: PtxCall): "block" | "device" | null {
  if (has(c, "cta")) return "block";
  return has(c, "gl") ? "device" : null;
}

/** fence.sc.gpu and its like; membar.gl is fence.sc.gpu. A fence of proxies is a note: there are no proxies here. */
function fence(e: PtxEmitter, c: PtxCall): void {
  if (has(c, "proxy") && c.words.includes("async")) e.callVoid("llvm.nvvm.fence.proxy.async", []);
  const scope = c.words[0] === "membar" ? membarScope(c) : scopeOf(c, null);
  e.add(
    newInstruction<FenceInstruction>(e, {
      op: "fence",
      type: VOID,
      name: "",
      ordering: c.words[0] === "membar" || has(c, "sc") ? "seq_cst" : "acq_rel",
      scope,
    }),
  );
}

// ---------------------------------------------------------------- mbarriers (their state is libdevice/ptx.cu's)

function mbarrier(e: PtxEmitter, c: PtxCall): void {
  const operation = c.words[1];
  if (operation === "init") return e.callVoid("__heddle_mbarrier_init", [e.address(c, 0), e.read(c, 1, I32)]);
  if (operation === "inval") return;
  if (operation === "pending_count")
    return e.write(c, 0, e.call("__heddle_mbarrier_pending_count", I32, [e.read(c, 1, I64)]));
  if (operation === "expect_tx" || operation === "complete_tx") {
    return e.callVoid(`__heddle_mbarrier_${operation}`, [e.address(c, 0), e.read(c, 1, I32)]);
  }
  if (operation === "arrive" || operation === "arrive_drop") {
    // With or without a result: the address is the first bracketed operand.
    const at = c.operands[0]?.kind === "address" ? 0 : 1;
    const expect = has(c, "expect_tx");
    if (expect) e.callVoid("__heddle_mbarrier_expect_tx", [e.address(c, at), e.read(c, at + 1, I32)]);
    const count = !expect && c.operands[at + 1] !== undefined ? e.read(c, at + 1, I32) : e.i32(1);
    const state = e.call(`__heddle_mbarrier_${operation}`, I64, [e.address(c, at), count]);
    if (at === 1) e.write(c, 0, state);
    return;
  }
  if (operation === "test_wait" || operation === "try_wait") {
    const parity = has(c, "parity");
    const name = parity ? "__heddle_mbarrier_test_parity" : "__heddle_mbarrier_test";
    const done = e.call(name, I32, [e.address(c, 1), parity ? e.read(c, 2, I32) : e.read(c, 2, I64)]);
    // A poll that fails lets others run, so that a loop of polls makes progress.
    if (operation === "try_wait") e.callVoid("llvm.nvvm.nanosleep", [e.i32(20)]);
    return e.write(c, 0, e.icmp("ne", done, e.i32(0)));
  }
  e.unsupported(c);
}

export const MEMORY: Readonly<Record<string, PtxHandler>> = {
  ld: load,
  ldu: load,
  st: store,
  atom: atomic,
  red: atomic,
  cp: copyAsync,
  membar: fence,
  fence,
  mbarrier,
  prefetch: nothing,
  prefetchu: nothing,
  applypriority: nothing,
  discard: nothing,
  createpolicy: (e, c) => e.write(c, 0, e.int(I64, 0)),
};
