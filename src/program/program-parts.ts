/**
 * A program in parts that can be loaded apart from one another: a kernel with all that it refers to. Kernels that refer
 * to one variable that a kernel or the host may write are one part, so that each variable exists once.
 *
 * For libraries: a program launches two of cuBLAS's three hundred kernels, and reading the others takes seconds.
 */
import { isLlvmName } from "../ir/intrinsics/name-fields.ts";
import { ModuleText } from "../ir/text/excerpt.ts";
import { typesCalledThroughPointers } from "./pointer-calls.ts";
import type { TextProgram } from "./device-program.ts";

export interface ProgramPart {
  /** The same for each symbol of a part. */
  readonly index: number;
  readonly program: TextProgram;
}

export class ProgramParts {
  readonly #whole: TextProgram;
  readonly #text: ModuleText;
  /** For each part the kernels and variables that it is asked for by. */
  readonly #roots: readonly (readonly string[])[];
  readonly #indices: ReadonlyMap<string, number>;
  readonly #parts: Map<number, ProgramPart> = new Map();

  constructor(program: TextProgram) {
    this.#whole = program;
    this.#text = new ModuleText(program.ir);
    this.#roots = rootsOfParts(program.ir, this.#text);
    this.#indices = new Map(this.#roots.flatMap((names, index) => names.map((name) => [name, index] as const)));
  }

  /** The part with this kernel or variable; null: the program defines none of this name, or cannot be divided. */
  with(name: string): ProgramPart | null {
    const index = this.#indices.get(name);
    if (index === undefined) return null;
    let part = this.#parts.get(index);
    if (part === undefined) {
      const ir = this.#text.excerpt(this.#roots[index] as readonly string[]);
      this.#parts.set(index, (part = { index, program: { ...this.#whole, ir } }));
    }
    return part;
  }
}

/** For each part its kernels and variables. */
function rootsOfParts(ir: string, text: ModuleText): string[][] {
  // What a pointer to a function means depends on the other functions of its module.
  if (typesCalledThroughPointers(ir).size > 0) return [];
  const lines = new Map(text.symbols().map((name) => [name, text.firstLine(name) as string]));
  const shared = new Set([...lines].flatMap(([name, line]) => (isSharedVariable(name, line) ? [name] : [])));
  let parts: { readonly roots: readonly string[]; readonly variables: ReadonlySet<string> }[] = [];
  for (const [root, line] of lines) {
    if (!shared.has(root) && !isKernel(line)) continue;
    const variables = new Set(text.needed([root]).filter((name) => shared.has(name)));
    const isJoined = (part: (typeof parts)[number]): boolean => [...variables].some((name) => part.variables.has(name));
    const joined = parts.filter(isJoined);
    parts = parts.filter((part) => !joined.includes(part));
    parts.push({
      roots: [...joined.flatMap(({ roots }) => roots), root],
      variables: new Set([...joined.flatMap((part) => [...part.variables]), ...variables]),
    });
  }
  return parts.map(({ roots }) => [...roots]);
}

function isKernel(line: string): boolean {
  return /^define [^@]*\bptx_kernel\b/.test(line);
}

/**
 * Whether this is a variable that keeps what is written to it from one launch to the next, or one that the host knows:
 * a `__device__ const` is a constant for kernels only. LLVM's own list symbols for the compiler.
 */
function isSharedVariable(name: string, line: string): boolean {
  if (isLlvmName(name)) return false;
  const [, before, kind] = /^@(?:"[^"]*"|[-\w$.]+) = ([^"]*?)\b(global|constant) /.exec(line) ?? [];
  if (kind === undefined || before === undefined || before.includes("addrspace(3)")) return false;
  return kind === "global" || before.includes("externally_initialized");
}
