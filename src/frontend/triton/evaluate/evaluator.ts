/**
 * Evaluates Python: constants as Python does, everything about blocks by appending operations (code_generator.py of
 * Triton 3.6). One evaluator serves a module and the kernels that are compiled from it. Helpers are expanded where they
 * are called.
 */
import type { HeddleError, SourceLocation } from "../../../base/diagnostics.ts";
import { bug } from "../../../base/diagnostics.ts";
import { didYouMean } from "../../../base/suggestions.ts";
import { BlockBuilder, newRegion } from "../blocks/build.ts";
import type { BlockValue, Region, SourceName } from "../blocks/model.ts";
import type { Arguments } from "../language/context.ts";
import { cast, describe, toTensor } from "../language/conversions.ts";
import { typeWord } from "../language/dtypes.ts";
import { NONE, Scope, type FunctionValue, type Value } from "../language/values.ts";
import type { Expression, Param, Span, Statement } from "../syntax/ast.ts";
import { sourceError, type SourceText } from "../syntax/source-text.ts";
import { evaluateExpression } from "./expressions.ts";
import type { Evaluation, Frame } from "./evaluation.ts";
import { runFunction, runStatements } from "./statements.ts";

/** Deeper calls are refused: helpers are expanded, so recursion would never end. */
const MAX_CALLS = 64;
/** Operations of one kernel: unrolled loops beyond it are refused. */
const MAX_OPERATIONS = 400_000;

/** What a file finds around it. */
export interface Surroundings {
  readonly environment: ReadonlyMap<string, string>;
  /** A module by its name as imported; null: there is none. */
  readonly moduleNamed: (path: string) => Value | null;
}

const NOTHING_AROUND: Surroundings = { environment: new Map(), moduleNamed: () => null };

export class Evaluator implements Evaluation {
  /** Null at module level. */
  #builder: BlockBuilder | null = null;
  #operations = 0;
  readonly #library: Scope;
  readonly #surroundings: Surroundings;
  numWarps = 4;
  frame: Frame;
  span: Span = { line: 1, column: 1, endLine: 1, endColumn: 1 };

  /** @param library names that functions in Python may use, and those functions. */
  constructor(source: SourceText, library: Scope, surroundings: Surroundings = NOTHING_AROUND) {
    this.#library = library;
    this.#surroundings = surroundings;
    this.frame = { source, name: "", caller: null, inlinedAt: null, depth: 0, loops: 0 };
  }

  get builder(): BlockBuilder {
    if (this.#builder === null) return this.fail("this works only inside of a kernel (a function with @triton.jit)");
    if (++this.#operations > MAX_OPERATIONS)
      return this.fail(`the kernel has more than ${MAX_OPERATIONS} operations`, [
        "tl.static_range expands every iteration; range makes a loop",
      ]);
    this.#builder.location = this.location();
    return this.#builder;
  }

  get isInKernel(): boolean {
    return this.#builder !== null;
  }

  /** Evaluates with operations going into a new region. */
  kernelRegion(body: (region: Region) => void): Region {
    const region = newRegion();
    this.#builder = new BlockBuilder(region);
    this.names = new Map();
    this.#operations = 0;
    try {
      body(region);
    } finally {
      this.#builder = null;
    }
    return region;
  }

  /** Evaluates what a statement of a module says, also in the middle of a kernel that needs it. */
  atModuleLevel<T>(frame: Frame, span: Span, evaluate: () => T): T {
    const { frame: outerFrame, span: outerSpan } = this;
    const builder = this.#builder;
    this.frame = frame;
    this.span = span;
    this.#builder = null;
    try {
      return evaluate();
    } finally {
      this.frame = outerFrame;
      this.span = outerSpan;
      this.#builder = builder;
    }
  }

  /** What the names of the kernel's source are bound to. */
  names: Map<BlockValue, SourceName[]> = new Map();

  noteName(name: string, value: Value, functionName: string = this.frame.name): void {
    if (this.#builder === null || this.frame.source.isLibrary) return;
    if (value.kind === "tuple" || value.kind === "list") {
      for (const [i, item] of value.items.entries()) this.noteName(`${name}[${i}]`, item, functionName);
      return;
    }
    if (value.kind !== "tensor") return;
    const { dtype, value: block } = value;
    const known = this.names.get(block) ?? [];
    if (!known.some((other) => other.name === name && other.functionName === functionName))
      known.push({ name, functionName, dtype: typeWord(dtype) });
    this.names.set(block, known);
  }

  /** Where the expression stands that is being evaluated. Library functions count for the line that calls them. */
  location(): SourceLocation | null {
    const { source, name, inlinedAt } = this.frame;
    if (source.isLibrary) return inlinedAt;
    return {
      file: source.file,
      line: this.span.line,
      column: this.span.column,
      functionName: name,
      ...(inlinedAt === null ? {} : { inlinedAt }),
    };
  }

  // ---------------------------------------------------------------- errors

  error(summary: string, notes: readonly string[] = [], isUnsupported = false): HeddleError {
    let { source, caller } = this.frame;
    let { span } = this;
    // A mistake inside of a library function is shown at the call.
    while (source.isLibrary && caller !== null) ({ source, span, caller } = caller);
    return sourceError(source, span, summary, { notes, caller, isUnsupported });
  }

  fail(summary: string, notes: readonly string[] = []): never {
    throw this.error(summary, notes);
  }

  unsupported(what: string): never {
    throw this.error(`${what} is not supported yet`, ["docs/triton.md lists what is"], true);
  }

  // ---------------------------------------------------------------- names and calls

  get environment(): ReadonlyMap<string, string> {
    return this.#surroundings.environment;
  }

  importModule(path: string): Value {
    const module = this.#surroundings.moduleNamed(path);
    return module ?? this.fail(`ModuleNotFoundError: No module named '${path}'`);
  }

  libraryFunction(name: string): Value {
    return this.#library.get(name) ?? bug(`no library function ${name}`);
  }

  evaluate(expression: Expression, scope: Scope): Value {
    return evaluateExpression(this, expression, scope);
  }

  run(statements: readonly Statement[], scope: Scope): Value | null {
    return runStatements(this, statements, scope);
  }

  lookup(name: string, scope: Scope): Value {
    const value = scope.get(name);
    if (value !== null) return value;
    return this.fail(`NameError: ${name} is not defined${didYouMean(name, scope.allNames())}`);
  }

  call(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value> = new Map()): Value {
    switch (callee.kind) {
      case "builtin":
        return callee.call(this, { positional: args, keywords });
      case "function":
        return this.#callFunction(callee, { positional: args, keywords });
      case "decorator":
        return applyDecorator(this, callee, args);
      case "unknown":
        return this.isInKernel
          ? this.fail(`${callee.what} cannot be called in a kernel`)
          : this.unknown(`${callee.what}(…)`);
      case "dtype": {
        const [value = NONE] = args;
        return cast(this, toTensor(this, value), callee.dtype);
      }
      default:
        return this.fail(`${describe(callee)} is not callable`);
    }
  }

  callAtCompileTime(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value {
    return this.atModuleLevel(this.frame, this.span, () => this.call(callee, args, keywords));
  }

  unknown(what: string): Value {
    return { kind: "unknown", what, source: this.frame.source, span: this.span };
  }

  #callFunction(callee: FunctionValue, args: Arguments): Value {
    const { definition, source, globals, name } = callee;
    const outer = this.frame;
    if (outer.depth >= MAX_CALLS) return this.fail(`${name} is called too deeply: recursion is not supported`);
    if (this.isInKernel && definition.kind === "function" && !callee.isJit)
      return this.fail(`Unsupported function referenced: ${name}`, [
        "only functions with @triton.jit can be called in a kernel",
      ]);
    const scope = new Scope(globals);
    const { span } = this;
    bindParameters(this, name, definition.params, args, scope, globals, source);
    this.frame = {
      source,
      name,
      caller: { source: outer.source, span, callee: name, caller: outer.caller },
      inlinedAt: this.location(),
      depth: outer.depth + 1,
      loops: 0,
    };
    try {
      if (definition.kind === "lambda") return evaluateExpression(this, definition.body, scope);
      return runFunction(this, definition, scope);
    } finally {
      this.frame = outer;
      this.span = span;
    }
  }
}

function applyDecorator(c: Evaluator, decorator: Extract<Value, { kind: "decorator" }>, args: readonly Value[]): Value {
  const [fn] = args;
  if (fn?.kind !== "function")
    return decorator.name === "other" ? (fn ?? NONE) : c.fail("a decorator takes a function");
  const isJit = fn.isJit || decorator.name === "jit";
  return { ...fn, isJit, decorators: [decorator, ...fn.decorators] };
}

/** Binds arguments as Python does; annotations play no part here. */
export function bindParameters(
  c: Evaluator,
  name: string,
  params: readonly Param[],
  { positional, keywords }: Arguments,
  scope: Scope,
  globals: Scope,
  source: SourceText,
): void {
  const plain = params.filter(({ rest }) => rest === null);
  const rest = params.find((param) => param.rest === "positional");
  const others = params.find((param) => param.rest === "keyword");
  if (positional.length > plain.length && rest === undefined)
    c.fail(`${name}() takes ${plain.length} positional arguments but ${positional.length} were given`);
  for (const [i, param] of plain.entries()) {
    const given = positional[i];
    const byName = keywords.get(param.name);
    if (given !== undefined && byName !== undefined)
      c.fail(`${name}() got multiple values for argument '${param.name}'`);
    const value = given ?? byName;
    if (value !== undefined) {
      scope.set(param.name, value);
      if (!source.isLibrary) c.noteName(param.name, value, name);
    } else if (param.default !== null) {
      const { frame } = c;
      const { span } = c;
      c.frame = { ...frame, source };
      scope.set(param.name, evaluateExpression(c, param.default, globals));
      c.frame = frame;
      c.span = span;
    } else c.fail(`${name}() missing 1 required positional argument: '${param.name}'`);
  }
  if (rest !== undefined) scope.set(rest.name, { kind: "tuple", items: positional.slice(plain.length) });
  const extra = [...keywords].filter(([keyword]) => !plain.some((param) => param.name === keyword));
  if (others !== undefined) {
    const entries = extra.map(([key, value]) => ({ key: { kind: "string", value: key } as const, value }));
    scope.set(others.name, { kind: "dict", entries });
  } else if (extra.length > 0) {
    const keyword = (extra[0] as [string, Value])[0];
    const names = plain.map((param) => param.name);
    c.fail(`${name}() got an unexpected keyword argument '${keyword}'${didYouMean(keyword, names)}`);
  }
}
