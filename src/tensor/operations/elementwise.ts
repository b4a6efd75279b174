/** Operations that take one element of each operand: arithmetic, comparisons, functions of mathematics. */
import { HeddleError } from "../../base/diagnostics.ts";
import { isGradEnabled, onNode, record } from "../autograd/tape.ts";
import { decode, encode, isFloating, kindOf, newValues, roundTo, type TensorDtype } from "../dtypes.ts";
import { gradientsOf } from "../expressions/derive.ts";
import { compacted } from "../expressions/compacted.ts";
import { evaluate } from "../expressions/evaluate.ts";
import { constant, input, inputsOf, type Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { hasTritonText } from "../expressions/triton-text.ts";
import { LaunchPlans } from "../kernels/launch-plans.ts";
import { launchPointwise } from "../kernels/pointwise.ts";
import { differentPlaces } from "../places.ts";
import type { Place } from "../storage.ts";
import { kernelsFor } from "../kernels/tensor-device.ts";
import { tracerOf } from "../tracing.ts";
import { empty, failShape, type Shape, type Tensor } from "../tensor.ts";
import {
  ELEMENT_FUNCTIONS,
  FORMS_OF_FLOATS,
  FORMS_OF_INTEGERS,
  type BinaryName,
  type ElementFunction,
  type ElementName,
  type UnaryName,
} from "./element-functions.ts";
import { computeTypeOf, copyInto, expand, isSameShape } from "./copies.ts";
import { isScalar, placeOf, resultDtype, resultFor, shapeOf, type Operand } from "./operands.ts";
import { sumTo } from "./broadcasting.ts";
import { afterChange, beforeChange } from "./in-place.ts";

/** A computation of elements: where its result lies, and what it is called on the tape. */
interface Computation {
  readonly name: string;
  readonly expression: Expression;
  readonly type: ComputeType;
  /** Of the result. */
  readonly dtype: TensorDtype;
  readonly fromResult?: Expression | null;
}

/** Computes one element of `output` from each element of the operands, which are of its shape or broadcast to it. */
function fill(output: Tensor, { name, expression, type }: Computation, operands: readonly Operand[]): void {
  const { shape } = output;
  const tracer = output.length > 0 && hasKernel(expression) ? tracerOf(output.place) : null;
  const device = kernelsFor(output.place, output.length);
  if (tracer !== null || (device !== null && hasKernel(expression))) {
    const given = operands.map((operand) => {
      if (isScalar(operand)) return operand.value;
      if (operand.place === null && output.place !== null) return operand.values()[0] as number;
      return isSameShape(operand.shape, shape) ? operand : expand(operand, shape);
    });
    if (tracer !== null) {
      tracer.pointwise({ name, expression, type }, given, output);
      return;
    }
    if (device !== null) launchPointwise(device, { name, expressions: [expression], type }, given, [output]);
    output.storage.version++;
    return;
  }
  const given = operands.map((operand) => {
    if (isScalar(operand)) return rounded(operand.value, type);
    if (operand.length === 1) {
      const [value] = operand.values() as unknown as [number];
      return operand.dtype === type ? value : rounded(value, type);
    }
    return (isSameShape(operand.shape, shape) ? operand : expand(operand, shape)).values();
  });
  const values = newValues(type === "float64" ? "float64" : output.dtype, output.length);
  evaluate(expression, given, values);
  output.setValues(values);
}

const withKernels = new WeakMap<Expression, boolean>();

function hasKernel(expression: Expression): boolean {
  let known = withKernels.get(expression);
  if (known === undefined) withKernels.set(expression, (known = hasTritonText(expression)));
  return known;
}

/** A scalar beside floats of 32 bits is one, and one beside integers wraps around as they do: 255 is -1 for int8. */
function rounded(value: number, type: ComputeType): number {
  if (type === "float64") return value;
  if (type === "float32") return roundTo(value, "float32");
  const one = newValues(type, 1);
  one[0] = value;
  return decode(encode(one, type), type)[0] as number;
}

const rules = new WeakMap<Expression, readonly (Expression | null)[]>();

/** For each operand: its gradient; input 0 is the gradient of the result, and the operands follow. */
function rulesOf(expression: Expression, operands: number): readonly (Expression | null)[] {
  let known = rules.get(expression);
  if (known === undefined) rules.set(expression, (known = gradientsOf(expression, operands)));
  return known;
}

/** Elements from elements, with gradients of any order. */
export function compute(computation: Computation, operands: readonly Operand[]): Tensor {
  const own = placeOf(operands);
  const result = resultFor(operands, shapeOf(operands), computation.dtype, own);
  fill(result, computation, operands);
  return onTape(result, computation, operands);
}

const GRADIENT = input(0);

/** Puts the computation of `result` on the tape. */
function onTape(result: Tensor, computation: Computation, operands: readonly Operand[]): Tensor {
  const { name, expression, type, fromResult = null } = computation;
  if (expression.isBool || !isFloating(computation.dtype)) return result;
  if (!isGradEnabled() || !operands.some((operand) => !isScalar(operand) && operand.requiresGradient)) return result;
  const tensors = operands.filter((operand): operand is Tensor => !isScalar(operand));
  const gradients = rulesOf(expression, operands.length);
  const usesResult = fromResult !== null && operands.length === 1;
  const saved = new Set<number>();
  if (!usesResult)
    for (const [k, rule] of gradients.entries()) {
      const operand = operands[k] as Operand;
      if (rule !== null && !isScalar(operand) && operand.requiresGradient)
        for (const at of inputsOf(rule)) if (at > 0) saved.add(at - 1);
    }
  const saves = [...saved]
    .map((k) => operands[k] as Operand)
    .filter((operand): operand is Tensor => !isScalar(operand));
  // The tape does not hold the result itself, which holds its place on the tape.
  const alias = usesResult ? result.asStrided(result.shape, result.strides) : null;
  if (alias !== null) saves.push(alias);
  const kept = operands.map((operand, k) => (isScalar(operand) || saved.has(k) ? operand : null));
  const places = operands.map((operand) =>
    isScalar(operand) ? null : { shape: operand.shape, dtype: operand.dtype, requires: operand.requiresGradient },
  );
  return record(
    `${nodeName(name)}Backward0`,
    result,
    tensors,
    (g, node) => {
      const parts: (Tensor | null)[] = [];
      for (const [k, place] of places.entries()) {
        if (place === null) continue;
        const rule = usesResult ? (fromResult as Expression) : (gradients[k] ?? null);
        if (!place.requires || !isFloating(place.dtype)) parts.push(null);
        else if (rule === null) parts.push(zeros(place.shape, place.dtype, g.place));
        else if (rule === GRADIENT || (rule.op === "input" && rule.index === 0))
          parts.push(cast(sumTo(g, place.shape), place.dtype));
        else {
          const given: readonly (Operand | null)[] = usesResult ? [g, onNode(alias as Tensor, node)] : [g, ...kept];
          const part = applied({ name: `${name}_backward`, expression: rule, type, dtype: place.dtype }, given);
          parts.push(sumTo(part, place.shape));
        }
      }
      return parts;
    },
    saves,
  );
}

function zeros(shape: Shape, dtype: TensorDtype, place: Place): Tensor {
  const result = empty(shape, dtype, place);
  fill(result, { name: "zeros", expression: constant(0), type: computeTypeOf(dtype), dtype }, []);
  return result;
}

/** As `compute`, where an expression does not use all operands: null stands for those that are not there. */
function applied(computation: Computation, operands: readonly (Operand | null)[]): Tensor {
  const used = [...inputsOf(computation.expression)].sort((a, b) => a - b);
  const own = used.map((k) => operands[k] as Operand);
  return compute({ ...computation, expression: compacted(computation.expression, used) }, own);
}

function nodeName(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const OF_BITS: ReadonlySet<ElementName> = new Set<ElementName>([
  "bitwise_and",
  "bitwise_or",
  "bitwise_xor",
  "bitwise_not",
]);

/** The plan of a named function for some operands. */
function planOf(
  name: ElementName,
  fn: ElementFunction,
  operands: readonly Operand[],
): Computation & { readonly common: TensorDtype } {
  const counted = fn.isConditional ? operands.slice(1) : operands;
  const common = resultDtype(counted);
  if (OF_BITS.has(name) && isFloating(common)) failShape(`"${name}_cpu" not implemented for '${common}'`);
  const computing = fn.isOfFloats && !isFloating(common) ? "float32" : common;
  const { fromResult } = fn;
  const expression = (isFloating(computing) ? FORMS_OF_FLOATS[name] : FORMS_OF_INTEGERS[name]) ?? fn.expression;
  const dtype = fn.gives === "bool" ? "bool" : computing;
  return { name, expression, fromResult, type: computeTypeOf(computing), dtype, common: computing };
}

/** A wider float of rank 0 beside floats of 16 bits is rounded to one of them before it counts, as PyTorch's is. */
function narrowed(operand: Operand, common: TensorDtype): Operand {
  if (isScalar(operand) || operand.rank > 0 || operand.dtype === common || !isFloating(operand.dtype)) return operand;
  return isFloating(common) && computeTypeOf(common) !== common ? cast(operand, common) : operand;
}

const launched = new Map<ElementName, { readonly into: LaunchPlans<null>; readonly fresh: LaunchPlans<Computation> }>();

function launchedBy(name: ElementName): { into: LaunchPlans<null>; fresh: LaunchPlans<Computation> } {
  let own = launched.get(name);
  if (own === undefined) launched.set(name, (own = { into: new LaunchPlans(), fresh: new LaunchPlans() }));
  return own;
}

/** One of the functions of element-functions.ts. */
export function elementwise(name: ElementName, ...operands: readonly Operand[]): Tensor {
  const plans = launchedBy(name).fresh;
  const again = plans.run(operands, null);
  if (again !== null) return onTape(again.result, again.known, operands);
  const plan = planOf(name, ELEMENT_FUNCTIONS[name], operands);
  const own = operands.map((operand) => narrowed(operand, plan.common));
  // A plan knows the launch for the operands as they are given.
  if (own.some((operand, i) => operand !== operands[i])) return compute(plan, own);
  return plans.learn(operands, null, plan, () => compute(plan, operands));
}

/**
 * The same in place: `target`, the first operand, gets the results, converted to its type.
 * @throws HeddleError "bad-arguments" for a leaf whose gradient is asked for, and where the result would not fit
 */
export function elementwiseInto(target: Tensor, name: ElementName, ...others: readonly Operand[]): Tensor {
  const before = beforeChange(
    target,
    others.filter((operand): operand is Tensor => !isScalar(operand)),
  );
  if (before === null && launchedBy(name).into.run([target, ...others], target) !== null) return target;
  const fn = ELEMENT_FUNCTIONS[name];
  const operands = [before ?? target, ...others];
  if (placeOf([target, ...others]).place !== target.place) throw differentPlaces();
  const plan = planOf(name, fn, operands);
  if (kindOf(plan.dtype) > kindOf(target.dtype))
    throw new HeddleError(
      "bad-arguments",
      `result type ${plan.dtype} can't be cast to the desired output type ${target.dtype}`,
    );
  const shape = shapeOf(operands);
  if (!isSameShape(shape, target.shape))
    throw new HeddleError(
      "bad-arguments",
      `output with shape [${target.shape.join(", ")}] doesn't match the broadcast shape [${shape.join(", ")}]`,
    );
  if (before === null)
    return launchedBy(name).into.learn(operands, target, null, () => {
      fill(target, plan, operands);
      return target;
    });
  // Gradients may need what the target was: the result is made beside it.
  const result = compute(plan, operands);
  afterChange(target, cast(result, target.dtype));
  return target;
}

export function binary(name: BinaryName, a: Operand, b: Operand): Tensor {
  return elementwise(name, a, b);
}

export function unary(name: UnaryName, a: Tensor): Tensor {
  // Of conditions, the opposite is meant, and a square is a whole number.
  if (a.dtype === "bool" && name === "bitwise_not") return elementwise("logical_not", a);
  if (a.dtype === "bool" && name === "square") return elementwise(name, cast(a, "int64"));
  return elementwise(name, a);
}

/** Elements of `a` where the condition holds, else of `b`. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  return elementwise("where", condition, a, b);
}

/** Elements as another type; the tensor itself where it has this type. */
export function cast(tensor: Tensor, dtype: TensorDtype): Tensor {
  if (tensor.dtype === dtype) return tensor;
  const result = converted(tensor, dtype);
  if (!isFloating(dtype) || !isFloating(tensor.dtype)) return result;
  const from = tensor.dtype;
  return record("ToCopyBackward0", result, [tensor], (gradient) => [cast(gradient, from)]);
}

/** From whole numbers to whole numbers bit by bit, else by value. */
function converted(tensor: Tensor, dtype: TensorDtype): Tensor {
  const result = resultFor([tensor], tensor.shape, dtype, tensor);
  copyInto(result, tensor);
  return result;
}
