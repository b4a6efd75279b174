/**
 * A function with `@triton.jit` of a running Python: its text, and what the names that it uses are bound to around it.
 * Python itself knows that best: closures, modules of the user's, names that a program has bound anew.
 */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { openModule, type ImportSource, type NamedValue } from "../frontend/triton/evaluate/module.ts";
import { DTYPE_NAMES, pointerTo, type Dtype } from "../frontend/triton/language/dtypes.ts";
import { isKnownModule } from "../frontend/triton/language/modules.ts";
import {
  NONE,
  Scope,
  boolValue,
  floatValue,
  intValue,
  stringValue,
  type Value,
} from "../frontend/triton/language/values.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { attribute } from "../frontend/triton/evaluate/attributes.ts";
import type { Gpu } from "../library/gpu.ts";
import { TritonProgram, type TritonKernel } from "../library/triton.ts";

/** What a name is bound to. */
export type Described =
  | readonly ["none"]
  | readonly ["int", number | bigint]
  | readonly ["float", number]
  | readonly ["bool", boolean]
  | readonly ["str", string]
  | readonly ["dtype", string]
  | readonly ["tuple", readonly Described[]]
  | readonly ["function", ScriptFunction, string]
  | readonly ["module", string]
  /** A function or class of such a module. */
  | readonly ["attribute", string, string]
  /** A module or a class of the user's, as far as it is used. */
  | readonly ["namespace", string, readonly (readonly [string, Described])[]];

export interface FunctionContent {
  readonly file: string;
  /** The function alone, at the lines and columns that it has in its file. */
  readonly text: string;
  readonly values: readonly (readonly [name: string, value: Described])[];
  /** A call whose result nobody uses is an error, with a text of the user's. */
  readonly mustUse?: boolean | string | null;
  /** What Python has set of the environment since it began, as far as the compiler asks for it. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Null: kernels here have no such type. */
function dtypeNamed(name: string): Dtype | null {
  if (!name.startsWith("*")) return DTYPE_NAMES[name] ?? null;
  const pointee = dtypeNamed(name.slice(1));
  return pointee === null ? null : pointerTo(pointee);
}

function namedValue(described: Described): NamedValue {
  switch (described[0]) {
    case "none":
      return () => NONE;
    case "int":
      return () => intValue(described[1]);
    case "float":
      return () => floatValue(described[1]);
    case "bool":
      return () => boolValue(described[1]);
    case "str":
      return () => stringValue(described[1]);
    case "dtype": {
      const dtype = dtypeNamed(described[1]);
      return (c) => (dtype === null ? c.unsupported(`tl.${described[1]}`) : { kind: "dtype", dtype });
    }
    case "tuple": {
      const items = described[1].map(namedValue);
      return (c) => ({ kind: "tuple", items: items.map((item) => item(c)) });
    }
    case "function":
      return () => described[1].value(described[2]);
    case "module": {
      const [, path] = described;
      return (c) => (isKnownModule(path) ? { kind: "module", path } : c.unknown(`the module ${path}`));
    }
    case "attribute":
      return (c) => attribute(c, { kind: "module", path: described[1] }, described[2]);
    case "namespace":
      return (c): Value => {
        const scope = new Scope(null, true);
        for (const [name, value] of described[2]) scope.set(name, () => namedValue(value)(c));
        return described[2].length === 0 ? c.unknown(described[1]) : { kind: "module", path: described[1], scope };
      };
  }
}

export class ScriptFunction {
  readonly #gpu: Gpu;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #imports: ImportSource;
  #content: FunctionContent | null = null;
  #program: TritonProgram | null = null;

  /** @param imports finds what the function's own `import` names */
  constructor(gpu: Gpu, environment: Readonly<Record<string, string>>, imports: ImportSource) {
    this.#imports = imports;
    this.#gpu = gpu;
    this.#environment = environment;
  }

  define(content: FunctionContent): void {
    this.#content = content;
  }

  get #opened(): TritonProgram {
    if (this.#program !== null) return this.#program;
    const { file, text, values, environment = {} } = this.#content ?? bug("a function that Python has not defined");
    const module = openModule(new SourceText(file, text), this.#imports, {
      environment: { ...this.#environment, ...environment },
      values: new Map(values.map(([name, described]) => [name, namedValue(described)])),
    });
    this.#program = new TritonProgram(this.#gpu, module);
    return this.#program;
  }

  kernel(name: string): TritonKernel {
    return this.#opened.kernel(name);
  }

  /** What the name of the function is for those that call it. */
  value(name: string): Value {
    const value = this.#opened.valueOf(name);
    if (value === null) throw new HeddleError("compile-error", `${name} is not defined`);
    const mustUse = this.#content?.mustUse ?? null;
    return value.kind === "function" && mustUse !== null ? { ...value, mustUse } : value;
  }

  /** Python has forgotten it: what was compiled goes. */
  dropped(): void {
    this.#program?.unloadNow();
  }
}
