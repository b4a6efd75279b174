/**
 * A compiler for a running program, on a thread of its own: the program's thread waits for it. The thread starts with
 * the first source.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from "node:worker_threads";
import { HeddleError } from "../base/diagnostics.ts";
import type { RuntimeCode, RuntimeCompiler } from "../program/runtime-compiler.ts";
import type {
  RuntimeCompilerOrder,
  RuntimeCompilerAnswer,
  RuntimeCompilerData,
} from "./runtime-compiler-worker-node.ts";
import type { RunSettings } from "./request.ts";

/** Clang recurses. */
const STACK_MB = 64;

export function openRuntimeCompiler({ isolation }: Pick<RunSettings, "isolation">): RuntimeCompiler {
  let opened: { readonly port: MessagePort; readonly answered: Int32Array<SharedArrayBuffer> } | null = null;
  return (source) => {
    opened ??= start(isolation === null);
    const { port, answered } = opened;
    Atomics.store(answered, 0, 0);
    port.postMessage({ source } satisfies RuntimeCompilerOrder);
    Atomics.wait(answered, 0, 0);
    const { message } = receiveMessageOnPort(port) as { message: RuntimeCompilerAnswer };
    if ("failure" in message) throw new HeddleError("unsupported", `NVRTC: ${message.failure}`);
    return message satisfies RuntimeCode;
  };
}

function start(readsFiles: boolean): { port: MessagePort; answered: Int32Array<SharedArrayBuffer> } {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const data: RuntimeCompilerData = { port: port2, answered, readsFiles };
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./runtime-compiler-worker-node.${extension}`, import.meta.url), {
    workerData: data,
    transferList: [port2],
    name: "heddle run-time compiler",
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: 8192 },
  });
  worker.unref();
  port1.unref();
  return { port: port1, answered };
}
