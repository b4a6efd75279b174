/** A Python script on a device, with Python loaded: the part that is the same in Node.js and in a page. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Place } from "../base/source-places.ts";
import type { ImportSource } from "../frontend/triton/evaluate/module.ts";
import type { Gpu } from "../library/gpu.ts";
import type { ReadyKernel } from "../library/triton-compiled.ts";
import { openDeviceProducts } from "../tensor/operations/device-products.ts";
import { torchBinding } from "./torch-binding.ts";
import { tritonBinding } from "./triton-binding.ts";

/** What we use of Pyodide: its own types name the DOM's. */
export interface Python {
  readonly FS: PythonFiles;
  mountNodeFS(at: string, host: string): void;
  registerJsModule(name: string, module: object): void;
  runPython(code: string, options: { filename: string }): unknown;
  setStdout(options: OutputOptions): void;
  setStderr(options: OutputOptions): void;
  setStdin(options: { read: (buffer: Uint8Array) => number; isatty: boolean }): void;
}

export interface PythonFiles {
  mkdirTree(path: string): void;
  chdir(path: string): void;
  writeFile(path: string, content: Uint8Array | string): void;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
  stat(path: string): { readonly mode: number; readonly size: number };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
}

export interface OutputOptions {
  readonly write: (buffer: Uint8Array) => number;
  readonly isatty: boolean;
}

/** Where our own modules lie, for Python. */
export const MODULES = "/heddle/modules";

export interface ScriptParts {
  /** As the user wrote it. */
  readonly file: string;
  /** For the script: `sys.argv[1:]`. */
  readonly args: readonly string[];
  /** Python's working directory. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Finds what a kernel's own `import` names. */
  readonly imports: ImportSource;
  /** Carries out a launch. */
  readonly around: (launch: (limit?: { readonly timeoutMs?: number }) => void) => void;
  /** Gets each launch before it is carried out. */
  readonly onLaunch?: (name: string, ready: ReadyKernel, grid: readonly number[]) => void;
  /** Everything is there, and the script begins. */
  readonly onBegin: () => void;
}

/** Where Python is: file, line and function. */
let pythonHere: () => readonly [file: string, line: number, functionName: string] | readonly [] = () => [];

/** The line of the script that is being carried out. */
export function scriptPlace(): Place {
  const [file, line = 0, functionName = ""] = pythonHere();
  const place = file === undefined ? null : { file, line, column: 0, ...(functionName === "" ? {} : { functionName }) };
  return () => place;
}

/** Returns the script's exit code and how many kernels it launched. */
export function runScriptOn(
  gpu: Gpu,
  python: Python,
  { file, args, directory, environment, imports, around, onLaunch, onBegin }: ScriptParts,
): { readonly exitCode: number; readonly launches: number } {
  const noPtx = (): never => {
    throw new HeddleError("unsupported", 'asm["ptx"] needs `heddle python`; `heddle compile --emit ptx` shows it, too');
  };
  const triton = tritonBinding(gpu, {
    environment,
    imports,
    ptxOf: noPtx,
    around,
    ...(onLaunch === undefined ? {} : { onLaunch }),
  });
  openDeviceProducts(gpu);
  python.registerJsModule("_heddle_torch", torchBinding(gpu.raw));
  python.registerJsModule("_heddle_triton", triton.functions);
  python.registerJsModule("_heddle_script", {
    file,
    args: [file, ...args],
    directory,
    modules: MODULES,
    setHere: (of: typeof pythonHere) => void (pythonHere = of),
  });
  onBegin();
  const start = `import sys\nsys.path.insert(0, "${MODULES}")\nimport _heddle_run\n_heddle_run.run()`;
  const exitCode = Number(python.runPython(start, { filename: `${MODULES}/start.py` }));
  return { exitCode, launches: triton.launches() };
}
