/** Methods of tensors that take element by element: arithmetic, comparisons, functions of mathematics. */
import { copyInto } from "../operations/copies.ts";
import { fill } from "../operations/creation.ts";
import type { BinaryName, UnaryName } from "../operations/element-functions.ts";
import { BINARY, UNARY } from "../operations/element-functions.ts";
import { binary, elementwise, elementwiseInto, unary, where } from "../operations/elementwise.ts";
import { afterChange, beforeChange } from "../operations/in-place.ts";
import { cast } from "../operations/elementwise.ts";
import type { Operand } from "../operations/operands.ts";
import { failShape, Tensor } from "../tensor.ts";
import { installMethods } from "./install.ts";
import { operand, type TensorLike } from "./operands.ts";

/** `log_sigmoid` becomes `logSigmoid`. */
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** Each is `name()` for a new tensor, and `name_()` for a change in place. */
export type UnaryMethods = { readonly [Name in UnaryName as Camel<Name>]: () => Tensor } & {
  readonly [Name in UnaryName as `${Camel<Name>}_`]: () => Tensor;
};

type PairName = Exclude<
  BinaryName,
  "leaky_relu" | "elu" | "celu" | "hardshrink" | "softshrink" | "add" | "sub" | "shift_left" | "shift_right"
>;

/** Each is `name(other)` for a new tensor, and `name_(other)` for a change in place; shapes are broadcast. */
export type BinaryMethods = { readonly [Name in PairName as Camel<Name>]: (other: TensorLike) => Tensor } & {
  readonly [Name in PairName as `${Camel<Name>}_`]: (other: TensorLike) => Tensor;
};

export interface ClampOptions {
  readonly min?: TensorLike;
  readonly max?: TensorLike;
}

export interface ElementMethods extends UnaryMethods, BinaryMethods {
  /** this + alpha · other. */
  add(other: TensorLike, options?: { readonly alpha?: number }): Tensor;
  /** this - alpha · other. */
  sub(other: TensorLike, options?: { readonly alpha?: number }): Tensor;
  add_(other: TensorLike, options?: { readonly alpha?: number }): Tensor;
  sub_(other: TensorLike, options?: { readonly alpha?: number }): Tensor;
  bitwiseLeftShift(other: TensorLike): Tensor;
  bitwiseRightShift(other: TensorLike): Tensor;
  /** Elements below `min` become `min`, those above `max` become `max`. */
  clamp(options: ClampOptions): Tensor;
  clamp_(options: ClampOptions): Tensor;
  /** Elements where the condition holds, else those of `other`. */
  where(condition: Tensor, other: TensorLike): Tensor;
  /** `value` where the mask holds, else the elements. */
  maskedFill(mask: Tensor, value: TensorLike): Tensor;
  maskedFill_(mask: Tensor, value: TensorLike): Tensor;
  /** this + weight · (end - this). */
  lerp(end: TensorLike, weight: TensorLike): Tensor;
  /** this + value · a · b. */
  addcmul(a: TensorLike, b: TensorLike, options?: { readonly value?: number }): Tensor;
  /** this + value · a / b. */
  addcdiv(a: TensorLike, b: TensorLike, options?: { readonly value?: number }): Tensor;
  addcmul_(a: TensorLike, b: TensorLike, options?: { readonly value?: number }): Tensor;
  addcdiv_(a: TensorLike, b: TensorLike, options?: { readonly value?: number }): Tensor;
  nanToNum(options?: { readonly nan?: number; readonly posinf?: number; readonly neginf?: number }): Tensor;
  leakyRelu(slope?: number): Tensor;
  elu(alpha?: number): Tensor;
  celu(alpha?: number): Tensor;
  hardshrink(lambda?: number): Tensor;
  softshrink(lambda?: number): Tensor;
  softplus(options?: { readonly beta?: number; readonly threshold?: number }): Tensor;
  hardtanh(min?: number, max?: number): Tensor;
  threshold(threshold: number, value: number): Tensor;
  /** Copies the elements of `source`, converted and broadcast. */
  copy_(source: Tensor): this;
  fill_(value: number): this;
  zero_(): this;
}

declare module "../tensor.ts" {
  interface Tensor extends ElementMethods {}
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const methods: Record<string, (this: Tensor, ...args: never[]) => unknown> = {};
for (const name of Object.keys(UNARY) as UnaryName[]) {
  methods[camel(name)] = function own(this: Tensor) {
    return unary(name, this);
  };
  methods[`${camel(name)}_`] = function own(this: Tensor) {
    return elementwiseInto(this, name);
  };
}
for (const name of Object.keys(BINARY) as BinaryName[]) {
  methods[camel(name)] = function own(this: Tensor, other: TensorLike) {
    return binary(name, this, operand(other));
  };
  methods[`${camel(name)}_`] = function own(this: Tensor, other: TensorLike) {
    return elementwiseInto(this, name, operand(other));
  };
}
installMethods(methods);

const float = (value: number): { value: number; kind: "float" } => ({ value, kind: "float" });

/** Sums of a multiple are one operation. */
function plus(tensor: Tensor, other: TensorLike, alpha: number): Tensor {
  if (alpha === 1) return binary("add", tensor, operand(other));
  if (alpha === -1) return binary("sub", tensor, operand(other));
  return elementwise("addcmul", tensor, operand(other), operand(alpha));
}

function plusInto(tensor: Tensor, other: TensorLike, alpha: number): Tensor {
  if (alpha === 1) return elementwiseInto(tensor, "add", operand(other));
  if (alpha === -1) return elementwiseInto(tensor, "sub", operand(other));
  return elementwiseInto(tensor, "addcmul", operand(other), operand(alpha));
}

function checkDifference(tensor: Tensor, other: TensorLike): void {
  const isBool = typeof other === "boolean" || (other instanceof Tensor && other.dtype === "bool");
  if (tensor.dtype === "bool" && isBool)
    failShape(
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` " +
        "operator instead.",
    );
}

function clamped(tensor: Tensor, { min, max }: ClampOptions, isInPlace: boolean): Tensor {
  const apply = (name: "clamp_min" | "clamp_max", of: Tensor, bound: TensorLike): Tensor =>
    isInPlace ? elementwiseInto(of, name, operand(bound)) : binary(name, of, operand(bound));
  let result = tensor;
  if (min !== undefined) result = apply("clamp_min", result, min);
  if (max !== undefined) result = apply("clamp_max", result, max);
  return result === tensor && !isInPlace ? binary("add", tensor, operand(0)) : result;
}

function checkFill(value: TensorLike): void {
  if (value instanceof Tensor && value.rank > 0)
    failShape(
      `masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.rank} dimension(s).`,
    );
}

installMethods({
  add(this: Tensor, other: TensorLike, { alpha = 1 }: { alpha?: number } = {}) {
    return plus(this, other, alpha);
  },
  sub(this: Tensor, other: TensorLike, { alpha = 1 }: { alpha?: number } = {}) {
    checkDifference(this, other);
    return plus(this, other, -alpha);
  },
  add_(this: Tensor, other: TensorLike, { alpha = 1 }: { alpha?: number } = {}) {
    return plusInto(this, other, alpha);
  },
  sub_(this: Tensor, other: TensorLike, { alpha = 1 }: { alpha?: number } = {}) {
    checkDifference(this, other);
    return plusInto(this, other, -alpha);
  },
  bitwiseLeftShift(this: Tensor, other: TensorLike) {
    return binary("shift_left", this, operand(other));
  },
  bitwiseRightShift(this: Tensor, other: TensorLike) {
    return binary("shift_right", this, operand(other));
  },
  clamp(this: Tensor, options: ClampOptions) {
    return clamped(this, options, false);
  },
  clamp_(this: Tensor, options: ClampOptions) {
    return clamped(this, options, true);
  },
  where(this: Tensor, condition: Tensor, other: TensorLike) {
    return where(condition, this, operand(other));
  },
  maskedFill(this: Tensor, mask: Tensor, value: TensorLike) {
    checkFill(value);
    return cast(where(mask, operand(value), this), this.dtype);
  },
  maskedFill_(this: Tensor, mask: Tensor, value: TensorLike) {
    checkFill(value);
    const before = beforeChange(this, value instanceof Tensor ? [value] : []);
    const result = cast(where(mask, operand(value), before ?? this), this.dtype);
    if (before === null) copyInto(this, result);
    else afterChange(this, result);
    return this;
  },
  lerp(this: Tensor, end: TensorLike, weight: TensorLike) {
    return elementwise("lerp", this, operand(end), operand(weight));
  },
  addcmul(this: Tensor, a: TensorLike, b: TensorLike, { value = 1 }: { value?: number } = {}) {
    return elementwise("addcmul_scaled", this, operand(a), operand(b), operand(value));
  },
  addcdiv(this: Tensor, a: TensorLike, b: TensorLike, { value = 1 }: { value?: number } = {}) {
    return elementwise("addcdiv_scaled", this, operand(a), operand(b), operand(value));
  },
  addcmul_(this: Tensor, a: TensorLike, b: TensorLike, { value = 1 }: { value?: number } = {}) {
    return elementwiseInto(this, "addcmul_scaled", operand(a), operand(b), operand(value));
  },
  addcdiv_(this: Tensor, a: TensorLike, b: TensorLike, { value = 1 }: { value?: number } = {}) {
    return elementwiseInto(this, "addcdiv_scaled", operand(a), operand(b), operand(value));
  },
  nanToNum(this: Tensor, { nan = 0, posinf, neginf }: { nan?: number; posinf?: number; neginf?: number } = {}) {
    if (!this.isFloatingPoint) return this.clone();
    const most = GREATEST[this.dtype] ?? Infinity;
    return elementwise("nan_to_num", this, float(nan), float(posinf ?? most), float(neginf ?? -most));
  },
  leakyRelu(this: Tensor, slope = 0.01) {
    return binary("leaky_relu", this, float(slope));
  },
  elu(this: Tensor, alpha = 1) {
    return binary("elu", this, float(alpha));
  },
  celu(this: Tensor, alpha = 1) {
    return binary("celu", this, float(alpha));
  },
  hardshrink(this: Tensor, lambda = 0.5) {
    return binary("hardshrink", this, float(lambda));
  },
  softshrink(this: Tensor, lambda = 0.5) {
    return binary("softshrink", this, float(lambda));
  },
  softplus(this: Tensor, { beta = 1, threshold = 20 }: { beta?: number; threshold?: number } = {}) {
    return elementwise("softplus", this, float(beta), float(threshold));
  },
  hardtanh(this: Tensor, min = -1, max = 1) {
    // Bounds of whole numbers are whole numbers.
    const bound = (value: number): Operand => operand(this.isFloatingPoint ? value : Math.trunc(value));
    return elementwise("hardtanh", this, bound(min), bound(max));
  },
  threshold(this: Tensor, threshold: number, value: number) {
    return elementwise("threshold", this, operand(threshold), operand(value));
  },
  copy_(this: Tensor, source: Tensor) {
    if (beforeChange(this, [source]) === null) copyInto(this, source);
    else afterChange(this, cast(source, this.dtype).expandAs(this).clone());
    return this;
  },
  fill_(this: Tensor, value: number) {
    if (beforeChange(this, []) === null) fill(this, value);
    else afterChange(this, this.detach().clone().fill_(value));
    return this;
  },
  zero_(this: Tensor) {
    return this.fill_(0);
  },
});

const GREATEST: Partial<Record<string, number>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
};
