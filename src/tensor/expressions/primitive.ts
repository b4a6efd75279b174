/** What the primitives of expressions have in common: loops of the host, and texts of kernels. */

/** What numbers are computed as: floats of 16 and 8 bits as float32. */
export type ComputeType =
  | "float32"
  | "float64"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64";

export const isFloatType = (type: ComputeType): boolean => type.startsWith("float");

export type Loop = (to: Float64Array, length: number, ...args: readonly Float64Array[]) => void;
export type Text = (args: readonly string[], type: ComputeType) => string;

export interface Primitive {
  /** It gives a condition: 0 or 1. */
  readonly isBool: boolean;
  /** For `length` elements. Integers wrap when they are stored. */
  readonly host: Loop;
  /** Null: only the host computes it. */
  readonly triton: Text | null;
  readonly cuda: Text | null;
}

export const map1 =
  (apply: (x: number) => number): Loop =>
  (to, length, x) => {
    const from = x as Float64Array;
    for (let i = 0; i < length; i++) to[i] = apply(from[i] as number);
  };
export const map2 =
  (apply: (x: number, y: number) => number): Loop =>
  (to, length, x, y) => {
    const [a, b] = [x as Float64Array, y as Float64Array];
    for (let i = 0; i < length; i++) to[i] = apply(a[i] as number, b[i] as number);
  };

/** A function of CUDA's headers, which have an `f` at the end of those for float. */
export const suffixed = (name: string, args: readonly string[], type: ComputeType): string =>
  `${name}${type === "float64" ? "" : "f"}(${args.join(", ")})`;

/** Texts that differ by what is computed. */
export function byKind(texts: { readonly float: Text; readonly unsigned: Text; readonly signed: Text }): Text {
  return (args, type) => {
    if (isFloatType(type)) return texts.float(args, type);
    return (type.startsWith("u") ? texts.unsigned : texts.signed)(args, type);
  };
}

export function infix(operator: string, host: Loop): Primitive {
  const text: Text = ([x, y]) => `(${x} ${operator} ${y})`;
  return { isBool: false, host, triton: text, cuda: text };
}
