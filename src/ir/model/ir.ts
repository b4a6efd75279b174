/**
 * The typed model of LLVM IR that everything above works on.
 *
 * Covers what Clang emits for CUDA device code (triple nvptx-nvidia-cuda: 32-bit pointers, opaque `ptr`), see the LLVM
 * Language Reference. Values are plain objects compared by identity; passes rebuild or mutate functions in place and
 * call the verifier afterwards. Uses are not tracked: passes that need them build a use map.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";

// ---------------------------------------------------------------- types

export type FloatFormat = "half" | "bfloat" | "float" | "double";

export interface VoidType {
  readonly kind: "void";
}
export interface IntType {
  readonly kind: "int";
  readonly bits: number;
}
export interface FloatType {
  readonly kind: "float";
  readonly format: FloatFormat;
}
/** Address spaces of NVPTX: 0 generic, 1 global, 3 shared, 4 constant, 5 local, 101 kernel parameters. */
export interface PointerType {
  readonly kind: "ptr";
  readonly addressSpace: number;
  /** All pointers of a module have one width, which its data layout says (layout.ts). */
  readonly bits: PointerBits;
}
export type PointerBits = 32 | 64;
export interface VectorType {
  readonly kind: "vector";
  readonly element: IrType;
  readonly length: number;
}
export interface ArrayType {
  readonly kind: "array";
  readonly element: IrType;
  readonly length: number;
}
/** Literal or named; `elements` of an opaque struct is empty. */
export interface StructType {
  readonly kind: "struct";
  readonly name: string | null;
  readonly elements: readonly IrType[];
  readonly packed: boolean;
}
export interface FunctionType {
  readonly kind: "function";
  readonly result: IrType;
  readonly params: readonly IrType[];
  readonly isVarArg: boolean;
}
/** metadata, label, token: only as operand types of intrinsics that we ignore. */
export interface OpaqueType {
  readonly kind: "opaque";
  readonly name: "metadata" | "label" | "token";
}

export type IrType =
  | VoidType
  | IntType
  | FloatType
  | PointerType
  | VectorType
  | ArrayType
  | StructType
  | FunctionType
  | OpaqueType;

// ---------------------------------------------------------------- values

/** Integer constants hold their value as an unsigned bigint below 2^bits. */
export interface ConstInt {
  readonly kind: "const-int";
  readonly type: IntType;
  readonly value: bigint;
}
/** `bits` is the IEEE bit pattern in the type's own format (double: 64 bits). */
export interface ConstFloat {
  readonly kind: "const-float";
  readonly type: FloatType;
  readonly bits: bigint;
}
export interface ConstNull {
  readonly kind: "const-null";
  readonly type: PointerType;
}
export interface ConstUndef {
  readonly kind: "const-undef";
  readonly type: IrType;
  readonly poison: boolean;
}
export interface ConstZero {
  readonly kind: "const-zero";
  readonly type: IrType;
}
/** Array, vector or struct constants. */
export interface ConstAggregate {
  readonly kind: "const-aggregate";
  readonly type: ArrayType | VectorType | StructType;
  readonly elements: readonly IrConstant[];
}
/** c"…" */
export interface ConstBytes {
  readonly kind: "const-bytes";
  readonly type: ArrayType;
  readonly bytes: Uint8Array;
}
/** A constant expression: the same instruction shape without a place in a block (gep, casts, add, sub …). */
export interface ConstExpr {
  readonly kind: "const-expr";
  readonly type: IrType;
  readonly instruction: ConstExprInstruction;
}
export type ConstExprInstruction =
  | {
      readonly op: "gep";
      readonly sourceType: IrType;
      readonly base: IrConstant;
      readonly indices: readonly IrConstant[];
    }
  | { readonly op: "cast"; readonly operator: CastOperator; readonly operand: IrConstant }
  | { readonly op: "binary"; readonly operator: BinaryOperator; readonly lhs: IrConstant; readonly rhs: IrConstant };

export type IrConstant =
  | ConstInt
  | ConstFloat
  | ConstNull
  | ConstUndef
  | ConstZero
  | ConstAggregate
  | ConstBytes
  | ConstExpr
  | IrGlobal
  | IrFunction;

export interface IrParam {
  readonly kind: "param";
  name: string;
  index: number;
  type: IrType;
  /** The pointee type of a `byval` pointer parameter (struct passed by value), else null. */
  byval: IrType | null;
  align: number | null;
  /** A kernel's pointer that takes 8 bytes among the arguments (passes/pass-narrow-pointers.ts). */
  isWide?: true;
  /** Attribute words as written: noundef, readonly, writeonly, readnone, noalias, nocapture, … */
  attributes: ReadonlySet<string>;
  function: IrFunction;
}

export interface InlineAsm {
  readonly kind: "inline-asm";
  readonly type: PointerType;
  readonly functionType: FunctionType;
  readonly template: string;
  readonly constraints: string;
  readonly sideEffect: boolean;
}

/** metadata passed as an argument to an intrinsic; carries its text only. */
export interface MetadataOperand {
  readonly kind: "metadata";
  readonly type: OpaqueType;
  readonly text: string;
}

export type IrValue = IrConstant | IrParam | IrInstruction | InlineAsm | MetadataOperand;

// ---------------------------------------------------------------- instructions

export type BinaryOperator =
  | "add"
  | "sub"
  | "mul"
  | "udiv"
  | "sdiv"
  | "urem"
  | "srem"
  | "shl"
  | "lshr"
  | "ashr"
  | "and"
  | "or"
  | "xor"
  | "fadd"
  | "fsub"
  | "fmul"
  | "fdiv"
  | "frem";
export type CastOperator =
  | "trunc"
  | "zext"
  | "sext"
  | "fptrunc"
  | "fpext"
  | "fptoui"
  | "fptosi"
  | "uitofp"
  | "sitofp"
  | "ptrtoint"
  | "inttoptr"
  | "bitcast"
  | "addrspacecast";
export type IntPredicate = "eq" | "ne" | "ugt" | "uge" | "ult" | "ule" | "sgt" | "sge" | "slt" | "sle";
export type FloatPredicate =
  | "false"
  | "oeq"
  | "ogt"
  | "oge"
  | "olt"
  | "ole"
  | "one"
  | "ord"
  | "ueq"
  | "ugt"
  | "uge"
  | "ult"
  | "ule"
  | "une"
  | "uno"
  | "true";
export type AtomicOperator =
  | "xchg"
  | "add"
  | "sub"
  | "and"
  | "nand"
  | "or"
  | "xor"
  | "max"
  | "min"
  | "umax"
  | "umin"
  | "fadd"
  | "fsub"
  | "fmax"
  | "fmin"
  | "uinc_wrap"
  | "udec_wrap"
  | "usub_cond"
  | "usub_sat";
/**
 * LangRef, "Atomic Memory Ordering Constraints"; "monotonic" is what CUDA and C++ call relaxed. Next to it stands a
 * scope, that of the threads which the order holds for: "singlethread", "block", "cluster", "device", or null for all
 * of the system.
 */
export type AtomicOrdering = "unordered" | "monotonic" | "acquire" | "release" | "acq_rel" | "seq_cst";

/**
 * PTX's names: "cs" will hardly be used again (LLVM: nontemporal), "cg" is kept in the second level only. They change
 * no result.
 */
export type CacheHint = "cs" | "cg";

/** Fast-math flags that matter to us; `contract` allows a*b+c to be fused. */
export interface FastMath {
  readonly contract: boolean;
  readonly reassoc: boolean;
  readonly nnan: boolean;
  readonly ninf: boolean;
  readonly nsz: boolean;
  readonly arcp: boolean;
  readonly afn: boolean;
}

interface InstructionBase {
  readonly kind: "instruction";
  /** The result type; void where there is none. */
  type: IrType;
  /** Without %; "" for unnamed void instructions. Unique in its function otherwise. */
  name: string;
  location: SourceLocation | null;
  block: IrBlock;
  /** A tool has added it (instrument/): other tools do not look at it. Copies keep the mark. */
  isToolCode?: true;
}

export interface BinaryInstruction extends InstructionBase {
  op: "binary";
  operator: BinaryOperator;
  lhs: IrValue;
  rhs: IrValue;
  fastMath: FastMath | null;
  nuw: boolean;
  nsw: boolean;
  exact: boolean;
  /** Of an "or": no bit is set in both, so that it is their sum, too. */
  disjoint?: true;
}
export interface FnegInstruction extends InstructionBase {
  op: "fneg";
  operand: IrValue;
  fastMath: FastMath | null;
}
export interface IcmpInstruction extends InstructionBase {
  op: "icmp";
  predicate: IntPredicate;
  lhs: IrValue;
  rhs: IrValue;
}
export interface FcmpInstruction extends InstructionBase {
  op: "fcmp";
  predicate: FloatPredicate;
  lhs: IrValue;
  rhs: IrValue;
  fastMath: FastMath | null;
}
export interface CastInstruction extends InstructionBase {
  op: "cast";
  operator: CastOperator;
  operand: IrValue;
  nneg: boolean;
}
export interface SelectInstruction extends InstructionBase {
  op: "select";
  condition: IrValue;
  then: IrValue;
  else: IrValue;
}
export interface FreezeInstruction extends InstructionBase {
  op: "freeze";
  operand: IrValue;
}
export interface PhiInstruction extends InstructionBase {
  op: "phi";
  incoming: { value: IrValue; block: IrBlock }[];
}
export interface GepInstruction extends InstructionBase {
  op: "gep";
  sourceType: IrType;
  base: IrValue;
  indices: IrValue[];
  inbounds: boolean;
}
export interface AllocaInstruction extends InstructionBase {
  op: "alloca";
  allocatedType: IrType;
  count: IrValue | null;
  align: number;
}
export interface LoadInstruction extends InstructionBase {
  op: "load";
  pointer: IrValue;
  align: number;
  volatile: boolean;
  /** null: not atomic */ ordering: AtomicOrdering | null;
  scope: string | null;
  cache: CacheHint | null;
  invariant: boolean;
  /** Of an asynchronous copy to shared memory (cp.async): nobody waits for it here. Text has no word for it. */
  isAsynchronous?: true;
}
export interface StoreInstruction extends InstructionBase {
  op: "store";
  value: IrValue;
  pointer: IrValue;
  align: number;
  volatile: boolean;
  /** null: not atomic */ ordering: AtomicOrdering | null;
  scope: string | null;
  cache: CacheHint | null;
  /** st.async: a barrier counts its bytes, by the call of `__heddle_mbarrier_complete_tx` that follows. */
  isAsynchronous?: true;
}
/** Result type is { T, i1 }: the old value and whether the exchange happened. */
export interface CmpxchgInstruction extends InstructionBase {
  op: "cmpxchg";
  pointer: IrValue;
  expected: IrValue;
  desired: IrValue;
  volatile: boolean;
  /** if it exchanges */ ordering: AtomicOrdering;
  /** if it does not */ failureOrdering: AtomicOrdering;
  scope: string | null;
}
export interface AtomicRmwInstruction extends InstructionBase {
  op: "atomicrmw";
  operator: AtomicOperator;
  pointer: IrValue;
  value: IrValue;
  volatile: boolean;
  ordering: AtomicOrdering;
  scope: string | null;
  /** what the address is a multiple of, in bytes; absent where that is the value's size */ align?: number;
}
export interface FenceInstruction extends InstructionBase {
  op: "fence";
  ordering: AtomicOrdering;
  scope: string | null;
}
export interface CallInstruction extends InstructionBase {
  op: "call";
  callee: IrValue;
  functionType: FunctionType;
  args: IrValue[];
  fastMath: FastMath | null;
  attributes: ReadonlySet<string>;
  /** per argument: the byval type or null */ byval: (IrType | null)[];
  /** per argument: the promised alignment of a pointer or null; absent where nothing is promised */ argAlign?: (
    | number
    | null
  )[];
}
export interface ExtractValueInstruction extends InstructionBase {
  op: "extractvalue";
  aggregate: IrValue;
  indices: number[];
}
export interface InsertValueInstruction extends InstructionBase {
  op: "insertvalue";
  aggregate: IrValue;
  element: IrValue;
  indices: number[];
}
export interface ExtractElementInstruction extends InstructionBase {
  op: "extractelement";
  vector: IrValue;
  index: IrValue;
}
export interface InsertElementInstruction extends InstructionBase {
  op: "insertelement";
  vector: IrValue;
  element: IrValue;
  index: IrValue;
}
/** A mask entry of -1 is poison. */
export interface ShuffleVectorInstruction extends InstructionBase {
  op: "shufflevector";
  lhs: IrValue;
  rhs: IrValue;
  mask: number[];
}
export interface VaArgInstruction extends InstructionBase {
  op: "va_arg";
  list: IrValue;
}

export interface BrInstruction extends InstructionBase {
  op: "br";
  target: IrBlock;
  /** llvm.loop metadata of the branch, where present */ loop: string | null;
}
export interface CondBrInstruction extends InstructionBase {
  op: "condbr";
  condition: IrValue;
  then: IrBlock;
  else: IrBlock;
  loop: string | null;
}
export interface SwitchInstruction extends InstructionBase {
  op: "switch";
  value: IrValue;
  defaultTarget: IrBlock;
  cases: { value: ConstInt; target: IrBlock }[];
}
export interface RetInstruction extends InstructionBase {
  op: "ret";
  value: IrValue | null;
}
export interface UnreachableInstruction extends InstructionBase {
  op: "unreachable";
}

export type IrTerminator =
  | BrInstruction
  | CondBrInstruction
  | SwitchInstruction
  | RetInstruction
  | UnreachableInstruction;

export type IrInstruction =
  | BinaryInstruction
  | FnegInstruction
  | IcmpInstruction
  | FcmpInstruction
  | CastInstruction
  | SelectInstruction
  | FreezeInstruction
  | PhiInstruction
  | GepInstruction
  | AllocaInstruction
  | LoadInstruction
  | StoreInstruction
  | CmpxchgInstruction
  | AtomicRmwInstruction
  | FenceInstruction
  | CallInstruction
  | ExtractValueInstruction
  | InsertValueInstruction
  | ExtractElementInstruction
  | InsertElementInstruction
  | ShuffleVectorInstruction
  | VaArgInstruction
  | IrTerminator;

export type IrOp = IrInstruction["op"];

// ---------------------------------------------------------------- containers

export interface IrBlock {
  readonly kind: "block";
  name: string;
  function: IrFunction;
  /** Phis first, the terminator last. */
  instructions: IrInstruction[];
}

export interface IrFunction {
  readonly kind: "function";
  name: string;
  type: PointerType;
  functionType: FunctionType;
  params: IrParam[];
  /** Empty for a declaration. blocks[0] is the entry. */
  blocks: IrBlock[];
  /** A `__global__` function (ptx_kernel calling convention). */
  isKernel: boolean;
  linkage: string;
  /** Function attribute words and strings ("noinline", "convergent", "nvvm.maxntid=256", …), groups resolved. */
  attributes: ReadonlySet<string>;
  location: SourceLocation | null;
}

export interface IrGlobal {
  readonly kind: "global";
  name: string;
  /** ptr addrspace(n) */
  type: PointerType;
  valueType: IrType;
  isConstant: boolean;
  align: number;
  /** null: external or (address space 3) uninitialised. `extern __shared__ x[]` has a zero-length array type. */
  initializer: IrConstant | null;
  linkage: string;
}

export interface IrModule {
  readonly kind: "module";
  sourceFile: string;
  triple: string;
  dataLayout: string;
  structTypes: Map<string, StructType>;
  globals: Map<string, IrGlobal>;
  functions: Map<string, IrFunction>;
  /** alias name → aliasee */
  aliases: Map<string, IrConstant>;
}
