/** What layers of cuDNN other than convolutions compute, in double precision (see dnn-descriptors.test-helper.ts). */
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

const shapeOf = (c: DnnCase): Field["dims"] => [c.n, c.c, c.h, c.w];

/** target = alpha * value + beta * target, for each place. */
function blend(c: DnnCase, target: Field, value: (place: Field["dims"]) => number, alpha = alphaOf(c)): number[] {
  for (const place of places(target.dims))
    put(target, place, alpha * value(place) + (betaOf(c) === 0 ? 0 : betaOf(c) * at(target, ...place)));
  return target.memory;
}
/** A tensor of the shape of another one, packed, from a function. */
function computed(dims: Field["dims"], value: (place: Field["dims"]) => number): Field {
  const made = field(0, dims, 1);
  for (const place of places(dims)) put(made, place, value(place));
  return made;
}

export function poolingReference(c: DnnCase): number[] | null {
  const [h, w] = [c.h + 2 * c.pad - c.r, c.w + 2 * c.pad - c.s];
  if (h < 0 || w < 0) return null;
  const dims = [c.n, c.c, Math.floor(h / c.stride) + 1, Math.floor(w / c.stride) + 1] as const;
  const x = field(c.layout, shapeOf(c), c.seed);
  const mode = c.extra % 4;
  const isMaximum = mode === 0 || mode === 3;
  /** The places of a window that are inside. */
  const window = ([n, channel, i, j]: Field["dims"]): Field["dims"][] => {
    const found: Field["dims"][] = [];
    for (let p = 0; p < c.r; p++)
      for (let q = 0; q < c.s; q++) {
        const [row, column] = [i * c.stride - c.pad + p, j * c.stride - c.pad + q];
        if (row >= 0 && row < c.h && column >= 0 && column < c.w) found.push([n, channel, row, column]);
      }
    return found;
  };
  const count = (inside: readonly unknown[]): number => (mode === 1 ? c.r * c.s : inside.length);
  if (c.op === "pool")
    return blend(c, field(c.layout, dims, c.seed + 1), (place) => {
      const inside = window(place);
      const values = inside.map((one) => at(x, ...one));
      return isMaximum ? Math.max(...values) : values.reduce((a, b) => a + b, 0) / count(inside);
    });
  const dy = field(c.layout, dims, c.seed + 2);
  const sums = new Map<string, number>();
  for (const place of places(dims)) {
    const inside = window(place);
    const most = Math.max(...inside.map((one) => at(x, ...one)));
    const takers = isMaximum ? [inside.find((one) => at(x, ...one) === most) as Field["dims"]] : inside;
    for (const one of takers)
      sums.set(one.join(), (sums.get(one.join()) ?? 0) + at(dy, ...place) / (isMaximum ? 1 : count(inside)));
  }
  return blend(c, field(c.layout, shapeOf(c), c.seed + 3), (place) => sums.get(place.join()) ?? 0);
}

export function activationReference(c: DnnCase): number[] | null {
  const coefficient = 0.75;
  const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
  const functions: readonly ((x: number) => number)[] = [
    sigmoid,
    (x) => Math.max(x, 0),
    Math.tanh,
    (x) => Math.min(Math.max(x, 0), coefficient),
    (x) => (x > 0 ? x : coefficient * Math.expm1(x)),
    (x) => x,
    (x) => x * sigmoid(x),
  ];
  const slopes: readonly ((x: number) => number)[] = [
    (x) => sigmoid(x) * (1 - sigmoid(x)),
    (x) => (x > 0 ? 1 : 0),
    (x) => 1 - Math.tanh(x) ** 2,
    (x) => (x > 0 && x <= coefficient ? 1 : 0),
    (x) => (x >= 0 ? 1 : coefficient * Math.exp(x)),
    () => 1,
    (x) => sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)),
  ];
  const x = field(c.layout, shapeOf(c), c.seed);
  const mode = c.extra % 7;
  if (mode === 5) return null; // the identity stands only behind a convolution
  if (c.op === "act")
    return blend(c, field(c.layout, shapeOf(c), c.seed + 1), (place) =>
      (functions[mode] as Math["tanh"])(at(x, ...place)),
    );
  const dy = field(c.layout, shapeOf(c), c.seed + 2);
  return blend(
    c,
    field(c.layout, shapeOf(c), c.seed + 3),
    (place) => (slopes[mode] as Math["tanh"])(at(x, ...place)) * at(dy, ...place),
  );
}

export function softmaxReference(c: DnnCase): number[] {
  const isInstance = c.mode === 0;
  const x = field(c.layout, shapeOf(c), c.seed);
  const rowOf = ([n, , h, w]: Field["dims"]): string => (isInstance ? `${n}` : `${n},${h},${w}`);
  const total = (value: (place: Field["dims"]) => number): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const place of places(x.dims)) sums.set(rowOf(place), (sums.get(rowOf(place)) ?? 0) + value(place));
    return sums;
  };
  const isLog = c.extra % 3 === 2;
  const sums = total((place) => Math.exp(at(x, ...place)));
  const plain = (place: Field["dims"]): number => Math.exp(at(x, ...place)) / (sums.get(rowOf(place)) as number);
  const y = (place: Field["dims"]): number => (isLog ? Math.log(plain(place)) : plain(place));
  if (c.op === "soft") return blend(c, field(c.layout, shapeOf(c), c.seed + 1), y);
  const dy = field(c.layout, shapeOf(c), c.seed + 2);
  const gradients = total((place) => at(dy, ...place) * (isLog ? 1 : plain(place)));
  return blend(c, field(c.layout, shapeOf(c), c.seed + 3), (place) => {
    const sum = gradients.get(rowOf(place)) as number;
    return isLog ? at(dy, ...place) - plain(place) * sum : plain(place) * (at(dy, ...place) - sum);
  });
}

export function batchNormReference(c: DnnCase): number[] {
  const isPerActivation = c.extra % 3 === 0;
  const count = isPerActivation ? c.c * c.h * c.w : c.c;
  const of = ([, channel, h, w]: Field["dims"]): number => (isPerActivation ? (channel * c.h + h) * c.w + w : channel);
  const x = field(c.layout, shapeOf(c), c.seed);
  const [scale, bias, mean] = [3, 4, 5].map((i) => numbers(count, c.seed + i)) as [number[], number[], number[]];
  const variance = numbers(count, c.seed + 6, 1, true);
  const elements = (c.n * c.c * c.h * c.w) / count;
  const sumOf = (value: (place: Field["dims"]) => number): number[] => {
    const sums = Array.from({ length: count }, () => 0);
    for (const place of places(x.dims)) sums[of(place)] = (sums[of(place)] as number) + value(place);
    return sums;
  };
  const y = field(c.layout, shapeOf(c), c.seed + 1);
  const epsilon = 0.125;
  const normal = (place: Field["dims"], m: readonly number[], inverse: readonly number[]): number =>
    (at(x, ...place) - (m[of(place)] as number)) * (inverse[of(place)] as number);
  if (c.op === "bni") {
    const inverse = variance.map((v) => 1 / Math.sqrt(v + epsilon));
    return blend(
      c,
      y,
      (place) => normal(place, mean, inverse) * (scale[of(place)] as number) + (bias[of(place)] as number),
    );
  }
  const own = sumOf((place) => at(x, ...place)).map((sum) => sum / elements);
  const squares = sumOf((place) => (at(x, ...place) - (own[of(place)] as number)) ** 2);
  const inverse = squares.map((sum) => 1 / Math.sqrt(sum / elements + epsilon));
  if (c.op === "bn") {
    const unbiased = squares.map((sum) => sum / (elements - 1)); // NaN of one element
    const run = (old: readonly number[], now: readonly number[]): number[] =>
      old.map((value, i) => 0.75 * value + 0.25 * (now[i] as number));
    const results = blend(
      c,
      y,
      (place) => normal(place, own, inverse) * (scale[of(place)] as number) + (bias[of(place)] as number),
    );
    return [...results, ...run(mean, own), ...run(variance, unbiased), ...own, ...inverse];
  }
  const dy = field(c.layout, shapeOf(c), c.seed + 2);
  const sums = sumOf((place) => at(dy, ...place));
  const products = sumOf((place) => at(dy, ...place) * normal(place, own, inverse));
  const dx = blend(c, field(c.layout, shapeOf(c), c.seed + 7), (place) => {
    const i = of(place);
    const rest = (sums[i] as number) + normal(place, own, inverse) * (products[i] as number);
    return (scale[i] as number) * (inverse[i] as number) * (at(dy, ...place) - rest / elements);
  });
  const parameters = (seed: number, now: readonly number[]): number[] =>
    numbers(count, c.seed + seed).map((old, i) => (now[i] as number) + betaOf(c) * old);
  return [...dx, ...parameters(8, products), ...parameters(9, sums)];
}

export function biasReference(c: DnnCase): number[] {
  const dy = field(c.layout, shapeOf(c), c.seed);
  return blend(c, field(0, [1, c.c, 1, 1], c.seed + 1), ([, channel]) => {
    let sum = 0;
    for (const place of places(dy.dims)) if (place[1] === channel) sum += at(dy, ...place);
    return sum;
  });
}

export function lrnReference(c: DnnCase): number[] {
  const n = 1 + (c.extra % 5);
  const [alpha, beta] = [0.5, 0.75];
  const before = Math.floor((n - 1) / 2);
  const after = n - 1 - before;
  const x = field(c.layout, shapeOf(c), c.seed);
  const sums = computed(x.dims, ([i, channel, h, w]) => {
    let sum = 0;
    for (let e = Math.max(0, channel - before); e <= Math.min(c.c - 1, channel + after); e++)
      sum += at(x, i, e, h, w) ** 2;
    return 1 + (alpha / n) * sum;
  });
  if (c.op === "lrn")
    return blend(c, field(c.layout, shapeOf(c), c.seed + 1), (place) => at(x, ...place) * at(sums, ...place) ** -beta);
  const dy = field(c.layout, shapeOf(c), c.seed + 2);
  return blend(c, field(c.layout, shapeOf(c), c.seed + 3), ([i, channel, h, w]) => {
    let sum = 0;
    for (let e = Math.max(0, channel - after); e <= Math.min(c.c - 1, channel + before); e++)
      sum += at(dy, i, e, h, w) * at(x, i, e, h, w) * at(sums, i, e, h, w) ** (-beta - 1);
    const own = at(sums, i, channel, h, w) ** -beta;
    return at(dy, i, channel, h, w) * own - ((2 * alpha * beta) / n) * at(x, i, channel, h, w) * sum;
  });
}

/** The shape of what a seed reduces or repeats. */
function partOf(c: DnnCase): Field["dims"] {
  const { seed } = c;
  return [
    (seed & 2) === 0 ? c.n : 1,
    (seed & 4) === 0 ? c.c : 1,
    (seed & 8) === 0 ? c.h : 1,
    (seed & 16) === 0 ? c.w : 1,
  ];
}
const inPart = (place: Field["dims"], dims: Field["dims"]): Field["dims"] =>
  place.map((index, i) => (dims[i] === 1 ? 0 : index)) as unknown as Field["dims"];

export function reductionReference(c: DnnCase): number[] | null {
  if (partOf(c).join() === shapeOf(c).join()) return null; // nothing is reduced
  const op = c.extra % 9;
  const x = field(c.layout, shapeOf(c), c.seed);
  const y = field(0, partOf(c), c.seed + 1);
  const groups = new Map<string, number[]>();
  for (const place of places(x.dims)) {
    const key = inPart(place, y.dims).join();
    groups.set(key, [...(groups.get(key) ?? []), at(x, ...place)]);
  }
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const product = (list: readonly number[]): number => list.reduce((a, b) => a * b, 1);
  const functions: readonly ((list: readonly number[]) => number)[] = [
    sum,
    product,
    (list) => Math.min(...list),
    (list) => Math.max(...list),
    (list) => Math.max(...list.map(Math.abs)),
    (list) => sum(list) / list.length,
    (list) => sum(list.map(Math.abs)),
    (list) => Math.sqrt(sum(list.map((value) => value * value))),
    (list) => product(list.filter((value) => value !== 0)),
  ];
  const indices: number[] = [];
  const results = blend(c, y, (place) => {
    const list = groups.get(place.join()) as number[];
    const value = (functions[op] as typeof sum)(list);
    if (op >= 2 && op <= 4) indices.push(list.findIndex((one) => (op === 4 ? Math.abs(one) : one) === value));
    return value;
  });
  return [...results, ...indices];
}

export function elementReference(c: DnnCase): number[] {
  const x = field(c.layout, shapeOf(c), c.seed, { isPositive: c.op === "opt" });
  if (c.op === "trans") {
    const results = blend(c, field(c.algo % 3, shapeOf(c), c.seed + 1), (place) => at(x, ...place));
    if (c.extra % 2 === 0) return results;
    const y: Field = { ...field(c.algo % 3, shapeOf(c), c.seed + 1), memory: results };
    for (const place of places(y.dims)) put(y, place, alphaOf(c) * at(y, ...place));
    return y.memory;
  }
  const b = field(c.algo % 3, partOf(c), c.seed + 1);
  const y = field(c.layout, shapeOf(c), c.seed + 2);
  const other = (place: Field["dims"]): number => at(b, ...inPart(place, b.dims));
  if (c.op === "add") return blend(c, y, other);
  const functions: readonly ((p: number, q: number) => number)[] = [
    (p, q) => p + q,
    (p, q) => p * q,
    Math.min,
    Math.max,
    Math.sqrt,
    (p) => 1 - p,
  ];
  const operate = functions[c.extra % 6] as typeof Math.min;
  return blend(c, y, (place) => operate(alphaOf(c) * at(x, ...place), other(place)), 1);
}
