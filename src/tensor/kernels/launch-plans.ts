/**
 * Operations on a GPU take the host longer than the device, where tensors are small. So what an operation launches is
 * worked out once for operands of some shapes, strides and types. Later calls set addresses, and launch it again.
 */
import { currentTracer } from "../follower.ts";
import type { TensorDtype } from "../dtypes.ts";
import { denseBlock, Tensor, type Shape } from "../tensor.ts";
import { tensorDeviceOf, type TensorDevice } from "./tensor-device.ts";
import type { KernelLaunch, NotedLaunch } from "./tensor-kernel.ts";

/** A number among the operands: its kind counts, and its value is passed. */
interface PlanNumber {
  readonly value: number;
  readonly kind: string;
}
type PlanOperand = Tensor | PlanNumber;

/** Operands of these shapes, strides and types. */
interface Form {
  readonly dtype: TensorDtype;
  readonly shape: Shape;
  readonly strides: Shape;
}

/** Plans of an operation; the last one used is the first. */
const MOST = 8;

interface Plan<T> {
  /** By operand: the form of a tensor, or the kind of a number. */
  readonly forms: readonly (Form | string)[];
  /** What the caller knows of it. */
  readonly known: T;
  readonly result: Form;
  readonly launch: KernelLaunch;
  /** By argument of the kernel: the operand whose address it is; RESULT; or less than that: none. */
  readonly addresses: Int32Array;
  /** The argument of the first number. */
  readonly numbers: number;
}

const RESULT = -1;
const NONE = -2;

const isNumber = (operand: PlanOperand): operand is PlanNumber => !(operand instanceof Tensor);

function isSame(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let d = 0; d < a.length; d++) if (a[d] !== b[d]) return false;
  return true;
}

function fits<T>({ forms }: Plan<T>, operands: readonly PlanOperand[]): boolean {
  if (forms.length !== operands.length) return false;
  for (let i = 0; i < forms.length; i++) {
    const form = forms[i] as Form | string;
    const operand = operands[i] as PlanOperand;
    if (isNumber(operand)) {
      if (operand.kind !== form) return false;
    } else if (
      typeof form === "string" ||
      operand.dtype !== form.dtype ||
      !isSame(operand.shape, form.shape) ||
      !isSame(operand.strides, form.strides)
    )
      return false;
  }
  return true;
}

/** The device of all operands; null: they are on several, or on the host. */
function deviceOf(operands: readonly PlanOperand[]): TensorDevice | null {
  const [first] = operands;
  if (first === undefined || isNumber(first)) return null;
  const { place } = first;
  for (let i = 1; i < operands.length; i++) {
    const operand = operands[i] as PlanOperand;
    if (!isNumber(operand) && operand.place !== place) return null;
  }
  return tensorDeviceOf(place);
}

let count = 0;

/** What one operation has launched: one kernel, whose result is all that it makes. */
export class LaunchPlans<T> {
  readonly #index = count++;

  #of(device: TensorDevice): Plan<T>[] {
    return (device.plans[this.#index] ??= []) as Plan<T>[];
  }

  /**
   * The result of the operation, computed into `target` or into a new tensor, and what was known of its plan; null:
   * it is to be computed as the first time.
   */
  run(operands: readonly PlanOperand[], target: Tensor | null): { readonly result: Tensor; readonly known: T } | null {
    if (currentTracer() !== null) return null;
    const device = deviceOf(operands);
    if (device === null) return null;
    const plans = this.#of(device);
    for (let i = 0; i < plans.length; i++) {
      const plan = plans[i] as Plan<T>;
      if (!fits(plan, operands)) continue;
      if (i > 0) [plans[0], plans[i]] = [plan, plans[0] as Plan<T>];
      return this.#again(plan, operands, target);
    }
    return null;
  }

  #again(
    plan: Plan<T>,
    operands: readonly PlanOperand[],
    target: Tensor | null,
  ): { readonly result: Tensor; readonly known: T } | null {
    const { addresses, launch, known, numbers, result: form } = plan;
    for (let i = 0; i < addresses.length; i++) {
      const from = addresses[i] as number;
      if (from < 0) continue;
      const { pointer } = operands[from] as Tensor;
      // The kernel takes for granted that it may load 16 bytes at once.
      if (pointer % 16 !== 0) return null;
      launch.set(i, pointer);
    }
    const result = target ?? denseBlock(form.shape, form.strides, form.dtype, (operands[0] as Tensor).place);
    const { pointer } = result;
    if (pointer % 16 !== 0) return null;
    let at = numbers;
    for (let i = 0; i < addresses.length; i++) if (addresses[i] === RESULT) launch.set(i, pointer);
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i] as PlanOperand;
      if (isNumber(operand)) launch.set(at++, operand.value);
    }
    launch.run();
    result.storage.version++;
    return { result, known };
  }

  /**
   * Does `work`, and keeps what it launches for the next time, if that was one kernel of these operands alone.
   * @param work makes the result, or changes `target`
   */
  learn(operands: readonly PlanOperand[], target: Tensor | null, known: T, work: () => Tensor): Tensor {
    const device = currentTracer() === null ? deviceOf(operands) : null;
    if (device === null || device.noted !== null) return work();
    const noted: NotedLaunch[] = [];
    device.noted = noted;
    let result: Tensor;
    try {
      result = work();
    } finally {
      device.noted = null;
    }
    const [only] = noted;
    if (only === undefined || noted.length > 1) return result;
    const plan = planOf(operands, target, result, known, only);
    if (plan === null) return result;
    const plans = this.#of(device);
    plans.unshift(plan);
    plans.length = Math.min(plans.length, MOST);
    return result;
  }
}

const formOf = ({ dtype, shape, strides }: Tensor): Form => ({ dtype, shape: [...shape], strides: [...strides] });

/** Null: it cannot be told which argument is what. */
function planOf<T>(
  operands: readonly PlanOperand[],
  target: Tensor | null,
  result: Tensor,
  known: T,
  { kernel, programs, args }: NotedLaunch,
): Plan<T> | null {
  const { params } = kernel.info;
  const tensors = operands.filter((operand): operand is Tensor => !isNumber(operand));
  const pointers = tensors.map(({ pointer }) => pointer);
  const own = result.pointer;
  // Equal addresses would be taken for one another the next time.
  if (new Set(pointers).size !== pointers.length || (target === null && pointers.includes(own))) return null;
  if (target === null && (result.offset !== 0 || result.storage.bytes === 0)) return null;
  if ([own, ...pointers].some((pointer) => pointer % 16 !== 0)) return null;
  const addresses = new Int32Array(params.length).fill(NONE);
  let [most, isWritten] = [0, false];
  for (const [i, { kind }] of params.entries()) {
    if (kind !== "pointer") continue;
    const value = args[i] as number;
    if (target === null && value === own) [addresses[i], isWritten] = [RESULT, true];
    else {
      const from = operands.findIndex((operand) => !isNumber(operand) && operand.pointer === value);
      if (from < 0) return null;
      addresses[i] = from;
    }
    most = i + 1;
  }
  const numbers = operands.filter(isNumber);
  if (numbers.some(({ value }, k) => !Object.is(args[most + k], value))) return null;
  if (target === null && !isWritten) return null;
  return {
    forms: operands.map((operand) => (isNumber(operand) ? operand.kind : formOf(operand))),
    known,
    result: formOf(result),
    launch: kernel.bind(programs, args),
    addresses,
    numbers: most,
  };
}
