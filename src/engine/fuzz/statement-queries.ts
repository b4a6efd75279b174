/** Questions about statements of a fuzzer's program. */
import type { DeviceFunction, Program, Statement } from "./program.ts";

/** Whether any statement needs the mask of the threads that run it. */
export function needsMask(statements: readonly Statement[], program: Program): boolean {
  return statements.some((s) => {
    switch (s.kind) {
      case "collective":
        return true;
      case "call":
        return needsMask((program.functions[s.callee] as DeviceFunction).body, program);
      case "if":
        return s.vote || needsMask(s.then, program) || needsMask(s.otherwise, program);
      case "loop":
        return s.vote || needsMask(s.body, program);
      case "break":
      case "continue":
      case "exit":
        return needsMask(s.body, program);
      case "switch":
        return s.cases.some((c) => needsMask(c, program)) || needsMask(s.otherwise, program);
      case "split-barrier":
        return [...s.before, ...s.after].some((part) => needsMask(part, program));
      default:
        return false;
    }
  });
}

/** The variables that statements may assign. */
export function assigned(statements: readonly Statement[], into: Set<number> = new Set()): Set<number> {
  for (const s of statements) {
    if ("id" in s && s.kind !== "loop") into.add(s.id);
    if (s.kind === "if") [s.then, s.otherwise].forEach((part) => assigned(part, into));
    else if (s.kind === "loop" || s.kind === "break" || s.kind === "continue" || s.kind === "exit")
      assigned(s.body, into);
    else if (s.kind === "switch") [...s.cases, s.otherwise].forEach((part) => assigned(part, into));
    else if (s.kind === "split-barrier") [...s.before, ...s.after].forEach((part) => assigned(part, into));
  }
  return into;
}

export function usesShared(statements: readonly Statement[]): boolean {
  return statements.some((s) => {
    switch (s.kind) {
      case "exchange":
      case "shared-atomic":
        return true;
      case "if":
        return usesShared(s.then) || usesShared(s.otherwise);
      case "loop":
      case "break":
      case "continue":
      case "exit":
        return usesShared(s.body);
      case "switch":
        return [...s.cases, s.otherwise].some(usesShared);
      default:
        return false;
    }
  });
}

export function hasExit(statements: readonly Statement[]): boolean {
  return JSON.stringify(statements).includes('"kind":"exit"');
}
