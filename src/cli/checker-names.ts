/** The names that `--tool` takes. */
import { HeddleError } from "../base/diagnostics.ts";
import { CHECKER_NAMES } from "../check/checkers.ts";

/** @throws HeddleError "bad-arguments" for a name that no checker has. */
export function refuseWrongCheckers(names: readonly string[]): void {
  const unknown = names.find((name) => !(CHECKER_NAMES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `there is no checker "${unknown}"`, {
      notes: [`--tool takes a list of ${CHECKER_NAMES.join(", ")}`],
    });
}
