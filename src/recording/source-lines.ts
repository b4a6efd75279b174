/** The lines of the user's source that the instructions of a function belong to. */
import type { SourceLocation } from "../base/diagnostics.ts";
import { isInOwnSources, userLocation } from "../base/source-places.ts";
import { intrinsicOf } from "../ir/intrinsics/lookup.ts";
import type { IrInstruction } from "../ir/model/ir.ts";
import { isTerminator } from "../ir/model/operands.ts";
import type { Frame, FunctionCode, Thread } from "../engine/interpreter/thread.ts";

/** A line of the source, in a function. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
  /** Mangled; "" where it is not known. */
  readonly functionName: string;
  /** Where the function was inlined, the innermost first. */
  readonly callers: readonly { readonly file: string; readonly line: number; readonly functionName: string }[];
}

export interface CodeLines {
  /** The number of each step's line; -1: none of the user's. */
  readonly lines: Int32Array;
  /** 1: the lanes may go apart here, wait, or enter another function. */
  readonly endsRun: Uint8Array;
  /** Of the function's head, if it is the user's; else -1. */
  readonly head: number;
  readonly isUsers: boolean;
  /** Numbers functions in the order of their first call. */
  readonly order: number;
}

export class LineTable {
  readonly lines: SourceLine[];
  readonly #numbers = new Map<string, number>();
  readonly #codes = new Map<FunctionCode, CodeLines>();

  readonly #waits = new Map<FunctionCode, Map<number, boolean>>();

  /** @param lines those of a recording */
  constructor(lines: readonly SourceLine[] = []) {
    this.lines = [...lines];
    lines.forEach((line, number) => this.#numbers.set(keyOf(line), number));
  }

  of(code: FunctionCode): CodeLines {
    let known = this.#codes.get(code);
    if (known === undefined) this.#codes.set(code, (known = this.#read(code)));
    return known;
  }

  /** Whether a loop between two places looks at what other threads may change. */
  mayWait(code: FunctionCode, from: number, to: number): boolean {
    const key = from * code.instructions.length + to;
    let known = this.#waits.get(code);
    if (known === undefined) this.#waits.set(code, (known = new Map()));
    let answer = known.get(key);
    if (answer === undefined)
      known.set(key, (answer = code.instructions.slice(from, to + 1).some((one) => looksAtOthers(one, 0))));
    return answer;
  }

  /** The line that the thread is at, or about to begin: that of the innermost function of the user. */
  lineOf(thread: Thread): number {
    let isCaller = false;
    for (let frame: Frame | null = thread.frame; frame !== null; frame = frame.caller) {
      const line = this.#lineIn(frame, isCaller);
      if (line >= 0) return line;
      isCaller = true;
    }
    return -1;
  }

  /** The lines of the thread's calls, the innermost first. */
  stackOf(thread: Thread): SourceLine[] {
    const stack: SourceLine[] = [];
    let isCaller = false;
    for (let frame: Frame | null = thread.frame; frame !== null; frame = frame.caller) {
      const line = this.lines[this.#lineIn(frame, isCaller)];
      isCaller = true;
      if (line === undefined) continue;
      stack.push(line);
      for (const { file, line: at, functionName } of line.callers)
        stack.push({ file, line: at, functionName, callers: [] });
    }
    return stack;
  }

  #lineIn({ code, pc }: Frame, isCaller: boolean): number {
    const { lines, head, isUsers } = this.of(code);
    if (!isUsers) return -1;
    for (let at = isCaller ? pc - 1 : pc; at >= 0; at--) if ((lines[at] as number) >= 0) return lines[at] as number;
    return head;
  }

  #read(code: FunctionCode): CodeLines {
    const { instructions, function: fn } = code;
    const lines = Int32Array.from(instructions, ({ location }) => this.#numberOf(location));
    const isUsers = lines.some((line) => line >= 0) && !isInOwnSources(fn.location);
    return {
      lines,
      endsRun: Uint8Array.from(instructions, (instruction) => Number(mayEndRun(instruction))),
      head: isUsers ? this.#numberOf(fn.location) : -1,
      isUsers,
      order: this.#codes.size,
    };
  }

  #numberOf(location: SourceLocation | null): number {
    const place = userLocation(location);
    if (place === null || isInOwnSources(place) || place.line === 0) return -1;
    const line = describe(place);
    const key = keyOf(line);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      this.#numbers.set(key, (number = this.lines.length));
      this.lines.push(line);
    }
    return number;
  }
}

function describe(place: SourceLocation): SourceLine {
  const callers: SourceLine["callers"][number][] = [];
  for (let at = place.inlinedAt; at !== undefined; at = at.inlinedAt)
    callers.push({ file: at.file, line: at.line, functionName: at.functionName ?? "" });
  return { file: place.file, line: place.line, functionName: place.functionName ?? "", callers };
}

function keyOf({ file, line, functionName, callers }: SourceLine): string {
  return JSON.stringify([file, line, functionName, callers]);
}

/** Calls of functions with bodies, collectives and barriers, ends of basic blocks. */
function mayEndRun(instruction: IrInstruction): boolean {
  if (isTerminator(instruction)) return true;
  if (instruction.op !== "call") return false;
  const { callee } = instruction;
  if (callee.kind !== "function" || callee.blocks.length > 0) return callee.kind !== "inline-asm";
  const { kind, operation } = intrinsicOf(callee.name) ?? { kind: "control", operation: "" };
  if (operation === "nanosleep") return true;
  return kind !== "pure" && kind !== "thread" && kind !== "memory" && kind !== "ignored";
}

/** Calls that are followed to find out. */
const DEEPEST_CALL = 3;

function looksAtOthers(instruction: IrInstruction, depth: number): boolean {
  if (instruction.op === "atomicrmw" || instruction.op === "cmpxchg") return true;
  if (instruction.op === "load") return instruction.volatile || instruction.ordering !== null;
  if (instruction.op !== "call") return false;
  const { callee } = instruction;
  if (callee.kind !== "function") return true;
  if (callee.blocks.length === 0) return intrinsicOf(callee.name)?.atomic != null;
  if (depth === DEEPEST_CALL) return true;
  return callee.blocks.some(({ instructions }) => instructions.some((one) => looksAtOthers(one, depth + 1)));
}
