/** What can be imported: `triton`, `triton.language` and what kernel files use of other modules at compile time. */
import type { CompileContext } from "./context.ts";
import { DESCRIPTOR_FUNCTIONS } from "./builtins/descriptors.ts";
import { dotScaled } from "./builtins/dot-scaled.ts";
import { LIBDEVICE_FUNCTIONS, MATH_FUNCTIONS } from "./builtins/math.ts";
import { GRID_FUNCTIONS, MEMORY_FUNCTIONS } from "./builtins/memory.ts";
import { REDUCTION_FUNCTIONS } from "./builtins/reductions.ts";
import { SHAPE_FUNCTIONS } from "./builtins/shapes.ts";
import { TOOL_FUNCTIONS } from "./builtins/tools.ts";
import { describe, toTensor } from "./conversions.ts";
import { DTYPE_NAMES, pointerTo } from "./dtypes.ts";
import { TRITON_VERSION, hostAttribute, isHostModule } from "./host-modules.ts";
import { LIBRARY_NAMES } from "./library.ts";
import { toCondition } from "./operators.ts";
import { builtin, type Bound } from "./signature.ts";
import {
  floatValue,
  intValue,
  stringValue,
  truthOf,
  type BuiltinValue,
  type ConfigValue,
  type DecoratorValue,
  type FunctionValue,
  type ModuleValue,
  type Value,
} from "./values.ts";

function byName(functions: readonly BuiltinValue[]): ReadonlyMap<string, BuiltinValue> {
  return new Map(functions.map((fn) => [fn.name, fn]));
}

const FUNCTIONS = byName([
  ...MEMORY_FUNCTIONS,
  ...DESCRIPTOR_FUNCTIONS,
  dotScaled,
  ...SHAPE_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...REDUCTION_FUNCTIONS,
  ...TOOL_FUNCTIONS,
]);
const LIBDEVICE = byName(LIBDEVICE_FUNCTIONS);

/** A function of constants, which kernels may call. */
function constexprFunction(fn: FunctionValue): BuiltinValue {
  return {
    kind: "builtin",
    name: fn.name,
    call: (c, { positional, keywords }) => {
      for (const value of [...positional, ...keywords.values()])
        if (value.kind === "tensor") return c.fail(`${fn.name} takes constants, not ${describe(value)}`);
      return c.callAtCompileTime(fn, positional, keywords);
    },
  };
}

const CONSTEXPR_FUNCTION: BuiltinValue = builtin("constexpr_function(fn)", (a, c) => {
  const fn = a.get("fn");
  return fn.kind === "function" ? constexprFunction(fn) : c.fail("constexpr_function takes a function");
});

/** A constexpr is its value: `tl.constexpr(3)`; as an annotation it is compared by name. */
const CONSTEXPR: BuiltinValue = builtin("constexpr(value)", (a, c) => {
  const value = a.get("value");
  // As a decorator: a function that is evaluated when the kernel is compiled.
  if (value.kind === "function" && value.definition.kind === "function") return constexprFunction(value);
  return value.kind === "tensor" ? c.fail("a constexpr must be known at compile time, this is a tensor") : value;
});

/** Some kernels take it from triton.language.standard. */
const LOG2: BuiltinValue = builtin("_log2(i)", (a) => intValue(Math.log2(a.int("i"))));

const POINTER_TYPE: BuiltinValue = builtin("pointer_type(element_ty, address_space=, const=)", (a, c) => {
  const element = a.get("element_ty");
  if (element.kind !== "dtype") return c.fail(`pointer_type takes a dtype, not ${describe(element)}`);
  return { kind: "dtype", dtype: pointerTo(element.dtype) };
});

/** Classes of Triton: annotations name them. */
const TYPE_NAMES: Readonly<Record<string, Value>> = Object.fromEntries(
  ["tensor", "tensor_descriptor", "block_type", "dtype", "const"].map((name) => [
    name,
    builtin(`${name}(*args)`, (_, c) => c.unsupported(`tl.${name}(…)`)),
  ]),
);

/** Functions of Triton that kernels use and this compiler refuses by name. */
export const REFUSED: readonly string[] = (
  "gather_nd map_elementwise bitonic_merge float8e4b15 float8e4b8 float8e5b16 erf_inv async_task " + "condition add_rn"
).split(" ");

/** Attributes of `triton.language` that functions in Python may use by their plain names, too. */
function languageAttribute(c: CompileContext, name: string): Value | null {
  const fn = FUNCTIONS.get(name);
  if (fn !== undefined) return fn;
  if (Object.hasOwn(DTYPE_NAMES, name)) return { kind: "dtype", dtype: DTYPE_NAMES[name] as never };
  if (Object.hasOwn(TYPE_NAMES, name)) return TYPE_NAMES[name] as Value;
  if (LIBRARY_NAMES.includes(name)) return c.libraryFunction(name);
  switch (name) {
    case "constexpr":
      return CONSTEXPR;
    case "pointer_type":
      return POINTER_TYPE;
    case "pi32_t":
      return { kind: "dtype", dtype: pointerTo(DTYPE_NAMES["int32"] as never) };
    case "_log2":
      return LOG2;
    case "PropagateNan":
      return { kind: "module", path: "triton.language.PropagateNan" };
    case "math":
    case "extra":
    case "core":
    case "standard":
    case "random":
    case "semantic":
      return { kind: "module", path: `triton.language.${name}` };
    default:
      return REFUSED.includes(name) ? c.unsupported(`tl.${name}`) : null;
  }
}

/** Everything that functions written in Python find without an import. */
export function languageFunctions(): Iterable<readonly [string, Value]> {
  const dtypes = Object.entries(DTYPE_NAMES).map(([name, dtype]) => [name, { kind: "dtype", dtype }] as const);
  return [...FUNCTIONS, ...dtypes, ["constexpr", CONSTEXPR], ["jit", JIT]];
}

/** Names of `triton.language`, and of its libdevice, for those who ask what there is. */
export function languageNames(): readonly string[] {
  const names = [...FUNCTIONS.keys(), ...LIBDEVICE.keys(), ...LIBRARY_NAMES, ...Object.keys(TYPE_NAMES)];
  return [...new Set([...names, "pointer_type", "PropagateNan"])];
}

// ---------------------------------------------------------------- the triton module

const jitDecorator: DecoratorValue = { kind: "decorator", name: "jit", args: {} };

/** `@jit`, `@jit(…)` and `f = jit(f)`. */
const JIT: BuiltinValue = builtin(
  "jit(fn=, version=, repr=, launch_metadata=, do_not_specialize=, do_not_specialize_on_alignment=, debug=, noinline=)",
  (a, c) => (a.has("fn") ? c.call(jitDecorator, [a.get("fn")]) : jitDecorator),
);

function decorator(name: "autotune" | "heuristics", params: string, wanted: readonly string[]): BuiltinValue {
  return builtin(`${name}(${params})`, (a) => ({
    kind: "decorator",
    name,
    args: Object.fromEntries(wanted.filter((param) => a.has(param)).map((param) => [param, a.get(param)])),
  }));
}

const CONFIG: BuiltinValue = builtin(
  "Config(kwargs, num_warps=, num_stages=, num_ctas=, maxnreg=, pre_hook=, ir_override=)",
  (a, c): ConfigValue => {
    const constants = a.get("kwargs");
    if (constants.kind !== "dict") return c.fail(`triton.Config takes a dict, not ${describe(constants)}`);
    return {
      kind: "config",
      constants: constants.entries.map(({ key, value }) => ({
        name: key.kind === "string" ? key.value : c.fail("a configuration's names are strings"),
        value,
      })),
      numWarps: a.has("num_warps") ? a.int("num_warps") : null,
      numStages: a.has("num_stages") ? a.int("num_stages") : null,
      preHook: a.has("pre_hook") ? a.get("pre_hook") : null,
    };
  },
);

const NEXT_POWER: BuiltinValue = builtin("next_power_of_2(n)", (a) => intValue(2 ** Math.ceil(Math.log2(a.int("n")))));

const TRITON: Readonly<Record<string, Value>> = {
  jit: JIT,
  language: { kind: "module", path: "triton.language" },
  autotune: decorator(
    "autotune",
    "configs, key, prune_configs_by=, reset_to_zero=, restore_value=, pre_hook=, post_hook=, warmup=, rep=, " +
      "use_cuda_graph=, do_bench=, cache_results=",
    ["configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook", "post_hook"],
  ),
  heuristics: decorator("heuristics", "values", ["values"]),
  Config: CONFIG,
  next_power_of_2: NEXT_POWER,
  constexpr_function: CONSTEXPR_FUNCTION,
  __version__: stringValue(TRITON_VERSION),
};

const MATH_CONSTANTS: Readonly<Record<string, number>> = {
  pi: Math.PI,
  e: Math.E,
  inf: Infinity,
  nan: NaN,
  tau: 2 * Math.PI,
};

const mathFunction = (name: string, compute: (x: number) => number): BuiltinValue =>
  builtin(`${name}(x)`, (a, c) => {
    const x = a.get("x");
    if (x.kind !== "int" && x.kind !== "float") return c.fail(`math.${name} takes a number, not ${describe(x)}`);
    const result = compute(Number(x.value));
    return name === "ceil" || name === "floor" ? intValue(result) : floatValue(result);
  });

const MATH_MODULE = byName([
  mathFunction("sqrt", Math.sqrt),
  mathFunction("log", Math.log),
  mathFunction("log2", Math.log2),
  mathFunction("exp", Math.exp),
  mathFunction("ceil", Math.ceil),
  mathFunction("floor", Math.floor),
]);

/** Null: the module has no such attribute. */
export function moduleAttribute(c: CompileContext, path: string, name: string): Value | null {
  switch (path) {
    case "triton":
      if (name === "cdiv") return c.libraryFunction("cdiv");
      if (name === "runtime") return { kind: "module", path: "triton.runtime" };
      return Object.hasOwn(TRITON, name) ? (TRITON[name] as Value) : unknown(c, `${path}.${name}`);
    case "triton.language":
    case "triton.language.core":
    case "triton.language.standard":
    case "triton.language.random":
      return languageAttribute(c, name);
    case "triton.language.PropagateNan":
      if (name === "NONE") return stringValue("");
      return name === "ALL" ? stringValue("all") : null;
    case "triton.language.math":
      return languageAttribute(c, name) ?? LIBDEVICE.get(name) ?? null;
    case "triton.language.extra":
      return GRID_FUNCTIONS.get(name) ?? { kind: "module", path: name === "cuda" ? path : `${path}.${name}` };
    case "triton.language.extra.libdevice":
    case "triton.language.extra.cuda.libdevice":
      return LIBDEVICE.get(name) ?? FUNCTIONS.get(name) ?? null;
    case "math":
      return Object.hasOwn(MATH_CONSTANTS, name)
        ? floatValue(MATH_CONSTANTS[name] as number)
        : (MATH_MODULE.get(name) ?? unknown(c, `math.${name}`));
    case "torch":
      return Object.hasOwn(DTYPE_NAMES, name)
        ? { kind: "dtype", dtype: DTYPE_NAMES[name] as never }
        : (hostAttribute(c, path, name) ?? unknown(c, `torch.${name}`));
    default:
      return hostAttribute(c, path, name) ?? unknown(c, `${path}.${name}`);
  }
}

function unknown(c: CompileContext, what: string): Value {
  return c.unknown(what);
}

const KNOWN_MODULES: ReadonlySet<string> = new Set([
  ..."triton triton.language torch math".split(" "),
  ..."core standard random math extra extra.libdevice extra.cuda extra.cuda.libdevice"
    .split(" ")
    .map((part) => `triton.language.${part}`),
]);

/** A module that this compiler knows something of. */
export function isKnownModule(path: string): boolean {
  return KNOWN_MODULES.has(path) || isHostModule(path);
}

// ---------------------------------------------------------------- methods of blocks

const METHODS =
  "abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or " +
  "atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod cumsum div_rn erf exp exp2 expand_dims fdiv flip " +
  "floor fma gather item log log2 logical_and logical_or max min permute ravel reduce reshape rsqrt sigmoid sin " +
  "softmax sort split sqrt sqrt_rn store sum to trans umulhi view xor_sum";
const METHOD_NAMES = METHODS.split(" ");
const FIELDS = ["dtype", "shape", "type", "numel", "T"];

export function tensorMethodNames(): readonly string[] {
  return METHOD_NAMES;
}

export function tensorMethod(name: string): BuiltinValue | null {
  if (!METHOD_NAMES.includes(name)) return null;
  const fn = FUNCTIONS.get(name);
  if (fn !== undefined) return fn;
  return {
    kind: "builtin",
    name,
    call: (c, { positional, keywords }) => c.call(c.libraryFunction(name), positional, keywords),
  };
}

// ---------------------------------------------------------------- Python's own functions

function pythonExtreme(name: "min" | "max", ofTensors: string): BuiltinValue {
  return builtin(`${name}(*args)`, (a, c) => {
    const [first] = a.rest;
    const items = a.rest.length === 1 && (first?.kind === "tuple" || first?.kind === "list") ? first.items : a.rest;
    return items.reduce((best, item) => {
      if (best.kind === "tensor" || item.kind === "tensor")
        return c.call(FUNCTIONS.get(ofTensors) as BuiltinValue, [best, item]);
      if (best.kind === "string" || !("value" in best) || !("value" in item))
        return c.fail(`${name} of ${describe(item)}`);
      const isLess = item.value < best.value;
      return (name === "min" ? isLess : item.value > best.value) ? item : best;
    });
  });
}

const length = builtin("len(x)", (a, c) => {
  const x = a.get("x");
  if (x.kind === "tuple" || x.kind === "list") return intValue(x.items.length);
  if (x.kind === "dict") return intValue(x.entries.length);
  if (x.kind === "string") return intValue(x.value.length);
  return c.fail(`object of type ${describe(x)} has no len()`);
});

const toFloat = (a: Bound, c: CompileContext): Value => {
  const x = a.get("x");
  if (x.kind === "float") return x;
  if (x.kind === "int" || x.kind === "bool") return floatValue(Number(x.value));
  const text = x.kind === "string" ? x.value.trim().toLowerCase().replace(/^\+/, "") : "";
  const word = { inf: Infinity, "-inf": -Infinity, infinity: Infinity, "-infinity": -Infinity, nan: NaN }[text];
  if (word !== undefined) return floatValue(word);
  if (text !== "" && Number.isFinite(Number(text))) return floatValue(Number(text));
  return c.fail(`float() takes a constant, not ${describe(x)}`, ["x.to(tl.float32) converts a block"]);
};

const toInt = (a: Bound, c: CompileContext): Value => {
  const x = a.get("x");
  if (x.kind === "int") return x;
  if (x.kind === "bool") return intValue(Number(x.value));
  if (x.kind === "float" && Number.isFinite(x.value)) return intValue(Math.trunc(x.value));
  if (x.kind === "string" && /^\s*[-+]?\d+\s*$/.test(x.value)) return intValue(BigInt(x.value.trim().replace("+", "")));
  return c.fail(`int() takes a constant, not ${describe(x)}`, ["x.to(tl.int32) converts a block"]);
};

/** Null: the module has no such name, or Triton has it and this compiler does not. */
function attributeOrNull(c: CompileContext, { path, scope }: ModuleValue, name: string): Value | null {
  if (scope !== undefined) return scope.get(name);
  return path.startsWith("triton.language") && REFUSED.includes(name) ? null : moduleAttribute(c, path, name);
}

/** What is of a type, by the type's name. A constexpr is its value here, and counts as both. */
const KINDS: Readonly<Record<string, readonly Value["kind"][]>> = {
  tensor: ["tensor"],
  tensor_descriptor: ["descriptor"],
  constexpr: ["int", "float", "bool", "string", "none"],
  int: ["int", "bool"],
  float: ["float"],
  bool: ["bool"],
  str: ["string"],
  tuple: ["tuple"],
  list: ["list"],
  dtype: ["dtype"],
};

/** Null: nothing is known of such a type. */
function isInstance(value: Value, type: Value): boolean | null {
  if (type === POINTER_TYPE) return value.kind === "dtype" && value.dtype.pointee !== null;
  const kinds = type.kind === "builtin" ? KINDS[type.name] : undefined;
  return kinds === undefined || value.kind === "unknown" ? null : kinds.includes(value.kind);
}

export const PYTHON_FUNCTIONS: readonly BuiltinValue[] = [
  pythonExtreme("min", "minimum"),
  pythonExtreme("max", "maximum"),
  length,
  builtin("float(x)", toFloat),
  builtin("int(x)", toInt),
  builtin("bool(x)", (a, c) => {
    const truth = truthOf(a.get("x"));
    return truth === null ? toCondition(c, a.get("x")) : { kind: "bool", value: truth };
  }),
  builtin("abs(x)", (a, c) => c.call(FUNCTIONS.get("abs") as BuiltinValue, [toTensor(c, a.get("x"))])),
  builtin("tuple(x=)", (a) =>
    a.has("x") ? { kind: "tuple", items: a.tuple("x").items } : { kind: "tuple", items: [] },
  ),
  builtin("getattr(value, name, default=)", (a, c) => {
    const value = a.get("value");
    if (value.kind !== "module") return c.unknown("an attribute");
    const found = attributeOrNull(c, value, a.string("name"));
    return found ?? a.get("default");
  }),
  builtin("list(x)", (a): Value => ({ kind: "list", items: a.tuple("x").items })),
  builtin("str(x)", (a) => {
    const x = a.get("x");
    return x.kind === "unknown" ? x : stringValue(x.kind === "string" ? x.value : describe(x));
  }),
  builtin("isinstance(x, type)", (a, c) => {
    const types = a.tuple("type").items;
    const found = types.map((type) => isInstance(a.get("x"), type));
    if (found.includes(true)) return { kind: "bool", value: true };
    return found.includes(null) ? c.unknown("isinstance(…)") : { kind: "bool", value: false };
  }),
  builtin("hasattr(value, name)", (a, c) => {
    const value = a.get("value");
    if (value.kind === "tensor")
      return { kind: "bool", value: tensorMethod(a.string("name")) !== null || FIELDS.includes(a.string("name")) };
    if (value.kind !== "module") return { kind: "bool", value: false };
    const found = attributeOrNull(c, value, a.string("name"));
    return { kind: "bool", value: found !== null && found.kind !== "unknown" };
  }),
];
