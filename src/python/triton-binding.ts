/** What Python's module `triton` calls: kernels of the functions that Python has, compiled and launched at once. */
import type { ImportSource } from "../frontend/triton/evaluate/module.ts";
import { DTYPE_NAMES } from "../frontend/triton/language/dtypes.ts";
import { languageNames } from "../frontend/triton/language/modules.ts";
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import { printModule } from "../ir/text/print.ts";
import type { Gpu } from "../library/gpu.ts";
import type { TritonArgument } from "../library/triton-arguments.ts";
import type { ReadyKernel } from "../library/triton-compiled.ts";

import { bound, forPython, type Bound } from "./bound.ts";
import { ScriptFunction, type FunctionContent } from "./script-function.ts";
import { tritonArgument, type PythonArgument } from "./triton-values.ts";

export interface TritonBinding {
  /** For Python. */
  readonly functions: Bound;
  /** Kernels launched so far. */
  readonly launches: () => number;
}

/** What the binding needs of the place it runs in. */
export interface TritonPlace {
  /** What `os.environ` has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Finds what a kernel's own `import` names. */
  readonly imports: ImportSource;
  /** The PTX of a kernel; who cannot wait for it has none. */
  readonly ptxOf: (lowered: LoweredKernel) => Promise<string>;
  /** Carries out a launch, which takes the limit of its time. Default: at once. */
  readonly around?: (launch: (limit?: { readonly timeoutMs?: number }) => void) => void;
  /** Gets each launch before it is carried out. */
  readonly onLaunch?: (name: string, ready: ReadyKernel, grid: readonly number[]) => void;
}

export function tritonBinding(
  gpu: Gpu,
  { environment, imports, ptxOf, around = (launch) => launch(), onLaunch }: TritonPlace,
): TritonBinding {
  let launches = 0;

  const argument = (value: PythonArgument): TritonArgument => tritonArgument(gpu, value);

  const functions: Bound = {
    ...bound({
      declare: () => new ScriptFunction(gpu, environment, imports),
      define: (fn: ScriptFunction, content: FunctionContent) => fn.define(content),
      compile: (
        fn: ScriptFunction,
        name: string,
        args: readonly (readonly [string, PythonArgument])[],
        numWarps: number,
        unspecialised: readonly string[],
      ): ReadyKernel => {
        const keywords = Object.fromEntries(args.map(([parameter, value]) => [parameter, argument(value)]));
        return fn.kernel(name).compileBlocking({ numWarps }, [keywords], new Set(unspecialised));
      },
      launch: (ready: ReadyKernel, grid: readonly number[]) => {
        launches++;
        onLaunch?.(ready.name, ready, grid);
        around((limit) => ready.launch(grid, limit));
      },
      registers: (ready: ReadyKernel) => ready.kernel.info.registers ?? null,
      sharedBytes: (ready: ReadyKernel) => ready.sharedBytes + ready.kernel.info.staticSharedBytes,
      llir: (ready: ReadyKernel) => printModule(ready.lowered().module),
    }),
    ptx: (ready: ReadyKernel) =>
      ptxOf(ready.lowered(true)).catch((error: unknown) => {
        throw forPython(error);
      }),
    languageNames: () => languageNames(),
    dtypeNames: () => Object.keys(DTYPE_NAMES),
  };
  return { functions, launches: () => launches };
}
