/**
 * What functions without a body (LLVM and NVVM intrinsics, the engine's own services, inline PTX) do to memory, as far
 * as launch reuse must know. Follows from the table of intrinsics; a name that is not in it may do anything.
 *
 * Used by: access-summary.ts.
 */
import { isPrint } from "../../ir/intrinsics/print-functions.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";

export type CalleeEffect =
  /** Reads and writes nothing outside of the launch; pointer arguments are not followed. */
  | { readonly kind: "none" }
  /** Nothing, provided that no argument is a pointer. */
  | { readonly kind: "no-memory" }
  /** Returns its first argument in another address space or with bits masked. */
  | { readonly kind: "cast" }
  /** Reads and writes through these arguments. */
  | { readonly kind: "access"; readonly reads: readonly number[]; readonly writes: readonly number[] }
  | { readonly kind: "obstacle"; readonly reason: string; readonly touchesMemory: boolean };

const NONE: CalleeEffect = { kind: "none" };
const CAST: CalleeEffect = { kind: "cast" };
const NO_MEMORY: CalleeEffect = { kind: "no-memory" };
const READS_CLOCK: CalleeEffect = { kind: "obstacle", reason: "it reads a clock", touchesMemory: false };
/** A text that it prints (%s) may lie anywhere. */
const PRINTS: CalleeEffect = { kind: "obstacle", reason: "it prints", touchesMemory: true };
const USES_HEAP: CalleeEffect = { kind: "obstacle", reason: "it uses the device heap", touchesMemory: true };

export function calleeEffect(name: string): CalleeEffect {
  const facts = intrinsicOf(name);
  if (facts === null) {
    if (name.startsWith("__nv_")) return NO_MEMORY;
    return { kind: "obstacle", reason: `it calls ${name}`, touchesMemory: true };
  }
  if (facts.readsClock) return READS_CLOCK;
  if (isPrint(facts.name)) return PRINTS;
  if (facts.returnsOperand) return CAST;
  // A launch that failed an assertion or trapped is not remembered; one that passed will pass again.
  if (facts.memory.kind === "any") return USES_HEAP;
  return facts.memory.kind === "access" ? facts.memory : NONE;
}

/** PTX instructions (by their first word) that touch registers, the block's barriers or shared memory only. */
const HARMLESS_PTX = new Set(
  [
    "mov bfind bfe bfi prmt lop3 shf add sub mul mad fma div rem cvt and or xor not shl shr min max abs neg",
    "popc clz brev fns sel selp set setp slct sad dp4a dp2a vote shfl match activemask redux elect mma wmma",
    "ldmatrix bar barrier membar fence ex2 lg2 sin cos rcp sqrt rsqrt tanh copysign testp cvta isspacep",
    "nanosleep add3 mul24 mad24 addc subc madc cnot",
  ].flatMap((line) => line.split(" ")),
);

/** Why inline PTX stands in the way of reuse, or null when it does not. */
export function asmEffect(template: string): string | null {
  if (/%(clock|globaltimer|pm\d)/.test(template)) return "it reads a clock";
  for (const statement of template.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "").split(/[;{}\n]/)) {
    const text = statement.trim().replace(/^@!?[%$\w]+\s+/, "");
    if (text === "" || text.startsWith(".reg") || /^[\w$%]+:$/.test(text)) continue;
    const word = /^[a-z0-9]+/.exec(text)?.[0] ?? text;
    if (!HARMLESS_PTX.has(word)) return `it contains the inline PTX "${text}"`;
    if (text.includes("[") && word !== "ldmatrix") return `it contains the inline PTX "${text}"`;
  }
  return null;
}
