/**
 * Compiled kernels: compiled once per kernel and block shape, placed in shared memory when a worker first needs them.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { CompiledKernel, KernelBackend } from "../../engine/backend.ts";
import type { LoadedKernel, LoadedProgram } from "../../engine/executor.ts";
import type { GridLaunch } from "./grid-runner.ts";
import type { KeptCode } from "./kept-code.ts";
import { packCode } from "./launch-record.ts";
import { packLoops } from "./loop-words.ts";
import type { DeviceMemory } from "./memory.ts";
import { CODE_BASE } from "./memory-regions.ts";

export interface StoredKernel {
  readonly id: number;
  readonly compiled: CompiledKernel;
  /** The time of its last launch, that of all threads together, in milliseconds. */
  lastWorkMs: number | null;
  /** Where its loops are listed for other threads (loop-words.ts); null: not yet. */
  loopTable: Place | null;
}

export interface Place {
  readonly address: number;
  readonly bytes: number;
}

export class CodeStore {
  readonly #memory: DeviceMemory;
  readonly #backends: readonly KernelBackend[];
  readonly #kept: KeptCode | null;
  readonly #kernels = new Map<LoadedProgram, Map<LoadedKernel, Map<string, StoredKernel | null>>>();
  /** In shared memory, the one unused for longest first. */
  readonly #places = new Map<number, Place>();
  #nextId = 0;

  constructor(memory: DeviceMemory, backends: readonly KernelBackend[], kept: KeptCode | null = null) {
    this.#kept = kept;
    this.#memory = memory;
    this.#backends = backends;
  }

  /** null: no backend can run this. */
  compiled({ program, kernel, descriptor }: GridLaunch): StoredKernel | null {
    let ofProgram = this.#kernels.get(program);
    if (ofProgram === undefined) this.#kernels.set(program, (ofProgram = new Map()));
    let shapes = ofProgram.get(kernel);
    if (shapes === undefined) ofProgram.set(kernel, (shapes = new Map()));
    const { x, y, z } = descriptor.block;
    const shape = `${x} ${y} ${z}`;
    let stored = shapes.get(shape);
    if (stored === undefined) {
      stored = null;
      const compile = (): CompiledKernel | null => {
        for (const backend of this.#backends) {
          const compiled = backend.compile(program, kernel, descriptor.block);
          if (compiled !== null) return compiled;
        }
        return null;
      };
      const compiled =
        this.#kept === null ? compile() : this.#kept.compiled(program, kernel, descriptor.block, compile);
      if (compiled !== null) stored = { id: this.#nextId++, compiled, lastWorkMs: null, loopTable: null };
      shapes.set(shape, stored);
    }
    return stored;
  }

  /** What keeps each tier from running the kernel. */
  whyNot({ program, kernel, descriptor }: GridLaunch): readonly string[] {
    return this.#backends.flatMap((backend) => {
      const reason = backend.whyNot?.(program, kernel, descriptor.block) ?? null;
      return reason === null ? [] : [`the ${backend.name} tier: ${reason}`];
    });
  }

  /** Where other threads find the places of a kernel's loops. */
  loopTable(kernel: StoredKernel): Place {
    if (kernel.loopTable === null) {
      const bytes = packLoops(kernel.compiled);
      const address = bytes.byteLength === 0 ? null : this.#memory.allocateEngine(bytes.byteLength);
      if (address !== null) this.#memory.bytes.set(bytes, address);
      kernel.loopTable = { address: address ?? 0, bytes: address === null ? 0 : bytes.byteLength };
    }
    return kernel.loopTable;
  }

  /** Where workers find the code. */
  place(kernel: StoredKernel): Place {
    let place = this.#places.get(kernel.id);
    this.#places.delete(kernel.id);
    if (place === undefined) {
      const bytes = packCode(kernel.compiled);
      place = { address: this.allocate(bytes, CODE_BASE, 0), bytes: bytes.byteLength };
    }
    this.#places.set(kernel.id, place);
    return place;
  }

  /**
   * Copies bytes to engine memory, if need be in the place of code that was not used for long.
   *
   * @param from the lowest address that will do
   * @param kept how many of the most recently used codes stay: that of the launch under way, if it has its place
   */
  allocate(bytes: Uint8Array, from = 0, kept = 1): number {
    for (;;) {
      const address = this.#memory.allocateEngine(bytes.byteLength, from);
      if (address !== null) {
        this.#memory.bytes.set(bytes, address);
        return address;
      }
      const oldest = this.#places.keys().next();
      if (oldest.done === true || this.#places.size <= kept)
        throw new HeddleError(
          "out-of-memory",
          `compiled code of ${bytes.byteLength} bytes does not fit into the memory that workers share`,
        );
      this.#drop(oldest.value);
    }
  }

  /** Drops what belongs to a program; returns the ids. */
  forget(program: LoadedProgram): number[] {
    const ids: number[] = [];
    for (const shapes of this.#kernels.get(program)?.values() ?? []) {
      for (const stored of shapes.values()) {
        if (stored === null) continue;
        ids.push(stored.id);
        if (stored.loopTable !== null && stored.loopTable.bytes > 0) this.#memory.freeEngine(stored.loopTable.address);
      }
    }
    this.#kernels.delete(program);
    for (const id of ids) this.#drop(id);
    return ids;
  }

  #drop(id: number): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#memory.freeEngine(place.address);
  }
}
