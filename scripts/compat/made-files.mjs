// Files that a public program's own build makes beside it: PTX of its kernels, what a program of its own prints, and
// headers that it copies from the toolkit for NVRTC to read.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const HEADERS = resolve(import.meta.dirname, "../../include");

/**
 * @param program an entry of a manifest: `ptx`, `printed` and `headers`, as programs.mjs --help has them
 * @param folder in which it is built and run
 * @param options `heddle`: the command's file; `flags` of nvcc for the kernels
 * @throws Error with the compiler's words
 */
export function makeFiles({ ptx = {}, printed = {}, headers = [] }, folder, { heddle, flags = [] }) {
  for (const name of headers) {
    if (!existsSync(join(HEADERS, name))) throw new Error(`Heddle has no header ${name}`);
    cpSync(join(HEADERS, name), join(folder, name), { recursive: true });
  }
  const run = (...args) =>
    execFileSync(process.execPath, [heddle, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  for (const [file, [source, ...args]] of Object.entries(printed))
    writeFileSync(join(folder, file), run("run", source, "--", ...args));
  for (const [file, source] of Object.entries(ptx)) run("nvcc", ...flags, "-ptx", "-o", file, source);
}
