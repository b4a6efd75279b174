/**
 * Block IR: what a kernel does with whole blocks of values, before anything says which thread holds which element.
 *
 * A value has an element type (a scalar of src/ir, without a sign) and a shape; a scalar has the shape []. All sizes
 * are powers of two, and a block is in row-major order. Operations are SSA; control flow is structured: an operation
 * with regions (for, while, if, reduce, scan) passes values in by the regions' parameters and out by their yields. A
 * region may use any value that is defined before the operation that it belongs to. verify.ts has the rules,
 * interpreter.ts the meaning as a program.
 */
import type { SourceLocation } from "../../../base/diagnostics.ts";
import type {
  AtomicOperator,
  AtomicOrdering,
  BinaryOperator,
  CacheHint,
  CastOperator,
  FloatPredicate,
  FloatType,
  IntPredicate,
  IntType,
  IrConstant,
  PointerType,
} from "../../../ir/model/ir.ts";

export type ElementType = IntType | FloatType | PointerType;

export interface BlockType {
  readonly element: ElementType;
  readonly shape: readonly number[];
}

export interface BlockValue {
  readonly type: BlockType;
  /** For the printer: a name of the source, or "". */
  readonly name: string;
  /** What computes it; null for parameters of functions and regions. */
  readonly op: BlockOp | null;
}

/** Code with parameters and results. */
export interface Region {
  readonly params: BlockValue[];
  readonly ops: BlockOp[];
  yields: BlockValue[];
}

interface Base {
  readonly location: SourceLocation | null;
  results: readonly BlockValue[];
}

/** All elements are the constant, which has the element type. */
export interface ConstantOp extends Base {
  readonly op: "constant";
  readonly value: IrConstant;
}
/** start, start + 1, … */
export interface RangeOp extends Base {
  readonly op: "range";
  readonly start: number;
}
/** A scalar as every element of a block. */
export interface SplatOp extends Base {
  readonly op: "splat";
  readonly source: BlockValue;
}
/** A new dimension of one element before dimension `axis`. */
export interface ExpandOp extends Base {
  readonly op: "expand";
  readonly source: BlockValue;
  readonly axis: number;
}
/** Dimensions of one element are repeated up to the result's shape. */
export interface BroadcastOp extends Base {
  readonly op: "broadcast";
  readonly source: BlockValue;
}
/** The same elements in row-major order, under another shape. */
export interface ReshapeOp extends Base {
  readonly op: "reshape";
  readonly source: BlockValue;
}
/** Dimension i of the result is dimension order[i] of the source. */
export interface TransposeOp extends Base {
  readonly op: "transpose";
  readonly source: BlockValue;
  readonly order: readonly number[];
}
/** Two blocks side by side in a new last dimension of two elements. */
export interface JoinOp extends Base {
  readonly op: "join";
  readonly sources: readonly [BlockValue, BlockValue];
}
/** Element `index` (0 or 1) of the last dimension, which has two. */
export interface PickOp extends Base {
  readonly op: "pick";
  readonly source: BlockValue;
  readonly index: number;
}

/** Element by element: the instruction of src/ir of that name. */
export interface BinaryOp extends Base {
  readonly op: "binary";
  readonly operator: BinaryOperator;
  readonly operands: readonly [BlockValue, BlockValue];
  /** A quotient that is rounded as IEEE 754 has it: tl.div_rn. */
  readonly isExact?: boolean;
}
export interface CompareOp extends Base {
  readonly op: "icmp";
  readonly predicate: IntPredicate;
  readonly operands: readonly [BlockValue, BlockValue];
}
export interface FloatCompareOp extends Base {
  readonly op: "fcmp";
  readonly predicate: FloatPredicate;
  readonly operands: readonly [BlockValue, BlockValue];
}
export interface CastOp extends Base {
  readonly op: "cast";
  readonly operator: CastOperator;
  readonly operands: readonly [BlockValue];
}
export interface SelectOp extends Base {
  readonly op: "select";
  readonly operands: readonly [BlockValue, BlockValue, BlockValue];
}
/** A function without effects: an intrinsic of src/ir, or of the device library (`__nv_…`). */
export interface CallOp extends Base {
  readonly op: "call";
  readonly callee: string;
  readonly operands: readonly BlockValue[];
  /** A root that is rounded as IEEE 754 has it: tl.sqrt_rn. */
  readonly isExact?: boolean;
}
/** The address `offset` elements of `bytes` bytes after a pointer. */
export interface AddressOp extends Base {
  readonly op: "address";
  readonly operands: readonly [BlockValue, BlockValue];
  readonly bytes: number;
}
export type ElementwiseOp = BinaryOp | CompareOp | FloatCompareOp | CastOp | SelectOp | CallOp | AddressOp;

/** Elements whose mask is false are not accessed; they have the value of `other`, or are poison without it. */
export interface LoadOp extends Base {
  readonly op: "load";
  readonly pointer: BlockValue;
  readonly mask: BlockValue | null;
  readonly other: BlockValue | null;
  /** "ca": what is loaded stays in the cache of the multiprocessor, also where it is copied to shared memory. */
  readonly cache: CacheHint | "ca" | null;
  readonly isVolatile: boolean;
}
export interface StoreOp extends Base {
  readonly op: "store";
  readonly pointer: BlockValue;
  readonly value: BlockValue;
  readonly mask: BlockValue | null;
  readonly cache: CacheHint | null;
}
export interface AtomicSemantics {
  readonly ordering: AtomicOrdering;
  /** As in src/ir: "block", "device", or null for the system. */
  readonly scope: string | null;
}
/** The result is the old value; where the mask is false it is poison. */
export interface AtomicOp extends Base, AtomicSemantics {
  readonly op: "atomic";
  readonly operator: AtomicOperator;
  readonly pointer: BlockValue;
  readonly value: BlockValue;
  readonly mask: BlockValue | null;
}
export interface CompareExchangeOp extends Base, AtomicSemantics {
  readonly op: "compare-exchange";
  readonly pointer: BlockValue;
  readonly expected: BlockValue;
  readonly desired: BlockValue;
}

/**
 * Combines the elements along `axis`, which the results no longer have. `combine` takes the values of one operand each
 * from two places and yields what stands for both; it must be associative and, for reduce, commutative.
 */
export interface ReduceOp extends Base {
  readonly op: "reduce";
  readonly operands: readonly BlockValue[];
  readonly axis: number;
  readonly combine: Region;
}
/** Every element becomes the combination of those up to it along `axis` (from the other end if reversed). */
export interface ScanOp extends Base {
  readonly op: "scan";
  readonly operands: readonly BlockValue[];
  readonly axis: number;
  readonly reverse: boolean;
  readonly combine: Region;
}
/** Result[…, i, …] = source[…, index[…, i, …], …] along `axis`. */
export interface GatherOp extends Base {
  readonly op: "gather";
  readonly source: BlockValue;
  readonly index: BlockValue;
  readonly axis: number;
}
/** a [M, K] times b [K, N] plus c [M, N], in the order of k; "tf32" cuts 13 bits off a float's fraction first. */
export interface DotOp extends Base {
  readonly op: "dot";
  readonly operands: readonly [BlockValue, BlockValue, BlockValue];
  readonly precision: "tf32" | "ieee";
}

/**
 * Inline PTX, `pack` elements at a time: elements of fewer than 32 bits share registers. The
 * results have the operands' shape.
 */
export interface AsmOp extends Base {
  readonly op: "asm";
  /** It has no effect but its results. */
  readonly isPure: boolean;
  readonly template: string;
  readonly constraints: string;
  readonly pack: number;
  readonly operands: readonly BlockValue[];
}

/**
 * The body for every `pack` elements: its parameters are, operand by operand, one element for each of them, and it
 * yields as many for each result. It computes with scalars alone, and may load. Which elements are in a group together
 * is not said.
 */
export interface MapOp extends Base {
  readonly op: "map";
  readonly operands: readonly BlockValue[];
  readonly pack: number;
  readonly body: Region;
}

export interface ProgramIdOp extends Base {
  readonly op: "program-id" | "program-count";
  readonly axis: 0 | 1 | 2;
}

/** The body has the counter and the carried values; it yields the carried values. */
export interface ForOp extends Base {
  readonly op: "for";
  /** tl.range(num_stages=): iterations whose loads are under way; null: as many as the launch says. */
  readonly stages?: number | null;
  readonly lower: BlockValue;
  readonly upper: BlockValue;
  readonly step: BlockValue;
  readonly initial: readonly BlockValue[];
  readonly body: Region;
}
/** `before` yields the condition and what `body` and the results get; `body` yields what `before` gets. */
export interface WhileOp extends Base {
  readonly op: "while";
  readonly initial: readonly BlockValue[];
  readonly before: Region;
  readonly body: Region;
}
export interface IfOp extends Base {
  readonly op: "if";
  readonly condition: BlockValue;
  readonly then: Region;
  readonly otherwise: Region;
}

/**
 * Shared memory for the tiles that a loop is given: as many as iterations are under way. What a GPU's code is made of;
 * the front end makes none.
 */
export interface Ring {
  readonly type: BlockType;
  readonly slots: number;
  /** The dimension whose neighbours are neighbours in memory, and how many of them one copy moves. */
  readonly fast: number;
  readonly vector: number;
  /** Every thread reads what it has copied itself. */
  readonly isPrivate: boolean;
}
/** Begins to copy a tile from memory to slot `slot` of a ring; elements whose mask is false become zero. */
export interface CopyOp extends Base {
  readonly op: "copy";
  readonly ring: Ring;
  readonly slot: BlockValue;
  readonly pointer: BlockValue;
  readonly mask: BlockValue | null;
  readonly staysInCache: boolean;
}
/** The copies since the last one are a group. */
export interface CommitOp extends Base {
  readonly op: "commit-copies";
}
/** Waits until at most `pending` groups are under way. Unless `isPrivate`, all threads see the others. */
export interface AwaitOp extends Base {
  readonly op: "await-copies";
  readonly pending: number;
  readonly isPrivate: boolean;
}
/** The tile in slot `slot`. */
export interface StagedOp extends Base {
  readonly op: "staged";
  readonly ring: Ring;
  readonly slot: BlockValue;
}

/** All memory accesses of the program before it are done before those after it. */
export interface BarrierOp extends Base {
  readonly op: "barrier";
  /**
   * Programmatic dependent launch (PTX ISA, "griddepcontrol"): "wait" waits for the kernels before this one, "launch"
   * lets the next kernel begin. Absent: a barrier of the program's threads.
   */
  readonly grid?: "wait" | "launch";
}
/** One line for each element. */
export interface PrintOp extends Base {
  readonly op: "print";
  readonly prefix: string;
  readonly operands: readonly BlockValue[];
  readonly isSigned: readonly boolean[];
  readonly hex: boolean;
}
/** A fault where an element is false. */
export interface AssertOp extends Base {
  readonly op: "assert";
  readonly condition: BlockValue;
  readonly mask: BlockValue | null;
  readonly message: string;
}

export type BlockOp =
  | ConstantOp
  | RangeOp
  | SplatOp
  | ExpandOp
  | BroadcastOp
  | ReshapeOp
  | TransposeOp
  | JoinOp
  | PickOp
  | ElementwiseOp
  | LoadOp
  | StoreOp
  | AtomicOp
  | CompareExchangeOp
  | ReduceOp
  | ScanOp
  | GatherOp
  | DotOp
  | AsmOp
  | MapOp
  | ProgramIdOp
  | ForOp
  | WhileOp
  | IfOp
  | CopyOp
  | CommitOp
  | AwaitOp
  | StagedOp
  | BarrierOp
  | PrintOp
  | AssertOp;

export interface KernelParam {
  readonly value: BlockValue;
  readonly name: string;
  /** For messages and signatures: "*fp32", "i32". */
  readonly typeName: string;
  /** A promise of the launch: an address or integer that is a multiple of this. */
  readonly divisibility: number;
}

/** A name that the source gives a value. */
export interface SourceName {
  readonly name: string;
  readonly functionName: string;
  /** With its sign: "i32", "*fp16". */
  readonly dtype: string;
}

/** One specialisation of a kernel. */
export interface BlockKernel {
  readonly name: string;
  readonly file: string;
  readonly location: SourceLocation;
  readonly params: readonly KernelParam[];
  readonly body: Region;
  /** The names of the source, for those who watch the kernel run. */
  readonly names?: ReadonlyMap<BlockValue, readonly SourceName[]>;
}
