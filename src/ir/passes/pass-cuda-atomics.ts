/**
 * What a CUDA program says of its atomic operations and Clang's IR for NVPTX has no words for.
 *
 * - Scopes: Clang knows none there. The headers call `__heddle_thread_scope(pointer, scope)`
 *   (include/heddle/thread_scope.h), which returns the pointer; the scope belongs to the atomic operations that are
 *   made with the result. Where pointers of several scopes meet, the widest holds.
 * - CUDA's own atomic functions (atomicAdd and the like) are relaxed, for the whole device (CUDA C++ Programming Guide,
 *   "Atomic Functions"), and yet programs expect that the compiler moves nothing across them, as nvcc does not. The
 *   headers make them volatile and sequentially consistent, which keeps Clang from it; here they become what they are.
 *   Clang's builtins for atomicInc and atomicDec cannot be volatile, but nothing else makes those operations.
 *
 * Runs when Clang is done, before anything reads an ordering or a scope. Afterwards no call of `__heddle_thread_scope`
 * is left.
 */
import type { IrFunction, IrInstruction, IrModule, IrValue } from "../model/ir.ts";
import { mapOperands } from "../model/operands.ts";

const THREAD_SCOPE = "__heddle_thread_scope";

/** From the narrowest to the widest; their places are the numbers of __NV_THREAD_SCOPE_*. null is the system. */
const SCOPES: readonly (string | null)[] = ["singlethread", "block", "cluster", "device", null];
const SYSTEM = SCOPES.length - 1;

export function lowerAtomicScopes(module: IrModule): void {
  const marker = module.functions.get(THREAD_SCOPE) ?? null;
  for (const fn of module.functions.values()) {
    for (const block of fn.blocks) for (const instruction of block.instructions) settle(instruction, marker);
    if (marker !== null) dropMarkers(fn, marker);
  }
  module.functions.delete(THREAD_SCOPE);
}

function settle(i: IrInstruction, marker: IrFunction | null): void {
  if (i.op !== "load" && i.op !== "store" && i.op !== "atomicrmw" && i.op !== "cmpxchg") return;
  if (i.ordering === null) return;
  const scope = marker === null ? null : widestScope(i.pointer, marker);
  if (scope !== null) i.scope = SCOPES[scope] as string | null;
  if (i.op === "load" || i.op === "store" || i.ordering !== "seq_cst") return;
  const isCudaFunction =
    i.volatile || (i.op === "atomicrmw" && (i.operator === "uinc_wrap" || i.operator === "udec_wrap"));
  if (!isCudaFunction) return;
  i.volatile = false;
  i.ordering = "monotonic";
  if (i.op === "cmpxchg") i.failureOrdering = "monotonic";
  if (scope === null) i.scope = "device";
}

/** The index in SCOPES of what the pointer was marked with, or null where it was not. */
function widestScope(pointer: IrValue, marker: IrFunction): number | null {
  const seen = new Set<IrValue>();
  const found: (number | null)[] = [];
  const visit = (value: IrValue): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (value.kind !== "instruction") return void found.push(null);
    switch (value.op) {
      case "call":
        return void found.push(value.callee === marker ? scopeNumber(value.args[1] as IrValue) : null);
      case "phi":
        return value.incoming.forEach((incoming) => visit(incoming.value));
      case "select":
        visit(value.then);
        return visit(value.else);
      case "gep":
        return visit(value.base);
      case "cast":
      case "freeze":
        return visit(value.operand);
      default:
        return void found.push(null);
    }
  };
  visit(pointer);
  if (found.every((scope) => scope === null)) return null;
  return Math.max(...found.map((scope) => scope ?? SYSTEM));
}

/** What is no constant may be any scope. */
function scopeNumber(argument: IrValue): number {
  return argument.kind === "const-int" && argument.value < BigInt(SYSTEM) ? Number(argument.value) : SYSTEM;
}

function dropMarkers(fn: IrFunction, marker: IrFunction): void {
  const isMark = (value: IrValue): boolean =>
    value.kind === "instruction" && value.op === "call" && value.callee === marker;
  const unmarked = (value: IrValue): IrValue => {
    let at = value;
    while (at.kind === "instruction" && at.op === "call" && at.callee === marker) at = at.args[0] as IrValue;
    return at;
  };
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) if (!isMark(instruction)) mapOperands(instruction, unmarked);
    block.instructions = block.instructions.filter((instruction) => !isMark(instruction));
  }
}
