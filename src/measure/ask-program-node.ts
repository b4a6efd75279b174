/** What other programs of this machine say. */
import { spawnSync } from "node:child_process";

/** A program's output; null where the program is missing or fails. */
export function askProgram(command: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout.trim() : null;
}
