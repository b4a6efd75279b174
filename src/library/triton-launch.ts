/**
 * Launches as text, for the command line: `softmax[2](float32[3, 8], float32[3, 8], 8, 3, 8, BLOCK=8)`, as a Triton
 * script has them, with arrays by type and shape.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { DTYPE_NAMES } from "../frontend/triton/language/dtypes.ts";
import { describe } from "../frontend/triton/language/conversions.ts";
import type { Value } from "../frontend/triton/language/values.ts";
import type { Expression } from "../frontend/triton/syntax/ast.ts";
import { parseSource } from "../frontend/triton/syntax/parse.ts";
import { SourceText, sourceError } from "../frontend/triton/syntax/source-text.ts";
import type { DeviceArray } from "./device-array.ts";
import type { Gpu } from "./gpu.ts";
import { dtype, float, typed, type TritonArgument, type TypedArgument } from "./triton-arguments.ts";
import type { TritonLaunchOptions } from "./triton-grid.ts";
import type { TritonProgram } from "./triton.ts";

export interface TritonLaunch {
  readonly kernel: string;
  readonly options: TritonLaunchOptions;
  readonly positional: readonly TritonArgument[];
  readonly keywords: Readonly<Record<string, TritonArgument>>;
  /** The arrays that the text made, as it writes them. */
  readonly arrays: readonly { readonly text: string; readonly array: DeviceArray }[];
}

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

const EXAMPLE = "for example --launch 'softmax[2](float32[3, 8], float32[3, 8], 8, 3, 8, BLOCK=8)'";

/** Reads a launch and makes its arrays. @throws HeddleError with a caret in the text */
export function readLaunch(program: TritonProgram, text: string): TritonLaunch {
  const source = new SourceText("--launch", text.trim());
  const reader = new LaunchReader(program, source);
  const [statement, ...others] = parseSource(source);
  const call = statement?.kind === "expression" ? statement.value : null;
  if (
    call?.kind !== "call" ||
    call.callee.kind !== "subscript" ||
    call.callee.value.kind !== "name" ||
    others.length > 0
  )
    throw new HeddleError("bad-arguments", `a launch is KERNEL[GRID](ARGUMENTS), not ${text}`, { notes: [EXAMPLE] });
  return reader.launch(call.callee.value.id, call.callee.index, call);
}

class LaunchReader {
  readonly #program: TritonProgram;
  readonly #source: SourceText;
  readonly #arrays: { readonly text: string; readonly array: DeviceArray }[] = [];

  constructor(program: TritonProgram, source: SourceText) {
    this.#program = program;
    this.#source = source;
  }

  launch(kernel: string, grid: Expression, call: Of<"call">): TritonLaunch {
    const positional = call.args.map((argument) => this.#argument(argument));
    const options: { grid: number[]; numWarps?: number; numStages?: number } = { grid: this.#integers(grid) };
    const keywords: Record<string, TritonArgument> = {};
    for (const { name, value } of call.keywords) {
      if (name === "num_warps") options.numWarps = this.#integers(value)[0] as number;
      else if (name === "num_stages") options.numStages = this.#integers(value)[0] as number;
      // As in Triton, a parameter may have the name of an option: it gets the value, too.
      const isOption = name === "num_warps" || name === "num_stages";
      if (name !== null && (!isOption || new RegExp(`\\b${name}\\b`).test(this.#program.kernel(kernel).signature)))
        keywords[name] = this.#argument(value);
    }
    return { kernel, options, positional, keywords, arrays: this.#arrays };
  }

  #fail(at: Expression, what: string): never {
    throw sourceError(this.#source, at.span, what, { notes: [EXAMPLE] });
  }

  #value(expression: Expression): Value {
    return this.#program.evaluate(this.#source, expression);
  }

  #integers(expression: Expression): number[] {
    const value = this.#value(expression);
    const items = value.kind === "tuple" || value.kind === "list" ? value.items : [value];
    return items.map((item) =>
      item.kind === "int"
        ? Number(item.value)
        : this.#fail(expression, `a whole number is needed, not ${describe(item)}`),
    );
  }

  #argument(expression: Expression): TritonArgument {
    if (
      expression.kind === "subscript" &&
      expression.value.kind === "name" &&
      Object.hasOwn(DTYPE_NAMES, expression.value.id)
    )
      return this.#array(expression, expression.value.id);
    if (expression.kind === "call" && expression.callee.kind === "name" && expression.callee.id === "arange") {
      const [length = 0] = expression.args.flatMap((argument) => this.#integers(argument));
      return this.#keep(expression, this.#device.array(Int32Array.from({ length }, (_, i) => i)));
    }
    return this.#constant(expression, this.#value(expression));
  }

  get #device(): Gpu {
    return this.#program.device;
  }

  #keep(expression: Expression, array: DeviceArray): DeviceArray {
    const { column, endColumn } = expression.span;
    this.#arrays.push({ text: this.#source.text.slice(column - 1, endColumn - 1), array });
    return array;
  }

  /** Floats are random from -1 to 1, the same in every run; integers are 0. */
  #array(expression: Of<"subscript">, name: string): DeviceArray | TypedArgument {
    const length = this.#integers(expression.index).reduce((product, size) => product * size, 1);
    if (!(length > 0)) return this.#fail(expression, "an array needs a shape of numbers above 0");
    if (name.startsWith("float8")) {
      const bytes = this.#device.array(new Uint8Array(length));
      return typed(this.#keep(expression, bytes), name);
    }
    const isFloat = name.includes("float");
    const type = name as "float32";
    const array = isFloat
      ? this.#device.array(randomValues(length, this.#arrays.length), type)
      : this.#device.array(
          Array.from({ length }, () => 0),
          type,
        );
    return this.#keep(expression, array);
  }

  #constant(at: Expression, value: Value): TritonArgument {
    switch (value.kind) {
      case "int":
        return value.value >= -(2n ** 53n) && value.value <= 2n ** 53n ? Number(value.value) : value.value;
      case "float":
        return float(value.value);
      case "bool":
      case "string":
        return value.value;
      case "none":
        return null;
      case "tuple":
      case "list":
        return value.items.map((item) => this.#constant(at, item));
      case "function":
        return { function: value };
      case "dtype": {
        const found = Object.entries(DTYPE_NAMES).find(([, type]) => type === value.dtype)?.[0];
        return dtype(found ?? this.#fail(at, `the type ${value.dtype.name} cannot be passed`));
      }
      default:
        return this.#fail(at, `${describe(value)} cannot be passed`);
    }
  }
}

function randomValues(length: number, seed: number): Float32Array {
  let state = 12345 + seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
