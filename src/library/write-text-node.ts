/** Writes files for users. */
import { writeFile } from "node:fs/promises";
import { HeddleError } from "../base/diagnostics.ts";

/** @throws HeddleError "io-error" with the path */
export async function writeText(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new HeddleError("io-error", `${path} cannot be written: ${(error as Error).message}`);
  }
}
