/** Gradients that are too large, made smaller before a step. */
import { HeddleError } from "../../base/diagnostics.ts";
import { withoutTape } from "../autograd/tape.ts";
import { stack } from "../operations/creation.ts";
import { scoped, type Tensor } from "../tensor.ts";
import "../api/element-methods.ts";
import "../api/reduction-methods.ts";
import "../api/tensor-methods.ts";

export interface ClipOptions {
  readonly normType?: number;
  /** A norm that is no number is an error; default false. It makes the host wait for the device. */
  readonly errorIfNonfinite?: boolean;
}

const gradientsOf = (params: Iterable<Tensor>): Tensor[] =>
  [...params].flatMap(({ grad }) => (grad === null ? [] : [grad]));

/** Scales all gradients so that their common norm is at most `maxNorm`. Returns the norm before. */
export function clipGradNorm_(
  params: Iterable<Tensor>,
  maxNorm: number,
  { normType = 2, errorIfNonfinite = false }: ClipOptions = {},
): Tensor | null {
  const grads = gradientsOf(params);
  if (grads.length === 0) return null;
  return withoutTape(() =>
    scoped(() => {
      const norms = grads.map((grad) => grad.norm(normType));
      const total = stack(norms, 0).norm(normType);
      if (errorIfNonfinite && !Number.isFinite(total.item()))
        throw new HeddleError(
          "bad-arguments",
          `The total norm of order ${normType} for gradients from \`parameters\` is non-finite, so it cannot be ` +
            "clipped.",
        );
      const scale = total.add(1e-6).reciprocal().mul(maxNorm).clamp({ max: 1 });
      for (const grad of grads) grad.mul_(scale.to(grad.dtype));
      return total;
    }),
  );
}

/** Brings all elements of gradients between -`clipValue` and `clipValue`. */
export function clipGradValue_(params: Iterable<Tensor>, clipValue: number): void {
  withoutTape(() => {
    for (const grad of gradientsOf(params)) grad.clamp_({ min: -clipValue, max: clipValue });
  });
}
