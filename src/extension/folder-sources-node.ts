/** The sources of an extension in a folder: what its setup.py says, or all sources of a folder without one. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import type { ExtensionSource, ExtensionSources } from "./compile-extension.ts";
import { compilerOptions } from "./compiler-flags.ts";
import { declaredExtensions, type DeclaredExtension } from "./setup-py.ts";
import type { SetupFiles } from "./setup-functions.ts";

const SOURCE = /\.(?:cu|cpp|cc|cxx)$/;

/** @throws HeddleError "file-not-found", "bad-arguments" where the folder declares no extension, or several */
export async function folderSources(folder: string, name: string | null): Promise<ExtensionSources> {
  const root = resolve(folder);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new HeddleError("file-not-found", `there is no folder ${folder}`);
  const extension = chosen(declaredIn(root), folder, name);
  const include = extension.includeFolders
    .flatMap((path) => [resolve(root, path), resolve(root, "..", path)].find((one) => existsSync(one)) ?? [])
    .map((path) => `-I${path}`);
  const defines = extension.defines.map((define) => `-D${define}`);
  const sources: ExtensionSource[] = extension.sources.map((source) => {
    // Some are run from the folder above: `python pytorch/setup.py install`.
    const path = [resolve(root, source), resolve(root, "..", source)].find((one) => existsSync(one));
    if (path === undefined)
      throw new HeddleError("file-not-found", `there is no file ${source}, which ${join(folder, "setup.py")} names`);
    const flags = path.endsWith(".cu") ? extension.flags.nvcc : extension.flags.cxx;
    return {
      path,
      text: readFileSync(path, "utf8"),
      options: compilerOptions([...flags, ...include, ...defines]),
    };
  });
  const [last = "extension"] = extension.name.split(".").slice(-1);
  return { name: last, sources, joined: null, reader: nodeSourceReader };
}

function declaredIn(root: string): DeclaredExtension[] {
  const setup = join(root, "setup.py");
  if (existsSync(setup)) return declaredExtensions(readFileSync(setup, "utf8"), root, filesOf(root));
  const sources = readdirSync(root).filter((file) => SOURCE.test(file));
  if (sources.length === 0) return [];
  const [name = "extension"] = root.split("/").slice(-1);
  return [{ name, sources, includeFolders: [], flags: { cxx: [], nvcc: [] }, defines: [] }];
}

function chosen(declared: readonly DeclaredExtension[], folder: string, name: string | null): DeclaredExtension {
  const withSources = declared.filter(({ sources }) => sources.length > 0);
  const names = withSources.map((extension) => extension.name);
  const found = name === null ? withSources : withSources.filter((extension) => extension.name === name);
  const [first] = found;
  if (found.length === 1 && first !== undefined) return first;
  if (names.length === 0)
    throw new HeddleError("bad-arguments", `${folder} declares no extension`, {
      notes: ["loadExtension reads CUDAExtension and CppExtension of the folder's setup.py, or takes its sources"],
    });
  throw new HeddleError(
    "bad-arguments",
    name === null ? `${folder} declares ${names.length} extensions` : `${folder} declares no extension ${name}`,
    { notes: [`loadExtension(folder, { name }) takes one of ${names.join(", ")}`] },
  );
}

function filesOf(root: string): SetupFiles {
  const at = (path: string): string => resolve(root, path);
  return {
    glob: (pattern) => glob(root, pattern),
    exists: (path) => existsSync(at(path)),
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : null),
  };
}

/** Python's glob: `*`, `?`, `[…]`, and `**` for folders. */
function glob(root: string, pattern: string): string[] {
  const parts = pattern.split("/");
  const fixed = parts.findIndex((part) => /[*?[]/.test(part));
  if (fixed < 0) return existsSync(resolve(root, pattern)) ? [pattern] : [];
  const base = parts.slice(0, fixed).join("/");
  const start = base === "" && !pattern.startsWith("/") ? root : resolve(root, base === "" ? "/" : base);
  if (!existsSync(start)) return [];
  const test = new RegExp(`^${parts.slice(fixed).map(partPattern).join("/").replaceAll("**/", "(?:.*/)?")}$`);
  return readdirSync(start, { recursive: parts.length > fixed + 1, encoding: "utf8" })
    .filter((path) => test.test(path))
    .map((path) => (base === "" && !pattern.startsWith("/") ? path : `${base}/${path}`))
    .sort();
}

function partPattern(part: string): string {
  if (part === "**") return "**";
  return part
    .replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
}
