/**
 * The programs that the fuzzer makes: a small structured language that can only say things whose result is the same
 * under every schedule. emit.ts turns it into LLVM IR, generate.ts makes it up, shrink.ts takes it apart.
 *
 * What a kernel may touch
 *   in      read by everybody, written by nobody
 *   out     8 slots of 8 bytes for each thread, which no other thread touches
 *   acc     cells for atomics whose results are not looked at, each cell for one operation that commutes with itself
 *   shared  exchanged between barriers: everyone writes their own slot, then everyone reads any slot
 *   local   an array of the thread's own
 */

export type IntTy = "i1" | "i8" | "i16" | "i32" | "i64";
export type FloatTy = "half" | "bfloat" | "float" | "double";
export type Ty = IntTy | FloatTy;

export const INT_TYPES: readonly IntTy[] = ["i8", "i16", "i32", "i64"];
export const FLOAT_TYPES: readonly FloatTy[] = ["half", "bfloat", "float", "double"];

export function isFloatTy(ty: Ty): ty is FloatTy {
  return ty === "half" || ty === "bfloat" || ty === "float" || ty === "double";
}

export function bitsOf(ty: Ty): number {
  switch (ty) {
    case "half":
    case "bfloat":
      return 16;
    case "float":
      return 32;
    case "double":
      return 64;
    default:
      return Number(ty.slice(1));
  }
}

export type Special = "tid" | "lane" | "warp" | "gtid" | "bid" | "ntid" | "n";

export type Expr =
  | { readonly kind: "var"; readonly ty: Ty; readonly id: number }
  /** `text` as LLVM writes it. */
  | { readonly kind: "const"; readonly ty: Ty; readonly text: string }
  | { readonly kind: "special"; readonly ty: "i32"; readonly name: Special }
  | { readonly kind: "binary"; readonly ty: Ty; readonly op: string; readonly a: Expr; readonly b: Expr }
  | {
      readonly kind: "compare";
      readonly ty: "i1";
      readonly op: "icmp" | "fcmp";
      readonly predicate: string;
      readonly a: Expr;
      readonly b: Expr;
    }
  | { readonly kind: "select"; readonly ty: Ty; readonly condition: Expr; readonly a: Expr; readonly b: Expr }
  | { readonly kind: "cast"; readonly ty: Ty; readonly op: string; readonly a: Expr }
  | { readonly kind: "fneg"; readonly ty: FloatTy; readonly a: Expr }
  /** A pure intrinsic; `part` takes one element of a struct result. */
  | {
      readonly kind: "intrinsic";
      readonly ty: Ty;
      readonly name: string;
      readonly args: readonly Expr[];
      readonly part?: { readonly index: number; readonly structure: string };
    }
  /** The value, or 0 for a NaN: what must come before a float's bits can be seen. */
  | { readonly kind: "number"; readonly ty: FloatTy; readonly a: Expr }
  /** Two scalars through a vector operation, one element of the result. */
  | {
      readonly kind: "vector";
      readonly ty: Ty;
      readonly op: string;
      readonly a: Expr;
      readonly b: Expr;
      readonly lane: number;
    }
  | { readonly kind: "input"; readonly ty: Ty; readonly index: Expr }
  | { readonly kind: "local"; readonly ty: "i32"; readonly index: Expr }
  | { readonly kind: "own"; readonly ty: Ty; readonly slot: number };

export type Statement =
  | { readonly kind: "assign"; readonly id: number; readonly value: Expr }
  /** With `vote`, the threads that are together go the same way: the one that any of them wants. */
  | {
      readonly kind: "if";
      readonly condition: Expr;
      readonly vote: boolean;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  /**
   * Runs (count & mask) times, or at least once where `rotated`; `id` counts up from 0. With `vote`, the threads that
   * are together go on until the last of them is through.
   */
  | {
      readonly kind: "loop";
      readonly id: number;
      readonly count: Expr;
      readonly mask: number;
      readonly rotated: boolean;
      readonly vote: boolean;
      readonly body: readonly Statement[];
    }
  /** Only directly in a loop's body, and a loop has breaks or continues, not both. `body` is done on the way. */
  | { readonly kind: "break" | "continue"; readonly condition: Expr; readonly body: readonly Statement[] }
  | {
      readonly kind: "switch";
      readonly value: Expr;
      readonly cases: readonly (readonly Statement[])[];
      readonly otherwise: readonly Statement[];
    }
  /** Only in the kernel itself. */
  | { readonly kind: "exit"; readonly condition: Expr; readonly body: readonly Statement[] }
  | { readonly kind: "store-own"; readonly slot: number; readonly value: Expr }
  | { readonly kind: "store-local"; readonly index: Expr; readonly value: Expr }
  | { readonly kind: "atomic"; readonly cell: number; readonly index: Expr; readonly value: Expr }
  | {
      readonly kind: "atomic-own";
      readonly id: number;
      readonly op: string;
      readonly slot: number;
      readonly value: Expr;
      readonly expected: Expr | null;
    }
  | { readonly kind: "collective"; readonly id: number; readonly op: string; readonly args: readonly Expr[] }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly callee: number;
      readonly indirect: boolean;
      readonly args: readonly Expr[];
    }
  // The rest only where all threads of the block come by together.
  | { readonly kind: "exchange"; readonly id: number; readonly value: Expr; readonly index: Expr }
  | {
      readonly kind: "shared-atomic";
      readonly id: number;
      readonly op: string;
      readonly start: number;
      readonly value: Expr;
      readonly index: Expr;
      readonly read: Expr;
    }
  | {
      readonly kind: "barrier-reduce";
      readonly id: number;
      readonly op: "popc" | "and" | "or";
      readonly predicate: Expr;
    }
  /** Both sides come to the barrier, at different places in the code. */
  | {
      readonly kind: "split-barrier";
      readonly condition: Expr;
      readonly before: readonly [readonly Statement[], readonly Statement[]];
      readonly after: readonly [readonly Statement[], readonly Statement[]];
    };

export interface Variable {
  readonly id: number;
  readonly ty: Ty;
  readonly init: Expr;
}

export interface DeviceFunction {
  /** Parameters are variables; their `init` is not used. */
  readonly params: readonly Variable[];
  readonly variables: readonly Variable[];
  readonly body: readonly Statement[];
  readonly result: Expr;
}

export interface Program {
  readonly seed: number;
  readonly grid: readonly [number, number];
  readonly block: readonly [number, number];
  /** The kernel's integer parameter. */
  readonly n: number;
  readonly dynamicShared: boolean;
  readonly functions: readonly DeviceFunction[];
  readonly variables: readonly Variable[];
  readonly body: readonly Statement[];
}

export const SLOTS = 8;
export const SLOT_BYTES = 8;
export const LOCAL_WORDS = 8;
export const INPUT_BYTES = 1024;
export const MAX_THREADS = 128;
export const SHARED_CELLS = 8;

/** The atomics of `acc`: each has four cells of 8 bytes. */
export const ACC_OPERATIONS: readonly { readonly op: string; readonly ty: Ty; readonly start: string }[] = [
  { op: "add", ty: "i32", start: "0" },
  { op: "sub", ty: "i32", start: "0" },
  { op: "and", ty: "i32", start: "-1" },
  { op: "or", ty: "i32", start: "0" },
  { op: "xor", ty: "i32", start: "0" },
  { op: "max", ty: "i32", start: "0" },
  { op: "min", ty: "i32", start: "0" },
  { op: "umax", ty: "i32", start: "0" },
  { op: "umin", ty: "i32", start: "-1" },
  { op: "add", ty: "i64", start: "0" },
  { op: "and", ty: "i64", start: "-1" },
  { op: "xor", ty: "i64", start: "0" },
  { op: "max", ty: "i64", start: "0" },
  { op: "umin", ty: "i64", start: "-1" },
  { op: "uinc_wrap", ty: "i32", start: "0" },
  { op: "udec_wrap", ty: "i32", start: "0" },
  // Small whole numbers: their sum is exact, or stays where one more no longer counts.
  { op: "fadd", ty: "float", start: "0" },
  { op: "fadd", ty: "double", start: "0" },
  { op: "fadd", ty: "half", start: "0" },
  { op: "fadd", ty: "bfloat", start: "0" },
  { op: "fmax", ty: "float", start: "0" },
  { op: "fmin", ty: "float", start: "0" },
];
export const ACC_CELLS = 4;
