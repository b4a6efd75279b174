/** Cases of cuDNN and their tensors, as they lie in memory (see dnn-descriptors.test-helper.ts). */

export type Convolution = "fwd" | "bwdd" | "bwdf" | "fused";
export type Layer =
  | "bias"
  | "pool"
  | "poolb"
  | "act"
  | "actb"
  | "soft"
  | "softb"
  | "bn"
  | "bni"
  | "bnb"
  | "lrn"
  | "lrnb";
export type ElementOperation = "red" | "opt" | "add" | "trans";

export interface DnnCase {
  readonly op: Convolution | Layer | ElementOperation;
  readonly type: number;
  /** 0 NCHW, 1 NHWC, 2 with gaps. */
  readonly layout: number;
  readonly n: number;
  readonly c: number;
  readonly h: number;
  readonly w: number;
  readonly k: number;
  readonly r: number;
  readonly s: number;
  readonly pad: number;
  readonly stride: number;
  readonly dilation: number;
  readonly groups: number;
  readonly mode: number;
  readonly algo: number;
  readonly extra: number;
  readonly seed: number;
}

function hash(seed: number, at: number): number {
  let x = (Math.imul(seed, 2654435761) + Math.imul(at, 2246822519) + 374761393) | 0;
  x = Math.imul(x ^ (x >>> 15), 2246822519);
  x = Math.imul(x ^ (x >>> 13), 3266489917);
  return (x ^ (x >>> 16)) >>> 0;
}

/** A tensor as it lies in memory. */
export interface Field {
  readonly dims: readonly [number, number, number, number];
  readonly strides: readonly [number, number, number, number];
  readonly memory: number[];
}

export function at({ strides, memory }: Field, n: number, c: number, h: number, w: number): number {
  return memory[n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]] as number;
}
export function put({ strides, memory }: Field, [n, c, h, w]: readonly number[], value: number): void {
  memory[
    (n as number) * strides[0] + (c as number) * strides[1] + (h as number) * strides[2] + (w as number) * strides[3]
  ] = value;
}

/** Elements from a seed; `isPositive` as in the program. */
export function numbers(count: number, seed: number, scale = 1, isPositive = false): number[] {
  return Array.from({ length: count }, (_, i) => {
    const value = (scale * ((hash(seed, i) & 15) - 8)) / 4;
    return isPositive ? Math.abs(value) + 0.25 : value;
  });
}

export function field(
  layout: number,
  dims: Field["dims"],
  seed: number,
  { scale = 1, isPositive = false }: { readonly scale?: number; readonly isPositive?: boolean } = {},
): Field {
  const [, c, h, w] = dims;
  const plane = h * (w + 1) + 2;
  const strides = [
    [c * h * w, h * w, w, 1],
    [c * h * w, 1, w * c, c],
    [c * plane + 3, plane, w + 1, 1],
  ][layout] as unknown as Field["strides"];
  const last = dims.reduce((sum, length, i) => sum + (length - 1) * (strides[i] as number), 0);
  return { dims, strides, memory: numbers(last + 1, seed, scale, isPositive) };
}

/** All indices of a tensor. */
export function* places(dims: Field["dims"]): Generator<readonly [number, number, number, number]> {
  for (let n = 0; n < dims[0]; n++)
    for (let c = 0; c < dims[1]; c++)
      for (let h = 0; h < dims[2]; h++) for (let w = 0; w < dims[3]; w++) yield [n, c, h, w];
}

/** The factors of a case. */
export const alphaOf = (c: DnnCase): number => 1 + (c.seed % 2);
export const betaOf = (c: DnnCase): number => (c.seed % 3 === 0 ? 0 : -1);
