/** Python files on disk: a kernel file, and the modules that it imports. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import type { ImportSource } from "../frontend/triton/evaluate/module.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";

/** @throws HeddleError "file-not-found" */
export function pythonFile(path: string): SourceText {
  if (!existsSync(path)) throw new HeddleError("file-not-found", `there is no file ${path}`);
  return new SourceText(path, readFileSync(path, "utf8"));
}

/** As Python finds modules: relative names beside the file, others there and in each folder above. */
export const importFromDisk: ImportSource = (name, from) => {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const parts = name
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  let folder = dirname(resolve(from.file));
  for (let up = 1; up < dots; up++) folder = dirname(folder);
  for (;;) {
    for (const path of [`${join(folder, ...parts)}.py`, join(folder, ...parts, "__init__.py")])
      if (existsSync(path)) return pythonFile(relative(process.cwd(), path));
    const above = dirname(folder);
    if (dots > 0 || above === folder) return null;
    folder = above;
  }
};
