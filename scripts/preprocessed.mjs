import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const heddle = join(import.meta.dirname, "..", "dist", "bin", "main.js");

/** What `work` returns; its folder is gone then. */
export function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-scripts-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What C++ code is behind the preprocessor, without its line marks. */
export function preprocessed(text) {
  return inTemporaryFolder((folder) => {
    const source = join(folder, "headers.cpp");
    writeFileSync(source, text);
    const args = [heddle, "nvcc", "-E", source];
    return execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 }).replaceAll(/^#.*$/gm, "");
  });
}
