/** The worker's side of a host program's thread: an instance over the shared memory, whose calls the owner makes. */
import { hasWideMemory } from "../../wasm/import-types.ts";
import { leaveByTrap } from "../wasi/wasi.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";
import type { HostThreadData } from "./host-threads.ts";
import { CALL, OWNER, ThreadWords, WORD } from "./thread-words.ts";
import { wideImports } from "./wide-calls.ts";

export type { HostThreadData };

/** Runs the thread to its end. */
export function runHostThread({ wasm, module, memory, words: buffer, ...data }: HostThreadData): void {
  const { thread } = data;
  const shared = new ThreadWords(buffer);
  const { words } = shared;
  const isMyTurn = (): boolean => Atomics.load(words, WORD.turn) === thread;
  /** Whose turn it is when this thread has ended. */
  let next: number | null = null;
  /** The program ends on the owner's thread. */
  let isLeft = false;
  const own: Readonly<Record<string, WasmFunction>> = {
    __heddle_thread_switch: (_from: number, to: number) => {
      shared.handOver(to);
      shared.waitUntil(thread, isMyTurn);
    },
    __heddle_thread_end: (to: number): never => {
      next = to;
      return leaveByTrap();
    },
  } as Record<string, WasmFunction>;
  const ask =
    (index: number): WasmFunction =>
    (...values: never[]) => {
      values.forEach((value, at) => shared.put(at, value));
      Atomics.store(words, WORD.importIndex, index);
      Atomics.store(words, WORD.valueCount, values.length);
      Atomics.store(words, WORD.call, CALL.asked);
      shared.wake(OWNER);
      shared.waitUntil(thread, () => Atomics.load(words, WORD.call) !== CALL.asked);
      const outcome = Atomics.exchange(words, WORD.call, CALL.none);
      if (outcome === CALL.left) {
        isLeft = true;
        return leaveByTrap();
      }
      return shared.get(0);
    };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  WebAssembly.Module.imports(module).forEach(({ module: from, name, kind }, index) => {
    (imports[from] ??= {})[name] = kind === "memory" ? memory : (own[name] ?? ask(index));
  });
  const isWide = hasWideMemory(wasm);
  const pointer = (value: number): number => (isWide ? (BigInt(value) as unknown as number) : value);
  shared.waitUntil(thread, isMyTurn);
  try {
    const { exports } = new WebAssembly.Instance(module, isWide ? wideImports(wasm, imports) : imports);
    (exports["__stack_pointer"] as WebAssembly.Global).value = pointer(data.stack);
    (exports["__wasm_init_tls"] as (at: number) => void)(pointer(data.locals));
    next = (exports["__heddle_thread_main"] as (argument: number) => number)(pointer(data.argument));
  } catch (error) {
    if (isLeft) return;
    if (next === null) return trapped(error as Error, shared);
  }
  shared.handOver(next);
}

function trapped({ name, message, stack = "" }: Error, shared: ThreadWords): void {
  const text = new TextEncoder().encode(JSON.stringify({ name, message, stack: stack.slice(0, 8000) }));
  shared.text.set(text.subarray(0, shared.text.length));
  Atomics.store(shared.words, WORD.trapBytes, Math.min(text.length, shared.text.length));
  shared.wake(OWNER);
}
