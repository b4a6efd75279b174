/**
 * The run time of instrumented code: the places in device memory that it reads and writes, and how it reports.
 *
 * Every *site* in the code has a record of RECORD_BYTES: how often it failed, and an example of the first thread (words
 * that the check gives, block, thread). The host reads the records after each launch in which a check failed.
 */
import { constI32, newBlock, newInstruction, NameSource } from "../ir/model/build.ts";
import { newFunction } from "../ir/model/build-module.ts";
import { Emitter } from "../ir/model/emitter.ts";
import type { AtomicRmwInstruction, IrFunction, IrGlobal, IrModule, IrValue } from "../ir/model/ir.ts";
import { I1, I32, I8, VOID, functionType, ptrType } from "../ir/model/types.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

export const RECORD_BYTES = 64;
/** Words of a record. */
export const RECORD: Readonly<Record<"count" | "words" | "block" | "thread", number>> = {
  count: 0,
  words: 1,
  block: 10,
  thread: 13,
};
/** Words of an example that a check may give. */
export const EXAMPLE_WORDS = 9;
/** A word that is not 0 once any check has failed. */
export const FAILED_VARIABLE = "failed";
/**
 * All memory: its address is 0. What a tool reads of the program's is no access of the program's, and has been accessed
 * just before.
 */
export const MEMORY_VARIABLE = "memory";

/** A pointer `bytes` into one of the tool's variables. */
export function toolAddress(variable: IrGlobal, bytes: number): IrValue {
  if (bytes === 0) return variable;
  return {
    kind: "const-expr",
    type: variable.type,
    instruction: { op: "gep", sourceType: I8, base: variable, indices: [constI32(bytes)] },
  };
}

/** The thread's place in its block: warp after warp. */
export function threadPlace(e: Emitter): IrValue {
  const special = (name: string): IrValue => e.intrinsic(`llvm.nvvm.read.ptx.sreg.${name}`, I32, []);
  return e.add(e.shl(special("warpid"), 5), special("laneid"));
}

/** Adds to a word that other threads may change, too. @returns what it was before */
export function countUp(e: Emitter, pointer: IrValue, value: IrValue): IrValue {
  return e.append(
    newInstruction<AtomicRmwInstruction>(e, {
      op: "atomicrmw",
      type: I32,
      name: e.name(),
      operator: "add",
      pointer,
      value,
      volatile: false,
      ordering: "monotonic",
      scope: null,
    }),
  );
}

/**
 * The function `report(record, bad, word, …)`: counts a failed check, and records the first as an example. Called on
 * a path that is taken once a check in a block has failed, for each of its checks: `bad` says which.
 */
export function reportFunction(module: IrModule, names: ToolNamespace): IrFunction {
  const name = names.name("report");
  const known = module.functions.get(name);
  if (known !== undefined) return known;
  const words = Array.from({ length: EXAMPLE_WORDS }, (_, index) => `word${index}`);
  const fn = newFunction(name, functionType(VOID, [ptrType(1), I1, ...words.map(() => I32)]), [
    "record",
    "bad",
    ...words,
  ]);
  fn.linkage = "internal";
  fn.attributes = new Set(["cold"]);
  module.functions.set(name, fn);
  const [record, bad, ...example] = fn.params as unknown as [IrValue, IrValue, ...IrValue[]];
  const entry = newBlock(fn, "entry");
  const count = newBlock(fn, "count");
  const first = newBlock(fn, "first");
  const done = newBlock(fn, "done");
  fn.blocks = [entry, count, first, done];
  const e = new Emitter(module, fn, new NameSource(fn), entry);
  e.condBr(bad, count, done);
  e.block = count;
  const before = countUp(e, record, constI32(1));
  e.condBr(e.icmp("eq", before, 0), first, done);
  e.block = first;
  const keep = (word: number, value: IrValue): void => e.store(value, e.offset(record, 4 * word), 4);
  e.store(constI32(1), names.variable(module, FAILED_VARIABLE), 4);
  example.forEach((value, index) => keep(RECORD.words + index, value));
  for (const [axis, letter] of ["x", "y", "z"].entries()) {
    keep(RECORD.block + axis, e.intrinsic(`llvm.nvvm.read.ptx.sreg.ctaid.${letter}`, I32, []));
    keep(RECORD.thread + axis, e.intrinsic(`llvm.nvvm.read.ptx.sreg.tid.${letter}`, I32, []));
  }
  e.br(done);
  e.block = done;
  e.append({ kind: "instruction", op: "ret", type: VOID, name: "", value: null, block: done, location: null });
  return fn;
}
