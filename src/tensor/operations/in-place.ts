/**
 * Changes in place, of tensors and of views of them, on the tape. What a view is a part of becomes the result of "the base, with this part from
 * there"; every view of it becomes a part of that (PyTorch: CopySlices and AsStridedBackward).
 */
import { needsTape, rebase, record, withTape, type GradientNode } from "../autograd/tape.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { elementBytes } from "../dtypes.ts";
import { allocate } from "../storage.ts";
import { aliasOf, denseStrides, empty, setOriginOfViews, Tensor, type Shape } from "../tensor.ts";
import { copyInto } from "./copies.ts";

/** Where the elements of a part are in a tensor: strides, and the offset from the tensor's first element. */
interface Part {
  readonly shape: Shape;
  readonly strides: Shape;
  readonly offset: number;
}

/** How a tensor lies in memory. */
interface Layout {
  readonly shape: Shape;
  readonly strides: Shape;
}

const partOf = (view: Tensor, { offset }: Tensor): Part => ({
  shape: view.shape,
  strides: view.strides,
  offset: view.offset - offset,
});
const layoutOf = ({ shape, strides }: Tensor): Layout => ({ shape, strides });

/** A copy that lies in memory as the layout says; null: undefined elements. */
function laidOut(of: Tensor, { shape, strides }: Layout): Tensor {
  const reach = shape.reduce((sum, size, d) => sum + (size - 1) * (strides[d] as number), 1);
  const count = shape.includes(0) ? 0 : reach;
  const copy = new Tensor(allocate(of.place, count * elementBytes(of.dtype)), of.dtype, shape, strides, 0);
  copyInto(copy, of);
  return copy;
}

const within = (whole: Tensor, { shape, strides, offset }: Part): Tensor => whole.asStrided(shape, strides, offset);

/** The elements of a part, in memory of their own. */
function taken(whole: Tensor, part: Part, layout: Layout): Tensor {
  const copy = laidOut(within(laidOut(aliasOf(whole), layout), part), {
    shape: part.shape,
    strides: denseStrides(part.shape),
  });
  return record("AsStridedBackward0", copy, [whole], (gradient) => [placed(null, part, layout, gradient)]);
}

/** `whole`, or zeros, with the elements of `values` in the place of a part's. */
function placed(whole: Tensor | null, part: Part, layout: Layout, values: Tensor | null): Tensor {
  const like = (whole ?? values) as Tensor;
  const zero = zeros(like, layout.shape);
  const copy = laidOut(whole === null ? zero : aliasOf(whole), layout);
  copyInto(within(copy, part), values === null ? zeros(like, part.shape) : aliasOf(values));
  const inputs = [...(whole === null ? [] : [whole]), ...(values === null ? [] : [values])];
  return record("CopySlices", copy, inputs, (gradient) => [
    ...(whole === null ? [] : [placed(gradient, part, layout, null)]),
    ...(values === null ? [] : [taken(gradient, part, layout)]),
  ]);
}

function zeros(like: Tensor, shape: Shape): Tensor {
  const one = new Tensor(allocate(like.place, elementBytes(like.dtype)), like.dtype, [], [], 0);
  one.storage.write(0, new Uint8Array(elementBytes(like.dtype)));
  return one.asStrided(
    shape,
    shape.map(() => 0),
  );
}

/**
 * What a tensor is before it is changed in place, on the tape; null: nothing asks for gradients.
 * @throws HeddleError "bad-arguments" for a leaf whose gradient is asked for
 */
export function beforeChange(target: Tensor, others: readonly Tensor[]): Tensor | null {
  if (!needsTape([target, ...others])) return null;
  if (target.isLeafWithGradient)
    throw new HeddleError(
      "bad-arguments",
      "a leaf Variable that requires grad is being used in an in-place operation.",
      { notes: ["change it inside of noGrad, or compute a new tensor"] },
    );
  checkView(target);
  const copy = empty(target.shape, target.dtype, target.place);
  copyInto(copy, target);
  copy.node = target.node?.retain() ?? null;
  return copy;
}

/** `target` has the elements of `result` from now on, and its place on the tape: so has what it is a view of. */
export function afterChange(target: Tensor, result: Tensor): void {
  copyInto(target, result);
  rebaseOrigin(target, result);
}

/** @throws HeddleError "bad-arguments" for a view that may not be changed where gradients are asked for */
export function checkView(target: Tensor): void {
  if (target.shape.some((size, d) => size > 1 && target.strides[d] === 0))
    throw new HeddleError(
      "bad-arguments",
      "unsupported operation: more than one element of the written-to tensor refers to a single memory location. " +
        "Please clone() the tensor before performing the operation.",
    );
  if (target.base?.isLeafWithGradient === true)
    throw new HeddleError(
      "bad-arguments",
      "a view of a leaf Variable that requires grad is being used in an in-place operation.",
      { notes: ["change it inside of noGrad, or compute a new tensor"] },
    );
  const isPart = target.length !== target.storage.bytes / elementBytes(target.dtype);
  if (target.base === null && target.node === null && isPart)
    throw new HeddleError(
      "bad-arguments",
      "a part of a tensor that was made inside of noGrad, or by detach, is changed in place with a gradient",
      { notes: ["take the part outside of noGrad, or compute a new tensor: cat, where and indexPut have gradients"] },
    );
}

/** `target` has got the elements of `result`: it, and what it is a view of, come from there now. */
export function rebaseOrigin(target: Tensor, result: Tensor): void {
  const { base } = target;
  if (base === null) {
    rebase(target, result.node ?? overwritten(target));
    return;
  }
  const [part, layout] = [partOf(target, base), layoutOf(base)];
  const before = aliasOf(base);
  before.node = base.node?.retain() ?? null;
  const changed = record("CopySlices", aliasOf(base), [before, result], (gradient) => [
    placed(gradient, part, layout, null),
    taken(gradient, part, layout),
  ]);
  rebase(base, changed.node);
}

/** Of a tensor whose elements are overwritten by what has no gradient: it stays on the tape, with a gradient of 0. */
function overwritten(target: Tensor): GradientNode | null {
  const before = aliasOf(target);
  before.node = target.node?.retain() ?? null;
  return record("CopyBackwards", aliasOf(target), [before], (gradient) => [zeros(gradient, gradient.shape)]).node;
}

setOriginOfViews((view, base) => {
  if (!base.requiresGradient) return;
  const [part, layout] = [partOf(view, base), layoutOf(base)];
  const own = withTape(true, () =>
    record("AsStridedBackward0", aliasOf(view), [base], (gradient) => [placed(null, part, layout, gradient)]),
  );
  rebase(view, own.node);
});
