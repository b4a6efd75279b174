/** The operands and successors of an instruction, read and replaced without knowing which instruction it is. */
import { intrinsicOf } from "../intrinsics/lookup.ts";
import type { IrBlock, IrInstruction, IrTerminator, IrValue } from "./ir.ts";

/** All value operands, in the order they are written. Blocks are not among them. */
export function operandsOf(instruction: IrInstruction): IrValue[] {
  const operands: IrValue[] = [];
  forEachOperand(instruction, (value) => operands.push(value));
  return operands;
}

/** Calls `visit` with every operand, in the order they are written. */
// oxlint-disable-next-line max-lines-per-function -- one case an instruction
export function forEachOperand(i: IrInstruction, visit: (value: IrValue) => void): void {
  switch (i.op) {
    case "binary":
    case "icmp":
    case "fcmp":
    case "shufflevector":
      visit(i.lhs);
      visit(i.rhs);
      return;
    case "fneg":
    case "cast":
    case "freeze":
      visit(i.operand);
      return;
    case "select":
      visit(i.condition);
      visit(i.then);
      visit(i.else);
      return;
    case "phi":
      for (const incoming of i.incoming) visit(incoming.value);
      return;
    case "gep":
      visit(i.base);
      for (const index of i.indices) visit(index);
      return;
    case "alloca":
      if (i.count) visit(i.count);
      return;
    case "load":
      visit(i.pointer);
      return;
    case "store":
      visit(i.value);
      visit(i.pointer);
      return;
    case "cmpxchg":
      visit(i.pointer);
      visit(i.expected);
      visit(i.desired);
      return;
    case "atomicrmw":
      visit(i.pointer);
      visit(i.value);
      return;
    case "call":
      visit(i.callee);
      for (const arg of i.args) visit(arg);
      return;
    case "extractvalue":
      visit(i.aggregate);
      return;
    case "insertvalue":
      visit(i.aggregate);
      visit(i.element);
      return;
    case "extractelement":
      visit(i.vector);
      visit(i.index);
      return;
    case "insertelement":
      visit(i.vector);
      visit(i.element);
      visit(i.index);
      return;
    case "va_arg":
      visit(i.list);
      return;
    case "condbr":
      visit(i.condition);
      return;
    case "switch":
      visit(i.value);
      return;
    case "ret":
      if (i.value) visit(i.value);
      return;
    case "fence":
    case "br":
    case "unreachable":
      return;
  }
}

/** Replaces every operand by the result of `map`, in place. */
// oxlint-disable-next-line max-lines-per-function -- one case an instruction
export function mapOperands(i: IrInstruction, map: (value: IrValue) => IrValue): void {
  switch (i.op) {
    case "binary":
    case "icmp":
    case "fcmp":
    case "shufflevector":
      i.lhs = map(i.lhs);
      i.rhs = map(i.rhs);
      return;
    case "fneg":
    case "cast":
    case "freeze":
      i.operand = map(i.operand);
      return;
    case "select":
      i.condition = map(i.condition);
      i.then = map(i.then);
      i.else = map(i.else);
      return;
    case "phi":
      for (const incoming of i.incoming) incoming.value = map(incoming.value);
      return;
    case "gep":
      i.base = map(i.base);
      i.indices = i.indices.map(map);
      return;
    case "alloca":
      if (i.count) i.count = map(i.count);
      return;
    case "load":
      i.pointer = map(i.pointer);
      return;
    case "store":
      i.value = map(i.value);
      i.pointer = map(i.pointer);
      return;
    case "cmpxchg":
      i.pointer = map(i.pointer);
      i.expected = map(i.expected);
      i.desired = map(i.desired);
      return;
    case "atomicrmw":
      i.pointer = map(i.pointer);
      i.value = map(i.value);
      return;
    case "call":
      i.callee = map(i.callee);
      i.args = i.args.map(map);
      return;
    case "extractvalue":
      i.aggregate = map(i.aggregate);
      return;
    case "insertvalue":
      i.aggregate = map(i.aggregate);
      i.element = map(i.element);
      return;
    case "extractelement":
      i.vector = map(i.vector);
      i.index = map(i.index);
      return;
    case "insertelement":
      i.vector = map(i.vector);
      i.element = map(i.element);
      i.index = map(i.index);
      return;
    case "va_arg":
      i.list = map(i.list);
      return;
    case "condbr":
      i.condition = map(i.condition);
      return;
    case "switch":
      i.value = map(i.value);
      return;
    case "ret":
      if (i.value) i.value = map(i.value);
      return;
    case "fence":
    case "br":
    case "unreachable":
      return;
  }
}

export function isTerminator(i: IrInstruction): i is IrTerminator {
  return i.op === "br" || i.op === "condbr" || i.op === "switch" || i.op === "ret" || i.op === "unreachable";
}

/** Replaces every target of a terminator, in place. Phis of the targets are the caller's. */
export function mapTargets(i: IrInstruction, map: (block: IrBlock) => IrBlock): void {
  if (i.op === "br") i.target = map(i.target);
  else if (i.op === "condbr") {
    i.then = map(i.then);
    i.else = map(i.else);
  } else if (i.op === "switch") {
    i.defaultTarget = map(i.defaultTarget);
    for (const c of i.cases) c.target = map(c.target);
  }
}

/** Writes memory, synchronises, transfers control or may not return: must stay even where its result is unused. */
export function hasSideEffects(i: IrInstruction): boolean {
  switch (i.op) {
    case "store":
    case "cmpxchg":
    case "atomicrmw":
    case "fence":
    case "va_arg":
    case "br":
    case "condbr":
    case "switch":
    case "ret":
    case "unreachable":
      return true;
    case "load":
      return i.volatile || i.ordering !== null;
    case "call":
      return !isPureCall(i.callee);
    default:
      return false;
  }
}

/** Calls without any effect but their result. Everything unknown has one. */
function isPureCall(callee: IrValue): boolean {
  if (callee.kind !== "function" || callee.blocks.length > 0) return false;
  // LLVM's own intrinsics, whatever their declaration says; the target's are always declared with attributes.
  const facts = intrinsicOf(callee.name);
  if (facts?.kind === "pure" && !facts.isNvvm) return true;
  const { attributes } = callee;
  if (!attributes.has("memory(none)") || attributes.has("convergent")) return false;
  return attributes.has("willreturn") && attributes.has("nounwind");
}
