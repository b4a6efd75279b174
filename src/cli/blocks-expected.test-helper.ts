/** What is right for a case of blocks-descriptors.test-helper.ts: dense loops in double precision. */
import type { BlocksCase } from "./blocks-descriptors.test-helper.ts";

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
const add = (a: Complex, b: Complex): Complex => ({ re: a.re + b.re, im: a.im + b.im });
const times = (a: Complex, b: Complex): Complex => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re });
const conj = (a: Complex): Complex => ({ re: a.re, im: -a.im });
const scale = (a: Complex, factor: number): Complex => ({ re: a.re * factor, im: a.im * factor });
const over = (a: Complex, b: Complex): Complex => scale(times(a, conj(b)), 1 / (b.re * b.re + b.im * b.im));
const less = (a: Complex, b: Complex): Complex => add(a, scale(b, -1));
const ZERO: Complex = { re: 0, im: 0 };
/** A total that the program sets, and that is left as it is where there is nothing to count. */
const UNWRITTEN = -7;
const INVALID_VALUE = 3;
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A case's matrix: its blocks, and its elements as a dense one. */
class Matrix {
  readonly c: BlocksCase;
  readonly isSystem: boolean;
  readonly rows: number;
  readonly columns: number;
  /** The row whose pivot is missing or zero. */
  readonly weak: number;

  constructor(c: BlocksCase) {
    this.c = c;
    this.isSystem = /^bsr[si]/.test(c.op);
    this.rows = c.mb * c.height;
    this.columns = c.nb * c.width;
    this.weak = c.seed % c.mb;
  }

  get isComplex(): boolean {
    return this.c.type === 2 || this.c.type === 3;
  }
  number(seed: number, at: number): Complex {
    return { re: number(seed, at), im: this.isComplex ? number(seed + 77, at) : 0 };
  }
  has(i: number, j: number): boolean {
    const { c } = this;
    if (this.isSystem && i === j) return !(c.zero === 1 && i === this.weak);
    if (this.isSystem && c.zero === 2 && i === this.weak && j < i) return false;
    return hash(c.seed + 5, i * 1000 + j) % 100 < c.density;
  }
  stored(i: number, j: number): boolean {
    return this.has(Math.floor(i / this.c.height), Math.floor(j / this.c.width));
  }
  at(i: number, j: number): Complex {
    if (!this.stored(i, j)) return ZERO;
    if (!this.isSystem || i !== j) return this.number(this.c.seed, i * 1000 + j);
    if (this.c.zero === 2 && i === this.weak * this.c.height) return ZERO;
    if (this.c.op[3] === "i") return { re: 128, im: 0 };
    return { re: hash(this.c.seed, i) % 2 === 1 ? 8 : -16, im: 0 };
  }
  flat(list: readonly Complex[]): number[] {
    return list.flatMap(({ re, im }) => (this.isComplex ? [re, im] : [re]));
  }
  /** Places of blocks, row by row. */
  blocks(): (readonly [number, number])[] {
    return range(this.c.mb).flatMap((i) => range(this.c.nb).flatMap((j) => (this.has(i, j) ? [[i, j] as const] : [])));
  }
}

/** The places of a block's elements in the order in which they are stored. */
const inBlock = (dir: number, height: number, width: number): (readonly [number, number])[] =>
  range(height * width).map((e) =>
    dir === 1 ? ([e % height, Math.floor(e / height)] as const) : ([Math.floor(e / width), e % width] as const),
  );

function offsetsOf(rows: readonly number[], count: number, base: number): number[] {
  const offsets = [base];
  for (let i = 0; i < count; i++) offsets.push((offsets[i] as number) + rows.filter((row) => row === i).length);
  return offsets;
}

/** What the two questions about pivots answer, and the numbers of a result without a zero pivot. */
function withPivots(c: BlocksCase, structural: boolean, numeric: boolean, numbers: () => number[]): number[] {
  const zero = [9, (c.seed % c.mb) + c.base];
  if (structural) return zero;
  return numeric ? [0, -1, 0, ...zero] : [0, -1, 0, 0, -1, ...numbers()];
}

function solved(a: Matrix): number[] {
  const { c, rows } = a;
  const alpha = 1 + (c.seed % 2);
  const isSeveral = c.op === "bsrsm2";
  const at = (i: number, j: number): Complex => {
    if (c.trans === 0) return a.at(i, j);
    return c.trans === 1 ? a.at(j, i) : conj(a.at(j, i));
  };
  const isForward = (c.fill === 0) === (c.trans === 0);
  const solve = (right: readonly Complex[]): Complex[] => {
    const x: Complex[] = [];
    for (let step = 0; step < rows; step++) {
      const i = isForward ? step : rows - 1 - step;
      let sum = scale(right[i] as Complex, alpha);
      for (let k = 0; k < rows; k++) if (isForward ? k < i : k > i) sum = less(sum, times(at(i, k), x[k] as Complex));
      x[i] = c.unit === 1 ? sum : over(sum, at(i, i));
    }
    return x;
  };
  // With a unit diagonal the solution tells of a missing block; the analysis does so where it finds no levels.
  const isLate = c.unit === 1 && c.seed % 2 === 1;
  const isMissing = c.zero === 1;
  return withPivots(c, isMissing && !isLate, isMissing || (c.zero === 2 && c.unit === 0), () => {
    if (!isSeveral) return a.flat(solve(range(rows).map((i) => a.number(c.seed + 1, i))));
    const isPlain = c.transXY === 0;
    const ldb = (isPlain ? rows : c.n) + (c.seed % 3);
    const ldx = isPlain ? rows + (c.seed % 2) : ldb;
    const result = range(ldx * (isPlain ? c.n : rows)).map((i) => a.number(c.seed + 2, i));
    for (let j = 0; j < c.n; j++)
      for (const [i, value] of solve(
        range(rows).map((k) => a.number(c.seed + 1, isPlain ? k + j * ldb : k * ldb + j)),
      ).entries())
        result[isPlain ? i + j * ldx : i * ldx + j] = value;
    return a.flat(result);
  });
}

/** The incomplete factor of the matrix whose pattern has all elements of the blocks. */
function factored(a: Matrix): number[] {
  const { c, rows } = a;
  const isCholesky = c.op === "bsric02";
  const f = range(rows).map((i) => range(rows).map((j) => a.at(i, j)));
  const get = (i: number, j: number): Complex => (f[i] as Complex[])[j] as Complex;
  const set = (i: number, j: number, value: Complex): void => {
    (f[i] as Complex[])[j] = value;
  };
  const lu = (): void => {
    for (let i = 0; i < rows; i++) {
      for (let k = 0; k < i; k++) {
        if (!a.stored(i, k)) continue;
        set(i, k, over(get(i, k), get(k, k)));
        for (let j = k + 1; j < rows; j++)
          if (a.stored(i, j) && a.stored(k, j)) set(i, j, less(get(i, j), times(get(i, k), get(k, j))));
      }
      const { re, im } = get(i, i);
      if (c.boost === 1 && Math.hypot(re, im) <= 0.5) set(i, i, { re: 64, im: 0 });
    }
  };
  const cholesky = (): void => {
    for (let i = 0; i < rows; i++)
      for (let k = 0; k <= i; k++) {
        if (!a.stored(i, k)) continue;
        let sum = get(i, k);
        for (let j = 0; j < k; j++)
          if (a.stored(i, j) && a.stored(k, j)) sum = less(sum, times(get(i, j), conj(get(k, j))));
        set(i, k, k === i ? { re: Math.sqrt(sum.re), im: 0 } : over(sum, get(k, k)));
      }
  };
  return withPivots(c, c.zero === 1, c.zero === 2 && c.boost === 0, () => {
    (isCholesky ? cholesky : lu)();
    const order = inBlock(isCholesky ? 0 : c.dir, c.height, c.height);
    const places = a
      .blocks()
      .flatMap(([i, j]) => order.map(([p, q]) => [i * c.height + p, j * c.height + q] as const))
      .filter(([i, j]) => !isCholesky || j <= i);
    return a.flat(places.map(([i, j]) => get(i, j)));
  });
}

function masked(a: Matrix): number[] {
  const { c } = a;
  const alpha = 1 + (c.seed % 2);
  const beta = c.seed % 3 === 0 ? 0 : -1;
  const y = range(a.rows).map((i) => a.number(c.seed + 2, i));
  for (let row = 0; row < c.mb; row++) {
    if (hash(c.seed + 9, row) % 2 === 0) continue;
    const blocks = range(c.nb).filter((j) => a.has(row, j));
    if (hash(c.seed + 8, row) % 2 === 1) blocks.pop();
    for (let p = 0; p < c.height; p++) {
      const i = row * c.height + p;
      let sum = ZERO;
      for (const block of blocks)
        for (let q = 0; q < c.height; q++) {
          const j = block * c.height + q;
          sum = add(sum, times(a.at(i, j), a.number(c.seed + 1, j)));
        }
      y[i] = add(scale(sum, alpha), scale(y[i] as Complex, beta));
    }
  }
  return a.flat(y);
}

function toRows(a: Matrix): number[] {
  const { c } = a;
  const places = range(a.rows).flatMap((i) =>
    range(a.columns).flatMap((j) => (a.stored(i, j) ? [[i, j] as const] : [])),
  );
  const columns = places.map(([, j]) => j + c.baseC);
  const offsets = offsetsOf(
    places.map(([i]) => i),
    a.rows,
    c.baseC,
  );
  const values = c.op === "gebsr2csr" ? a.flat(places.map(([i, j]) => a.at(i, j))) : [];
  return [...offsets, ...columns, ...values];
}

function transposed(a: Matrix): number[] {
  const { c } = a;
  const blocks = a.blocks().toSorted((x, y) => x[1] - y[1] || x[0] - y[0]);
  const order = inBlock(c.dir, c.height, c.width);
  const values =
    c.unit === 1
      ? blocks.flatMap(([i, j]) => order.map(([p, q]) => a.at(i * c.height + p, j * c.width + q)))
      : range(blocks.length * c.height * c.width).map((at) => a.number(c.seed + 2, at));
  const offsets = offsetsOf(
    blocks.map(([, j]) => j),
    c.nb,
    c.base,
  );
  if (blocks.length === 0) return offsets.map(() => 0); // as they were
  return [...offsets, ...blocks.map(([i]) => i + c.base), ...a.flat(values)];
}

function otherBlocks(a: Matrix): number[] {
  const { c } = a;
  const found = new Set<string>();
  const blockRows = Math.ceil(a.rows / c.heightC);
  const blockColumns = Math.ceil(a.columns / c.widthC);
  for (let i = 0; i < a.rows; i++)
    for (let j = 0; j < a.columns; j++)
      if (a.stored(i, j)) found.add(`${Math.floor(i / c.heightC)} ${Math.floor(j / c.widthC)}`);
  const blocks = range(blockRows).flatMap((i) =>
    range(blockColumns).flatMap((j) => (found.has(`${i} ${j}`) ? [[i, j] as const] : [])),
  );
  const order = inBlock(c.dir, c.heightC, c.widthC);
  const values = blocks.flatMap(([i, j]) =>
    order.map(([p, q]) => {
      const [row, column] = [i * c.heightC + p, j * c.widthC + q];
      return row < a.rows && column < a.columns ? a.at(row, column) : ZERO;
    }),
  );
  const offsets = offsetsOf(
    blocks.map(([i]) => i),
    blockRows,
    c.baseC,
  );
  if (c.op === "gebsr2gebsr" && blocks.length === 0) return [UNWRITTEN, ...offsets.map(() => 0)];
  return [...offsets, ...blocks.map(([, j]) => j + c.baseC), ...a.flat(values)];
}

function compressed(a: Matrix): number[] {
  const { c } = a;
  const tolerance = (c.percent % 9) / 4 + (a.isComplex ? 0.1 : 0);
  const value = (i: number, j: number): Complex => {
    const own = a.at(i, j);
    return c.unit === 1 && !a.isComplex ? { re: Math.abs(own.re), im: 0 } : own;
  };
  const kept = a.blocks().filter(([i, j]) => Math.hypot(value(i, j).re, value(i, j).im) > tolerance);
  const rows = kept.map(([i]) => i);
  const counts = range(c.mb).map((i) => rows.filter((row) => row === i).length);
  const columns = kept.map(([, j]) => j + c.base);
  return [...counts, ...offsetsOf(rows, c.mb, c.base), ...columns, ...a.flat(kept.map(([i, j]) => value(i, j)))];
}

function unsorted(a: Matrix): number[] {
  const { c } = a;
  const sorted = a.blocks();
  const mixed = range(c.mb).flatMap((i) => {
    const row = sorted.filter(([own]) => own === i);
    for (let k = row.length - 1; k > 0; k--) {
      const other = hash(c.seed + 4, i * 100 + k) % (k + 1);
      const [x, y] = [row[k] as readonly [number, number], row[other] as readonly [number, number]];
      row[k] = y;
      row[other] = x;
    }
    return row;
  });
  return [sorted, mixed].flatMap((list) => [
    ...list.map(([, j]) => j + c.base),
    ...a.flat(list.map(([i, j]) => a.at(i, j))),
  ]);
}

function pruned(a: Matrix): number[] {
  const { c } = a;
  const isDense = c.op[5] === "d";
  const lda = c.mb + (c.seed % 3);
  const value = (i: number, j: number): number => (isDense ? number(c.seed, i + j * lda) : a.at(i, j).re);
  const places = range(c.mb).flatMap((i) =>
    range(c.nb).flatMap((j) => (isDense || a.has(i, j) ? [[i, j] as const] : [])),
  );
  let threshold = (c.percent % 9) / 4;
  if (c.op.endsWith("%") && places.length > 0) {
    const sizes = places.map(([i, j]) => Math.abs(value(i, j))).toSorted((x, y) => x - y);
    const rank = Math.ceil((sizes.length * c.percent) / 100) - 1;
    threshold = sizes[Math.max(0, rank)] as number;
  }
  const kept = places.filter(([i, j]) => Math.abs(value(i, j)) > threshold);
  const offsets = offsetsOf(
    kept.map(([i]) => i),
    c.mb,
    c.baseC,
  );
  if (c.op === "prunec%" && places.length === 0) return [UNWRITTEN, ...offsets.map(() => 0)];
  return [kept.length, ...offsets, ...kept.map(([, j]) => j + c.baseC), ...kept.map(([i, j]) => value(i, j))];
}

function matrixOf(c: BlocksCase): Matrix {
  const isSingle = c.op.startsWith("prune") || ["compress", "csru", "csr2gebsr"].includes(c.op);
  return new Matrix(isSingle ? { ...c, height: 1, width: 1 } : c);
}

/** A system, a factor and an order of rows need an entry. */
function statusOf(c: BlocksCase): number {
  const isNeeded = /^bsr[si]|^csru/.test(c.op);
  return isNeeded && matrixOf(c).blocks().length === 0 ? INVALID_VALUE : 0;
}

/** The numbers that the program prints after its status. */
export function expectedOf(c: BlocksCase): number[] {
  const a = matrixOf(c);
  if (c.op.startsWith("bsrs")) return solved(a);
  if (c.op.startsWith("bsri")) return factored(a);
  if (c.op.startsWith("prune")) return pruned(a);
  switch (c.op) {
    case "bsrxmv":
      return masked(a);
    case "gebsr2csr":
    case "Xgebsr2csr":
      return toRows(a);
    case "gebsr2gebsc":
      return transposed(a);
    case "compress":
      return compressed(a);
    case "csru":
      return unsorted(a);
    case "color":
      return [1, 1, 1];
    default:
      return otherBlocks(a);
  }
}

/** What is wrong with a line of the program's, or null. */
export function faultOf(c: BlocksCase, line: string): string | null {
  const [status, ...found] = line.trim().split(/\s+/).map(Number);
  if (status !== statusOf(c)) return `status ${status}`;
  if (status !== 0) return null;
  const expected = expectedOf(c);
  if (found.length !== expected.length) return `${found.length} numbers for ${expected.length}`;
  const isRounded = /^bsr[si]/.test(c.op);
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  // %.7g
  const allowed = isRounded && c.type % 2 === 0 ? 1e-5 : 1e-6;
  const wrong = expected.findIndex((value, i) => !(Math.abs((found[i] as number) - value) <= allowed * largest));
  return wrong < 0 ? null : `number ${wrong}: ${found[wrong]} for ${expected[wrong]}`;
}
