/** What a setup.py calls on its way to its list of extensions: strings, lists, os.path, glob. */

/** What is not known here: most of what a setup.py does besides. */
export class Unknown {
  readonly isUnknown = true;
}
export const UNKNOWN: Unknown = new Unknown();

/** A module, or something of one, by its whole name: `os.path.join`. */
export class Imported {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
}
/** A function that the file defines, or a method with its object. */
export type Callable = (args: readonly SetupValue[], keywords: ReadonlyMap<string, SetupValue>) => SetupValue;
export type SetupValue =
  | string
  | number
  | boolean
  | null
  | Unknown
  | Imported
  | Callable
  | SetupValue[]
  | Map<string, SetupValue>;

/** The folder's files. */
export interface SetupFiles {
  /** Paths that match a pattern of Python's glob, sorted. */
  glob(pattern: string): readonly string[];
  exists(path: string): boolean;
  read(path: string): string | null;
}

export function strings(value: SetupValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** As `os.path.join`. */
export function joinPath(...parts: readonly string[]): string {
  let path = "";
  for (const part of parts)
    if (part.startsWith("/")) path = part;
    else path = path === "" || path.endsWith("/") ? path + part : `${path}/${part}`;
  return path;
}

/** As `os.path.normpath`. */
export function normalPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split("/"))
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  return (path.startsWith("/") ? "/" : "") + (kept.join("/") || (path.startsWith("/") ? "" : "."));
}

export function directoryOf(path: string): string {
  const at = path.lastIndexOf("/");
  if (at < 0) return "";
  return at === 0 ? "/" : path.slice(0, at);
}

/** Values of modules' names. */
export const CONSTANTS: Readonly<Record<string, SetupValue>> = {
  "os.name": "posix",
  "os.sep": "/",
  "os.curdir": ".",
  "os.path.curdir": ".",
  "os.path.sep": "/",
  "sys.platform": "linux",
  "sys.argv": ["setup.py", "build_ext"],
  "torch.__version__": "2.11.0",
  "torch.version.cuda": "13.0",
  "torch.version.hip": null,
  "torch.utils.cpp_extension.CUDA_HOME": "/usr/local/cuda",
  "torch.utils.cpp_extension.ROCM_HOME": null,
  "torch.utils.cpp_extension.IS_HIP_EXTENSION": false,
};

const isText = (value: SetupValue | undefined): value is string => typeof value === "string";

/** Functions of modules, and of Python itself. @param folder where setup.py lies */
export function moduleFunctions(files: SetupFiles, folder: string): Readonly<Record<string, Callable>> {
  const absolute = (path: string): string => normalPath(path.startsWith("/") ? path : joinPath(folder, path));
  const text =
    (work: (path: string) => SetupValue): Callable =>
    ([path]) =>
      isText(path) ? work(path) : UNKNOWN;
  const glob = text((pattern) => [...files.glob(pattern)]);
  return {
    "os.path.join": (parts) => (parts.every(isText) ? joinPath(...(parts as string[])) : UNKNOWN),
    "os.path.dirname": text(directoryOf),
    "os.path.basename": text((path) => path.slice(path.lastIndexOf("/") + 1)),
    "os.path.abspath": text(absolute),
    "os.path.realpath": text(absolute),
    "os.path.normpath": text(normalPath),
    "os.path.exists": text((path) => files.exists(absolute(path))),
    "os.path.isdir": text((path) => files.exists(absolute(path))),
    "os.path.isfile": text((path) => files.exists(absolute(path))),
    "os.path.relpath": text((path) => path),
    "os.path.splitext": text((path) => {
      const [, root = path, extension = ""] = /^(.*?)(\.[^./]*)?$/.exec(path) ?? [];
      return [root, extension];
    }),
    "os.getcwd": () => folder,
    "os.getenv": ([, otherwise = null]) => otherwise,
    "os.environ.get": ([, otherwise = null]) => otherwise,
    "glob.glob": glob,
    "glob.iglob": glob,
    "pathlib.Path": (parts) => (parts.every(isText) ? joinPath(...(parts as string[])) : UNKNOWN),
    "pathlib.Path.cwd": () => folder,
    "torch.cuda.is_available": () => true,
    "torch.cuda.get_device_capability": () => [9, 0],
    list: ([value = []]) => listOf(value),
    tuple: ([value = []]) => listOf(value),
    set: ([value = []]) => listOf(value),
    sorted: ([value = []]) => (Array.isArray(value) ? strings(value).sort() : UNKNOWN),
    dict: (_, keywords) => new Map(keywords),
    str: ([value = ""]) => (typeof value === "number" ? String(value) : value),
    int: ([value = 0]) => (isText(value) || typeof value === "number" ? Math.trunc(Number(value)) : UNKNOWN),
    bool: ([value = false]) => truthOf(value) ?? UNKNOWN,
    len: ([value = null]) => (Array.isArray(value) || isText(value) ? value.length : UNKNOWN),
    print: () => null,
  };
}

function listOf(value: SetupValue): SetupValue {
  if (Array.isArray(value)) return [...value];
  return value instanceof Map ? [...value.keys()] : UNKNOWN;
}

/** null: unknown. */
export function truthOf(value: SetupValue): boolean | null {
  if (value instanceof Unknown || value instanceof Imported) return null;
  if (Array.isArray(value)) return value.length > 0;
  return value instanceof Map ? value.size > 0 : Boolean(value);
}

/** A method of a value, or an attribute that is no method. */
export function memberOf(value: SetupValue, name: string, files: SetupFiles): SetupValue {
  if (isText(value)) return memberOfText(value, name, files);
  if (Array.isArray(value)) return memberOfList(value, name);
  return value instanceof Map ? memberOfDict(value, name) : UNKNOWN;
}

/** Of a string, or of a path: both are text here. */
function memberOfText(value: string, name: string, files: SetupFiles): SetupValue {
  switch (name) {
    case "parent":
      return directoryOf(value) || ".";
    case "name":
      return value.slice(value.lastIndexOf("/") + 1);
    case "suffix":
      return /\.[^./]*$/.exec(value)?.[0] ?? "";
    case "resolve":
    case "absolute":
    case "as_posix":
    case "__str__":
      return () => value;
    case "glob":
      return ([pattern]) => (isText(pattern) ? [...files.glob(joinPath(value, pattern))] : UNKNOWN);
    case "rglob":
      return ([pattern]) => (isText(pattern) ? [...files.glob(joinPath(value, "**", pattern))] : UNKNOWN);
    case "joinpath":
      return (parts) => joinPath(value, ...strings([...parts]));
    case "exists":
      return () => files.exists(value);
    case "startswith":
      return ([start]) => strings(start).some((one) => value.startsWith(one));
    case "endswith":
      return ([end]) => strings(end).some((one) => value.endsWith(one));
    case "replace":
      return ([from, to]) => (isText(from) && isText(to) ? value.replaceAll(from, to) : UNKNOWN);
    case "split":
      return ([by]) => (isText(by) ? value.split(by) : value.split(/\s+/).filter((one) => one !== ""));
    case "strip":
      return () => value.trim();
    case "lower":
      return () => value.toLowerCase();
    case "upper":
      return () => value.toUpperCase();
    case "join":
      return ([list]) => strings(list).join(value);
    case "format":
      return (args) => {
        let next = 0;
        return value.replaceAll(/\{\}/g, () => String(args[next++] ?? ""));
      };
    default:
      return UNKNOWN;
  }
}

function memberOfList(value: SetupValue[], name: string): SetupValue {
  switch (name) {
    case "append":
      return ([one = null]) => (value.push(one), null);
    case "extend":
      return ([list]) => (Array.isArray(list) && value.push(...list), null);
    case "insert":
      return ([at, one = null]) => (typeof at === "number" && value.splice(at, 0, one), null);
    case "remove":
      return ([one = null]) => (value.includes(one) && value.splice(value.indexOf(one), 1), null);
    case "sort":
      return () => (value.sort(), null);
    case "copy":
      return () => [...value];
    default:
      return UNKNOWN;
  }
}

function memberOfDict(value: Map<string, SetupValue>, name: string): SetupValue {
  switch (name) {
    case "get":
      return ([key, otherwise = null]) => (isText(key) ? (value.get(key) ?? otherwise) : UNKNOWN);
    case "items":
      return () => [...value].map(([key, one]) => [key, one]);
    case "keys":
      return () => [...value.keys()];
    case "values":
      return () => [...value.values()];
    case "update":
      return ([other]) => {
        if (other instanceof Map) for (const [key, one] of other) value.set(key, one);
        return null;
      };
    default:
      return UNKNOWN;
  }
}
