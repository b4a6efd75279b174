/** What operators and functions of the language need of the compiler that evaluates them. */
import type { BlockBuilder } from "../blocks/build.ts";
import type { Value } from "./values.ts";

export interface CompileContext {
  /** Where operations go. @throws at module level, where there are none. */
  readonly builder: BlockBuilder;
  /** An error of the user's at the expression that is being evaluated. */
  fail(summary: string, notes?: readonly string[]): never;
  /** What Triton has and this compiler does not. */
  unsupported(what: string): never;
  /** Calls a function value. */
  call(callee: Value, args: readonly Value[], keywords?: ReadonlyMap<string, Value>): Value;
  /** Calls a function of constants, which makes no operations. */
  callAtCompileTime(callee: Value, args: readonly Value[], keywords: ReadonlyMap<string, Value>): Value;
  /** Something at module level that is not known; using it in a kernel is an error. */
  unknown(what: string): Value;
  /** A function of our library in Python, by its name. */
  libraryFunction(name: string): Value;
  readonly numWarps: number;
  /** Variables of the environment, for os.environ. */
  readonly environment: ReadonlyMap<string, string>;
  /** @throws HeddleError for a module that is not there */
  importModule(path: string): Value;
}

export interface Arguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}
