/**
 * The warp tier behind the contract that all engines share: for tests and the fuzzer. Refuses kernels that are not for
 * it.
 */
import { unsupported } from "../../base/diagnostics.ts";
import { dim3Volume } from "../../base/dim3.ts";
import type { Executor } from "../executor.ts";
import { compileWarp, type WarpOptions } from "./compile.ts";
import { warpRunner } from "./runner.ts";

export function createWarpExecutor(options: Partial<WarpOptions> = {}): Executor {
  return {
    name: "warp",
    run(program, kernel, launch, memory, host) {
      const sharedMemory = typeof SharedArrayBuffer !== "undefined" && memory.buffer instanceof SharedArrayBuffer;
      const result = compileWarp(program, kernel, launch.block, { sharedMemory, ...options });
      if ("reason" in result) throw unsupported(`${kernel.name} in the warp tier (${result.reason})`);
      const module = new WebAssembly.Module(result.compiled.wasm as Uint8Array<ArrayBuffer>);
      const blocks = dim3Volume(launch.grid);
      let next = 0;
      return warpRunner(result.compiled, module, memory).run(launch, {
        ...host,
        nextBlock: () => (next < blocks ? next++ : -1),
        furtherBlocks: (limit) => {
          const count = Math.min(limit, blocks - next);
          next += count;
          return count;
        },
        stopped: () => false,
        print: (text) => host.print(text),
        alone: () => true,
      });
    },
  };
}
