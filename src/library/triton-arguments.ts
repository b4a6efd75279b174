/** Arguments of a Triton kernel: bound to its parameters, and what the compiler is told of each. */
import { HeddleError } from "../base/diagnostics.ts";
import { describeValue } from "../base/options.ts";
import { didYouMean } from "../base/suggestions.ts";
import type { Dtype as ArrayDtype } from "../base/dtypes.ts";
import type { ArgumentSpecialisation, KernelParameter } from "../frontend/triton/compile-kernel.ts";
import {
  DTYPE_NAMES,
  FP32,
  INT32,
  INT64,
  UINT64,
  integerRange,
  isFloat,
  isInteger,
  constPointerTo,
  pointerTo,
  typeWord,
  type Dtype,
  foreignType,
} from "../frontend/triton/language/dtypes.ts";
import { NONE, boolValue, floatValue, intValue, stringValue, type Value } from "../frontend/triton/language/values.ts";
import { DeviceArray } from "./device-array.ts";

/** A number that Python would write with a point: `float(1)` is 1.0. Made by `float`. */
export class FloatArgument {
  readonly value: number;

  /** @internal Use `float`. */
  constructor(value: number) {
    this.value = value;
  }
}

/** A type as an argument, as `tl.float32` in Python. Made by `dtype`. */
export class DtypeArgument {
  readonly name: string;
  /** @internal */
  readonly dtype: Dtype;

  /** @internal Use `dtype`. */
  constructor(name: string, type: Dtype) {
    this.name = name;
    this.dtype = type;
  }
}

/** An argument of which only the type is known: the kernel is compiled, and not launched. Made by `typeArgument`. */
export class TypeArgument {
  /** @internal */
  readonly dtype: Dtype;

  /** @internal Use `typeArgument`. */
  constructor(type: Dtype) {
    this.dtype = type;
  }
}

/** @internal A type as Triton's signatures write it: `*fp32`, `i32`. */
export function typeArgument(word: string): TypeArgument {
  const name = word.replace(/^\*k?/, "");
  const known = Object.values(DTYPE_NAMES).find((type) => typeWord(type) === name);
  if (known === undefined) throw new HeddleError("bad-arguments", `there is no type "${word}"`);
  return new TypeArgument(word.startsWith("*") ? pointerTo(known) : known);
}

/** An array whose bytes the kernel takes as another type. Made by `typed`. */
export class TypedArgument {
  readonly array: DeviceArray;
  /** @internal */
  readonly dtype: Dtype;

  /** @internal Use `typed`. */
  constructor(array: DeviceArray, type: Dtype) {
    this.array = array;
    this.dtype = type;
  }
}

/** A tensor descriptor, as `TensorDescriptor` of triton.tools. Made by `tensorDescriptor`. */
export class TensorDescriptorArgument {
  readonly array: DeviceArray | TypedArgument;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly blockShape: readonly number[];

  /** @internal Use `tensorDescriptor`. */
  constructor(
    array: DeviceArray | TypedArgument,
    shape: readonly number[],
    strides: readonly number[],
    blockShape: readonly number[],
  ) {
    this.array = array;
    this.shape = shape;
    this.strides = strides;
    this.blockShape = blockShape;
  }
}

/** @internal Memory as elements of a type, whatever the array says of it. */
export function typedArray(array: DeviceArray, type: string): TypedArgument {
  return new TypedArgument(array, dtype(type).dtype);
}

/**
 * An array as elements of another type of the same size: 8-bit floats lie in an array of uint8.
 *
 *     await kernels.scale.launch({ grid: [4] }, typed(bytes, "float8e4nv"), n, { BLOCK: 256 });
 */
export function typed(array: DeviceArray, type: string): TypedArgument {
  const as = dtype(type).dtype;
  const own = ARRAY_TYPES[array.dtype];
  if (own.bits !== as.bits)
    throw new HeddleError(
      "bad-arguments",
      `an array of ${array.dtype} has no elements of ${type}: they differ in size`,
    );
  return new TypedArgument(array, as);
}

/** A tensor descriptor for `desc.load([…])` in a kernel: strides count elements, and default to rows without gaps. */
export function tensorDescriptor(
  array: DeviceArray | TypedArgument,
  {
    shape,
    strides,
    blockShape,
  }: { shape: readonly number[]; strides?: readonly number[]; blockShape: readonly number[] },
): TensorDescriptorArgument {
  const rows = shape.map((_, d) => shape.slice(d + 1).reduce((product, size) => product * size, 1));
  const given = strides ?? rows;
  if (given.length !== shape.length || blockShape.length !== shape.length)
    throw new HeddleError("bad-arguments", "a tensor descriptor's shape, strides and blockShape must have one length");
  const { length } = array instanceof TypedArgument ? array.array : array;
  const last = shape.reduce((sum, size, d) => sum + (size - 1) * (given[d] as number), 0);
  if (!shape.includes(0) && last >= length)
    throw new HeddleError(
      "bad-arguments",
      `a tensor descriptor of shape [${shape.join(", ")}] and strides [${given.join(", ")}] ` +
        `needs ${last + 1} elements, but its array has ${length}`,
    );
  return new TensorDescriptorArgument(array, shape, given, blockShape);
}

/** What can be passed for a parameter. Functions of the same file are passed as kernels. */
export type TritonArgument =
  | number
  | bigint
  | boolean
  | string
  | null
  | DeviceArray
  | FloatArgument
  | DtypeArgument
  | TypedArgument
  | TypeArgument
  | TensorDescriptorArgument
  | { readonly function: Value }
  | readonly TritonArgument[];

/**
 * The argument is a float, also if it is a whole number: JavaScript has one kind of numbers, Triton's kernels two.
 *
 *     await kernels.scale.launch({ grid: [4] }, x, float(2), n, { BLOCK: 256 });
 */
export function float(value: number): FloatArgument {
  if (typeof value !== "number")
    throw new HeddleError("bad-arguments", `float takes a number, not ${describeValue(value)}`);
  return new FloatArgument(value);
}

/** A type for a constexpr parameter: `dtype("float16")` is `tl.float16`. */
export function dtype(name: string): DtypeArgument {
  const foreign = foreignType(name);
  if (foreign !== null) throw new HeddleError("compile-error", foreign);
  if (!Object.hasOwn(DTYPE_NAMES, name))
    throw new HeddleError("bad-arguments", `there is no type "${name}"${didYouMean(name, Object.keys(DTYPE_NAMES))}`, {
      notes: [`types are ${Object.keys(DTYPE_NAMES).join(", ")}`],
    });
  return new DtypeArgument(name, DTYPE_NAMES[name] as Dtype);
}

/** Keyword arguments: the last argument, if it is a plain object. */
export type TritonKeywords = Readonly<Record<string, TritonArgument>>;

function isKeywords(value: unknown): value is TritonKeywords {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** By parameter. Defaults and what decorators set are still missing. */
export function bindArguments(
  kernel: string,
  params: readonly KernelParameter[],
  given: readonly (TritonArgument | TritonKeywords)[],
): Map<string, TritonArgument> {
  const last = given.at(-1);
  const keywords = isKeywords(last) ? (last as TritonKeywords) : {};
  const positional = (isKeywords(last) ? given.slice(0, -1) : given) as readonly TritonArgument[];
  const fail = (what: string, notes: readonly string[] = []): never => {
    throw new HeddleError("bad-arguments", `${kernel}() ${what}`, {
      notes: [`its signature: ${formatKernel(kernel, params)}`, ...notes],
    });
  };
  if (positional.length > params.length)
    return fail(`takes ${params.length} positional arguments but ${positional.length} were given`);
  const values = new Map<string, TritonArgument>();
  for (const [i, value] of positional.entries()) values.set((params[i] as KernelParameter).name, value);
  for (const [name, value] of Object.entries(keywords)) {
    if (!params.some((param) => param.name === name)) {
      const names = params.map((param) => param.name);
      const option = { num_warps: "numWarps", num_stages: "numStages" }[name];
      const notes = option === undefined ? [] : [`it is an option: ${kernel}.launch({ grid: [4], ${option}: 4 }, …)`];
      return fail(`got an unexpected keyword argument '${name}'${didYouMean(name, names)}`, notes);
    }
    if (values.has(name)) return fail(`got multiple values for argument '${name}'`);
    values.set(name, value);
  }
  return values;
}

export function formatKernel(kernel: string, params: readonly KernelParameter[]): string {
  return `${kernel}(${params.map(({ name, isConstexpr }) => (isConstexpr ? `${name}: constexpr` : name)).join(", ")})`;
}

/** A constant as Python would have it. */
export function constantValue(value: TritonArgument): Value {
  if (value === null) return NONE;
  if (value instanceof FloatArgument) return floatValue(value.value);
  if (value instanceof DtypeArgument) return { kind: "dtype", dtype: value.dtype };
  if (Array.isArray(value)) return { kind: "tuple", items: value.map(constantValue) };
  switch (typeof value) {
    case "boolean":
      return boolValue(value);
    case "bigint":
      return intValue(value);
    case "string":
      return stringValue(value);
    case "number":
      return Number.isInteger(value) ? intValue(value) : floatValue(value);
    default:
      return "function" in value ? value.function : NONE;
  }
}

const ARRAY_TYPES: Readonly<Record<ArrayDtype, Dtype>> = Object.fromEntries(
  Object.entries(DTYPE_NAMES).filter(([name]) => name !== "int1"),
) as Record<ArrayDtype, Dtype>;

const ALIGNMENT = 16;

/** What the launch passes, and what the compiler is told of it. */
export interface SpecialisedArgument {
  readonly specialisation: ArgumentSpecialisation;
  /** Equal for equal specialisations. */
  readonly key: string;
  /** What the launch passes, in order: nothing for what the kernel has as a constant. */
  readonly passed: readonly (number | bigint | DeviceArray)[];
}

/** @param unspecialised parameters whose values the compiler is not told of: `do_not_specialize`. */
export function specialise(
  kernel: string,
  param: KernelParameter,
  value: TritonArgument,
  unspecialised: ReadonlySet<string> = new Set(),
): SpecialisedArgument {
  const fail = (what: string, notes: readonly string[] = []): never => {
    throw new HeddleError("bad-arguments", `the argument ${param.name} of ${kernel} ${what}`, { notes });
  };
  const constant = (of: Value): SpecialisedArgument => ({
    specialisation: { kind: "constant", value: of },
    key: `=${keyOf(of)}`,
    passed: [],
  });
  if (param.isConstexpr) {
    if (value instanceof DeviceArray)
      return fail("is an array, but the parameter is a constexpr: it must be known when the kernel is compiled");
    return constant(constantValue(value));
  }
  if (Array.isArray(value)) return specialiseTuple(kernel, param, value, unspecialised);
  if (value instanceof TensorDescriptorArgument) return descriptor(value);
  if (value instanceof TypeArgument)
    return passed(value.dtype.pointee === null ? value.dtype : pointer(value.dtype.pointee), 0, false);
  if (value instanceof TypedArgument)
    return passed(pointer(value.dtype), value.array, value.array.pointer % ALIGNMENT === 0);
  if (value instanceof DeviceArray)
    return passed(pointer(ARRAY_TYPES[value.dtype]), value, value.pointer % ALIGNMENT === 0);
  if (value === null || typeof value === "boolean") return constant(constantValue(value));
  if (value instanceof FloatArgument) return number(param.dtype ?? FP32, value.value);
  if (typeof value === "number" && !Number.isInteger(value)) return number(param.dtype ?? FP32, value);
  if (typeof value !== "number" && typeof value !== "bigint")
    return fail(`must be a number or an array on the device, not ${describeValue(value)}`, [
      "a string, a type or a function can be passed for a parameter that is annotated `: tl.constexpr`",
    ]);
  if (param.dtype !== null) return number(param.dtype, value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) return fail("must be a bigint to be exact");
  const integer = BigInt(value);
  // Triton compiles 1 into the kernel: strides that are 1 make accesses contiguous.
  if (integer === 1n && !unspecialised.has(param.name)) return constant(intValue(1));
  return number(integerType(integer) ?? fail(`does not fit in 64 bits: ${integer}`), value);

  function pointer(pointee: Dtype): Dtype {
    return param.isConst ? constPointerTo(pointee) : pointerTo(pointee);
  }

  function number(type: Dtype, of: number | bigint): SpecialisedArgument {
    if (isFloat(type)) return passed(type, Number(of), false);
    if (!isInteger(type)) return fail(`cannot be passed as ${typeWord(type)}`);
    const { low, high } = integerRange(type);
    if (typeof of === "number" && !Number.isInteger(of))
      return fail(`must be a whole number (${type.name}), not ${of}`);
    if (of < low || of > high) return fail(`must be from ${low} to ${high} (${type.name}), not ${of}`);
    return passed(type, type.bits > 32 ? BigInt(of) : Number(of), BigInt(of) % BigInt(ALIGNMENT) === 0n);
  }

  function descriptor({ array, shape, strides, blockShape }: TensorDescriptorArgument): SpecialisedArgument {
    const of = array instanceof TypedArgument ? array : { array, dtype: ARRAY_TYPES[array.dtype] };
    const bytes = of.dtype.bits / 8;
    const isAligned =
      of.array.pointer % ALIGNMENT === 0 &&
      strides.at(-1) === 1 &&
      strides.slice(0, -1).every((stride) => (stride * bytes) % ALIGNMENT === 0);
    const alignedSizes = shape.map((size) => size % ALIGNMENT === 0);
    return {
      specialisation: { kind: "descriptor", element: of.dtype, blockShape, isAligned, alignedSizes },
      key: `descriptor ${of.dtype.name} ${blockShape.join("x")} ${isAligned} ${alignedSizes.join()}`,
      passed: [of.array, ...shape.map(BigInt), ...strides.map(BigInt)],
    };
  }

  function passed(type: Dtype, of: number | bigint | DeviceArray, isAligned: boolean): SpecialisedArgument {
    const divisibility = isAligned ? ALIGNMENT : 1;
    return {
      specialisation: { kind: "value", dtype: type, divisibility },
      key: `${typeWord(type)}:${divisibility}`,
      passed: [of],
    };
  }
}

function specialiseTuple(
  kernel: string,
  param: KernelParameter,
  items: readonly TritonArgument[],
  unspecialised: ReadonlySet<string>,
): SpecialisedArgument {
  const parts = items.map((item, i) =>
    specialise(kernel, { ...param, name: `${param.name}[${i}]` }, item, unspecialised),
  );
  return {
    specialisation: { kind: "tuple", items: parts.map(({ specialisation }) => specialisation) },
    key: `(${parts.map(({ key }) => key).join(", ")})`,
    passed: parts.flatMap(({ passed }) => [...passed]),
  };
}

function integerType(value: bigint): Dtype | null {
  const fits = ({ low, high }: { low: bigint; high: bigint }): boolean => value >= low && value <= high;
  return [INT32, INT64, UINT64].find((type) => fits(integerRange(type))) ?? null;
}

const functionKeys = new WeakMap<object, number>();
let functionCount = 0;

function keyOf(value: Value): string {
  switch (value.kind) {
    case "dtype":
      return value.dtype.name;
    case "tuple":
    case "list":
      return `(${value.items.map(keyOf).join(",")})`;
    case "int":
    case "float":
    case "bool":
    case "string":
      return `${value.kind} ${value.value}`;
    case "function": {
      let key = functionKeys.get(value);
      if (key === undefined) functionKeys.set(value, (key = ++functionCount));
      return `function ${key}`;
    }
    case "builtin":
      return `builtin ${value.name}`;
    default:
      return value.kind;
  }
}
