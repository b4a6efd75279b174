/** Hooks of modules: what is called beside `forward`, and when gradients have passed a module. */
import { addHook } from "../autograd/backward.ts";
import { GradientNode, needsTape, recordMany } from "../autograd/tape.ts";
import { Tensor } from "../tensor.ts";
import type { Module } from "./module.ts";

/** Sees the inputs before `forward`; an array that it returns takes their place. */
export type ForwardPreHook = (module: Module, inputs: readonly unknown[]) => readonly unknown[] | void;
/** Sees the inputs and the output of `forward`; what it returns takes the output's place. */
export type ForwardHook = (module: Module, inputs: readonly unknown[], output: unknown) => unknown;
/** Sees the gradients of the inputs and outputs; an array that it returns takes the place of the inputs' gradients. */
export type BackwardHook = (
  module: Module,
  gradInputs: readonly (Tensor | null)[],
  gradOutputs: readonly (Tensor | null)[],
) => readonly (Tensor | null)[] | void;

/** Removes a hook. */
export interface HookHandle {
  remove(): void;
}

interface Hooks {
  readonly before: Set<ForwardPreHook>;
  readonly after: Set<ForwardHook>;
  readonly backward: Set<BackwardHook>;
}

const hooksOf = new WeakMap<Module, Hooks>();

/** Whether anything is called beside the module's `forward`: it is not computed as a part of something larger then. */
export function hasHooks(module: Module): boolean {
  const own = hooksOf.get(module);
  return own !== undefined && own.before.size + own.after.size + own.backward.size > 0;
}

export function addModuleHook<K extends keyof Hooks>(
  module: Module,
  kind: K,
  hook: Hooks[K] extends Set<infer H> ? H : never,
): HookHandle {
  let own = hooksOf.get(module);
  if (own === undefined) {
    hooksOf.set(module, (own = { before: new Set(), after: new Set(), backward: new Set() }));
    wrapForward(module, own);
  }
  const set = own[kind] as Set<unknown>;
  set.add(hook);
  return { remove: () => void set.delete(hook) };
}

function wrapForward(module: Module, hooks: Hooks): void {
  const forward = module.forward as (...inputs: unknown[]) => unknown;
  const wrapped = (...given: unknown[]): unknown => {
    let inputs: readonly unknown[] = given;
    for (const hook of hooks.before) inputs = hook(module, inputs) ?? inputs;
    const gradients: { outputs: (Tensor | null)[] } = { outputs: [] };
    const seen = hooks.backward.size > 0 ? withInputHook(module, hooks.backward, inputs, gradients) : inputs;
    let output = forward.apply(module, seen as unknown[]);
    for (const hook of hooks.after) output = hook(module, inputs, output) ?? output;
    if (hooks.backward.size > 0) watchOutputs(output, gradients);
    return output;
  };
  // No member of the module: parameters and modules are looked for among those.
  Object.defineProperty(module, "forward", { value: wrapped, configurable: true, writable: true, enumerable: false });
}

/** The tensors of the inputs behind one node, which has the gradients of all of them at once. */
function withInputHook(
  module: Module,
  hooks: ReadonlySet<BackwardHook>,
  inputs: readonly unknown[],
  gradients: { outputs: (Tensor | null)[] },
): readonly unknown[] {
  const tensors = inputs.filter((input): input is Tensor => input instanceof Tensor);
  if (!needsTape(tensors)) return inputs;
  const aliases = tensors.map((tensor) => tensor.asStrided(tensor.shape, tensor.strides));
  const node = new GradientNode(
    "BackwardHookFunctionBackward",
    tensors,
    (of) => {
      let result: readonly (Tensor | null)[] = of;
      for (const hook of hooks) result = hook(module, result, gradients.outputs) ?? result;
      return result;
    },
    { results: tensors.length },
  );
  recordMany(node, aliases);
  return inputs.map((input) => (input instanceof Tensor ? aliases[tensors.indexOf(input)] : input));
}

function watchOutputs(output: unknown, gradients: { outputs: (Tensor | null)[] }): void {
  const tensors = [output].flat().filter((one): one is Tensor => one instanceof Tensor);
  gradients.outputs = tensors.map(() => null);
  for (const [i, tensor] of tensors.entries())
    if (tensor.requiresGradient)
      addHook(tensor, (gradient) => {
        gradients.outputs[i] = gradient;
      });
}
