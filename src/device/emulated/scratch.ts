/**
 * Memory that a running kernel needs besides its data: shared and local windows ("user") and the engine's contexts
 * ("engine").
 *
 * Every thread that runs blocks has a ScratchSpace of its own and needs no lock: it takes whole chunks from the common
 * stretch with one atomic addition and then hands out parts of them. Chunks stay with their thread until the device is
 * closed. The stretches are backed by memory from the start, so workers never grow the memory.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import { Arena } from "../common/arena.ts";
import { alignUp } from "../../base/align.ts";
import { CONTROL, controlWords } from "./control-words.ts";
import { SCRATCH_BASE } from "./memory-regions.ts";

const CHUNK_BYTES = 1024 * 1024;
const GRANULE = 256;

type ScratchKind = "user" | "engine";

export class ScratchSpace {
  readonly #memory: WebAssembly.Memory;
  readonly #chunks: Record<ScratchKind, Arena[]> = { user: [], engine: [] };

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** @throws HeddleError "out-of-memory" */
  allocate(bytes: number, align: number, kind: ScratchKind): number {
    const chunks = this.#chunks[kind];
    for (const arena of chunks) {
      if (arena.largestFree < bytes) continue;
      const start = arena.place(bytes, align, 0);
      if (start === null) continue;
      arena.take({ start, bytes });
      return start;
    }
    const arena = this.#grab(bytes + align, kind);
    chunks.push(arena);
    const start = arena.place(bytes, align, 0) ?? bug("a fresh chunk is too small");
    arena.take({ start, bytes });
    return start;
  }

  free(address: number): void {
    const holds = (chunk: Arena): boolean => chunk.base <= address && address < chunk.end;
    const arena = this.#chunks.engine.find(holds) ?? this.#chunks.user.find(holds);
    if (arena === undefined || arena.release(address) === null) bug(`no scratch memory was handed out at ${address}`);
  }

  /** After a run that ended in the middle. */
  releaseAll(): void {
    for (const kind of ["user", "engine"] as const)
      this.#chunks[kind] = this.#chunks[kind].map(({ base, end }) => new Arena(base, end, GRANULE));
  }

  #grab(bytes: number, kind: ScratchKind): Arena {
    const size = alignUp(bytes, CHUNK_BYTES);
    // Not kept: growing an unshared memory detaches its views.
    const words = controlWords(this.#memory);
    const [windowsStart, windowsEnd] = [
      Atomics.load(words, CONTROL.windowsStart) >>> 0,
      Atomics.load(words, CONTROL.windowsEnd) >>> 0,
    ];
    const start =
      (kind === "engine" ? claim(words, CONTROL.engineScratchUsed, SCRATCH_BASE, USER_BASE, size) : null) ??
      claim(words, CONTROL.windowScratchUsed, windowsStart, windowsEnd, size);
    if (start === null) {
      throw new HeddleError(
        "out-of-memory",
        "the shared and local memory and the state of the threads that run at once do not fit",
        {
          notes: [
            `${bytes} more bytes asked for, ${USER_BASE - SCRATCH_BASE + windowsEnd - windowsStart} in all, ` +
              "shared by all worker threads",
            "fewer workers need less (HEDDLE_WORKERS=1)",
          ],
        },
      );
    }
    return new Arena(start, start + size, GRANULE);
  }
}

/** Takes `size` bytes of a stretch, or null when it has no more. */
function claim(words: Int32Array, usedWord: number, base: number, end: number, size: number): number | null {
  const offset = Atomics.add(words, usedWord, size);
  if (base + offset + size <= end) return base + offset;
  Atomics.sub(words, usedWord, size);
  return null;
}
