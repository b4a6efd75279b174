/**
 * What another machine needs for a bench or for programs of the studio: Heddle, for an emulated device also the
 * compiler, the ladders with all they read, and Node.js where it has none.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { HeddleError } from "../../base/diagnostics.ts";
import { PROMOTED_FILE } from "../../kernel-library/winner-file-node.ts";
import { packageRoot } from "../../frontend/clang/clang-loader-node.ts";
import { includedFiles } from "../../kernel-library/included-files-node.ts";
import { makePack, type Pack, type PackedFiles } from "./pack.ts";

/** As `uname -s` and `uname -m` say it. */
export interface System {
  readonly kernel: string;
  readonly machine: string;
  readonly libc: string;
}

const PLATFORMS: Readonly<Record<string, string>> = { Linux: "linux", Darwin: "darwin" };
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  amd64: "x64",
  aarch64: "arm64",
  arm64: "arm64",
};

function platformOf({ kernel, machine }: System): { readonly platform: string; readonly arch: string } {
  return { platform: PLATFORMS[kernel] ?? kernel, arch: ARCHITECTURES[machine] ?? machine };
}

/** Of Heddle: what the command line runs with, without what people read. */
export function heddlePack(system: System): Pack {
  const { platform, arch } = platformOf(system);
  const root = packageRoot();
  const files = new Map<string, string>();
  addTree(files, root, "dist", (path) => path.endsWith(".js") || path.endsWith(".mjs") || path.endsWith(".wasm"), [
    "prebuilt",
    "code",
    "browser",
    "studio",
  ]);
  for (const folder of ["include", "hostlib", "libdevice", "libraries", "python"])
    addTree(files, root, folder, () => true);
  files.set("package.json", join(root, "package.json"));
  addPackage(files, root, "koffi", (path) => /\.(c?js|json|node)$/.test(path));
  addPackage(files, root, "@swc/wasm-typescript", () => true);
  const native = `@koromix/koffi-${platform}-${arch}`;
  if (!addPackage(files, root, native, () => true)) {
    throw new HeddleError(
      "unsupported",
      `this installation has no code for ${platform}-${arch}, through which a GPU's driver is called there`,
      { notes: [`npm install --no-save --force ${native} brings it`] },
    );
  }
  return makePack(files);
}

/** What compiles for emulated devices. */
export function compilerPack(): Pack {
  const root = packageRoot();
  const files = new Map<string, string>();
  addTree(files, root, "dist/prebuilt", () => true);
  addPackage(files, root, "@yowasp/clang", () => true);
  return makePack(files);
}

export interface LadderBundle {
  readonly pack: Pack;
  /** Of each ladder, in the pack. */
  readonly paths: readonly string[];
}

/** The folders of ladders, and what their files include or import from elsewhere, as they lie to one another. */
export function ladderPack(ladders: readonly string[]): LadderBundle {
  const sources = new Set<string>();
  for (const file of ladders) {
    const folder = resolve(dirname(file));
    // Winners are written while it runs: what is measured does not depend on them, and a run that is taken up again is
    // the same run.
    for (const path of tree(folder)) {
      if (basename(path) === PROMOTED_FILE) continue;
      sources.add(path);
      if (/\.(cu|cuh|h|hpp|c|inl)$/.test(path))
        for (const included of includedFiles(path, [])) sources.add(resolve(included));
    }
    for (const imported of importedFiles(resolve(file))) sources.add(imported);
  }
  const common = commonFolder([...sources]);
  const inPack = (path: string): string => relative(common, path).split(sep).join("/");
  return {
    pack: makePack(new Map([...sources].map((path) => [inPack(path), path]))),
    paths: ladders.map((file) => inPack(resolve(file))),
  };
}

/** This very Node.js, for a machine that has none. @throws HeddleError "unsupported" where it cannot run there. */
export function nodeFile(
  system: System,
  name: string,
): { readonly path: string; readonly bytes: number; readonly file: string } {
  const { platform, arch } = platformOf(system);
  const isSame = platform === process.platform && arch === process.arch;
  // Programs of one C library do not start with another.
  const usesGlibc =
    (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header.glibcVersionRuntime !==
    undefined;
  const hasGlibc = system.libc.startsWith("glibc");
  if (!isSame || (platform === "linux" && usesGlibc !== hasGlibc)) {
    const libc = usesGlibc ? "glibc" : "musl";
    const own = `${process.platform}-${process.arch}${process.platform === "linux" ? ` with ${libc}` : ""}`;
    const there = [`${system.kernel} ${system.machine}`, system.libc].filter((part) => part !== "").join(", ");
    throw new HeddleError(
      "unsupported",
      `${name} has no Node.js 20.19 or newer in PATH, and the one of this machine (${own}) does not run there ` +
        `(${there})`,
      { notes: ["install Node.js there, so that a command by ssh finds it"] },
    );
  }
  const path = process.execPath;
  return {
    path,
    bytes: statSync(path).size,
    file: `node-${createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)}`,
  };
}

/** The agent, by its content. */
export function agentFile(): { readonly path: string; readonly bytes: number; readonly file: string } {
  const path = join(packageRoot(), "dist/cli/remote/agent.js");
  if (!existsSync(path)) throw new Error(`BUG: ${path} is not there (seen from ${fileURLToPath(import.meta.url)})`);
  const content = readFileSync(path);
  return {
    path,
    bytes: content.length,
    file: `agent-${createHash("sha256").update(content).digest("hex").slice(0, 16)}.mjs`,
  };
}

function* tree(folder: string): IterableIterator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules" || entry.name === "__pycache__") continue;
    const path = join(folder, entry.name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* tree(path);
    else if (stat?.isFile()) yield path;
  }
}

function addTree(
  files: Map<string, string>,
  root: string,
  folder: string,
  keeps: (path: string) => boolean,
  without: readonly string[] = [],
): void {
  for (const path of tree(join(root, folder))) {
    const inside = relative(join(root, folder), path).split(sep);
    if (keeps(path) && !without.includes(inside[0] as string)) files.set(`${folder}/${inside.join("/")}`, path);
  }
}

/** From where Node.js would find it. */
function addPackage(files: Map<string, string>, root: string, name: string, keeps: (path: string) => boolean): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(found)) {
      const own: PackedFiles = new Map(
        [...tree(found)]
          .filter((path) => keeps(path))
          .map((path) => [`node_modules/${name}/${relative(found, path).split(sep).join("/")}`, path]),
      );
      for (const [path, source] of own) files.set(path, source);
      return true;
    }
    if (dirname(folder) === folder) return false;
  }
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** The files that a module imports by a relative path, and those that they import. */
function importedFiles(module: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(module) || !existsSync(module)) return found;
  found.add(module);
  for (const [, specifier = ""] of readFileSync(module, "utf8").matchAll(IMPORT))
    importedFiles(resolve(dirname(module), specifier), found);
  return found;
}

function commonFolder(paths: readonly string[]): string {
  let common = dirname(paths[0] ?? "");
  while (paths.some((path) => !path.startsWith(common === "/" ? "/" : common + sep))) common = dirname(common);
  return common;
}
