/** Writes what the user asked for into a file. */
import { writeFileSync, type WriteFileOptions } from "node:fs";
import { HeddleError } from "../base/diagnostics.ts";

/**
 * @param option the option that names the file, for the message.
 * @throws HeddleError "io-error" that names the file and says why it cannot be written
 */
export function writeOutput(
  path: string,
  content: string | Uint8Array,
  option: string | null = null,
  options: WriteFileOptions = {},
): void {
  try {
    writeFileSync(path, content, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HeddleError("io-error", `${path}${option === null ? "" : ` (${option})`} cannot be written: ${why}`);
  }
}
