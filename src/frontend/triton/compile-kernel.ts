/**
 * One specialisation of a kernel: types and constants of its arguments → block IR.
 *
 * Follows Triton's rules of specialisation: an integer 1 and None are constants, integers and addresses that are
 * multiples of 16 are known to be, floats are fp32. `do_not_specialize` changes no result and is not needed.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import { isPowerOfTwo } from "./blocks/types.ts";
import type { BlockKernel, KernelParam } from "./blocks/model.ts";
import { newRegion } from "./blocks/build.ts";
import { blockType } from "./blocks/types.ts";
import { evaluateExpression } from "./evaluate/expressions.ts";
import type { PythonModule } from "./evaluate/module.ts";
import { runFunction } from "./evaluate/statements.ts";
import type { CompileContext } from "./language/context.ts";
import { describe, tensor } from "./language/conversions.ts";
import { INT64, bytesOf, pointerTo, typeWord, type Dtype } from "./language/dtypes.ts";
import { Scope, type BlockPointerValue, type FunctionValue, type TensorValue, type Value } from "./language/values.ts";
import type { FunctionDefinition, Param } from "./syntax/ast.ts";
import { sourceError } from "./syntax/source-text.ts";

/** What the compiler is told of one argument. */
export type ArgumentSpecialisation =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "value"; readonly dtype: Dtype; readonly divisibility: number }
  /** A tensor descriptor that the host makes: its pointer, then its shape and strides, are passed. */
  | {
      readonly kind: "descriptor";
      readonly element: Dtype;
      readonly blockShape: readonly number[];
      /** As Triton asks of it: rows begin at multiples of 16 bytes, and neighbours are neighbours in memory. */
      readonly isAligned: boolean;
      /** The dimensions whose sizes are multiples of 16. */
      readonly alignedSizes: readonly boolean[];
    }
  /** A tuple, each item of its own kind. */
  | { readonly kind: "tuple"; readonly items: readonly ArgumentSpecialisation[] };

export interface KernelParameter {
  readonly name: string;
  readonly isConstexpr: boolean;
  /** From an annotation such as `x: tl.float32`; null: the argument's own. */
  readonly dtype: Dtype | null;
  readonly hasDefault: boolean;
  /** `x: tl.const`: a pointer to memory that the kernel only reads. */
  readonly isConst: boolean;
}

function definitionOf(fn: FunctionValue): FunctionDefinition {
  if (fn.definition.kind !== "function") throw new TypeError("a kernel is a function with a name");
  return fn.definition;
}

/** The parameters of a kernel, as its signature says them. */
export function kernelParameters(module: PythonModule, fn: FunctionValue): KernelParameter[] {
  const { evaluator } = module;
  return definitionOf(fn).params.map((param): KernelParameter => {
    const annotation = annotationOf(module, fn, param);
    if (param.rest !== null) {
      throw sourceError(fn.source, param.span, `the kernel ${fn.name} takes *args or **kwargs`, {
        notes: ["a kernel's parameters have names"],
      });
    }
    return {
      name: param.name,
      isConstexpr: annotation?.kind === "builtin" && annotation.name === "constexpr",
      dtype: annotation?.kind === "dtype" ? annotation.dtype : null,
      hasDefault: param.default !== null,
      isConst: annotation?.kind === "builtin" && annotation.name === "const",
    };
  });

  function annotationOf(
    { evaluator: c }: PythonModule,
    { globals, source }: FunctionValue,
    param: Param,
  ): Value | null {
    const { annotation } = param;
    if (annotation === null) return null;
    if (annotation.kind === "string") {
      if (!/\bconstexpr$/.test(annotation.value)) return null;
      return c.libraryFunction("constexpr");
    }
    // Other annotations (`"pointer"`, `Optional[…]`) are for the reader.
    if (annotation.kind !== "name" && annotation.kind !== "attribute") return null;
    const frame = { ...evaluator.frame, source };
    return c.atModuleLevel(frame, annotation.span, () => evaluateExpression(c, annotation, globals));
  }
}

/** The default of a parameter: a constant. */
export function defaultOf(module: PythonModule, fn: FunctionValue, name: string): Value | null {
  const { evaluator: c } = module;
  const param = definitionOf(fn).params.find((candidate) => candidate.name === name);
  const expression = param?.default ?? null;
  if (expression === null) return null;
  const frame = { ...c.frame, source: fn.source };
  return c.atModuleLevel(frame, expression.span, () => evaluateExpression(c, expression, fn.globals));
}

const one = (c: CompileContext): TensorValue => tensor(INT64, c.builder.number(INT64.element, 1));

/** What rows of descriptors are aligned to. */
const DESCRIPTOR_BYTES = 16;

function descriptorParam(
  name: string,
  { element, blockShape, isAligned, alignedSizes }: Extract<ArgumentSpecialisation, { kind: "descriptor" }>,
  take: (dtype: Dtype, as: string, divisibility: number) => TensorValue,
): BlockPointerValue {
  return {
    kind: "descriptor",
    base: take(pointerTo(element), name, isAligned ? DESCRIPTOR_BYTES : 1),
    shape: blockShape.map((_, d) => take(INT64, `${name}.shape.${d}`, alignedSizes[d] === true ? 16 : 1)),
    strides: blockShape.map((_, d) =>
      take(INT64, `${name}.stride.${d}`, isAligned ? Math.max(1, DESCRIPTOR_BYTES / bytesOf(element)) : 1),
    ),
    offsets: [],
    blockShape,
  };
}

/**
 * @throws HeddleError "compile-error" and "unsupported", with a caret in the source
 */
export function compileKernel(
  module: PythonModule,
  fn: FunctionValue,
  args: ReadonlyMap<string, ArgumentSpecialisation>,
  numWarps: number,
): BlockKernel {
  const { evaluator: c } = module;
  if (!isPowerOfTwo(numWarps) || numWarps > 32) throw new RangeError(`num_warps=${numWarps}`);
  const definition = definitionOf(fn);
  const location: SourceLocation = {
    file: fn.source.file,
    line: definition.span.line,
    column: definition.span.column,
    functionName: fn.name,
  };
  const outer = c.frame;
  const { span } = c;
  const params: KernelParam[] = [];
  const scope = new Scope(fn.globals);
  const take = (dtype: Dtype, as: string, divisibility: number): TensorValue => {
    const [value] = newRegion([blockType(dtype.element)], [as]).params as [KernelParam["value"]];
    params.push({ value, name: as, typeName: typeWord(dtype), divisibility });
    return { ...tensor(dtype, value), divisibility };
  };
  const bound = (given: ArgumentSpecialisation, name: string): Value => {
    if (given.kind === "constant") return given.value;
    if (given.kind === "value") return take(given.dtype, name, given.divisibility);
    if (given.kind === "descriptor") return descriptorParam(name, given, take);
    return { kind: "tuple", items: given.items.map((item, i) => bound(item, `${name}.${i}`)) };
  };
  for (const { name } of definition.params) {
    const given = args.get(name);
    if (given === undefined) throw new TypeError(`no argument for ${name}`);
    scope.set(name, bound(given, name));
  }
  c.numWarps = numWarps;
  c.frame = { source: fn.source, name: fn.name, caller: null, inlinedAt: null, depth: 0, loops: 0 };
  c.span = definition.span;
  try {
    const body = c.kernelRegion(() => {
      for (const { name } of definition.params) {
        const value = scope.get(name);
        const given = args.get(name);
        if (given?.kind === "descriptor" && given.isAligned && value?.kind === "descriptor")
          scope.set(name, { ...value, strides: [...value.strides.slice(0, -1), one(c)] });
        if (value !== null) c.noteName(name, value);
      }
      const result = runFunction(c, definition, scope);
      if (result.kind !== "none") c.fail(`the kernel ${fn.name} returns ${describe(result)}: a kernel returns nothing`);
    });
    return { name: fn.name, file: fn.source.file, location, params, body, names: c.names };
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message))
      throw c.error(`the kernel ${fn.name} is nested too deeply`);
    throw error;
  } finally {
    c.frame = outer;
    c.span = span;
  }
}
