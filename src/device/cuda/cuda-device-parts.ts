/** What a CudaDevice is built from (open-device.ts). */
import type { DeviceObserver } from "../../machine/observer.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { CompiledSource, DeviceProperties, DeviceSource, SourceCompiler } from "../device.ts";
import type { GpuContext } from "./context.ts";
import type { CudaModule } from "./cuda-module.ts";
import type { GpuMemory } from "./gpu-memory.ts";

/** Turns programs into modules. `forget` is called after the context was renewed. */
export interface ModuleLoader {
  /** Whether it takes a program's own PTX. */
  readonly loadsPtx: boolean;
  load(programs: readonly DeviceProgram[], onUnload: (module: CudaModule) => void): CudaModule;
  forget(): void;
}

export interface SourceLoader {
  compile(
    source: DeviceSource,
    kernels: readonly string[],
    onUnload: (module: CudaModule) => void,
  ): CompiledSource & { readonly module: CudaModule };
}

export interface CudaDeviceParts {
  readonly context: GpuContext;
  readonly memory: GpuMemory;
  readonly properties: DeviceProperties;
  readonly modules: ModuleLoader;
  readonly sources: SourceLoader | null;
  readonly timeoutMs: number | null;
  readonly trace: boolean;
  /** A tool that needs launch events only. */
  readonly observer: DeviceObserver | null;
}

/** null: the device takes no source. @param enter before each call: makes the context current */
export function sourceCompiler(
  sources: SourceLoader | null,
  modules: Set<CudaModule>,
  enter: () => void,
): SourceCompiler | null {
  if (sources === null) return null;
  return {
    compileSource: (source, kernels) => {
      enter();
      const compiled = sources.compile(source, kernels, (gone) => void modules.delete(gone));
      modules.add(compiled.module);
      return compiled;
    },
  };
}
