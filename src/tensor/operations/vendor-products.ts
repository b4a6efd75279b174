/** Matrix products of a GPU by cuBLAS, where it is there. */
import { VendorProducts, type ColumnMajor } from "../../library/vendor-products.ts";
import type { Gpu } from "../../library/gpu.ts";
import { dense } from "../kernels/dense.ts";
import { settings } from "../kernels/settings.ts";
import { empty, scoped, type Shape, type Tensor } from "../tensor.ts";

const opened = new WeakMap<Gpu, VendorProducts | null>();

function productsOf(gpu: Gpu): VendorProducts | null {
  let own = opened.get(gpu);
  if (own === undefined) {
    const library = gpu.raw.library?.("cublas").library ?? null;
    opened.set(gpu, (own = library === null ? null : new VendorProducts(library)));
  }
  return own;
}

/** A stack of matrices [stack, rows, columns] as cuBLAS takes it; null: its rows and columns both have gaps. */
function factor({ shape, strides, pointer }: Tensor): ColumnMajor | null {
  const [, rows, columns] = shape as [number, number, number];
  const [stride, row, column] = strides as [number, number, number];
  // Row by row is column by column of the transpose. A dimension of one element has any stride.
  if ((column === 1 || columns === 1) && (row >= columns || rows === 1))
    return { pointer, ld: Math.max(1, rows === 1 ? columns : row), stride, isTransposed: false };
  if ((row === 1 || rows === 1) && (column >= rows || columns === 1))
    return { pointer, ld: Math.max(1, columns === 1 ? rows : column), stride, isTransposed: true };
  return null;
}

/** The product of stacks of matrices, in this shape; null: the library is not there, or is not wanted. */
export function vendorProduct(gpu: Gpu, a: Tensor, b: Tensor, shape: Shape, stream: number): Tensor | null {
  const products = settings.products === "cublas" ? productsOf(gpu) : null;
  if (products === null) return null;
  const [batch, rows, inner] = a.shape as [number, number, number];
  const columns = b.shape[2] as number;
  const { dtype, place } = a;
  const result = empty(shape, dtype, place);
  scoped(() => {
    const [left, right] = [a, b].map((of) => factor(of) ?? factor(dense(of)));
    products.put({
      // The transpose of the result is the product of the transposes, in the other order.
      first: right as ColumnMajor,
      second: left as ColumnMajor,
      result: { pointer: result.pointer, ld: columns, stride: rows * columns },
      rows: columns,
      columns: rows,
      inner,
      batch,
      dtype: dtype as "float32",
      resultDtype: dtype as "float32",
      tf32: dtype === "float32" && settings.tf32Products,
      alpha: 1,
      beta: 0,
      stream,
    });
  });
  result.storage.version++;
  return result;
}
