/** Factors of matrices by rotations and reflections, on plain arrays in double precision, one matrix at a time. */

/** A matrix, row by row. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array<ArrayBuffer>;
}

export function matrix(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float64Array(rows * columns) };
}

function identity(n: number): Matrix {
  const result = matrix(n, n);
  for (let i = 0; i < n; i++) result.values[i * n + i] = 1;
  return result;
}

function transposed({ rows, columns, values }: Matrix): Matrix {
  const result = matrix(columns, rows);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) result.values[j * rows + i] = values[i * columns + j] as number;
  return result;
}

/**
 * Q [m, m] and R [m, n] by Householder's reflections, with LAPACK's signs (geqrf): a column of A becomes minus the sign
 * of its first element times its length.
 */
export function qrOf(a: Matrix): { readonly q: Matrix; readonly r: Matrix } {
  const { rows: m, columns: n } = a;
  const r: Matrix = { ...a, values: a.values.slice() };
  const q = identity(m);
  const v = new Float64Array(m);
  for (let k = 0; k < Math.min(m - 1, n); k++) {
    let rest = 0;
    for (let i = k + 1; i < m; i++) rest += (r.values[i * n + k] as number) ** 2;
    if (rest === 0) continue;
    const first = r.values[k * n + k] as number;
    const beta = -(Math.sign(first) || 1) * Math.sqrt(first * first + rest);
    v[k] = first - beta;
    for (let i = k + 1; i < m; i++) v[i] = r.values[i * n + k] as number;
    const scale = 2 / ((v[k] as number) ** 2 + rest);
    reflect(r, v, k, scale, k);
    reflectColumns(q, v, k, scale);
    for (let i = k + 1; i < m; i++) r.values[i * n + k] = 0;
  }
  return { q, r };
}

/** The rows from `k` on less scale · v vᵀ of them, in the columns from `from` on. */
function reflect({ rows, columns, values }: Matrix, v: Float64Array, k: number, scale: number, from: number): void {
  for (let j = from; j < columns; j++) {
    let sum = 0;
    for (let i = k; i < rows; i++) sum += (v[i] as number) * (values[i * columns + j] as number);
    for (let i = k; i < rows; i++)
      values[i * columns + j] = (values[i * columns + j] as number) - scale * sum * (v[i] as number);
  }
}

function reflectColumns({ rows, columns, values }: Matrix, v: Float64Array, k: number, scale: number): void {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let j = k; j < columns; j++) sum += (values[i * columns + j] as number) * (v[j] as number);
    for (let j = k; j < columns; j++)
      values[i * columns + j] = (values[i * columns + j] as number) - scale * sum * (v[j] as number);
  }
}

/** Sweeps of rotations over all pairs of columns: as a rule 6 to 10 are enough. */
const MOST_SWEEPS = 60;

/** The cosine and sine that take the element beside the diagonal away from [[a, b], [b, c]]. */
function rotation(a: number, b: number, c: number): { readonly cosine: number; readonly sine: number } {
  const zeta = (c - a) / (2 * b);
  const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent);
  return { cosine, sine: cosine * tangent };
}

/** Columns p and q turned into one another. */
function rotate({ rows, columns, values }: Matrix, p: number, q: number, cosine: number, sine: number): void {
  for (let i = 0, at = 0; i < rows; i++, at += columns) {
    const [x, y] = [values[at + p] as number, values[at + q] as number];
    values[at + p] = cosine * x - sine * y;
    values[at + q] = sine * x + cosine * y;
  }
}

/** Values and columns in the order of `compare`. */
function inOrder(
  values: Float64Array,
  compare: (a: number, b: number) => number,
): { readonly sorted: Float64Array<ArrayBuffer>; readonly columnsOf: (of: Matrix) => Matrix } {
  const order = Array.from(values, (_, i) => i).sort((a, b) => compare(values[a] as number, values[b] as number));
  return {
    sorted: Float64Array.from(order, (i) => values[i] as number),
    columnsOf({ rows, columns, values: from }) {
      const result = matrix(rows, order.length);
      for (let i = 0; i < rows; i++)
        for (const [j, at] of order.entries()) result.values[i * order.length + j] = from[i * columns + at] as number;
      return result;
    },
  };
}

/** Eigenvalues, the least first, and eigenvectors as columns, of a symmetric matrix: cyclic Jacobi. */
export function eigenOf(a: Matrix): { readonly values: Float64Array<ArrayBuffer>; readonly vectors: Matrix } {
  const n = a.rows;
  const own: Matrix = { ...a, values: a.values.slice() };
  const vectors = identity(n);
  const at = (i: number, j: number): number => own.values[i * n + j] as number;
  const size = Math.sqrt(own.values.reduce((sum, value) => sum + value * value, 0));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let rest = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rest = Math.max(rest, Math.abs(at(p, q)));
    if (!(rest > size * 1e-17)) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (at(p, q) === 0) continue;
        const { cosine, sine } = rotation(at(p, p), at(p, q), at(q, q));
        rotate(own, p, q, cosine, sine);
        rotateRows(own, p, q, cosine, sine);
        rotate(vectors, p, q, cosine, sine);
      }
  }
  const { sorted, columnsOf } = inOrder(
    Float64Array.from({ length: n }, (_, i) => at(i, i)),
    (x, y) => x - y,
  );
  return { values: sorted, vectors: columnsOf(vectors) };
}

function rotateRows({ columns, values }: Matrix, p: number, q: number, cosine: number, sine: number): void {
  for (let j = 0; j < columns; j++) {
    const [x, y] = [values[p * columns + j] as number, values[q * columns + j] as number];
    values[p * columns + j] = cosine * x - sine * y;
    values[q * columns + j] = sine * x + cosine * y;
  }
}

export interface SingularValues {
  /** [m, m]: the columns behind the singular values complete a basis. */
  readonly u: Matrix;
  /** The greatest first. */
  readonly s: Float64Array<ArrayBuffer>;
  /** [n, n], V itself: its columns are the right singular vectors. */
  readonly v: Matrix;
}

/** A = U S Vᵀ by one-sided Jacobi (Hestenes, 1958): rotations make the columns of A orthogonal. */
export function svdOf(a: Matrix): SingularValues {
  if (a.rows < a.columns) {
    const { u, s, v } = svdOf(transposed(a));
    return { u: v, s, v: u };
  }
  const { rows: m, columns: n } = a;
  const own: Matrix = { ...a, values: a.values.slice() };
  const right = identity(n);
  for (let sweep = 0, isDone = false; sweep < MOST_SWEEPS && !isDone; sweep++) {
    isDone = true;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const [pp, pq, qq] = [dot(own, p, p), dot(own, p, q), dot(own, q, q)];
        if (pq === 0 || Math.abs(pq) <= 1e-16 * Math.sqrt(pp * qq)) continue;
        isDone = false;
        const { cosine, sine } = rotation(pp, pq, qq);
        rotate(own, p, q, cosine, sine);
        rotate(right, p, q, cosine, sine);
      }
  }
  const lengths = Float64Array.from({ length: n }, (_, j) => Math.sqrt(dot(own, j, j)));
  const { sorted, columnsOf } = inOrder(lengths, (x, y) => y - x);
  return { u: completed(columnsOf(own), sorted, m), s: sorted, v: columnsOf(right) };
}

function dot({ rows, columns, values }: Matrix, p: number, q: number): number {
  let sum = 0;
  for (let at = 0; at < rows * columns; at += columns) sum += (values[at + p] as number) * (values[at + q] as number);
  return sum;
}

/** Columns of length 1, as many as rows: those of `from` over their lengths, others at right angles to all before. */
function completed(from: Matrix, lengths: Float64Array, m: number): Matrix {
  const result = matrix(m, m);
  const least = (lengths[0] ?? 0) * 1e-300;
  let next = 0;
  for (let j = 0; j < m; j++) {
    const length = lengths[j] ?? 0;
    if (length > least) {
      for (let i = 0; i < m; i++) result.values[i * m + j] = (from.values[i * from.columns + j] as number) / length;
      continue;
    }
    for (; next < m; next++) if (isAdded(result, j, next)) break;
    next++;
  }
  return result;
}

/** Column `j` becomes what is left of a unit vector beside the columns before it, if enough is left. */
function isAdded(of: Matrix, j: number, unit: number): boolean {
  const m = of.rows;
  for (let i = 0; i < m; i++) of.values[i * m + j] = Number(i === unit);
  // Twice is enough (Kahan and Parlett).
  for (let pass = 0; pass < 2; pass++)
    for (let k = 0; k < j; k++) {
      const along = dot(of, k, j);
      for (let i = 0; i < m; i++)
        of.values[i * m + j] = (of.values[i * m + j] as number) - along * (of.values[i * m + k] as number);
    }
  const length = Math.sqrt(dot(of, j, j));
  if (length < 1e-3 / Math.sqrt(m)) return false;
  for (let i = 0; i < m; i++) of.values[i * m + j] = (of.values[i * m + j] as number) / length;
  return true;
}
