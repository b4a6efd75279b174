/**
 * In which loop a kernel is: compiled code keeps the mark of its loop in a control word of its thread
 * (engine/emit/loop-marks.ts). Any thread that has the memory can read it, also while the kernel runs.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { CompiledKernel } from "../../engine/backend.ts";
import { CONTROL, MAX_WORKERS, WORKER, controlWords, workerWord } from "./control-words.ts";

/** What `runningLoop` needs of a kernel, as bytes; empty: it has no loops. */
export function packLoops({ metadata }: CompiledKernel): Uint8Array {
  const { loops = [] } = (metadata ?? {}) as { readonly loops?: readonly (SourceLocation | null)[] };
  return loops.length === 0 ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(loops));
}

/** The loop of the first thread that is in one, in the kernel under way. null: none, or it is not known. */
export function runningLoop(memory: WebAssembly.Memory): SourceLocation | null {
  const words = controlWords(memory);
  const bytes = Atomics.load(words, CONTROL.loopTableBytes);
  if (bytes === 0) return null;
  const text = new Uint8Array(memory.buffer, Atomics.load(words, CONTROL.loopTable), bytes).slice();
  const loops = JSON.parse(new TextDecoder().decode(text)) as (SourceLocation | null)[];
  const places = [CONTROL.loop, ...Array.from({ length: MAX_WORKERS }, (_, i) => workerWord(i, WORKER.loop))];
  for (const place of places) {
    const mark = Atomics.load(words, place);
    const location = mark === 0 ? null : (loops[mark - 1] ?? null);
    if (location !== null) return location;
  }
  return null;
}
