/** Matrix products of a GPU by cuBLAS, where it is there. */
import { bug } from "../../base/diagnostics.ts";
import { VendorProducts, type ColumnMajor } from "../../library/vendor-products.ts";
import type { Gpu } from "../../library/gpu.ts";
import { record } from "../../library/recording.ts";
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

/** A matrix, or a stack of matrices, as cuBLAS takes it; null: its rows and columns both have gaps. */
function factor({ shape, strides, pointer }: Tensor): ColumnMajor | null {
  const first = shape.length - 2;
  const [rows, columns] = [shape[first] as number, shape[first + 1] as number];
  const [row, column] = [strides[first] as number, strides[first + 1] as number];
  const stride = first === 0 ? rows * columns : (strides[0] as number);
  // Row by row is column by column of the transpose. A dimension of one element has any stride.
  if ((column === 1 || columns === 1) && (row >= columns || rows === 1))
    return { pointer, ld: Math.max(1, rows === 1 ? columns : row), stride, isTransposed: false };
  if ((row === 1 || rows === 1) && (column >= rows || columns === 1))
    return { pointer, ld: Math.max(1, columns === 1 ? rows : column), stride, isTransposed: true };
  return null;
}

/**
 * The product of two matrices, or of stacks of as many, in this shape; null: the library is not there, or is not
 * wanted. Only copies need a scope, whose time counts.
 */
export function vendorProduct(gpu: Gpu, a: Tensor, b: Tensor, stream: number, shape: Shape): Tensor | null {
  const products = settings.products === "cublas" ? productsOf(gpu) : null;
  if (products === null) return null;
  const { dtype, rank } = a;
  const batch = rank === 2 ? 1 : (a.shape[0] as number);
  const [rows, inner, columns] = [a.shape[rank - 2], a.shape[rank - 1], b.shape[rank - 1]] as [number, number, number];
  const result = empty(shape, dtype, a.place);
  const launch = (left: ColumnMajor, right: ColumnMajor): void =>
    products.put({
      // The transpose of the result is the product of the transposes, in the other order.
      first: right,
      second: left,
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
  const put = (left: ColumnMajor, right: ColumnMajor): void =>
    record(gpu.raw, { called: "product, by cuBLAS", on: stream }, () => launch(left, right));
  const [left, right] = [factor(a), factor(b)];
  if (left !== null && right !== null) put(left, right);
  else scoped(() => put(left ?? denseFactor(a), right ?? denseFactor(b)));
  result.storage.version++;
  return result;
}

function denseFactor(tensor: Tensor): ColumnMajor {
  return factor(dense(tensor)) ?? bug("rows of a copy have gaps");
}
