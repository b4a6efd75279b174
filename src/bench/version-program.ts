/** A version of a ladder, compiled: a CUDA program as it is, or kernels of a Triton file. */
import type { Configuration } from "../kernel-library/ladder.ts";
import type { CompileOptions } from "../library/gpu-program.ts";
import { dim3 } from "../base/dim3.ts";
import { HeddleError } from "../base/diagnostics.ts";
import type { DeviceArray } from "../library/device-array.ts";
import type { LaunchOptions } from "../library/launch-options.ts";
import type { TritonKernel, TritonProgram } from "../library/triton.ts";

export interface VersionKernel {
  /** One launch, ready to be made again and again. */
  prepare(
    options: LaunchOptions,
    args: readonly (number | bigint | DeviceArray | Uint8Array)[],
  ): (() => void) | Promise<() => void>;
}

export interface VersionProgram {
  kernel(name: string): Promise<VersionKernel>;
  /** Variables that kernels can write; null: the device does not list them. */
  writableVariables(): Promise<readonly string[] | null>;
  unload(): Promise<void>;
}

/** Compiles a version's file; `defines` are the configuration. */
export type LoadVersion = (path: string, options: CompileOptions) => Promise<VersionProgram>;

/** Parameters of a configuration are constexpr parameters of the kernels; a block has 32 threads a warp. */
export function tritonVersion(program: TritonProgram, { defines = [] }: CompileOptions): VersionProgram {
  const configuration: Configuration = Object.fromEntries(
    defines.map((define) => {
      const [name = "", value = "1"] = define.split("=");
      return [name, Number(value)];
    }),
  );
  return {
    kernel: (name) => Promise.resolve(tritonKernel(program.kernel(name), configuration)),
    writableVariables: () => Promise.resolve([]),
    unload: () => program.unload(),
  };
}

function tritonKernel(kernel: TritonKernel, configuration: Configuration): VersionKernel {
  const own = Object.entries(configuration).filter(([name]) => kernel.parameterNames.includes(name));
  return {
    prepare: ({ grid, block }, args) => {
      const { x, y, z } = dim3(grid);
      const plain = args.map((argument) => {
        if (argument instanceof Uint8Array) throw new HeddleError("unsupported", "a tensor map for a Triton kernel");
        return argument;
      });
      return kernel.prepare({ grid: [x, y, z], numWarps: dim3(block).x / 32 }, [...plain, Object.fromEntries(own)]);
    },
  };
}
