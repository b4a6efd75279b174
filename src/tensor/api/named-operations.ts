/** While a profiler runs, each call of an operation is a range with its name and shapes. */
import { isRecording, onRecording } from "../../library/recording.ts";
import { asOperation } from "../operation-names.ts";
import { Tensor } from "../tensor.ts";
import { Tensors } from "./tensors.ts";

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Names that are no operations: they tell of tensors, or run what is given to them. */
const NO_OPERATIONS: ReadonlySet<string> = new Set([
  ..."constructor retain release setGradient values setValues numel dim size stride elementSize toString".split(" "),
  ..."deviceArray requiresGrad_ backward registerHook retainGrad dispose asStrided detach".split(" "),
  ..."manualSeed noGrad enableGrad isGradEnabled grad autocast setFloat32MatmulPrecision tidy graph beside".split(" "),
  ..."packed defineOp memoryStatistics emptyCache synchronize checkpoint recordMemoryHistory compile".split(" "),
  ..."time memoryTimeline useDeterministicAlgorithms areDeterministicAlgorithmsEnabled".split(" "),
]);

/** Of each prototype, its functions as they are without a profiler. */
const plain = new Map<object, Map<string, PropertyDescriptor>>();

function nameMethods(prototype: object, isSelfAnOperand: boolean): void {
  const own = new Map<string, PropertyDescriptor>();
  plain.set(prototype, own);
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const { value } = descriptor as { readonly value?: unknown };
    if (typeof value !== "function" || descriptor.configurable !== true || NO_OPERATIONS.has(name)) continue;
    own.set(name, descriptor);
    Object.defineProperty(prototype, name, {
      ...descriptor,
      value: function named(this: unknown, ...args: unknown[]): unknown {
        const work = (): unknown => (value as AnyFunction).apply(this, args);
        return asOperation(name, isSelfAnOperand ? [this, ...args] : args, work);
      },
    });
  }
}

onRecording((isActive) => {
  if (isActive && plain.size === 0) {
    nameMethods(Tensor.prototype, true);
    nameMethods(Tensors.prototype, false);
  } else if (!isActive) {
    for (const [prototype, own] of plain)
      for (const [name, descriptor] of own) Object.defineProperty(prototype, name, descriptor);
    plain.clear();
  }
});

/** The same functions, whose calls are operations in profiles. */
export function namedFunctions<T extends object>(functions: T): T {
  const named = Object.entries(functions as Record<string, AnyFunction>).map(([name, value]) => {
    const own = (...args: unknown[]): unknown =>
      isRecording() ? asOperation(name, args, () => value(...args)) : value(...args);
    // Stacks, and the timeline of memory, have the function's own name.
    return [name, Object.defineProperty(own, "name", { value: name })] as const;
  });
  return Object.fromEntries(named) as T;
}
