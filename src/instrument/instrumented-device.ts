/**
 * A device as one tool sees it whose code stands in the kernels: the memory that the code uses, the modules that it was
 * added to, and the records that it leaves.
 */
import type { Dim3 } from "../base/dim3.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { ObservedLaunch, ObservedMemory } from "../machine/observer.ts";
import { AllocationTable, LAUNCH_VARIABLE, LAUNCH_WORDS, TABLE_VARIABLE } from "./allocation-table.ts";
import { instrumentModule } from "./instrument-module.ts";
import type { Example, Instrumenter, Site } from "./instrumenter.ts";
import { EXAMPLE_WORDS, FAILED_VARIABLE, MEMORY_VARIABLE, RECORD, RECORD_BYTES } from "./instrumentation-runtime.ts";
import { assumptionsHold, type SpeculativeKernel } from "./speculative-kernels.ts";
import { shadowVariable, type ToolNamespace } from "./tool-namespace.ts";

const LAUNCH_BYTES = 64;

/** The sites of a module, and where their records lie. */
interface ModuleRecords {
  readonly address: number;
  readonly sites: readonly Site[];
}

export class InstrumentedDevice {
  readonly memory: ObservedMemory;
  readonly allocations: AllocationTable;
  readonly names: ToolNamespace;
  readonly #launchWords: number;
  /** A word that is not 0 once a check has failed. */
  readonly #failed: number;
  #serial = 0;
  readonly #modules: ModuleRecords[] = [];
  /** By their originals. */
  readonly #speculative = new WeakMap<IrFunction, SpeculativeKernel>();
  /** Addresses of the tool's variables by their full names. */
  readonly #addresses = new Map<string, number>();

  /** @param shadowPlanes that the tool's observer asks for. */
  constructor(names: ToolNamespace, memory: ObservedMemory, shadowPlanes: number) {
    this.names = names;
    this.memory = memory;
    this.allocations = new AllocationTable(memory);
    this.#place(TABLE_VARIABLE, this.allocations.address);
    this.#place(MEMORY_VARIABLE, 0);
    this.#launchWords = this.variable(LAUNCH_VARIABLE, LAUNCH_BYTES);
    this.#failed = this.variable(FAILED_VARIABLE, 4);
    this.placeShadows(shadowPlanes);
  }

  /** Code that is instrumented from now on finds so many planes where they are now. */
  placeShadows(planes: number): void {
    for (let plane = 0; plane < planes; plane++) this.#place(shadowVariable(plane), this.memory.shadow(plane) >>> 0);
  }

  /**
   * Zeroed device memory that instrumented code knows by a name (ToolNamespace.variable). Lives as long as the device.
   * @returns its address
   */
  variable(short: string, bytes: number): number {
    return this.#place(short, this.memory.allocate(bytes));
  }

  /** For DeviceObserver.addressOf. */
  addressOf(variable: string): number | null {
    return this.#addresses.get(variable) ?? null;
  }

  /** For DeviceObserver.instrument. */
  instrument(module: IrModule, own: ReadonlySet<IrFunction>, instrumenters: readonly Instrumenter[]): void {
    const records = `records_${this.#modules.length}`;
    const { sites, speculative } = instrumentModule(module, own, instrumenters, this.names, records);
    for (const kernel of speculative) this.#speculative.set(kernel.original, kernel);
    this.#modules.push({ address: this.variable(records, Math.max(1, sites.length) * RECORD_BYTES), sites });
  }

  /** Every site of the modules that were instrumented. */
  *sites(): Generator<Site> {
    for (const { sites } of this.#modules) yield* sites;
  }

  /** Before a launch: what the code knows of it. */
  beginLaunch({ sharedBytes }: ObservedLaunch): void {
    const words = new DataView(this.memory.bytes.buffer, this.#launchWords);
    words.setUint32(LAUNCH_WORDS.sharedBytes, sharedBytes, true);
    words.setUint32(LAUNCH_WORDS.serial, ++this.#serial, true);
  }

  /** The kernel that may run in place of the launched one, because the launch satisfies all that it assumes. */
  speculativeCopy(launch: ObservedLaunch, instrumenters: readonly Instrumenter[]): string | null {
    const kernel = launch.function === null ? undefined : this.#speculative.get(launch.function);
    if (kernel === undefined || !assumptionsHold(launch, kernel, this.allocations)) return null;
    const hold = instrumenters.every((instrumenter) => instrumenter.assumptionsHold?.(launch, kernel) ?? true);
    return hold ? kernel.copy.name : null;
  }

  /**
   * After a launch: the sites that have failed, those of one instrumenter after the other in the order of their names
   * in `owners`. Their records are zeroed.
   */
  *failures(owners: readonly string[]): Generator<{ readonly site: Site; readonly example: Example }> {
    const failed = new Uint32Array(this.memory.bytes.buffer, this.#failed, 1);
    if (failed[0] === 0) return;
    failed[0] = 0;
    for (const owner of owners) for (const records of this.#modules) yield* this.#failuresOf(owner, records);
  }

  *#failuresOf(
    owner: string,
    { address, sites }: ModuleRecords,
  ): Generator<{ readonly site: Site; readonly example: Example }> {
    for (const site of sites) {
      if (site.owner !== owner) continue;
      const words = new Uint32Array(
        this.memory.bytes.buffer,
        address + site.index * RECORD_BYTES,
        RECORD_BYTES / Uint32Array.BYTES_PER_ELEMENT,
      );
      if (words[RECORD.count] === 0) continue;
      const example = exampleOf(words.slice());
      words.fill(0);
      yield { site, example };
    }
  }

  #place(short: string, address: number): number {
    this.#addresses.set(this.names.name(short), address);
    return address;
  }
}

function exampleOf(record: Uint32Array): Example {
  return {
    words: record.subarray(RECORD.words, RECORD.words + EXAMPLE_WORDS),
    block: dim3At(record, RECORD.block),
    thread: dim3At(record, RECORD.thread),
    count: record[RECORD.count] as number,
  };
}

function dim3At(record: Uint32Array, index: number): Dim3 {
  return { x: record[index] as number, y: record[index + 1] as number, z: record[index + 2] as number };
}
