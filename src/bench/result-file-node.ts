/** The file of results: a line of JSON each, only ever added to. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import type { ResultRecord } from "./results.ts";

/** Below the working directory. */
export const RESULT_FILE = ".heddle/bench.jsonl";

/** Without profiles, which are large and can be had again. */
export function appendResult(file: string, record: ResultRecord): void {
  const versions = record.versions.map((version) => ({ ...version, profile: undefined }));
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify({ ...record, versions })}\n`);
}

/** All results, oldest first; none where there is no file. @throws HeddleError "io-error" for a line that is none. */
export function readResults(file: string): ResultRecord[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line, i) => {
    if (line === "") return [];
    try {
      // Lines of before there were rivals have none.
      const record = JSON.parse(line) as Omit<ResultRecord, "rivals"> & Partial<ResultRecord>;
      return [{ ...record, rivals: record.rivals ?? [] }];
    } catch {
      throw new HeddleError("io-error", `${file}:${i + 1} is no result`, {
        notes: ["a line of the file was changed or cut off; remove it"],
      });
    }
  });
}
