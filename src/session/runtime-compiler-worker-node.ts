/** The thread of runtime-compiler-node.ts. */
import { workerData, type MessagePort } from "node:worker_threads";
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import type { RuntimeCode, RuntimeSource } from "../program/runtime-compiler.ts";
import { compileAtRunTime } from "./compile-at-run-time.ts";
import { openCompiler } from "./compiler-node.ts";

export interface RuntimeCompilerData {
  readonly port: MessagePort;
  /** 1 when the answer is on its way. */
  readonly answered: Int32Array<SharedArrayBuffer>;
  readonly readsFiles: boolean;
}

export interface RuntimeCompilerOrder {
  readonly source: RuntimeSource;
}

export type RuntimeCompilerAnswer = RuntimeCode | { readonly failure: string };

const { port, answered, readsFiles } = workerData as RuntimeCompilerData;
const opened = openCompiler();

async function answer(source: RuntimeSource): Promise<RuntimeCompilerAnswer> {
  try {
    const { compiler, deviceLibrary } = await opened;
    return await compileAtRunTime(source, { compiler, deviceLibrary, reader: readsFiles ? nodeSourceReader : null });
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

port.on("message", ({ source }: RuntimeCompilerOrder) => {
  void answer(source).then((result) => {
    port.postMessage(result);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
});
