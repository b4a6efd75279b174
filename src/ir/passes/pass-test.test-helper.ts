/** What the tests of the passes share. */
import type { IrFunction, IrModule } from "../model/ir.ts";
import { parseModule } from "../text/parse.ts";
import { printFunction } from "../text/print.ts";
import { assertValid } from "../verify.ts";

export function parse(text: string): IrModule {
  const module = parseModule(text, "test.ll");
  assertValid(module, "parsing");
  return module;
}

export function named(module: IrModule, name: string): IrFunction {
  return module.functions.get(name) as IrFunction;
}

/** The body as text, without the first and last line. */
export function bodyOf(fn: IrFunction): string {
  return printFunction(fn)
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim())
    .join("\n");
}
