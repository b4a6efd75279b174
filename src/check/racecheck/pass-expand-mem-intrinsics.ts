/**
 * Copies, fills and comparisons of memory as loops of loads and stores, so that checkers see each access: `memcpy` with
 * a long or unknown length, and string functions (libdevice/memory.cu). Reports name the place of the call.
 *
 * Needs: a linked module that holds COPY_FUNCTIONS. Afterwards: it is valid, and does what it did.
 */
import { bug } from "../../base/diagnostics.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { NameSource } from "../../ir/model/build.ts";
import { callsOf, recursiveFunctions } from "../../ir/graph/call-graph.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import type { CallInstruction, IrFunction, IrModule, IrValue } from "../../ir/model/ir.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { I32, PTR } from "../../ir/model/types.ts";
import { LONGEST_BYTES, isPrivate } from "./race-accesses.ts";

/** What the intrinsics become. */
export const COPY_FUNCTIONS: readonly string[] = ["memcpy", "memmove", "memset"];
const OPENED: ReadonlySet<string> = new Set([
  ...COPY_FUNCTIONS,
  "memcmp",
  "memchr",
  "strlen",
  "strcmp",
  "strncmp",
  "strcpy",
  "strcat",
]);

/** @param own the program's functions. */
export function expandMemIntrinsics(module: IrModule, own: ReadonlySet<IrFunction>): void {
  const opened = new Set(
    [...OPENED]
      .flatMap((name) => module.functions.get(name) ?? [])
      .filter((fn) => fn.blocks.length > 0 && !own.has(fn)),
  );
  // It keeps the compiler that made the library from finding the loops.
  for (const { blocks } of opened)
    for (const { instructions } of blocks)
      for (const i of instructions) if (i.op === "load" || i.op === "store") i.volatile = false;
  for (const fn of own) {
    let opens = false;
    for (const call of callsOf(fn)) {
      if (call.callee.kind !== "function") continue;
      if (opened.has(call.callee) || (isLong(call) && replace(module, call, opened))) opens = true;
    }
    if (opens) inlineCalls(fn, module, { keeps: (callee) => !opened.has(callee), recursive: recursiveFunctions(fn) });
  }
}

/** Longer than what counts as one access, and of memory that other threads see. */
function isLong(call: CallInstruction): boolean {
  const [to, from, length] = call.args;
  const isRange = (calledIntrinsic(call)?.memoryRange ?? null) !== null;
  if (!isRange || to === undefined || from === undefined || length === undefined) return false;
  return (
    (length.kind !== "const-int" || length.value > BigInt(LONGEST_BYTES)) &&
    [to, from].some((value) => value.type.kind === "ptr" && !isPrivate(value))
  );
}

/** The call of an intrinsic becomes one of the function. @returns false: the program has a function of that name */
function replace(module: IrModule, call: CallInstruction, opened: ReadonlySet<IrFunction>): boolean {
  const name = calledIntrinsic(call)?.memoryRange ?? bug("a copy or fill of memory");
  const callee = module.functions.get(name);
  if (callee === undefined || !opened.has(callee)) return false;
  const { block } = call;
  const at = block.instructions.indexOf(call);
  const e = new Emitter(module, block.function, new NameSource(block.function), block);
  // What is added lies in front of the call.
  const behind = block.instructions.splice(at);
  const generic = (pointer: IrValue): IrValue =>
    pointer.type.kind === "ptr" && pointer.type.addressSpace !== 0 ? e.cast("addrspacecast", pointer, PTR) : pointer;
  const [to, second, length] = call.args as [IrValue, IrValue, IrValue];
  const args = [
    generic(to),
    name === "memset" ? e.zextOrTrunc(second, I32) : generic(second),
    e.zextOrTrunc(length, I32),
  ];
  const called = e.intrinsic(name, callee.functionType.result, args);
  (called as CallInstruction).location = call.location;
  block.instructions.push(...behind.slice(1));
  return true;
}
