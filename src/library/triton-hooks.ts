/** Python functions of a file that its launches call: hooks, and functions that choose configurations. */
import { encodeValues } from "../base/dtypes.ts";
import { bug, HeddleError } from "../base/diagnostics.ts";
import type { PythonModule } from "../frontend/triton/evaluate/module.ts";
import { builtin } from "../frontend/triton/language/signature.ts";
import {
  NONE,
  Scope,
  intValue,
  stringValue,
  type ConfigValue,
  type DictValue,
  type FunctionValue,
  type Value,
} from "../frontend/triton/language/values.ts";
import { DeviceArray } from "./device-array.ts";
import type { Gpu } from "./gpu.ts";
import { TensorDescriptorArgument, TypedArgument, constantValue, type TritonArgument } from "./triton-arguments.ts";

/** @throws HeddleError "unsupported" with the place, for what needs a whole Python */
export function callAtModuleLevel(
  module: PythonModule,
  fn: FunctionValue,
  callee: Value,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value> = new Map(),
): Value {
  const { evaluator } = module;
  const frame = { ...evaluator.frame, source: fn.source };
  const span = fn.definition.span ?? bug("a function without a place");
  try {
    const result = evaluator.atModuleLevel(frame, span, () => evaluator.call(callee, args, keywords));
    if (result.kind === "unknown")
      throw new HeddleError("unsupported", `a function that @triton.autotune of ${fn.name} has needs ${result.what}`);
    return result;
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== "compile-error") throw error;
    throw new HeddleError("unsupported", error.summary, {
      ...(error.location === undefined ? {} : { location: error.location }),
      notes: [
        ...error.notes,
        `@triton.autotune of ${fn.name} calls this, and it needs a whole Python: heddle run FILE.py has one`,
      ],
    });
  }
}

/** What a hook gets: the launch's arguments by name. Arrays have `zero_()` and `fill_(value)` of torch. */
export class HookArguments {
  readonly #module: PythonModule;
  readonly #args: DictValue;

  constructor(
    device: Gpu,
    module: PythonModule,
    given: ReadonlyMap<string, TritonArgument>,
    { constants, numWarps, numStages }: ConfigValue,
  ) {
    this.#module = module;
    const values = new Map<string, Value>();
    for (const [name, value] of given) values.set(name, hookValue(device, module, name, value));
    for (const { name, value } of constants) values.set(name, value);
    values.set("num_warps", intValue(numWarps ?? 4));
    values.set("num_stages", intValue(numStages ?? 3));
    values.set("num_ctas", intValue(1));
    this.#args = { kind: "dict", entries: [...values].map(([name, value]) => ({ key: stringValue(name), value })) };
  }

  call(fn: FunctionValue, hook: Value): void {
    callAtModuleLevel(this.#module, fn, hook, [this.#args]);
  }
}

function hookValue(device: Gpu, module: PythonModule, name: string, value: TritonArgument): Value {
  if (value instanceof TypedArgument) return hookValue(device, module, name, value.array);
  if (value instanceof TensorDescriptorArgument) return module.evaluator.unknown(`the descriptor ${name}`);
  if (!(value instanceof DeviceArray)) return constantValue(value);
  const methods = new Scope(null, true);
  methods.set(
    "zero_",
    builtin("zero_()", () => filled(device, value, 0)),
  );
  methods.set(
    "fill_",
    builtin("fill_(value)", (a, c) => {
      const of = a.get("value");
      if (of.kind === "int" || of.kind === "float") return filled(device, value, Number(of.value));
      return c.fail("fill_ takes a number");
    }),
  );
  methods.set(
    "numel",
    builtin("numel()", () => intValue(value.length)),
  );
  return { kind: "module", path: name, scope: methods };
}

/** In the order of launches. */
function filled({ raw }: Gpu, array: DeviceArray, value: number): Value {
  const element = encodeValues([value], array.dtype);
  const width = element.byteLength as 1 | 2 | 4 | 8;
  const bits = element.reduce((all, byte, i) => all + byte * 256 ** i, 0);
  if (width === 8 && bits !== 0) throw new HeddleError("unsupported", `a hook fills ${array.dtype} with ${value}`);
  const part = width === 8 ? 4 : width;
  const count = array.byteLength / part;
  if (raw.queue === null) raw.fill(array.pointer, bits, part, count);
  else raw.queue.fill(array.pointer, bits, part, count, 0);
  return NONE;
}
