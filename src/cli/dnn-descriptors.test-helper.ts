/** Random descriptors of cuDNN, as lines for test-programs/dnn-descriptors.cu, and what is right for each. */
import fc from "fast-check";
import {
  activationReference,
  batchNormReference,
  biasReference,
  elementReference,
  lrnReference,
  poolingReference,
  reductionReference,
  softmaxReference,
} from "./dnn-layers.test-helper.ts";
import {
  alphaOf,
  at,
  betaOf,
  field,
  numbers,
  places,
  put,
  type DnnCase,
  type Field,
} from "./dnn-fields.test-helper.ts";

const [FLOAT, DOUBLE, HALF, INT8, BFLOAT16] = [0, 1, 2, 3, 9] as const;
const CONVOLUTIONS = ["fwd", "fwd", "bwdd", "bwdd", "bwdf", "fused"] as const;
const OTHERS = ["bias", "pool", "poolb", "act", "actb", "soft", "softb", "bn", "bni", "bnb", "lrn", "lrnb"] as const;
const ELEMENTS = ["red", "red", "opt", "add", "trans"] as const;

const size = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

export const dnnCases: fc.Arbitrary<DnnCase> = fc
  .record({
    op: fc.constantFrom<DnnCase["op"]>(...CONVOLUTIONS, ...OTHERS, ...CONVOLUTIONS, ...ELEMENTS),
    type: fc.constantFrom(FLOAT, FLOAT, DOUBLE, HALF, BFLOAT16, INT8),
    layout: size(0, 2),
    n: size(1, 3),
    c: fc.oneof({ arbitrary: size(1, 4), weight: 5 }, { arbitrary: fc.constantFrom(16, 17, 33), weight: 1 }),
    h: size(1, 9),
    w: size(1, 9),
    k: fc.oneof({ arbitrary: size(1, 5), weight: 9 }, { arbitrary: fc.constantFrom(32, 35), weight: 1 }),
    r: size(1, 5),
    s: size(1, 5),
    pad: size(0, 2),
    stride: size(1, 3),
    dilation: size(1, 2),
    groups: fc.constantFrom(1, 1, 2, 3),
    mode: size(0, 1),
    algo: size(0, 7),
    extra: size(0, 40),
    seed: size(1, 1_000_000),
  })
  .map((c) => {
    const isForward = c.op === "fwd" || c.op === "fused";
    // Bytes have forward convolutions and pooling, of which the program names the types that cuDNN has.
    // Long products leave the range of half precision.
    const isProduct = c.op === "red" && [1, 8].includes(c.extra % 9);
    const isNarrow = (c.type === INT8 && !isForward) || (c.type === HALF && isProduct);
    const type = isNarrow ? FLOAT : c.type;
    const isPooling = c.op === "pool" || c.op === "poolb";
    // Every convolution has the first two algorithms. Winograd's are for few of the random windows.
    // NVIDIA's library has few convolutions of bytes: one group, and channels by four.
    const isPlainByte = type === INT8 && c.seed % 4 !== 1;
    const isWinograd = !isPlainByte && (isForward || c.op === "bwdd" || c.op === "bwdf") && c.seed % 3 === 1;
    const window = c.extra % 2 === 0 ? 3 : 5;
    const inSteps = c.seed % 5 !== 0;
    const winograd = (isForward ? 6 : 4) + Number(inSteps);
    const random = !isPlainByte && c.seed % 4 === 0 ? c.algo : c.algo % 2;
    const groups = isPlainByte ? 1 : c.groups;
    // Its sums of halves for a bias read pairs, and end the process where strides are odd.
    const isOddPair = c.op === "bias" && type === HALF && c.layout === 2;
    return {
      ...c,
      type,
      groups,
      ...(isWinograd && { r: window, s: window, stride: 1, dilation: 1 }),
      ...(isPlainByte && { dilation: 1 }),
      algo: isWinograd ? winograd : random,
      layout: isPlainByte || isOddPair || (type === INT8 && c.layout === 2) ? 1 : c.layout,
      c: c.c * (isPlainByte ? 4 : groups),
      k: c.k * (isPlainByte && c.extra % 2 === 0 ? 4 : groups),
      pad: isPooling ? Math.min(c.pad, c.r - 1, c.s - 1) : c.pad,
    };
  });

export function lineOf(c: DnnCase): string {
  return [c.op, c.type, c.layout, c.n, c.c, c.h, c.w, c.k, c.r, c.s, c.pad, c.stride, c.dilation, c.groups, c.mode]
    .concat([c.algo, c.extra, c.seed])
    .join(" ");
}

/** Algorithms that a convolution has on a GPU before Hopper, by the documentation's tables and an H200's statuses. */
function hasAlgorithm(c: DnnCase, y: Field["dims"]): boolean {
  const isForward = c.op === "fwd" || c.op === "fused";
  const isNhwc = c.layout === 1;
  if (c.type === INT8) {
    const isByFour = c.c % 4 === 0 && (c.extra % 2 === 1 || c.k % 4 === 0);
    // The bias has the type of the result, and only one of floats is taken.
    const hasBias = c.op !== "fused" || c.extra % 2 === 1;
    return isNhwc && c.groups === 1 && c.dilation === 1 && isByFour && hasBias && c.algo < 2;
  }
  // one operand of a gradient has no gaps: of layout 2 those are rows of one channel
  const [, channels, height] = c.op === "bwdd" ? y : [c.n, c.c, c.h];
  if (!isForward && c.layout === 2 && !(channels === 1 && height === 1)) return false;
  if (isNhwc) return c.algo < 2 && (isForward || c.type !== DOUBLE);
  const isPlain = c.stride === 1 && c.dilation === 1;
  const fitsPad = c.r > c.pad && c.s > c.pad;
  const fft = isPlain && fitsPad && (c.type === FLOAT || c.type === HALF);
  const isLine = c.r === 1 || c.s === 1;
  const strides = isForward && !isLine ? 2 : 1;
  const tiling =
    c.stride <= strides && c.dilation === 1 && fitsPad && c.type !== BFLOAT16 && (isLine || c.type !== DOUBLE);
  const winograd = isPlain && c.type !== DOUBLE && c.r === c.s && (c.r === 3 || c.r === 5);
  const inOne = winograd && c.r === 3 && c.type !== BFLOAT16;
  if (isForward) return [true, true, true, false, fft, tiling, inOne, winograd][c.algo] === true;
  if (c.op === "bwdd") return [true, true, fft, tiling, inOne, winograd][c.algo] === true;
  return [true, true, fft, c.dilation === 1, false, winograd, tiling][c.algo] === true;
}

function convolutionReference(c: DnnCase): number[] | null {
  const reach = (window: number): number => (window - 1) * c.dilation + 1;
  const [h, w] = [c.h + 2 * c.pad - reach(c.r), c.w + 2 * c.pad - reach(c.s)];
  const dims = [c.n, c.k, Math.floor(h / c.stride) + 1, Math.floor(w / c.stride) + 1] as const;
  if (h < 0 || w < 0 || !hasAlgorithm(c, dims)) return null;
  const scale = c.type === INT8 ? 4 : 1;
  const yScale = c.type === INT8 && c.extra % 2 === 0 ? 4 : 1;
  const inputs = c.c / c.groups;
  const isBackData = c.op === "bwdd";
  const x = field(c.layout, [c.n, c.c, c.h, c.w], isBackData ? c.seed + 2 : c.seed, { scale });
  const filter = field(c.layout === 1 ? 1 : 0, [c.k, inputs, c.r, c.s], c.seed + 1, { scale });
  const y = field(c.layout, dims, isBackData || c.op === "bwdf" ? c.seed : c.seed + 2, { scale: yScale });
  const z = field(c.layout, dims, c.seed + 3, { scale: yScale });
  const bias = numbers(c.k, c.seed + 4, yScale);
  const targets: Partial<Record<DnnCase["op"], Field>> = { bwdd: x, bwdf: filter };
  const target = targets[c.op] ?? y;
  const sums = new Map<string, number>();
  const add = (place: readonly number[], value: number): void => {
    const key = place.join();
    sums.set(key, (sums.get(key) ?? 0) + value);
  };
  for (const [n, k, i, j] of places(dims))
    for (let e = 0; e < inputs; e++)
      for (let p = 0; p < c.r; p++)
        for (let q = 0; q < c.s; q++) {
          const row = i * c.stride - c.pad + p * c.dilation;
          const column = j * c.stride - c.pad + q * c.dilation;
          if (row < 0 || row >= c.h || column < 0 || column >= c.w) continue;
          const channel = Math.floor(k / (c.k / c.groups)) * inputs + e;
          // a convolution turns the window around, a correlation does not
          const [a, b] = c.mode === 0 ? [c.r - 1 - p, c.s - 1 - q] : [p, q];
          const [xs, ws, ys] = [at(x, n, channel, row, column), at(filter, k, e, a, b), at(y, n, k, i, j)];
          if (target === x) add([n, channel, row, column], ys * ws);
          else if (target === filter) add([k, e, a, b], ys * xs);
          else add([n, k, i, j], xs * ws);
        }
  const before = [...target.memory];
  const old: Field = { ...target, memory: before };
  for (const place of places(target.dims)) {
    const sum = alphaOf(c) * (sums.get(place.join()) ?? 0);
    const value =
      c.op === "fused"
        ? Math.max(0, sum + betaOf(c) * at(z, ...place) + (bias[place[1]] as number))
        : sum + betaOf(c) * at(old, ...place);
    const isByte = c.type === INT8 && c.extra % 2 === 0;
    put(target, place, isByte ? Math.max(-128, Math.min(127, value)) : value);
  }
  return target.memory;
}

/** The numbers that the program prints after its status; null where the status is not 0. */
export function expectedOf(c: DnnCase): number[] | null {
  // the documentation's tables do not have it there
  if (c.type === BFLOAT16 && ["bias", "lrn", "lrnb", "red"].includes(c.op)) return null;
  switch (c.op) {
    case "fwd":
    case "fused":
    case "bwdd":
    case "bwdf":
      return convolutionReference(c);
    case "pool":
    case "poolb":
      return poolingReference(c);
    case "act":
    case "actb":
      return activationReference(c);
    case "soft":
    case "softb":
      return softmaxReference(c);
    case "bn":
    case "bni":
    case "bnb":
      return batchNormReference(c);
    case "lrn":
    case "lrnb":
      return lrnReference(c);
    case "bias":
      return biasReference(c);
    case "red":
      return reductionReference(c);
    default:
      return elementReference(c);
  }
}

/** How far a result may be from the reference, over the largest element. */
export function boundOf({ type, op }: DnnCase): number {
  const isTwice = op === "poolb" || op === "actb" || op === "softb" || op === "lrnb";
  const bound = { [DOUBLE]: 1e-8, [HALF]: 2e-3, [BFLOAT16]: 1.6e-2 }[type] ?? 4e-6;
  return isTwice ? 4 * bound : bound;
}
