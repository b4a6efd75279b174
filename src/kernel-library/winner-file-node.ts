/**
 * The best version and configuration of a ladder for each device and shape that was measured: `promoted.json` in its
 * folder, which `heddle bench --promote` writes and `openKernels` reads.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { replaceFile } from "../store/replace-file-node.ts";
import type { Winner } from "./winners.ts";

export const PROMOTED_FILE = "promoted.json";

/** None where there is no file. @throws HeddleError "io-error" for a file that is none of ours. */
export function readWinners(folder: string): readonly Winner[] {
  const path = join(folder, PROMOTED_FILE);
  if (!existsSync(path)) return [];
  try {
    const { format, winners } = JSON.parse(readFileSync(path, "utf8")) as {
      format: unknown;
      winners: readonly Winner[];
    };
    if (format === 1 && Array.isArray(winners)) return winners;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new HeddleError("io-error", `${path} cannot be read`, {
    notes: ["heddle bench --promote writes it anew, once it is removed"],
  });
}

export function writeWinners(folder: string, winners: readonly Winner[]): void {
  replaceFile(
    join(folder, PROMOTED_FILE),
    `${JSON.stringify({ format: 1, generated: "by heddle bench --promote", winners }, null, 2)}\n`,
  );
}
