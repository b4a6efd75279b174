/**
 * Which translation units must be linked into one device module: those that use what another defines (nvcc's
 * -rdc=true).
 *
 * Units that stand alone stay alone, since without -rdc each may have its own device function or variable of the same
 * name. Reads the IR's text by line: definitions and declarations begin lines of their own (LLVM Language Reference,
 * "Module Structure").
 */
import { isLlvmName } from "../ir/intrinsics/name-fields.ts";
import type { TextProgram } from "./device-program.ts";

/** For each program the indices of its group, ascending. */
export function linkGroups(programs: readonly TextProgram[]): number[][] {
  if (programs.length === 1) return [[0]];
  const units = programs.map(({ ir }) => symbolsOf(ir));
  const leader = programs.map((_, index) => index);
  const find = (index: number): number => (leader[index] === index ? index : find(leader[index] as number));
  for (const [index, unit] of units.entries()) {
    for (const name of unit.needed) {
      const definer = units.findIndex((other, at) => at !== index && other.defined.has(name));
      if (definer >= 0) leader[Math.max(find(index), find(definer))] = Math.min(find(index), find(definer));
    }
  }
  return programs.map((_, index) => programs.map((__, other) => other).filter((other) => find(other) === find(index)));
}

function symbolsOf(ir: string): { defined: Set<string>; needed: string[] } {
  const defined = new Set<string>();
  const needed: string[] = [];
  for (const match of ir.matchAll(
    /^(?:(define|declare)\s[^@\n]*@("[^"]*"|[\w.$-]+)\(|@("[^"]*"|[\w.$-]+) = ([^\n]*))/gm,
  )) {
    const [, verb, functionName, globalName, rest] = match;
    if (verb === "declare") {
      const name = functionName as string;
      if (!isLlvmName(name) && !name.startsWith("__nv_")) needed.push(name);
    } else if (verb === "define") defined.add(functionName as string);
    else if (/^(?:\w+\s+)*external\s/.test(rest as string)) needed.push(globalName as string);
    else defined.add(globalName as string);
  }
  return { defined, needed };
}
