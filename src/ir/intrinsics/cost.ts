/** Which unit of a multiprocessor executes an intrinsic. */
import type { CostClass, IntrinsicKind, NameFields } from "./facts.ts";

/** Several instructions, at the rate of the special function unit. */
const SPECIAL: ReadonlySet<string> = new Set(
  "sqrt rsqrt rcp div exp exp2 exp10 log log2 log10 sin cos tan asin acos atan sinh cosh tanh pow powi atan2".split(
    " ",
  ),
);
const WHOLE_NUMBERS: ReadonlySet<string> = new Set(
  "floor ceil trunc rint nearbyint round roundeven fptosi.sat fptoui.sat".split(" "),
);
const ADDITIONS: ReadonlySet<string> = new Set(["add", "sub", "vector.reduce.fadd", "canonicalize", "saturate"]);
const MULTIPLICATIONS: ReadonlySet<string> = new Set(["mul", "vector.reduce.fmul", "ldexp"]);
const FUSED: ReadonlySet<string> = new Set(["fma", "fmuladd"]);
const NOTHING: ReadonlySet<string> = new Set(["is.constant", "objectsize", "stacksave", "stackrestore", "exit"]);
/** Ignored by the engine, but work on a GPU. */
const REAL_WORK: Readonly<Record<string, CostClass>> = {
  "cp.async.commit.group": "memory",
  "cp.async.wait.group": "memory",
  "cp.async.wait.all": "memory",
  "cp.async.mbarrier.arrive": "memory",
  nanosleep: "barrier",
};

export function costOf(kind: IntrinsicKind, fields: NameFields): CostClass {
  const { operation } = fields;
  if (NOTHING.has(operation) || fields.count !== null || fields.productGroup !== null) return "none";
  switch (kind) {
    case "pure":
      return costOfPure(fields);
    case "thread":
      return "alu";
    case "collective":
      return operation.startsWith("heddle.mma") ? "tensor" : "lanes";
    case "sync":
      return "barrier";
    case "memory":
      return "memory";
    case "control":
      return "none";
    case "ignored":
      return REAL_WORK[operation] ?? "none";
  }
}

function costOfPure(fields: NameFields): CostClass {
  const { operation, element } = fields;
  if (fields.returnsOperand && operation !== "ptrmask") return "none";
  if (isConversion(fields)) return "conversion";
  if (element === "f64") return "fp64";
  if (SPECIAL.has(operation)) return "special";
  if (element === "f16" || element === "bf16") return "fp16";
  if (element === "int" && !operation.startsWith("vector.reduce.f")) return "alu";
  if (FUSED.has(operation)) return "fp32-fma";
  if (MULTIPLICATIONS.has(operation)) return "fp32-mul";
  // Minimum, absolute value, sign and comparison of floats are the integer unit's, too.
  return ADDITIONS.has(operation) ? "fp32-add" : "alu";
}

function isConversion({ operation, words, isNvvm }: NameFields): boolean {
  if (WHOLE_NUMBERS.has(operation)) return true;
  const first = words[0] as string;
  return isNvvm && first.includes("2") && !["ex2", "lg2"].includes(first) && CONVERSION.test(first);
}

/** d2i, ull2f, f2bf16, ff2f16x2 */
const CONVERSION = /^[a-z]+2[a-z]/;
