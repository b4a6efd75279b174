/** `heddle profile`: runs a program as `heddle run` does, and reports what its kernels make a GPU do. */
import { runParsed } from "./run.ts";
import { parseRunCommand } from "../options/run-options.ts";

export function profileCommand(args: readonly string[]): Promise<number> {
  const { options, ...command } = parseRunCommand(args, { profile: true });
  return runParsed({ ...command, options });
}
