/**
 * Which translation units must be linked into one device module: those that use what another defines (nvcc's
 * -rdc=true), and those that call functions through pointers with those that have such functions (cuFFT's callbacks).
 *
 * Units that stand alone stay alone, since without -rdc each may have its own device function or variable of the same
 * name. Reads the IR's text by line: definitions and declarations begin lines of their own (LLVM Language Reference,
 * "Module Structure").
 */
import { isLlvmName } from "../ir/intrinsics/name-fields.ts";
import type { TextProgram } from "./device-program.ts";
import { typesCalledThroughPointers, typesOfTakenFunctions } from "./pointer-calls.ts";

/** For each program the indices of its group, ascending. */
export function linkGroups(programs: readonly TextProgram[]): number[][] {
  if (programs.length === 1) return [[0]];
  const units = programs.map(({ ir }) => symbolsOf(ir));
  const leader = programs.map((_, index) => index);
  const find = (index: number): number => (leader[index] === index ? index : find(leader[index] as number));
  const strong = units.map((unit) => new Set(unit.strong)); // of a group, at its leader
  const join = (index: number, other: number): void => {
    const first = Math.min(find(index), find(other));
    const second = Math.max(find(index), find(other));
    if (first === second) return;
    leader[second] = first;
    for (const name of strong[second] as Set<string>) (strong[first] as Set<string>).add(name);
  };
  /** Groups that define one name each would not link. */
  const canJoin = (index: number, other: number): boolean =>
    find(index) !== find(other) &&
    ![...(strong[find(index)] as Set<string>)].some((name) => strong[find(other)]?.has(name));
  for (const [index, unit] of units.entries()) {
    for (const name of unit.needed) {
      const definer = units.findIndex((other, at) => at !== index && other.defined.has(name));
      if (definer >= 0) join(index, definer);
    }
  }
  joinPointerCalls(programs, (index, other) => {
    if (canJoin(index, other)) join(index, other);
  });
  return programs.map((_, index) => programs.map((__, other) => other).filter((other) => find(other) === find(index)));
}

/** Joins a unit that calls functions of a type with those that have them. */
function joinPointerCalls(programs: readonly TextProgram[], tryToJoin: (index: number, other: number) => void): void {
  const called = programs.map(({ ir }) => typesCalledThroughPointers(ir));
  const types = new Set(called.flatMap((each) => [...each]));
  if (types.size === 0) return;
  const taken = programs.map(({ ir }) => typesOfTakenFunctions(ir, types));
  for (const [index, mine] of called.entries())
    for (const type of mine)
      for (const [other, offered] of taken.entries()) if (offered.has(type)) tryToJoin(index, other);
}

/** Whether a unit defines what other units may name. */
export function definesForOthers(ir: string): boolean {
  return symbolsOf(ir).strong.size > 0;
}

interface Symbols {
  readonly defined: ReadonlySet<string>;
  /** Those that a program may define only once. */
  readonly strong: ReadonlySet<string>;
  readonly needed: readonly string[];
}

const LOCAL_OR_MERGED = /\b(?:internal|private|linkonce|linkonce_odr|weak|weak_odr|available_externally|common)\b/;

function symbolsOf(ir: string): Symbols {
  const defined = new Set<string>();
  const strong = new Set<string>();
  const needed: string[] = [];
  for (const match of ir.matchAll(
    /^(?:(define|declare)\s([^@\n]*)@("[^"]*"|[\w.$-]+)\(|@("[^"]*"|[\w.$-]+) = ([^\n]*))/gm,
  )) {
    const [, verb, before, functionName, globalName, rest] = match;
    if (verb === "declare") {
      const name = functionName as string;
      if (!isLlvmName(name) && !name.startsWith("__nv_")) needed.push(name);
    } else if (verb === "define") {
      defined.add(functionName as string);
      if (!LOCAL_OR_MERGED.test(before as string)) strong.add(functionName as string);
    } else if (/^(?:\w+\s+)*external\s/.test(rest as string)) needed.push(globalName as string);
    else {
      defined.add(globalName as string);
      if (!LOCAL_OR_MERGED.test(/^[^=]*?(?:global|constant)\b/.exec(rest as string)?.[0] ?? ""))
        strong.add(globalName as string);
    }
  }
  return { defined, strong, needed };
}
