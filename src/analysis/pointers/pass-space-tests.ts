/**
 * Answers __isShared(p) and its like where it is known which memory p points at, so that only the way that is taken
 * stays. Used by the engines and by PTX.
 *
 * Needs: a legalised function. Afterwards: space tests are asked of generic pointers only.
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { constBool, isConstant } from "../../ir/model/build.ts";
import type { IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import { inferPointerSpaces, spaceOfConstant, type PointerSpace } from "./pointer-spaces.ts";

/** The memory that a test asks for, as pointer-spaces.ts names it; null: it is no such test. */
function testedSpace(i: IrInstruction): string | null {
  // Where a pointer into a cluster's shared memory points is known when it runs.
  if (i.op !== "call" || i.callee.kind !== "function" || i.callee.name.endsWith(".cluster")) return null;
  const space = intrinsicOf(i.callee.name)?.spaceTest ?? null;
  return space === "const" ? "constant" : space;
}

/** @param constants the space of pointers to constants: on the emulated device they lie in global memory */
export function foldSpaceTests(fn: IrFunction, constants: "constant" | "global"): void {
  const tests = fn.blocks.flatMap(({ instructions }) => instructions.filter((i) => testedSpace(i) !== null));
  if (tests.length === 0) return;
  const spaces = inferPointerSpaces(fn);
  const spaceOf = (pointer: IrValue): PointerSpace => {
    if (pointer.kind === "instruction" || pointer.kind === "param") return spaces.get(pointer) ?? "generic";
    return (isConstant(pointer) ? spaceOfConstant(pointer) : null) ?? "generic";
  };
  const answers = new Map<IrValue, IrValue>();
  for (const test of tests) {
    if (test.op !== "call") continue;
    const found = spaceOf(test.args[0] as IrValue);
    const space = found === "constant" ? constants : found;
    if (space === "global" || space === "shared" || space === "local" || space === "constant")
      answers.set(test, constBool(space === testedSpace(test)));
  }
  replaceUses(fn, answers);
  for (const block of fn.blocks) block.instructions = block.instructions.filter((i) => !answers.has(i));
}
