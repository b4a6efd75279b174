/**
 * Where in the host program's source a call of ours comes from: the stack of the JavaScript engine names offsets in the
 * module, the module's DWARF names lines. Programs that are compiled for checks have it (CompileOptions.observed),
 * others where -g was given.
 */
import { ADAPTED } from "./wide-calls.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import { CodeSection } from "../../wasm/code-section.ts";
import { Dwarf, type CodeFrame } from "../../wasm/dwarf.ts";

/** The calls that were under way, innermost first: offsets in the module, and the module's names of the functions. */
export type HostStack = readonly { readonly offset: number; readonly name: string | null }[];

/** Our own headers and the C++ library: places that a user does not change. */
const NOT_THE_USERS = /^(\/heddle\/|\/usr\/)/;
const FRAMES = 48;

export class HostPlaces {
  readonly #wasm: Uint8Array;
  readonly #module: WebAssembly.Module;
  #dwarf: Dwarf | null | undefined;
  #code: CodeSection | null = null;

  constructor(wasm: Uint8Array, module: WebAssembly.Module) {
    this.#wasm = wasm;
    this.#module = module;
  }

  /**
   * Call this while the host program is inside a call of its imports. Empty where the engine's stacks have no offsets.
   */
  capture(): HostStack {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = FRAMES;
    const { stack = "" } = new Error("here");
    Error.stackTraceLimit = limit;
    return this.stackOf(stack);
  }

  /** The calls in the `stack` of an error, such as a trap. */
  stackOf(stack: string): HostStack {
    return Array.from(
      stack.matchAll(/^ *at (?:(.*) \()?[^(\n]*wasm-function\[\d+\]:0x([0-9a-f]+)/gm),
      ([, name, offset]) => ({ offset: Number.parseInt(offset as string, 16), name: name ?? null }),
    ).filter(({ name }) => name?.startsWith(ADAPTED) !== true);
  }

  /** Whether the program ignores the result of the call. */
  dropsResult(stack: HostStack): boolean {
    this.#code ??= new CodeSection(this.#wasm);
    for (const { offset } of stack) {
      const fate = this.#code.fateOfResult(offset);
      if (fate !== "returned") return fate === "dropped";
    }
    return false;
  }

  /**
   * The innermost place in the user's own files. @param launched the kernel, when the call launches it: the stub that
   * Clang makes of a kernel is no place.
   */
  locate(stack: HostStack, launched: string | null = null): SourceLocation | null {
    const frames = this.#frames(stack);
    const own = frames.filter(({ file, line }) => line > 0 && !NOT_THE_USERS.test(file));
    const stub = launched === null ? undefined : baseName(launched);
    const at = own.find(
      ({ functionName }, index) =>
        index === own.length - 1 || stub === undefined || functionName === null || baseName(functionName) !== stub,
    );
    if (at === undefined) return null;
    return {
      file: at.file,
      line: at.line,
      column: at.column,
      ...(at.functionName === null ? {} : { functionName: at.functionName }),
    };
  }

  #frames(stack: HostStack): CodeFrame[] {
    if (this.#dwarf === undefined) this.#dwarf = Dwarf.of(this.#module);
    const dwarf = this.#dwarf;
    if (dwarf === null) return [];
    this.#code ??= new CodeSection(this.#wasm);
    const { start } = this.#code;
    return stack.flatMap(({ offset, name }) => {
      const frames = dwarf.frames(offset - start);
      return frames.map((frame, index) =>
        frame.functionName === null && index === frames.length - 1
          ? { ...frame, functionName: sourceName(name) }
          : frame,
      );
    });
  }
}

/**
 * The name in the source: V8 puts the module's in front, main has others in WebAssembly, and the linker writes
 * parameters behind a name.
 */
function sourceName(name: string | null): string | null {
  const own = name?.replace(/^output\./, "").replace(/\(.*$/s, "") ?? null;
  return own === "__original_main" || own === "__main_argc_argv" || own === "__main_void" ? "main" : own;
}

/** `k` of `k<int>`, `ns::k` and `ns::k<int>(int*)`. */
function baseName(name: string): string {
  const bare = name.replace(/[<(].*$/s, "").trim();
  return bare.split(/::| /).at(-1) as string;
}
