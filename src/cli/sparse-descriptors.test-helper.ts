/** Random descriptors of cuSPARSE, as lines for test-programs/sparse-descriptors.cu, and what is right for each. */
import fc from "fast-check";

export interface SparseCase {
  readonly op: "spmv" | "spmm" | "spsv" | "spsm" | "spgemm" | "sddmm" | "dense";
  /** cusparseFormat_t */
  readonly format: number;
  /** 0 float, 1 double, 2 and 3 complex, 4 half with sums of floats. */
  readonly type: number;
  readonly is64: number;
  readonly base: number;
  readonly opA: number;
  readonly opB: number;
  readonly orderB: number;
  readonly orderC: number;
  readonly rows: number;
  readonly cols: number;
  readonly n: number;
  readonly density: number;
  readonly seed: number;
  readonly block: number;
  readonly fill: number;
  readonly unit: number;
}

const [CSR, CSC, COO, BLOCKED_ELL, BSR, SLICED_ELL] = [1, 2, 3, 5, 6, 7] as const;
const NOT_SUPPORTED = 10;
const FORMATS: Readonly<Record<SparseCase["op"], readonly number[]>> = {
  spmv: [CSR, CSC, COO, BSR, SLICED_ELL],
  spmm: [CSR, CSC, COO, BSR, BLOCKED_ELL],
  spsv: [CSR, COO, SLICED_ELL],
  spsm: [CSR, COO],
  spgemm: [CSR],
  sddmm: [CSR, BSR],
  dense: [CSR, CSC, COO],
};

export const sparseCases: fc.Arbitrary<SparseCase> = fc
  .record({
    op: fc.constantFrom<SparseCase["op"]>("spmv", "spmv", "spmm", "spmm", "spsv", "spsm", "spgemm", "sddmm", "dense"),
    format: fc.nat(),
    type: fc.integer({ min: 0, max: 4 }),
    is64: fc.constantFrom(0, 0, 1),
    base: fc.integer({ min: 0, max: 1 }),
    opA: fc.integer({ min: 0, max: 2 }),
    opB: fc.integer({ min: 0, max: 2 }),
    orderB: fc.integer({ min: 1, max: 2 }),
    orderC: fc.integer({ min: 1, max: 2 }),
    rows: fc.integer({ min: 1, max: 24 }),
    cols: fc.integer({ min: 1, max: 24 }),
    n: fc.integer({ min: 1, max: 9 }),
    density: fc.constantFrom(5, 20, 50, 100),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    block: fc.integer({ min: 1, max: 4 }),
    fill: fc.integer({ min: 0, max: 1 }),
    unit: fc.integer({ min: 0, max: 1 }),
  })
  .map((c) => {
    const formats = FORMATS[c.op];
    const format = formats[c.format % formats.length] as number;
    const isTriangle = c.op === "spsv" || c.op === "spsm";
    const isBlocked = format === BSR || format === BLOCKED_ELL;
    // Half of them have blocks that SDDMM takes; of large blocks there are few.
    const isSampled = c.op === "sddmm" && format === BSR && c.fill === 1;
    const block = isSampled ? 2 ** c.block : c.block;
    const [blockRows, blockCols] = block > 4 ? [1 + (c.rows % 4), 1 + (c.cols % 4)] : [c.rows, c.cols];
    const rows = isBlocked ? blockRows * block : c.rows;
    const plainCols = isBlocked ? blockCols * block : c.cols;
    const cols = isTriangle ? rows : plainCols;
    const isEll = format === BLOCKED_ELL;
    const isComplex = c.type === 2 || c.type === 3;
    // What NVIDIA's library does not have is left out: half precision and transposed operands here and there.
    const hasNoHalf = isTriangle || c.op === "spgemm";
    const realOf = isEll && isComplex ? c.type - 2 : c.type;
    const type = hasNoHalf && c.type === 4 ? 0 : realOf;
    const operations = c.op !== "sddmm" && (type === 2 || type === 3) ? 3 : 2;
    const isPlainA = c.op === "spgemm" || c.op === "dense" || isEll || (format === BSR && c.op !== "sddmm");
    const hasB = c.op === "sddmm" || c.op === "spmm" || c.op === "spsm";
    const isNarrow = c.op === "spgemm" || isEll || (isTriangle && format === COO);
    return {
      ...c,
      format,
      block,
      rows,
      cols,
      n: isSampled ? block * (1 + (c.n % 2)) : c.n,
      type,
      opA: isPlainA ? 0 : c.opA % operations,
      opB: hasB ? c.opB % (c.op === "spsm" ? 2 : operations) : 0,
      orderB: format === BSR && c.op === "spmm" ? 2 : c.orderB,
      is64: isNarrow ? 0 : c.is64,
    };
  });

export function lineOf(c: SparseCase): string {
  return [c.op, c.format, c.type, c.is64, c.base, c.opA, c.opB, c.orderB, c.orderC, c.rows, c.cols, c.n, c.density]
    .concat([c.seed, c.block, c.fill, c.unit])
    .join(" ");
}

interface Complex {
  readonly re: number;
  readonly im: number;
}

function hash(seed: number, at: number): number {
  let x = (Math.imul(seed, 2654435761) + Math.imul(at, 2246822519) + 374761393) | 0;
  x = Math.imul(x ^ (x >>> 15), 2246822519);
  x = Math.imul(x ^ (x >>> 13), 3266489917);
  return (x ^ (x >>> 16)) >>> 0;
}
const number = (seed: number, at: number): number => ((hash(seed, at) & 15) - 8) / 4;
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Whether there is an entry, or a block. */
const isDrawn = (c: SparseCase, seed: number, i: number, j: number): boolean =>
  hash(seed + 5, i * 1000 + j) % 100 < c.density;
const hasEntries = (c: SparseCase): boolean =>
  range(c.rows / c.block).some((i) => range(c.cols / c.block).some((j) => isDrawn(c, c.seed, i, j)));

const add = (a: Complex, b: Complex): Complex => ({ re: a.re + b.re, im: a.im + b.im });
const times = (a: Complex, b: Complex): Complex => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re });
const conj = (a: Complex): Complex => ({ re: a.re, im: -a.im });
const scale = (a: Complex, factor: number): Complex => ({ re: a.re * factor, im: a.im * factor });
const over = (a: Complex, b: Complex): Complex => scale(times(a, conj(b)), 1 / (b.re * b.re + b.im * b.im));
const ZERO: Complex = { re: 0, im: 0 };

/** Whether NVIDIA's library refuses a case that is right otherwise (seen on an H200 with CUDA 13.0). */
export function isRefused(c: SparseCase): boolean {
  if (c.op === "spmm") return c.n === 1 && c.opB === 2;
  if (c.format !== BSR) return false;
  if (c.op === "sddmm") return ![2, 4, 8, 16].includes(c.block) || c.n % c.block > 0;
  return c.op === "spmv" && c.block === 1 && hasEntries(c);
}

/** The numbers that the program prints after its status. */
export function expectedOf(c: SparseCase): number[] {
  const isComplex = c.type === 2 || c.type === 3;
  const element = (seed: number, at: number): Complex => ({
    re: number(seed, at),
    im: isComplex ? number(seed + 77, at) : 0,
  });
  const isTriangle = c.op === "spsv" || c.op === "spsm";
  const isBlocked = c.format === BSR || c.format === BLOCKED_ELL;
  const there = (seed: number, i: number, j: number): boolean => isDrawn(c, seed, i, j) || (isTriangle && i === j);
  const isThere = (i: number, j: number): boolean =>
    isBlocked ? there(c.seed, Math.floor(i / c.block), Math.floor(j / c.block)) : there(c.seed, i, j);
  const a = (i: number, j: number): Complex => {
    if (!isThere(i, j)) return ZERO;
    if (isTriangle && i === j) return { re: hash(c.seed, i) % 2 === 1 ? 1 : -2, im: 0 };
    return element(c.seed, i * 1000 + j);
  };
  const opOf = (op: number, get: (i: number, j: number) => Complex) => {
    if (op === 0) return get;
    return op === 1 ? (i: number, j: number) => get(j, i) : (i: number, j: number) => conj(get(j, i));
  };
  const alpha = 1 + (c.seed % 2);
  const beta = c.seed % 3 === 0 ? 0 : -1;
  const rows = c.opA === 0 ? c.rows : c.cols;
  const depth = c.opA === 0 ? c.cols : c.rows;
  const flat = (list: readonly Complex[]): number[] => list.flatMap(({ re, im }) => (isComplex ? [re, im] : [re]));
  const matrix = opOf(c.opA, a);
  const product = (i: number, j: number, right: (k: number, j: number) => Complex, count: number): Complex => {
    let sum = ZERO;
    for (let k = 0; k < count; k++) sum = add(sum, times(matrix(i, k), right(k, j)));
    return sum;
  };
  /** Solves with the triangle that `fill` names. */
  const solve = (right: readonly Complex[]): Complex[] => {
    const isLower = (c.fill === 0) === (c.opA === 0);
    const x = [...right];
    for (let step = 0; step < rows; step++) {
      const i = isLower ? step : rows - 1 - step;
      let sum = scale(right[i] as Complex, alpha);
      for (let k = 0; k < rows; k++)
        if (isLower ? k < i : k > i) sum = add(sum, scale(times(matrix(i, k), x[k] as Complex), -1));
      x[i] = c.unit === 1 ? sum : over(sum, matrix(i, i));
    }
    return x;
  };
  switch (c.op) {
    case "spmv":
      return flat(
        range(rows).map((i) =>
          add(
            scale(
              product(i, 0, (k) => element(c.seed + 1, k), depth),
              alpha,
            ),
            scale(element(c.seed + 2, i), beta),
          ),
        ),
      );
    case "spsv":
      return flat(solve(range(rows).map((i) => element(c.seed + 1, i))));
    case "spmm":
    case "spsm": {
      const bRows = c.opB === 0 ? depth : c.n;
      const bCols = c.opB === 0 ? c.n : depth;
      const order = c.format === BSR ? c.orderC : c.orderB;
      const ldb = (order === 1 ? bRows : bCols) + (c.seed % 3);
      const isPadded = c.format !== BLOCKED_ELL || c.orderC === 1 || c.n % 4 === 0;
      const ldc = (c.orderC === 1 ? rows : c.n) + (isPadded ? c.seed % 2 : 0);
      const b = opOf(c.opB, (i, j) => element(c.seed + 1, order === 1 ? i + j * ldb : i * ldb + j));
      const result = range(ldc * (c.orderC === 1 ? c.n : rows)).map((at) => element(c.seed + 2, at));
      for (let j = 0; j < c.n; j++) {
        const column = isTriangle ? solve(range(rows).map((i) => b(i, j))) : [];
        for (let i = 0; i < rows; i++) {
          const at = c.orderC === 1 ? i + j * ldc : i * ldc + j;
          result[at] = isTriangle
            ? (column[i] as Complex)
            : add(scale(product(i, j, b, depth), alpha), scale(result[at] as Complex, beta));
        }
      }
      return flat(result);
    }
    case "dense": {
      const ld = (c.orderC === 1 ? c.rows : c.cols) + 1;
      const result = range(ld * (c.orderC === 1 ? c.cols : c.rows)).map((at) => element(c.seed + 2, at));
      for (let i = 0; i < c.rows; i++)
        for (let j = 0; j < c.cols; j++) result[c.orderC === 1 ? i + j * ld : i * ld + j] = a(i, j);
      return flat(result);
    }
    case "spgemm": {
      const seed = c.seed + 3;
      const offsets = [c.base];
      const columns: number[] = [];
      const values: Complex[] = [];
      for (let i = 0; i < c.rows; i++) {
        for (let j = 0; j < c.n; j++) {
          const terms = range(c.cols).filter((k) => isThere(i, k) && there(seed, k, j));
          if (terms.length === 0) continue;
          columns.push(j + c.base);
          let sum = ZERO;
          for (const k of terms) sum = add(sum, times(a(i, k), element(seed, k * 1000 + j)));
          values.push(scale(sum, alpha));
        }
        offsets.push(columns.length + c.base);
      }
      return [...offsets, ...columns, ...flat(values)];
    }
    case "sddmm": {
      const place = (i: number, j: number, height: number, width: number): number =>
        c.orderC === 1 ? i + j * height : i * width + j;
      const left = opOf(c.opA, (i, j) =>
        element(c.seed + 1, c.opA === 0 ? place(i, j, c.rows, c.n) : place(i, j, c.n, c.rows)),
      );
      const right = opOf(c.opB, (i, j) =>
        element(c.seed + 2, c.opB === 0 ? place(i, j, c.n, c.cols) : place(i, j, c.cols, c.n)),
      );
      const value = (i: number, j: number): Complex => {
        let sum = ZERO;
        for (let k = 0; k < c.n; k++) sum = add(sum, times(left(i, k), right(k, j)));
        return add(scale(sum, alpha), scale(a(i, j), beta));
      };
      const result: Complex[] = [];
      const b = c.format === BSR ? c.block : 1;
      for (let i = 0; i < c.rows / b; i++)
        for (let j = 0; j < c.cols / b; j++) {
          if (!isThere(i * b, j * b)) continue;
          for (let p = 0; p < b; p++)
            for (let q = 0; q < b; q++)
              result.push(
                c.format === BSR && c.orderB === 1 ? value(i * b + q, j * b + p) : value(i * b + p, j * b + q),
              );
        }
      return flat(result);
    }
  }
}

/** What is wrong with a line of the program's, or null. Sums are exact but where a system is solved. */
export function faultOf(c: SparseCase, line: string): string | null {
  const [status, ...found] = line.trim().split(/\s+/).map(Number.parseFloat); // 10:2 is the status 10 of a call
  const isRight = status === (isRefused(c) ? NOT_SUPPORTED : 0);
  if (!isRight || isRefused(c)) return isRight ? null : `status ${status}`;
  const expected = expectedOf(c);
  if (found.length !== expected.length) return `${found.length} numbers for ${expected.length}`;
  const isSolved = c.op === "spsv" || c.op === "spsm";
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  // %.7g; a half has 11 bits
  const isHalf = c.type === 4 && /sddmm|spgemm/.test(c.op);
  const exact = isHalf ? 2e-3 : 1e-6;
  const allowed = isSolved && c.type % 2 === 0 ? 1e-4 : exact;
  const wrong = expected.findIndex((value, i) => !(Math.abs((found[i] as number) - value) <= allowed * largest));
  return wrong < 0 ? null : `number ${wrong}: ${found[wrong]} for ${expected[wrong]}`;
}
