/** Takes the name of an intrinsic apart. */
import type {
  AsyncCopyFacts,
  AtomicFacts,
  Axis,
  BarrierFacts,
  CountFacts,
  ElementFormat,
  MatchFacts,
  NameFields,
  ProductGroupFacts,
  ReductionFacts,
  RegisterFacts,
  Rounding,
  ShuffleFacts,
  VoteFacts,
} from "./facts.ts";

const LLVM = "llvm.";
const NVVM = "llvm.nvvm.";
const GRID_SYNC = "__heddle_grid_sync";
const CLUSTER_ARRIVE = "__heddle_cluster_arrive";
const CLUSTER_WAIT = "__heddle_cluster_wait";

/** Names that begin so are LLVM's own: intrinsics, and variables with a meaning for the compiler. */
export function isLlvmName(name: string): boolean {
  return name.startsWith(LLVM);
}

/** The target's part of them. */
export function isNvvmName(name: string): boolean {
  return name.startsWith(NVVM);
}

/** @param base a name of the table, without overload suffixes. */
export function nameFields(base: string, overload: string): NameFields {
  const isNvvm = isNvvmName(base);
  const words = withoutPrefix(base).split(".");
  const has = (word: string): boolean => isNvvm && words.includes(word);
  const { element, isVector } = elementOf(isNvvm, words, overload);
  const register = registerFacts(words);
  const operation = isNvvm ? nvvmOperation(words, element) : words.join(".");
  return {
    isNvvm,
    words,
    operation,
    element,
    isVector,
    rounding: isNvvm ? ((words.find((word) => ROUNDINGS.has(word)) ?? null) as Rounding | null) : null,
    flushesToZero: has("ftz"),
    saturates: has("sat"),
    relu: has("relu"),
    xorSign: has("xorsign"),
    shuffle: words[0] === "shfl" ? shuffleFacts(words) : null,
    vote: words[0] === "vote" ? { mode: words[1] as VoteFacts["mode"] } : null,
    match: words[0] === "match" ? matchFacts(words) : null,
    reduction: words[0] === "redux" ? reductionFacts(words) : null,
    barrier: barrierFacts(base, words),
    productGroup: words[0] === "wgmma" ? (PRODUCT_GROUPS[words[1] as string] ?? null) : null,
    register,
    atomic: words[0] === "atomic" ? atomicFacts(words) : null,
    asyncCopy: asyncCopyFacts(words),
    count: words[0] === "heddle" && words[1] === "count" ? { what: words[2] as CountFacts["what"] } : null,
    memoryRange: (MEMORY_RANGES.get(operation) ?? null) as NameFields["memoryRange"],
    spaceTest: words[0] === "isspacep" ? (words[1] as NameFields["spaceTest"]) : null,
    isReadOnlyLoad: isNvvm && (words[0] === "ldg" || words[0] === "ldu"),
    isFence: isNvvm && (words[0] === "membar" || words[0] === "fence"),
    readsClock: CLOCKS.has(register === null ? operation : register.register),
    isHint: !isNvvm && (HINTS.has(operation) || HINTS.has(words[0] as string)),
    returnsOperand: FIRST_OPERAND.has(operation),
  };
}

function withoutPrefix(base: string): string {
  if (isNvvmName(base)) return base.slice(NVVM.length);
  return isLlvmName(base) ? base.slice(LLVM.length) : base;
}

// ---------------------------------------------------------------- arithmetic

const ROUNDINGS: ReadonlySet<string> = new Set(["rn", "rz", "rm", "rp"]);

const MEMORY_RANGES: ReadonlyMap<string, string> = new Map([
  ["memcpy", "memcpy"],
  ["memcpy.inline", "memcpy"],
  ["memmove", "memmove"],
  ["memset", "memset"],
  ["memset.inline", "memset"],
]);

const CLOCKS: ReadonlySet<string> = new Set([
  "clock",
  "clock.hi",
  "clock64",
  "globaltimer",
  "globaltimer.lo",
  "readcyclecounter",
  "readsteadycounter",
]);

const HINTS: ReadonlySet<string> = new Set([
  "assume",
  "lifetime",
  "dbg",
  "experimental.noalias.scope.decl",
  "var.annotation",
  "donothing",
]);

const FIRST_OPERAND: ReadonlySet<string> = new Set([
  "expect",
  "expect.with.probability",
  "ssa.copy",
  "launder.invariant.group",
  "strip.invariant.group",
  "arithmetic.fence",
  "ptr.annotation",
  "annotation",
  "threadlocal.address",
  "ptrmask",
  "ptr.to.gen",
  "ptr.gen.to",
  "internal.addrspace.wrap",
]);

/** NVVM's words for operations that LLVM has, too. */
const LLVM_WORDS: Readonly<Record<string, string>> = {
  ex2: "exp2",
  lg2: "log2",
  popc: "ctpop",
  clz: "ctlz",
  brev32: "bitreverse",
  brev64: "bitreverse",
  round: "rint",
};

/** Operations whose second word is not a modifier. */
const TWO_WORDS: ReadonlySet<string> = new Set(["bitcast", "prmt", "mulhi", "mul24", "sad", "rotate", "fshl", "fshr"]);

function nvvmOperation(words: readonly string[], element: ElementFormat | null): string {
  const [first = "", second = ""] = words;
  if (first === "ptr") return second === "gen" ? "ptr.gen.to" : "ptr.to.gen";
  if (first === "fmin" || first === "fmax") {
    const ignoresNan = !words.includes("nan");
    if (first === "fmin") return ignoresNan ? "minnum" : "minimum";
    return ignoresNan ? "maxnum" : "maximum";
  }
  if (first === "abs" && element !== "int") return "fabs";
  if (TWO_WORDS.has(first)) return words.join(".");
  if (first === "d2i" && (second === "lo" || second === "hi")) return `d2i.${second}`;
  // Whole families whose words are parsed further (barriers, shuffles, …) are known by their full name.
  if (!isArithmetic(first)) return words.join(".");
  return LLVM_WORDS[first] ?? first;
}

const ARITHMETIC: ReadonlySet<string> = new Set(
  (
    "add sub mul div fma rcp sqrt rsqrt ex2 lg2 sin cos tanh saturate fabs abs neg ceil floor round trunc popc clz " +
    "brev32 brev64 lohi f2h f2bf16 ff2bf16x2 ff2f16x2 d2f"
  ).split(" "),
);

function isArithmetic(word: string): boolean {
  return ARITHMETIC.has(word) || isConversionWord(word);
}

/** f2i, ull2d and their like. */
function isConversionWord(word: string): boolean {
  const [from = "", to = ""] = word.split("2");
  return (FLOATS.has(from) && INTEGERS.has(to)) || (INTEGERS.has(from) && FLOATS.has(to));
}

const FLOATS: ReadonlySet<string> = new Set(["f", "d"]);
const INTEGERS: ReadonlySet<string> = new Set(["i", "ui", "ll", "ull"]);

const NVVM_ELEMENTS: Readonly<Record<string, ElementFormat>> = {
  f: "f32",
  f32: "f32",
  d: "f64",
  f16: "f16",
  f16x2: "f16",
  v2f16: "f16",
  bf16: "bf16",
  bf16x2: "bf16",
  v2bf16: "bf16",
  i: "int",
  ll: "int",
};

function elementOf(
  isNvvm: boolean,
  words: readonly string[],
  overload: string,
): { element: ElementFormat | null; isVector: boolean } {
  const [, vector, element] = /^\.(v\d+)?(f16|bf16|f32|f64|i\d+)/.exec(overload) ?? [];
  if (element !== undefined) {
    const format = element.startsWith("i") ? "int" : (element as ElementFormat);
    return { element: format, isVector: vector !== undefined };
  }
  if (!isNvvm) return { element: null, isVector: false };
  const last = words.at(-1) as string;
  const first = words[0] as string;
  const isVector = /x2$|^v2/.test(last) || (first !== "ex2" && first.endsWith("x2"));
  return { element: nvvmElement(first, last), isVector };
}

function nvvmElement(first: string, last: string): ElementFormat | null {
  const named = NVVM_ELEMENTS[last];
  if (named !== undefined) return named;
  if (first === "div" || first === "fabs") return "f32";
  return first.startsWith("tanh") || first === "ex2" ? "f32" : null;
}

// ---------------------------------------------------------------- threads and memory

/** What the device library asks of a block's place, as registers. */
const OWN_REGISTER =
  /^__heddle_(shared_window|cluster_window|cluster_stride|cluster_n?(?:ctaid|clusterid|ctarank))(?:_([xyz]))?$/;

/** cluster_ctaid as cluster.ctaid, cluster_clusterid as clusterid. */
function ownRegister(name: string): RegisterFacts | null {
  const [, register, axis = null] = OWN_REGISTER.exec(name) ?? [];
  if (register === undefined) return null;
  const word = register.replace("_", ".");
  return { register: word.endsWith("clusterid") ? word.replace("cluster.", "") : word, axis: axis as Axis | null };
}

function registerFacts(words: readonly string[]): RegisterFacts | null {
  const own = ownRegister(words[0] as string);
  if (own !== null) return own;
  if (words[0] !== "read" || words[2] !== "sreg") return null;
  const last = words.at(-1) as string;
  const hasAxis = last === "x" || last === "y" || last === "z";
  return {
    register: words.slice(3, hasAxis ? -1 : undefined).join("."),
    axis: hasAxis ? (last as Axis) : null,
  };
}

function shuffleFacts(words: readonly string[]): ShuffleFacts {
  const hasMask = words[1] === "sync";
  return {
    mode: words[hasMask ? 2 : 1] as ShuffleFacts["mode"],
    hasMask,
    withPredicate: (words.at(-1) as string).endsWith("p"),
  };
}

function matchFacts(words: readonly string[]): MatchFacts {
  return { mode: words[1] as MatchFacts["mode"], bits: words[3]?.startsWith("i64") ? 64 : 32 };
}

function reductionFacts(words: readonly string[]): ReductionFacts {
  return {
    operator: words[2] as ReductionFacts["operator"],
    absolute: words.includes("abs"),
    nan: words.includes("NaN"),
  };
}

/** barrier0, and the three generations of names for `barrier.sync` (NVPTXUsage; NVVM IR specification). */
function barrierFacts(base: string, words: readonly string[]): BarrierFacts | null {
  const form = { scope: "block", action: "sync", reduction: null, hasId: true, hasCount: false } as const;
  if (base === GRID_SYNC) return { ...form, scope: "grid", hasId: false };
  if (base === CLUSTER_ARRIVE) return { ...form, scope: "cluster", action: "arrive", hasId: false };
  if (base === CLUSTER_WAIT) return { ...form, scope: "cluster", hasId: false };
  const reduction = (words.find((word) => REDUCTIONS.has(word)) ?? null) as BarrierFacts["reduction"];
  if (words[0] === "barrier0") return { ...form, reduction, hasId: false };
  if (words[0] === "bar") return words[1] === "warp" ? null : form;
  if (words[0] !== "barrier") return null;
  const action = words.includes("arrive") ? "arrive" : "sync";
  if (words[1] === "cluster") return { ...form, scope: "cluster", action, hasId: false };
  const last = words.at(-1) as string;
  return { ...form, action, reduction, hasCount: words.length === 1 || last === "cnt" || last === "count" };
}

const REDUCTIONS: ReadonlySet<string> = new Set(["popc", "and", "or"]);

const PRODUCT_GROUPS: Readonly<Record<string, ProductGroupFacts>> = { commit_group: "commit", wait_group: "wait" };

/** atomic.add.gen.i.cta, atomic.load.inc.32 */
function atomicFacts(words: readonly string[]): AtomicFacts {
  const word = words[words[1] === "load" ? 2 : 1] as string;
  const last = words.at(-1) as string;
  const operators = words[3] === "f" ? FLOAT_ATOMICS : ATOMICS;
  return {
    operator: (operators[word] ?? word) as AtomicFacts["operator"],
    scope: SCOPES[last] ?? "device",
  };
}

const ATOMICS: Readonly<Record<string, string>> = { exch: "xchg", inc: "uinc_wrap", dec: "udec_wrap" };
const FLOAT_ATOMICS: Readonly<Record<string, string>> = { exch: "xchg", add: "fadd", max: "fmax", min: "fmin" };

const SCOPES: Readonly<Record<string, AtomicFacts["scope"]>> = { cta: "block", sys: "system" };

/** cp.async.ca.shared.global.16.s */
function asyncCopyFacts(words: readonly string[]): AsyncCopyFacts | null {
  const [first, second, cache, space] = words;
  if (first !== "cp" || second !== "async" || space !== "shared") return null;
  return { cache: cache as AsyncCopyFacts["cache"], bytes: Number(words[5]), isPartial: words[6] === "s" };
}
