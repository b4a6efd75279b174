/**
 * What functions without a body (LLVM and NVVM intrinsics, the engine's own services, inline PTX) do to memory, as far
 * as launch reuse must know. Builds on the engine's table of intrinsics; a name that is in neither may do anything.
 */
import { intrinsicOf } from "../ir/intrinsics/lookup.ts";

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
const READS_CLOCK: CalleeEffect = { kind: "obstacle", reason: "it reads a clock", touchesMemory: false };

/** What the table of intrinsics does not say: which arguments are read and written. First match wins. */
const EFFECTS: readonly (readonly [RegExp, CalleeEffect])[] = [
  [/^llvm\.(memcpy|memmove)\./, { kind: "access", reads: [1], writes: [0] }],
  [/^llvm\.memset\./, { kind: "access", reads: [], writes: [0] }],
  [/^llvm\.nvvm\.ld[gu]\.global\./, { kind: "access", reads: [0], writes: [] }],
  [/^llvm\.nvvm\.(wmma\..*\.load\.|ldmatrix\.)/, { kind: "access", reads: [0], writes: [] }],
  [/^llvm\.nvvm\.(wmma\..*\.store\.|stmatrix\.)/, { kind: "access", reads: [], writes: [0] }],
  [/^llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global/, { kind: "access", reads: [1], writes: [0] }],
  [/^llvm\.nvvm\.(atomic|mbarrier|cp\.async\.mbarrier)\./, { kind: "access", reads: [0], writes: [0] }],
  [
    /^llvm\.(nvvm\.ptr\.|nvvm\.internal\.addrspace|ptrmask|launder\.|strip\.|threadlocal\.address|ptr\.annotation)/,
    { kind: "cast" },
  ],
  [/^llvm\.(stacksave|stackrestore|va_start|va_copy)/, NONE],
  [/^llvm\.nvvm\.(membar|fence)/, NONE],
  [/sreg\.(clock|globaltimer|pm)|cyclecounter|steadycounter/, READS_CLOCK],
  [/^__nv_/, { kind: "no-memory" }],
  [/^v?printf$/, { kind: "obstacle", reason: "it prints", touchesMemory: false }],
  [/^(malloc|free)$/, { kind: "obstacle", reason: "it uses the device heap", touchesMemory: true }],
];

export function calleeEffect(name: string): CalleeEffect {
  for (const [pattern, effect] of EFFECTS) if (pattern.test(name)) return effect;
  const intrinsic = intrinsicOf(name);
  // A launch that failed an assertion or trapped is not remembered; one that passed will pass again.
  if (intrinsic !== null && intrinsic.kind !== "memory") return NONE;
  return { kind: "obstacle", reason: `it calls ${name}`, touchesMemory: true };
}

/** PTX instructions (by their first word) that touch registers, the block's barriers or shared memory only. */
const HARMLESS_PTX = new Set(
  (
    "mov bfind bfe bfi prmt lop3 shf add sub mul mad fma div rem cvt and or xor not shl shr min max abs neg popc clz brev fns sel selp set setp slct sad dp4a dp2a " +
    "vote shfl match activemask redux elect mma wmma ldmatrix bar barrier membar fence ex2 lg2 sin cos rcp sqrt rsqrt tanh copysign testp cvta isspacep nanosleep add3 mul24 mad24 addc subc madc cnot"
  ).split(" "),
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
