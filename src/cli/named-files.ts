/** Files that an isolated program gets copies of: --file. */
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";

/**
 * The content of the named files, and of the files in named folders, by the path that the program opens: relative to
 * the working directory, or the base name of what lies elsewhere. Links that lead out of a named folder are left out.
 */
export function readNamedFiles(paths: readonly string[], limitBytes: number): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  let bytes = 0;
  const add = (path: string, name: string, root: string): void => {
    const real = realpathSync(path);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return;
    const stat = statSync(real);
    if (stat.isDirectory()) {
      for (const entry of readdirSync(real)) add(join(path, entry), `${name}/${entry}`, root);
      return;
    }
    if (!stat.isFile()) return;
    bytes += stat.size;
    if (bytes > limitBytes)
      throw new HeddleError("bad-arguments", `the files of --file have more than ${limitBytes} bytes`, {
        notes: ["--memory BYTES raises the limit: files may hold an eighth of it"],
      });
    files[name] = readFileSync(real);
  };
  for (const path of paths) {
    const inside = relative(process.cwd(), resolve(path));
    const name = inside.startsWith("..") || resolve(path) === inside ? basename(resolve(path)) : inside;
    try {
      add(resolve(path), name.split(sep).join("/"), realpathSync(resolve(path)));
    } catch (error) {
      if (error instanceof HeddleError) throw error;
      throw new HeddleError("file-not-found", `${path} (--file) cannot be read: ${(error as Error).message}`);
    }
  }
  return files;
}
