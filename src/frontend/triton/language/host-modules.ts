/**
 * What files with kernels ask other modules for at module level, to choose definitions: versions, the GPU, variables of
 * the environment. The answers are those of a machine with an H100 (compute capability 9.0), Triton 3.6 and PyTorch.
 */
import type { CompileContext } from "./context.ts";
import { compareConstants } from "./constants.ts";
import { describe } from "./conversions.ts";
import { DTYPE_NAMES, integerRange } from "./dtypes.ts";
import { builtin } from "./signature.ts";
import {
  NONE,
  boolValue,
  floatValue,
  intValue,
  stringValue,
  type BuiltinValue,
  type DecoratorValue,
  type TupleValue,
  type Value,
} from "./values.ts";

export const TRITON_VERSION = "3.6.0";
const TORCH_VERSION = "2.9.0";
const CUDA_VERSION = "12.8";

const module = (path: string): Value => ({ kind: "module", path });
const answer = (signature: string, value: Value): BuiltinValue => builtin(signature, () => value);
const integers = (...values: readonly number[]): TupleValue => ({ kind: "tuple", items: values.map(intValue) });
const unchanged: DecoratorValue = { kind: "decorator", name: "other", args: {} };

/** `3.1.0+git` compares as (3, 1, 0). */
const version = (name: string): BuiltinValue =>
  builtin(`${name}(version)`, (a, c) => {
    const value = a.get("version");
    if (value.kind === "unknown") return value;
    if (value.kind !== "string") return c.fail(`${name} takes a string, not ${describe(value)}`);
    const numbers = /^v?(\d+(?:\.\d+)*)/.exec(value.value)?.[1];
    if (numbers === undefined) return c.fail(`InvalidVersion: ${value.value}`);
    return integers(...numbers.split(".").map(Number));
  });

const comparison = (name: string, operator: "<" | "<=" | ">" | ">=" | "==" | "!="): BuiltinValue =>
  builtin(`${name}(a, b)`, (a, c) => boolValue(compareConstants(c, operator, a.get("a"), a.get("b"))));

/** `functools.lru_cache`, with or without arguments. */
const cache = (name: string): BuiltinValue =>
  builtin(`${name}(fn=, maxsize=, typed=)`, (a) => (a.get("fn").kind === "function" ? a.get("fn") : unchanged));

const environment = (c: CompileContext): Value => ({
  kind: "dict",
  entries: [...c.environment].map(([key, value]) => ({ key: stringValue(key), value: stringValue(value) })),
});

const getenv = builtin("getenv(key, default=)", (a, c) => {
  const value = c.environment.get(a.string("key"));
  return value === undefined ? a.get("default") : stringValue(value);
});

const LIMITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  float16: { max: 65504, eps: 2 ** -10, tiny: 2 ** -14 },
  bfloat16: { max: 2 ** 127 * (2 - 2 ** -7), eps: 2 ** -7, tiny: 2 ** -126 },
  float32: { max: 2 ** 127 * (2 - 2 ** -23), eps: 2 ** -23, tiny: 2 ** -126 },
  float64: { max: Number.MAX_VALUE, eps: Number.EPSILON, tiny: 2 ** -1022 },
};

/** `torch.finfo(dtype)` and `torch.iinfo(dtype)`, as dicts whose keys are read as attributes. */
const limitsOf = (name: "finfo" | "iinfo"): BuiltinValue =>
  builtin(`${name}(type)`, (a, c) => {
    const type = a.get("type");
    if (type.kind !== "dtype") return c.fail(`${name} takes a dtype, not ${describe(type)}`);
    if (name === "iinfo") {
      const { low, high } = integerRange(type.dtype);
      return record({ min: intValue(low), max: intValue(high), bits: intValue(type.dtype.bits) });
    }
    const known = Object.entries(DTYPE_NAMES).find(([, dtype]) => dtype === type.dtype)?.[0] ?? "";
    const { max = NaN, eps = NaN, tiny = NaN } = LIMITS[known] ?? c.fail(`finfo takes a float type, not ${known}`);
    return record({
      max: floatValue(max),
      min: floatValue(-max),
      eps: floatValue(eps),
      tiny: floatValue(tiny),
      bits: intValue(type.dtype.bits),
    });
  });

function record(fields: Readonly<Record<string, Value>>): Value {
  return { kind: "dict", entries: Object.entries(fields).map(([key, value]) => ({ key: stringValue(key), value })) };
}

const versions = { parse: version("parse"), Version: version("Version") };

const TABLE: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  os: { getenv, name: stringValue("posix") },
  operator: {
    lt: comparison("lt", "<"),
    le: comparison("le", "<="),
    gt: comparison("gt", ">"),
    ge: comparison("ge", ">="),
    eq: comparison("eq", "=="),
    ne: comparison("ne", "!="),
  },
  functools: {
    lru_cache: cache("lru_cache"),
    cache: cache("cache"),
    wraps: builtin("wraps(fn)", () => unchanged),
  },
  contextlib: { contextmanager: unchanged },
  packaging: { version: module("packaging.version") },
  "packaging.version": versions,
  sys: { platform: stringValue("linux"), version_info: integers(3, 12, 0) },
  platform: { system: answer("system()", stringValue("Linux")), machine: answer("machine()", stringValue("x86_64")) },
  torch: {
    __version__: stringValue(TORCH_VERSION),
    finfo: limitsOf("finfo"),
    iinfo: limitsOf("iinfo"),
    cuda: module("torch.cuda"),
    version: module("torch.version"),
  },
  "torch.version": { hip: NONE, xpu: NONE, cuda: stringValue(CUDA_VERSION), __version__: stringValue(TORCH_VERSION) },
  "torch.cuda": {
    is_available: answer("is_available()", boolValue(true)),
    is_bf16_supported: answer("is_bf16_supported()", boolValue(true)),
    device_count: answer("device_count()", intValue(1)),
    current_device: answer("current_device()", intValue(0)),
    get_device_capability: answer("get_device_capability(device=)", integers(9, 0)),
    get_device_name: answer("get_device_name(device=)", stringValue("NVIDIA H100 80GB HBM3")),
  },
  "triton.runtime": { driver: module("triton.runtime.driver") },
  "triton.runtime.driver": { active: module("triton.runtime.driver.active") },
  "triton.runtime.driver.active": { get_current_target: answer("get_current_target()", module("triton.target")) },
  "triton.target": { backend: stringValue("cuda"), arch: intValue(90), warp_size: intValue(32) },
};

/** Modules that Python itself brings, and PyTorch: there, but with unknown contents. */
const PRESENT = "torch os operator functools contextlib packaging sys platform typing math importlib".split(" ");

export function isHostModule(path: string): boolean {
  return Object.hasOwn(TABLE, path) || PRESENT.includes(path.split(".")[0] as string);
}

/** Null: nothing is known of it. */
export function hostAttribute(c: CompileContext, path: string, name: string): Value | null {
  if (path === "os" && name === "environ") return environment(c);
  if (path === "importlib" && name === "import_module")
    return builtin("import_module(name)", (a, inner) => inner.importModule(a.string("name")));
  const names = TABLE[path];
  return names !== undefined && Object.hasOwn(names, name) ? (names[name] as Value) : null;
}
