/** Sizes and inputs of the selective scan, which its ladder and that of its gradients share. */
import type { InputDeclaration } from "heddle/ladder";

/** Numbers of a channel's state: what the kernels are written for. */
export const STATE = 16;
export interface ScanSize extends Readonly<Record<string, number>> {
  readonly batch: number;
  readonly dim: number;
  readonly length: number;
}
export const rows = ({ batch, dim, length }: ScanSize): number => batch * dim * length;
export const weights = ({ batch, length }: ScanSize): number => batch * STATE * length;
export const rowInput = (seed: number, values: InputDeclaration<ScanSize>["values"]): InputDeclaration<ScanSize> => ({
  dtype: "bfloat16",
  length: rows,
  values,
  seed,
});
