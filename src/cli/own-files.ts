/**
 * Examples and kernels that come with Heddle, by name: the commands of the README work where the package is installed,
 * too, and not only in a clone.
 */
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";

export interface Example {
  /** Without its extension. */
  readonly name: string;
  readonly path: string;
  /** What it shows: the comment on top. */
  readonly about: string;
}

/** The programs and ladders in the folder of examples. */
export function examples(): Example[] {
  const folder = join(packageRoot(), "examples");
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile() && /\.(cu|ts)$/.test(entry.name))
      return [{ name: entry.name.replace(/\.(cu|ts)$/, ""), path, about: firstComment(path) }];
    const ladder = join(path, `${entry.name}.ladder.ts`);
    return entry.isDirectory() && existsSync(ladder) ? [{ name: `${entry.name}/`, path, about: "a ladder" }] : [];
  });
}

function firstComment(path: string): string {
  const [first = ""] = readFileSync(path, "utf8").split("\n");
  return first.startsWith("//") ? first.slice(2).trim() : "";
}

/** Copies an example into the working directory. @returns what was written */
export function copyExample(name: string): string {
  const all = examples();
  const found =
    all.find((example) => [example.name, `${example.name}.cu`, `${example.name}/`].includes(name)) ??
    all.find((example) => example.name === `${name}/`);
  if (found === undefined)
    throw new HeddleError("file-not-found", `there is no example ${name}`, {
      notes: [`examples: ${all.map((example) => example.name).join(", ")}`],
    });
  const target = basename(found.path);
  if (existsSync(target)) throw new HeddleError("bad-arguments", `${target} is here already; it is not replaced`);
  cpSync(found.path, target, { recursive: true });
  return target;
}

/**
 * The path itself where there is such a file, else that of the file of Heddle's own with this name: "vector-add.cu" or
 * "examples/vector-add.cu".
 */
export function ownFile(path: string): string {
  if (existsSync(path)) return path;
  const candidates = /^(examples|kernels)\//.test(path) ? [path] : [join("examples", path)];
  const own = candidates.map((candidate) => join(packageRoot(), candidate)).find((file) => existsSync(file));
  if (own === undefined || path.startsWith("/") || path.includes("..")) return path;
  process.stderr.write(`heddle: ${path} is not here; taking Heddle's own, ${own}\n`);
  return own;
}
