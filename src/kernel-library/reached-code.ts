/**
 * The parts of CUDA sources that kernels reach: a header has more functions than a kernel calls.
 *
 * Sources are looked at as text, by names: a function, class or macro is reached where its name stands in what is
 * reached already. Overloads are reached together. What has no name that can be told apart counts as reached, so that
 * nothing is left out.
 */

interface Part {
  /** Null: always reached. */
  readonly name: string | null;
  readonly text: string;
  readonly isKernel: boolean;
}

/** @returns the kernels and what they reach; all of the sources where there is no kernel. */
export function reachedCode(sources: readonly string[]): string {
  const parts = sources.flatMap((source) => partsOf(withoutComments(source)));
  if (!parts.some(({ isKernel }) => isKernel)) return parts.map(({ text }) => text).join("\n");
  const byName = new Map<string | null, Part[]>();
  for (const part of parts) byName.set(part.name, [...(byName.get(part.name) ?? []), part]);
  const reached = new Set<Part>();
  const waiting = parts.filter(({ name, isKernel }) => isKernel || name === null);
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (reached.has(part)) continue;
    reached.add(part);
    for (const word of new Set(part.text.match(/\b[A-Za-z_]\w*/g))) waiting.push(...(byName.get(word) ?? []));
  }
  return [...reached].map(({ text }) => text).join("\n");
}

/** Comments may tell of instructions that the code does not have. Texts may have what looks like a comment. */
function withoutComments(source: string): string {
  return source.replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\*[\s\S]*?\*\/|\/\/.*/g, (_all, text?: string) => text ?? " ");
}

const MACRO = /^#\s*define\s+(\w+)/;
const CONTAINER = /^\s*(?:(?:inline\s+)?namespace\b[\w\s:]*|extern\s*"C(?:\+\+)?"\s*)$/;
const ALIGNED = String.raw`(?:(?:alignas|__align__)\s*\([^)]*\)\s*)?`;
const CLASS = new RegExp(
  String.raw`\b(?:struct|class|union|enum(?:\s+class)?)\s+${ALIGNED}(\w+)\s*(?:final\s*)?(?::[^(]*)?$`,
);
/** Have parentheses, and are no functions. */
const ATTRIBUTE = /^(?:__launch_bounds__|__cluster_dims__|__align__|__attribute__|alignas|decltype|requires|noexcept)$/;

/** Declarations outside of functions and classes. */
function partsOf(code: string): Part[] {
  const parts: Part[] = [];
  let start = 0;
  const end = (at: number, name: string | null): void => {
    const text = code.slice(start, at);
    parts.push({ name, text, isKernel: /\b__global__\b/.test(text) });
    start = at;
  };
  for (let at = 0; at < code.length;) {
    const character = code[at];
    if (character === "#" && code.slice(start, at).trim() === "") {
      at = endOfDirective(code, at);
      const [, name] = MACRO.exec(code.slice(start, at).trim()) ?? [];
      if (name !== undefined) end(at, name);
      start = at;
    } else if (character === '"' || character === "'") at = endOfText(code, at);
    else if (character === "(" || character === "[") at = endOfBrackets(code, at);
    else if (character === "{") {
      const head = code.slice(start, at);
      if (CONTAINER.test(head)) start = ++at;
      else {
        at = endOfBrackets(code, at);
        // What follows a class, up to the semicolon, belongs to it.
        end(at, nameOf(head));
      }
    } else {
      at++;
      if (character === ";") end(at, null);
      else if (character === "}") start = at;
    }
  }
  return parts;
}

function nameOf(head: string): string | null {
  const before = head.replace(/^\s*template\s*<[^{]*?>\s*(?=[A-Za-z_])/, "");
  const [, className] = CLASS.exec(before.trim()) ?? [];
  if (className !== undefined) return className;
  for (const [, name = ""] of before.matchAll(/(\w+)\s*\(/g)) if (!ATTRIBUTE.test(name)) return name;
  return null;
}

function endOfDirective(code: string, from: number): number {
  const line = /(?:\\\n|.)*/y;
  line.lastIndex = from;
  line.exec(code);
  return Math.min(code.length, line.lastIndex + 1);
}

function endOfText(code: string, from: number): number {
  let at = from + 1;
  while (at < code.length && code[at] !== code[from]) at += code[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfBrackets(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length;) {
    const character = code[at] as string;
    if (character === '"' || (character === "'" && !/\d/.test(code[at - 1] ?? ""))) {
      at = endOfText(code, at);
      continue;
    }
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character) && --depth === 0) return at + 1;
    at++;
  }
  return code.length;
}
