/** `heddle check`: runs a program as `heddle run` does, with every access of its kernels checked. */
import { runCommand } from "./command-run.ts";

export function checkCommand(args: readonly string[]): Promise<number> {
  return runCommand(args, { check: true });
}
