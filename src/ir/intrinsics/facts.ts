/** What the table of intrinsics says about each function that has no body: the types of its columns. */

/**
 * pure: the result follows from the arguments alone · thread: who and when the thread is · collective: threads of a
 * warp together · sync: waits for threads of the block or grid, or signals them · memory: reads, writes or orders
 * memory · control: ends the thread or the launch · ignored: no effect here.
 */
export type IntrinsicKind = "pure" | "thread" | "collective" | "sync" | "memory" | "control" | "ignored";

/** A row of docs/support.md. Overloaded intrinsics stand under their base name: `llvm.fma` for `llvm.fma.f32`. */
export interface Intrinsic {
  readonly name: string;
  readonly kind: IntrinsicKind;
  readonly signature: string;
  readonly note: string;
}

/** The memory of the program that a call touches; access: through these arguments only; any: anything. */
export type MemoryEffect =
  | { readonly kind: "none" }
  | { readonly kind: "access"; readonly reads: readonly number[]; readonly writes: readonly number[] }
  | { readonly kind: "any" };

/**
 * Which threads get the same result. operands: those with the same arguments · grid, block, warp: all threads of it,
 * whatever the arguments · mask: the lanes that name the same membermask · lane: every thread may get its own.
 */
export type ResultUniformity = "operands" | "grid" | "block" | "warp" | "mask" | "lane";

/**
 * The unit of a multiprocessor that does the work (CUDA programming guide, "Arithmetic Instructions"). alu: integers,
 * logic, comparison · special: approximate functions, division, square root · conversion: between formats, and to whole
 * numbers · lanes: across the lanes of a warp · none: nothing is executed.
 */
export type CostClass =
  | "none"
  | "alu"
  | "fp16"
  | "fp32-add"
  | "fp32-mul"
  | "fp32-fma"
  | "fp64"
  | "special"
  | "conversion"
  | "memory"
  | "lanes"
  | "barrier"
  | "tensor";

export type Rounding = "rn" | "rz" | "rm" | "rp";
export type ElementFormat = "f16" | "bf16" | "f32" | "f64" | "int";
export type Axis = "x" | "y" | "z";

export interface ShuffleFacts {
  readonly mode: "idx" | "up" | "down" | "bfly";
  /** The first argument is the membermask. Without one the lanes are those of activemask. */
  readonly hasMask: boolean;
  /** The result is the value, and whether the source lane was in range. */
  readonly withPredicate: boolean;
}

export interface VoteFacts {
  readonly mode: "all" | "any" | "uni" | "ballot";
}

export interface MatchFacts {
  readonly mode: "any" | "all";
  readonly bits: 32 | 64;
}

/** redux.sync: the value is the first argument, the membermask the second. */
export interface ReductionFacts {
  readonly operator: "add" | "min" | "max" | "umin" | "umax" | "and" | "or" | "xor" | "fmin" | "fmax";
  readonly absolute: boolean;
  /** A NaN operand is the result. */
  readonly nan: boolean;
}

/** Arguments in their order: the barrier's number, the number of threads, the predicate of a reduction. */
export interface BarrierFacts {
  readonly scope: "block" | "cluster" | "grid";
  readonly action: "sync" | "arrive";
  readonly reduction: "popc" | "and" | "or" | null;
  /** The first argument is the barrier's number; otherwise it is barrier 0. */
  readonly hasId: boolean;
  readonly hasCount: boolean;
}

/** Groups of products of a warpgroup (wgmma): "wait" has as its argument how many of the last groups may be missing. */
export type ProductGroupFacts = "commit" | "wait";

export interface RegisterFacts {
  /** Without the axis: tid, lanemask.eq, cluster.ctaid, … */
  readonly register: string;
  readonly axis: Axis | null;
}

export interface AtomicFacts {
  /** LLVM's word (LangRef, "atomicrmw"), or cas for a compare and exchange. */
  readonly operator:
    | "add"
    | "xchg"
    | "max"
    | "min"
    | "uinc_wrap"
    | "udec_wrap"
    | "and"
    | "or"
    | "xor"
    | "fadd"
    | "fmax"
    | "fmin"
    | "cas";
  readonly scope: "block" | "device" | "system";
}

/** Calls that a tool adds to count what warps do: machine/warp-counts.ts. */
export interface CountFacts {
  readonly what: "warps" | "branch" | "access" | "lines" | "begin" | "clock" | "arrive";
}

export interface AsyncCopyFacts {
  readonly cache: "ca" | "cg";
  readonly bytes: number;
  /** The third argument is the number of bytes to read; the rest becomes zeros. */
  readonly isPartial: boolean;
}

/** What a name says. The facts of one operation are null for all other operations. */
export interface NameFields {
  readonly isNvvm: boolean;
  /** The base name without `llvm.` or `llvm.nvvm.`, split at its dots. */
  readonly words: readonly string[];
  /**
   * What is done, without types and modifiers. Operations with the same meaning in both dialects have LLVM's word:
   * `llvm.nvvm.ex2.approx.ftz.f` is exp2, `llvm.nvvm.fmin.nan.f` is minimum.
   */
  readonly operation: string;
  /** What the operation works on; null where the name does not say. */
  readonly element: ElementFormat | null;
  /** The operands are vectors. */
  readonly isVector: boolean;
  readonly rounding: Rounding | null;
  /** Subnormal operands and results become zeros of their sign. */
  readonly flushesToZero: boolean;
  readonly saturates: boolean;
  /** Negative results become 0. */
  readonly relu: boolean;
  readonly xorSign: boolean;

  readonly shuffle: ShuffleFacts | null;
  readonly vote: VoteFacts | null;
  readonly match: MatchFacts | null;
  readonly reduction: ReductionFacts | null;
  readonly barrier: BarrierFacts | null;
  readonly productGroup: ProductGroupFacts | null;
  readonly register: RegisterFacts | null;
  readonly atomic: AtomicFacts | null;
  readonly asyncCopy: AsyncCopyFacts | null;
  /** The lanes that execute the call together are counted; nothing waits. */
  readonly count: CountFacts | null;
  /** A copy or a fill of a range of memory: arguments are destination, source or byte, length. */
  readonly memoryRange: "memcpy" | "memmove" | "memset" | null;
  /** The state space that `isspacep` asks for. */
  readonly spaceTest: "shared" | "local" | "global" | "const" | null;
  /** `ldg` and `ldu`: a load through the read-only cache. */
  readonly isReadOnlyLoad: boolean;
  /** `membar` and `fence`. */
  readonly isFence: boolean;
  readonly readsClock: boolean;
  /** A note for optimizers and debuggers, without a result: dropping the call changes nothing. */
  readonly isHint: boolean;
  /** The result is the first argument, perhaps in another address space or with bits masked. */
  readonly returnsOperand: boolean;
}

/** What a row adds to the name. */
export interface RowFacts {
  readonly memory: MemoryEffect;
  /** All threads that take part must execute the call together: it may not move into or out of a branch. */
  readonly isConvergent: boolean;
  readonly uniformity: ResultUniformity;
  /** internal: only the compiler itself makes such calls; docs/support.md does not list them. */
  readonly status: "supported" | "internal";
}

export interface IntrinsicFacts extends Intrinsic, NameFields, RowFacts {
  /** The types at the end of an overloaded name: ".f32", ".p0.p1.i32"; "" if there are none. */
  readonly overload: string;
  readonly cost: CostClass;
}
