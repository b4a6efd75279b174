/**
 * Copies of parameters in a small type, for products under autocast. A copy is made once; it is made anew when the
 * parameter has changed since, unless the optimiser's step has written it along with the parameter.
 */
import type { TensorDtype } from "../dtypes.ts";
import { copyInto } from "../operations/copies.ts";
import { permute } from "../operations/shapes.ts";
import { empty, type Tensor } from "../tensor.ts";
import { withoutTape } from "./tape.ts";

/** "same": as the parameter. "channels-last": of [filters, channels, …], as [filters, …, channels]. */
export type CopyLayout = "same" | "channels-last";

export interface LowPrecisionCopy {
  readonly layout: CopyLayout;
  readonly tensor: Tensor;
  /** The parameter's version that it is a copy of. */
  version: number;
}

const copies = new WeakMap<Tensor, LowPrecisionCopy[]>();

export function lowPrecisionCopies(parameter: Tensor): readonly LowPrecisionCopy[] {
  return copies.get(parameter) ?? [];
}

/** A copy of the parameter as it is now, without gaps. It is the parameter's: nobody may change or release it. */
export function lowPrecisionCopy(parameter: Tensor, dtype: TensorDtype, layout: CopyLayout): Tensor {
  const known = copies.get(parameter) ?? [];
  let copy = known.find(({ layout: own, tensor }) => own === layout && tensor.dtype === dtype);
  const { version } = parameter.storage;
  if (copy?.version === version) return copy.tensor;
  const { shape } = parameter;
  const order = layout === "same" ? shape.map((_, d) => d) : [0, ...shape.map((_, d) => d).slice(2), 1];
  if (copy === undefined) {
    // It outlives the scope that it is made in.
    const tensor = empty(
      order.map((d) => shape[d] as number),
      dtype,
      parameter.place,
    ).retain();
    copy = { layout, tensor, version };
    copies.set(parameter, [...known, copy]);
  }
  const target = copy.tensor;
  withoutTape(() => copyInto(target, permute(parameter, order)));
  copy.version = version;
  return target;
}
