/**
 * The thread tier as an Executor: compiles once for each program, kernel and memory, and runs all blocks on the calling
 * thread.
 */
import { dim3Volume } from "../../base/dim3.ts";
import type { BlockRunner } from "../backend.ts";
import type { Executor, LoadedKernel } from "../executor.ts";
import { compileThreadTier, type CompileOptions } from "./compile.ts";
import { THREAD_BACKEND } from "./metadata.ts";
import { threadRunner } from "./runner.ts";

export function createThreadExecutor(options: CompileOptions = {}): Executor {
  const runners = new WeakMap<WebAssembly.Memory, WeakMap<LoadedKernel, BlockRunner>>();
  return {
    name: "thread tier",
    run(program, kernel, launch, memory, host) {
      let known = runners.get(memory);
      if (known === undefined) runners.set(memory, (known = new WeakMap()));
      let runner = known.get(kernel);
      if (runner === undefined) {
        const sharedMemory = !(memory.buffer instanceof ArrayBuffer);
        const { wasm, metadata } = compileThreadTier(program, kernel, { ...options, sharedMemory });
        const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
        runner = threadRunner({ backend: THREAD_BACKEND, wasm, metadata }, module, memory);
        known.set(kernel, runner);
      }
      let next = 0;
      const blocks = dim3Volume(launch.grid);
      return runner.run(launch, {
        ...host,
        print: (text) => host.print(text),
        nextBlock: () => (next < blocks ? next++ : -1),
        furtherBlocks: (limit) => {
          const count = Math.min(limit, blocks - next);
          next += count;
          return count;
        },
        stopped: () => false,
        alone: () => true,
      });
    },
  };
}
