/** Ladders on disk: found below paths, and loaded. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { register } from "node:module";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { HeddleError } from "../base/diagnostics.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { assembleLadder, type LoadedLadder } from "./loaded-ladder.ts";
import type { Ladder } from "./ladder.ts";

const SUFFIX = ".ladder.ts";
const VERSION_FILE = /^(\d+)-[\w-]+\.(?:cu|py)$/;

/** The ladder files at or below the paths, in the order of their names. @throws HeddleError "file-not-found". */
export function findLadders(paths: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
        visit(join(path, entry.name));
      else if (entry.isFile() && entry.name.endsWith(SUFFIX)) found.add(join(path, entry.name));
    }
  };
  for (const path of paths) {
    const own = ownLadder(path);
    if (own !== null) {
      visit(own);
      continue;
    }
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      throw new HeddleError("file-not-found", `there is no file or folder ${path}, and no ladder of that name`, {
        notes: [`Heddle's own ladders: ${ownLadders().join(", ")}`],
      });
    const before = found.size;
    if (stat.isDirectory()) visit(path);
    else if (path.endsWith(SUFFIX)) found.add(path);
    if (found.size === before)
      throw new HeddleError("file-not-found", `${path} has no ladder`, {
        notes: [`a ladder is a folder with NAME${SUFFIX} and 1-….cu, 2-….cu …; heddle new ladder NAME writes one`],
      });
  }
  return [...found];
}

/** The folder of ladders of Heddle's own, where there is no such file: "softmax", "kernels/softmax", "kernels". */
function ownLadder(path: string): string | null {
  if (existsSync(path) || isAbsolute(path) || path.includes("..")) return null;
  const candidates = [path, join("kernels", path)].filter((candidate) => /^(kernels|examples)\b/.test(candidate));
  return candidates.map((candidate) => join(packageRoot(), candidate)).find((folder) => existsSync(folder)) ?? null;
}

function ownLadders(): string[] {
  const folder = join(packageRoot(), "kernels");
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, `${name}${SUFFIX}`)));
}

/** What results call the ladder of a file. */
export function ladderName(file: string): string {
  return basename(file, SUFFIX);
}

let isRegistered = false;

function registerHooks(): void {
  if (isRegistered) return;
  isRegistered = true;
  const built = (path: string): string => pathToFileURL(join(packageRoot(), "dist", path)).href;
  register(built("kernel-library/typescript-hooks-node.js"), { data: { ladderUrl: built("ladder.js") } });
}

/**
 * @param includedFiles the source and all files that it includes. @throws HeddleError "bad-arguments" that says what is
 * wrong with the folder or the declaration.
 */
export async function loadLadder(
  file: string,
  includedFiles: (source: string) => readonly string[],
): Promise<LoadedLadder> {
  registerHooks();
  const path = resolve(file);
  const folder = dirname(path);
  const ladder = await importLadder(path);
  const sources = readdirSync(folder)
    .filter((name) => VERSION_FILE.test(name))
    .sort((a, b) => parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1))
    .map((name) => name.slice(0, -".cu".length));
  const pathOf = (version: string): string => {
    const triton = join(folder, `${version}.py`);
    return existsSync(triton) ? triton : join(folder, `${version}.cu`);
  };
  return assembleLadder(
    { name: ladderName(file), ladder, file },
    sources.map((name) => {
      const source = pathOf(name);
      return { name, path: source, text: readFileSync(source, "utf8"), hash: hashFiles(includedFiles(source)) };
    }),
    pathOf,
  );
}

async function importLadder(path: string): Promise<Ladder> {
  let module: { readonly default?: Ladder };
  try {
    module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { readonly default?: Ladder };
  } catch (error) {
    if (error instanceof Error && error.name === "HeddleError") throw error;
    throw new HeddleError(
      "bad-arguments",
      `${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      {
        notes: ["types are taken out, nothing else is translated: no enum, no namespace, no parameter properties"],
        cause: error,
      },
    );
  }
  if (module.default?.versions === undefined)
    throw new HeddleError("bad-arguments", `${path} has no default export that defineLadder made`);
  return module.default;
}

function hashFiles(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.filter((candidate) => existsSync(candidate)))
    hash
      .update(`${basename(path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex");
}
