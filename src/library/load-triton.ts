/** Opens Python files with Triton kernels. */
import { HeddleError } from "../base/diagnostics.ts";
import { fromCallSite } from "../base/call-site.ts";
import { checkOptions, describeValue } from "../base/options.ts";
import { openModule, type ImportSource } from "../frontend/triton/evaluate/module.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import type { ContentCache } from "../store/store.ts";
import { checkDevice } from "./library-options.ts";
import type { Gpu } from "./gpu.ts";
import { openStopwatch, type Stopwatch } from "../measure/stopwatch.ts";
import type { CompileFor } from "../measure/timed-device.ts";
import type { AutotuneChoice, AutotuneMode } from "./triton-autotune.ts";
import { TritonProgram } from "./triton.ts";
import type { PtxWriter } from "./triton-surroundings.ts";

/** Options of `loadTriton`. */
export interface TritonOptions {
  /** The device that runs the kernels; default: an emulated device that all such programs share. */
  readonly device?: Gpu;
  /** The file's name in messages and reports; default "kernel.py". */
  readonly filename?: string;
  /** What `os.environ` has at module level; default: nothing. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Python expressions that names at module level get, whatever the file says: `{ IS_HOPPER: "False" }`. */
  readonly globals?: Readonly<Record<string, string>>;
  /** Sources of modules that the file imports helpers from, by their names as imported: `{ ".utils": "…" }`. */
  readonly imports?: Readonly<Record<string, string>>;
  /**
   * Whether `@triton.autotune` measures its configurations, or takes the first. Default: it measures on a GPU, and
   * takes the first on an emulated device.
   */
  readonly autotune?: AutotuneMode;
  /** Is told each choice among measured configurations. TRITON_PRINT_AUTOTUNING=1 prints them. */
  readonly onAutotune?: (choice: AutotuneChoice) => void;
}

/**
 * Compiles the kernels of a Python file: its functions with `@triton.jit`. No Python is needed; what the module level
 * says beside kernels is evaluated only as far as a kernel needs it.
 *
 *     const { kernels } = await loadTriton(readFileSync("add.py", "utf8"), { filename: "add.py", device });
 *     await kernels.add_kernel.launch({ grid: [cdiv(n, 1024)] }, x, y, out, n, { BLOCK_SIZE: 1024 });
 *
 * @throws HeddleError "compile-error" where the text is no Python.
 */
export type LoadTriton = (source: string, options?: TritonOptions) => Promise<TritonProgram>;

/** Opens a file's kernels on a device, or on the one that all such programs share. */
export type OpenTriton = (
  file: SourceText,
  importSource: ImportSource,
  options: Omit<TritonOptions, "filename" | "imports">,
) => Promise<TritonProgram>;

/**
 * @param cache keeps compiled kernels from run to run; null: nothing is kept.
 * @param tools.compile the compiler for CUDA: on a GPU the stopwatch has kernels of its own.
 * @param tools.ptx see `TritonKernel.warmup`.
 */
export function createOpenTriton(
  openDevice: () => Promise<Gpu>,
  cache: ContentCache | null = null,
  { compile = null, ptx = null }: { compile?: CompileFor<Gpu> | null; ptx?: PtxWriter | null } = {},
): OpenTriton {
  const stopwatches = new WeakMap<Gpu, Promise<Stopwatch>>();
  const stopwatchOf = (device: Gpu): Promise<Stopwatch> => {
    const noCompiler: CompileFor<Gpu> = () => Promise.reject(new HeddleError("unsupported", "no compiler is there"));
    let opened = stopwatches.get(device);
    if (opened === undefined) stopwatches.set(device, (opened = openStopwatch(device, compile ?? noCompiler)));
    return opened;
  };
  let shared: Promise<Gpu> | null = null;
  const sharedDevice = async (): Promise<Gpu> => {
    const gpu = shared === null ? null : await shared;
    if (gpu === null || gpu.isBroken) shared = openDevice();
    return shared as Promise<Gpu>;
  };
  return async (file, importSource, { device: given, environment = {}, globals = {}, autotune, onAutotune }) => {
    const device = given ?? (await sharedDevice());
    return new TritonProgram(device, openModule(file, importSource, { environment, globals }), {
      cache,
      ptx: ptx ?? (() => Promise.reject(new HeddleError("unsupported", "no writer of PTX is there"))),
      autotune: { mode: autotune ?? null, report: onAutotune ?? null, stopwatch: stopwatchOf },
    });
  };
}

export function createLoadTriton(open: OpenTriton): LoadTriton {
  const load: LoadTriton = (source, options = {}) =>
    fromCallSite(load, async () => {
      if (typeof source !== "string")
        throw new HeddleError(
          "bad-arguments",
          `loadTriton takes the text of a Python file, not ${describeValue(source)}`,
        );
      checkOptions<TritonOptions>("loadTriton", options, {
        device: true,
        filename: true,
        imports: true,
        environment: true,
        globals: true,
        autotune: true,
        onAutotune: true,
      });
      if (options.autotune !== undefined && !["first", "measure"].includes(options.autotune))
        throw new HeddleError(
          "bad-arguments",
          `autotune is "first" or "measure", not ${describeValue(options.autotune)}`,
        );
      if (options.device !== undefined) checkDevice("loadTriton", options.device);
      const imports = new Map(
        Object.entries(options.imports ?? {}).map(([path, text]) => [
          path,
          new SourceText(`${path.replace(/^\.+/, "").replaceAll(".", "/")}.py`, text),
        ]),
      );
      const file = new SourceText(options.filename ?? "kernel.py", source);
      return open(file, (path) => imports.get(path) ?? null, options);
    });
  return load;
}

/** Ceiling division, as grids need it. */
export function cdiv(x: number, y: number): number {
  return Math.ceil(x / y);
}
