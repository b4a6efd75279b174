// Files that a public program's own build makes beside it: PTX of its kernels, and headers that it copies from the
// toolkit for NVRTC to read.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";

const HEADERS = resolve(import.meta.dirname, "../../include");

/**
 * @param program an entry of a manifest: `ptx` and `headers`, as programs.mjs --help has them
 * @param folder in which it is built and run
 * @param options `heddle`: the command's file; `flags` of nvcc for the kernels
 * @throws Error with the compiler's words
 */
export function makeFiles({ ptx = {}, headers = [] }, folder, { heddle, flags = [] }) {
  for (const name of headers) {
    if (!existsSync(join(HEADERS, name))) throw new Error(`Heddle has no header ${name}`);
    cpSync(join(HEADERS, name), join(folder, name), { recursive: true });
  }
  for (const [file, source] of Object.entries(ptx)) {
    const args = [heddle, "nvcc", ...flags, "-ptx", "-o", file, source];
    execFileSync(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  }
}
