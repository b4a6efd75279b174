/** Softmax and log Σ exp. */
import { preciseOperand } from "../autograd/autocast.ts";
import { needsTape, onNode, record } from "../autograd/tape.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { call, input } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { LaunchPlans } from "../kernels/launch-plans.ts";
import type { Shape, Tensor } from "../tensor.ts";
import { expandAs } from "./broadcasting.ts";
import { computeTypeOf, expand } from "./copies.ts";
import { binary, cast, unary, where } from "./elementwise.ts";
import { float } from "./operands.ts";
import { IDENTITY, reduceElements, type Combining } from "./reduce-elements.ts";
import { dimensionsOf, reduce, shaped } from "./reductions.ts";
import { launchSoftmax, launchSoftmaxBackward, rowDevice, rowDeviceForBackward } from "./row-operations.ts";
import { dimension, reshape } from "./shapes.ts";

const EXP_DIFFERENCE = call("exp", call("sub", input(0), input(1)));

const wideOf = (type: ComputeType): TensorDtype => (type === "float64" ? "float64" : "float32");

/** The greatest elements, with size 1 in the dimensions. Not on the tape. */
function topOf(tensor: Tensor, over: ReadonlySet<number>): Tensor {
  const type = computeTypeOf(tensor.dtype);
  const combining: Combining = { name: "amax", combine: "max", expression: IDENTITY, type, dtype: wideOf(type) };
  return reduceElements(combining, [tensor], over);
}

/** Σ exp(x - top) */
function expSum(tensor: Tensor, top: Tensor, over: ReadonlySet<number>): Tensor {
  const type = computeTypeOf(tensor.dtype);
  const combining: Combining = {
    name: "exp_sum",
    combine: "sum",
    expression: EXP_DIFFERENCE,
    type,
    dtype: wideOf(type),
  };
  return reduceElements(combining, [tensor, expand(top, tensor.shape)], over);
}

/** log Σ exp, with size 1 in the dimensions; -∞ of nothing. Not on the tape. */
function logSumExpKept(tensor: Tensor, over: ReadonlySet<number>): Tensor {
  const top = topOf(tensor, over);
  // exp(-∞ - -∞) must be 0.
  const finite = where(unary("isfinite", top), top, float(0));
  return binary("add", unary("log", expSum(tensor, finite, over)), finite);
}

export function logSumExp(tensor: Tensor, dims: Shape | null, keep: boolean): Tensor {
  const over = dimensionsOf(tensor, dims);
  const own = isFloating(tensor.dtype) ? tensor : cast(tensor, "float32");
  const { shape, dtype } = own;
  const kept = cast(logSumExpKept(own.asStrided(own.shape, own.strides), over), dtype);
  const result = shaped(kept, over, keep);
  const alias = result.asStrided(result.shape, result.strides);
  const sizes = shape.map((size, d) => (over.has(d) ? 1 : size));
  return record(
    "LogsumexpBackward0",
    result,
    [own],
    (gradient, node) => {
      const log = expandAs(reshape(onNode(alias, node), sizes), shape);
      return [binary("mul", expandAs(reshape(gradient, sizes), shape), unary("exp", binary("sub", own, log)))];
    },
    [own, alias],
  );
}

const launched: LaunchPlans<null>[] = [];
const launchedAlong = (dim: number, isLog: boolean): LaunchPlans<null> =>
  (launched[2 * dim + Number(isLog)] ??= new LaunchPlans());

export function softmax(given: Tensor, dim: number, isLog = false): Tensor {
  const tensor = preciseOperand(given, cast);
  const own = isFloating(tensor.dtype) ? tensor : cast(tensor, "float32");
  const over = own.rank === 0 ? new Set<number>() : new Set([dimension(own, dim)]);
  const { shape, dtype } = own;
  const [at] = over;
  const result = at === undefined ? composed() : alongRows(at);
  if (!needsTape([own])) return result;
  const alias = result.asStrided(result.shape, result.strides);
  const dims = [...over];
  const sum = (of: Tensor): Tensor => (dims.length === 0 ? of : reduce("sum", of, dims, true));
  return record(
    isLog ? "LogSoftmaxBackward0" : "SoftmaxBackward0",
    result,
    [own],
    (gradient, node) => {
      const backwardDevice = at === undefined ? null : rowDeviceForBackward(gradient);
      if (backwardDevice !== null) return [launchSoftmaxBackward(backwardDevice, gradient, alias, at as number, isLog)];
      const y = onNode(alias, node);
      if (isLog) return [binary("sub", gradient, binary("mul", unary("exp", y), sum(gradient)))];
      const product = binary("mul", gradient, y);
      return [binary("sub", product, binary("mul", y, sum(product)))];
    },
    [alias],
  );

  function alongRows(dimension: number): Tensor {
    const plans = launchedAlong(dimension, isLog);
    const again = plans.run([own], null);
    if (again !== null) return again.result;
    const device = rowDevice(own);
    if (device === null) return composed();
    return plans.learn([own], null, null, () => launchSoftmax(device, own, dimension, isLog));
  }

  function composed(): Tensor {
    const source = own.asStrided(own.shape, own.strides);
    const top = topOf(source, over);
    const total = expSum(source, top, over);
    const difference = binary("sub", source, expand(top, shape));
    const value = isLog
      ? binary("sub", difference, expand(unary("log", total), shape))
      : binary("div", unary("exp", difference), expand(total, shape));
    return cast(value, dtype);
  }
}
