/** Options of the functions of `heddle/browser`, checked by name: a misspelt one is refused, with what was meant. */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, describeValue, type OptionNames } from "../base/options.ts";
import { COMPILER_OPTION_NAMES, NVCC_MEANT } from "../program/compile-option-names.ts";
import type { PackageLocations } from "./locations.ts";

export const LOCATION_NAMES: OptionNames<PackageLocations> = { clang: true, heddle: true };

/** Names of the command line and of the library, and the option that they stand for. */
const MEANT: Readonly<Record<string, string>> = {
  argv: "args",
  input: "stdin",
  onPrint: "onOutput",
  onStdout: "onOutput",
  tool: "tools",
  checkers: "tools",
  name: "path",
  filename: "path",
};

/**
 * @param what the function, as its user calls it.
 * @throws HeddleError "bad-arguments"
 */
export function checkBrowserOptions<T extends PackageLocations>(what: string, options: T, names: OptionNames<T>): void {
  const example = `${what}(${Object.hasOwn(names, "gpu") ? "…, " : ""}{ clang: "/node_modules/@yowasp/clang/gen/" })`;
  // Only where the option exists: openHeddle takes no arguments of a program.
  const meant = Object.fromEntries(Object.entries(MEANT).filter(([, option]) => Object.hasOwn(names, option)));
  checkOptions<T>(what, options, names, { example, meant });
  if (typeof options.clang !== "string")
    throw new HeddleError("bad-arguments", `clang of ${what} must be a URL, not ${describeValue(options.clang)}`, {
      notes: [`for example ${example}`],
    });
  const { compile, timeout } = options as { readonly compile?: unknown; readonly timeout?: unknown };
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    throw new HeddleError("bad-arguments", `timeout of ${what} must be seconds above 0, not ${describeValue(timeout)}`);
  if (compile !== undefined) checkOptions(`compile of ${what}`, compile, COMPILER_OPTION_NAMES, { meant: NVCC_MEANT });
}
