/** Positions of elements: how the dimensions of a kernel lead to those of a node, and to memory. */

/** Position = offset + the sum of each dimension's index times its stride. */
export interface Affine {
  readonly strides: readonly number[];
  readonly offset: number;
}

/** A dimension of a kernel has to be seen as two before something can be expressed: its size is a multiple of this. */
export interface Split {
  readonly dimension: number;
  readonly inner: number;
}

export type Mapped = { readonly indices: readonly Affine[] } | { readonly split: Split } | null;

/**
 * The index of each dimension of a node, by the dimensions of a kernel, where somebody reads the node's output at
 * `access`. Null: it is no such sum.
 * @param sizes of the node's dimensions, from the outermost to the innermost. @param places their strides
 */
export function indicesAt(
  access: Affine,
  dims: readonly number[],
  sizes: readonly number[],
  places: readonly number[],
  offset: number,
): Mapped {
  let rest = access.offset - offset;
  if (rest < 0) return null;
  const begins = sizes.map((size, j) => {
    const place = places[j] as number;
    const begin = j === 0 ? Math.floor(rest / place) : Math.floor(rest / place) % size;
    rest -= begin * place;
    return begin;
  });
  if (rest !== 0) return null;
  const strides = sizes.map(() => dims.map(() => 0));
  const lasts = [...begins];
  for (const [k, stride] of access.strides.entries()) {
    const size = dims[k] as number;
    if (stride === 0 || size === 1) continue;
    const j = places.findIndex((place) => place <= stride);
    if (j < 0 || stride % (places[j] as number) !== 0) return null;
    const factor = stride / (places[j] as number);
    const room = (sizes[j] as number) / factor;
    if (size > room && j > 0) {
      if (!Number.isInteger(room) || room <= 1 || size % room !== 0) return null;
      return { split: { dimension: k, inner: room } };
    }
    (strides[j] as number[])[k] = factor;
    lasts[j] = (lasts[j] as number) + (size - 1) * factor;
  }
  for (const [j, last] of lasts.entries()) if (last >= (sizes[j] as number)) return null;
  return { indices: strides.map((own, j) => ({ strides: own, offset: begins[j] as number })) };
}

/**
 * The index of each dimension of a node whose elements are those of a kernel's dimensions, in the same order. Null: no
 * dimension of one is made of whole dimensions of the other.
 * @param first which of the kernel's dimensions is the first of these. @param rank how many the kernel has
 */
export function indicesOf(sizes: readonly number[], dims: readonly number[], first: number, rank: number): Mapped {
  const indices: Affine[] = [];
  let k = dims.length - 1;
  for (let j = sizes.length - 1; j >= 0; j--) {
    const strides = Array.from({ length: rank }, () => 0);
    let left = sizes[j] as number;
    let factor = 1;
    while (left > 1) {
      const size = dims[k];
      if (size === undefined) return null;
      if (size > left) return size % left === 0 ? { split: { dimension: first + k, inner: left } } : null;
      if (left % size !== 0) return null;
      strides[first + k] = factor;
      factor *= size;
      left /= size;
      k--;
    }
    indices.unshift({ strides, offset: 0 });
  }
  while (k >= 0 && dims[k] === 1) k--;
  return k >= 0 ? null : { indices };
}

/** A position by the indices of a node's dimensions, as one by the kernel's dimensions. */
export function through(indices: readonly Affine[], strides: readonly number[], offset: number, rank: number): Affine {
  const own = Array.from({ length: rank }, () => 0);
  let begin = offset;
  for (const [j, index] of indices.entries()) {
    const stride = strides[j] as number;
    begin += index.offset * stride;
    for (let k = 0; k < rank; k++) own[k] = (own[k] as number) + (index.strides[k] as number) * stride;
  }
  return { strides: own, offset: begin };
}
