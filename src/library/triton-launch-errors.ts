/** Errors of a Python source that also say what the kernel was launched with: that may be what is wrong. */
import { HeddleError } from "../base/diagnostics.ts";
import type { ArgumentSpecialisation } from "../frontend/triton/compile-kernel.ts";
import { describe } from "../frontend/triton/language/conversions.ts";
import { typeWord } from "../frontend/triton/language/dtypes.ts";
import type { SpecialisedArgument } from "./triton-arguments.ts";

/** Runs what compiles the kernel. */
export function withLaunch<T>(
  kernel: string,
  specialised: ReadonlyMap<string, SpecialisedArgument>,
  compile: () => T,
): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== "compile-error") throw error;
    const { summary, notes, location } = error;
    const passed = [...specialised].map(([name, { specialisation }]) => `${name}: ${format(specialisation)}`);
    throw new HeddleError("compile-error", summary, {
      notes: [...notes, `launched as ${kernel}(${passed.join(", ")})`],
      cause: error,
      ...(location === undefined ? {} : { location }),
    });
  }
}

function format(argument: ArgumentSpecialisation): string {
  switch (argument.kind) {
    case "constant":
      return describe(argument.value);
    case "value":
      return typeWord(argument.dtype);
    case "tuple":
      return `(${argument.items.map(format).join(", ")})`;
    case "descriptor":
      return `descriptor of ${typeWord(argument.element)} in blocks of [${argument.blockShape.join(", ")}]`;
  }
}
