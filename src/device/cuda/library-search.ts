/**
 * Where the libraries of CUDA lie. In this order:
 *
 *   HEDDLE_CUDA_LIBRARIES      folders of the user's choice, as PATH lists them
 *   the system's own search    LD_LIBRARY_PATH, what ldconfig knows; PATH on Windows
 *   the driver's usual places  /usr/local/nvidia (containers), /usr/lib/wsl/lib (WSL), the distributions' folders
 *   toolkits                   CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /opt/cuda
 *   Python's wheels            site-packages/nvidia/…/lib of the active environment, of python3 on PATH, of the user;
 *                              conda's lib
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { ForeignLibrary } from "./foreign-library.ts";

export interface LibraryCandidates {
  /** File names, the ones to be preferred first. */
  readonly files: readonly string[];
  /** Whether it comes with the driver, and not with a toolkit. */
  readonly ofDriver: boolean;
}

/** A candidate that was not taken, and why. */
export interface LibrarySearch {
  readonly library: ForeignLibrary | null;
  readonly tried: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The first candidate that opens and that `accept` takes (null; else it says why not). */
export function searchLibrary(
  candidates: LibraryCandidates,
  accept: (library: ForeignLibrary) => string | null,
  env: Environment = process.env,
): LibrarySearch {
  const tried: string[] = [];
  for (const path of candidatePaths(candidates, env)) {
    let library: ForeignLibrary;
    try {
      library = new ForeignLibrary(path);
    } catch (error) {
      if (error instanceof Error && error.name === "HeddleError") throw error;
      // A bare name that the system does not know is the ordinary case; a file that is there and does not open is news.
      if (path.includes("/") || path.includes("\\")) tried.push(`${path}: ${(error as Error).message.split("\n")[0]}`);
      continue;
    }
    const refusal = accept(library);
    if (refusal === null) return { library, tried };
    tried.push(`${path}: ${refusal}`);
  }
  return { library: null, tried };
}

/** Paths of files that exist, and bare names for the system's own search, in the order of preference. */
export function candidatePaths({ files, ofDriver }: LibraryCandidates, env: Environment = process.env): string[] {
  const chosen = pathList(env["HEDDLE_CUDA_LIBRARIES"]);
  const folders = [
    ...(ofDriver ? driverFolders() : []),
    ...toolkitFolders(env).flatMap(librariesOf),
    ...(ofDriver ? [] : wheelFolders(env)),
  ];
  const inFolders = (list: readonly string[]): string[] =>
    files.flatMap((file) => list.map((folder) => join(folder, file)).filter((path) => existsSync(path)));
  return [...new Set([...inFolders(chosen), ...files, ...inFolders(folders)])];
}

/** Files that exist in any of the places, those of the system's own search among them. */
export function libraryFiles(candidates: LibraryCandidates, env: Environment = process.env): string[] {
  const system = [...pathList(env["LD_LIBRARY_PATH"]), ...driverFolders()];
  const there = candidates.files
    .flatMap((file) => system.map((folder) => join(folder, file)))
    .filter((path) => existsSync(path));
  return [
    ...new Set([
      ...there,
      ...candidatePaths(candidates, env).filter((path) => path.includes("/") || path.includes("\\")),
    ]),
  ];
}

/** NVIDIA's device runtime, which kernels that launch kernels are linked with. A toolkit has it. */
export const DEVICE_RUNTIME_FILE: string = process.platform === "win32" ? "cudadevrt.lib" : "libcudadevrt.a";

/**
 * Where a toolkit's nvcc on PATH has its libraries, too.
 * @returns paths of files that exist, the ones to be preferred first
 */
export function deviceRuntimeFiles(env: Environment = process.env): string[] {
  const compilers = toolkitPrograms("nvcc", env).map((path) => dirname(dirname(realpathSync(path))));
  const besideCompilers = compilers.flatMap(librariesOf).map((folder) => join(folder, DEVICE_RUNTIME_FILE));
  return [
    ...new Set([
      ...candidatePaths({ files: [DEVICE_RUNTIME_FILE], ofDriver: false }, env).filter((path) => isAbsolute(path)),
      ...libraryFiles({ files: [DEVICE_RUNTIME_FILE], ofDriver: false }, env),
      ...besideCompilers.filter((path) => existsSync(path)),
    ]),
  ];
}

/** Folders with the headers of a toolkit (cuda_fp16.h and the like), nearest first. */
export function toolkitIncludeFolders(env: Environment = process.env): string[] {
  const ofToolkits = toolkitFolders(env).flatMap((root) => [
    join(root, "include"),
    join(root, "targets", `${targetName()}-linux`, "include"),
  ]);
  const ofWheels = wheelFolders(env).map((folder) => join(folder, "..", "include"));
  return [...new Set([...pathList(env["HEDDLE_CUDA_INCLUDE"]), ...ofToolkits, ...ofWheels])].filter((folder) =>
    existsSync(join(folder, "cuda_fp16.h")),
  );
}

/**
 * A program of a toolkit: on PATH, in a toolkit, in Python's wheels (NVIDIA's, and Triton's, which brings some).
 * @returns paths of files that exist, the ones to be preferred first
 */
export function toolkitPrograms(name: string, env: Environment = process.env): string[] {
  const folders = [
    ...pathList(env["PATH"]),
    ...toolkitFolders(env).map((root) => join(root, "bin")),
    ...wheelFolders(env),
    ...pythonSites(env).map((site) => join(site, "triton", "backends", "nvidia", "bin")),
  ];
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return [...new Set(folders.map((folder) => join(folder, file)))].filter((path) => existsSync(path));
}

function pathList(text: string | undefined): string[] {
  return (text ?? "").split(delimiter).filter((path) => path !== "");
}

function targetName(): string {
  return process.arch === "arm64" ? "sbsa" : "x86_64";
}

function driverFolders(): string[] {
  const distribution = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return [
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
    `/usr/lib/${distribution}`,
    `/usr/lib/${distribution}/nvidia/current`,
    `/usr/lib/${distribution}/tegra`,
    "/usr/lib64",
    "/run/opengl-driver/lib",
  ];
}

function toolkitFolders(env: Environment): string[] {
  const named = [env["CUDA_HOME"], env["CUDA_PATH"], env["CUDA_ROOT"]].filter(
    (path): path is string => path !== undefined && path !== "",
  );
  const installed = subfolders("/usr/local", /^cuda-\d/).toSorted((a, b) => versionOf(b) - versionOf(a));
  return [...new Set([...named, "/usr/local/cuda", ...installed, "/opt/cuda", "/usr/lib/cuda"])].filter((path) =>
    existsSync(path),
  );
}

function librariesOf(toolkit: string): string[] {
  return [
    join(toolkit, "lib64"),
    join(toolkit, "targets", `${targetName()}-linux`, "lib"),
    join(toolkit, "lib"),
    join(toolkit, "bin"),
    join(toolkit, "bin", "x64"),
  ];
}

/** Where Python's packages are: of the active environment, of python3 on PATH, of the user, of the system. */
function pythonSites(env: Environment): string[] {
  const prefixes = [
    env["VIRTUAL_ENV"],
    env["CONDA_PREFIX"],
    pythonPrefix(env),
    join(homedir(), ".local"),
    "/usr/local",
    "/usr",
  ].filter((path): path is string => path !== undefined && path !== null && path !== "");
  return [...new Set(prefixes)].flatMap((prefix) => [
    ...subfolders(join(prefix, "lib"), /^python3/).flatMap((python) => [
      join(python, "site-packages"),
      join(python, "dist-packages"),
    ]),
    join(prefix, "Lib", "site-packages"),
  ]);
}

/** site-packages/nvidia/cu13/lib, site-packages/nvidia/cuda_nvrtc/lib and the like. */
function wheelFolders(env: Environment): string[] {
  const wheels = pythonSites(env)
    .flatMap((site) => subfolders(join(site, "nvidia"), /./))
    .toSorted((a, b) => versionOf(b) - versionOf(a));
  const conda = env["CONDA_PREFIX"] === undefined ? [] : [join(env["CONDA_PREFIX"], "lib")];
  return [...wheels.flatMap((wheel) => [join(wheel, "lib"), join(wheel, "bin")]), ...conda].filter((folder) =>
    existsSync(folder),
  );
}

/**
 * Of python3 as PATH has it, before and after links are followed: an environment's python3 is a link to the system's.
 */
function pythonPrefix(env: Environment): string | null {
  for (const folder of pathList(env["PATH"])) {
    const python = join(folder, "python3");
    if (!existsSync(python)) continue;
    if (existsSync(join(dirname(folder), "pyvenv.cfg"))) return dirname(folder);
    return dirname(dirname(realpathSync(python)));
  }
  return null;
}

/** The number at a folder's end: cuda-13.0, cu13; 0 where there is none. */
function versionOf(path: string): number {
  return Number(/(\d+(?:\.\d+)?)$/.exec(path)?.[1] ?? 0);
}

function subfolders(folder: string, name: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((entry) => name.test(entry))
      .toSorted()
      .map((entry) => join(folder, entry));
  } catch {
    return [];
  }
}
