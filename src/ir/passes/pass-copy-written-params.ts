/**
 * Structs passed by value to a kernel become each thread's own copy where they are written to: the parameter buffer
 * belongs to all threads of the launch.
 *
 * Needs: a valid kernel. What it passes to a call counts as written to, so calls are best inlined before. Afterwards: a
 * `byval` parameter leads to loads only.
 */
import { NameSource, constBool, constI32, newCall, newInstruction } from "../model/build.ts";
import { declareMemcpy } from "../model/build-module.ts";
import { calledIntrinsic } from "../model/called-intrinsic.ts";
import type { AllocaInstruction, IrBlock, IrFunction, IrInstruction, IrModule, IrParam } from "../model/ir.ts";
import { alignOf, sizeOf } from "../model/layout.ts";
import { pointerOf } from "../model/types.ts";
import { replaceAllUses } from "../model/uses.ts";

export function copyWrittenParams(kernel: IrFunction, module: IrModule): void {
  const written = kernel.params.filter((param) => param.byval !== null && !onlyRead(kernel, param));
  if (written.length === 0) return;
  const names = new NameSource(kernel);
  for (const param of written) copyParam(kernel, module, param, names);
}

export function copyParam(fn: IrFunction, module: IrModule, param: IrParam, names: NameSource): void {
  const type = param.byval as NonNullable<IrParam["byval"]>;
  const entry = fn.blocks[0] as IrBlock;
  const place = { block: entry, location: null };
  const align = Math.max(alignOf(type), param.align ?? 1);
  const copy = newInstruction<AllocaInstruction>(place, {
    op: "alloca",
    type: pointerOf(fn),
    name: names.fresh(`${param.name}.copy`),
    allocatedType: type,
    count: null,
    align,
  });
  replaceAllUses(fn, param, copy);
  const memcpy = declareMemcpy(module);
  const call = newCall(place, "", memcpy, [copy, param, constI32(sizeOf(type)), constBool(false)]);
  call.argAlign = [align, align, null, null];
  const allocas = entry.instructions.findIndex((i) => i.op !== "alloca");
  entry.instructions.splice(allocas < 0 ? 0 : allocas, 0, copy, call);
}

/** Whether a pointer parameter leads to loads only. */
export function onlyRead(fn: IrFunction, root: IrParam): boolean {
  const derived = new Set<unknown>([root]);
  for (let grew = true; grew;) {
    grew = false;
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        if (derived.has(i)) continue;
        const uses = usesPointer(i, derived);
        if (uses === "no") continue;
        if (uses === "bad") return false;
        if (uses === "derives") {
          derived.add(i);
          grew = true;
        }
      }
    }
  }
  return true;
}

function usesPointer(i: IrInstruction, derived: ReadonlySet<unknown>): "no" | "reads" | "derives" | "bad" {
  switch (i.op) {
    case "load":
      return derived.has(i.pointer) ? "reads" : "no";
    case "gep":
      return derived.has(i.base) ? "derives" : "no";
    case "cast":
      if (!derived.has(i.operand)) return "no";
      return i.operator === "addrspacecast" || i.operator === "bitcast" ? "derives" : "bad";
    case "freeze":
      return derived.has(i.operand) ? "derives" : "no";
    case "phi":
      return i.incoming.some((x) => derived.has(x.value)) ? "derives" : "no";
    case "select":
      return derived.has(i.then) || derived.has(i.else) ? "derives" : "no";
    case "icmp":
      return "no";
    case "store":
      return derived.has(i.value) || derived.has(i.pointer) ? "bad" : "no";
    case "cmpxchg":
      return derived.has(i.pointer) || derived.has(i.expected) || derived.has(i.desired) ? "bad" : "no";
    case "atomicrmw":
      return derived.has(i.pointer) || derived.has(i.value) ? "bad" : "no";
    case "ret":
      return i.value !== null && derived.has(i.value) ? "bad" : "no";
    case "insertvalue":
      return derived.has(i.element) || derived.has(i.aggregate) ? "bad" : "no";
    case "call": {
      if (!i.args.some((arg) => derived.has(arg))) return "no";
      // The source of a copy is only read.
      const facts = calledIntrinsic(i);
      if (facts === null) return "bad";
      const isCopy = facts.memoryRange === "memcpy" || facts.memoryRange === "memmove";
      if (isCopy) return derived.has(i.args[0]) ? "bad" : "reads";
      return facts.isHint || facts.isReadOnlyLoad ? "reads" : "bad";
    }
    default:
      return "no";
  }
}
