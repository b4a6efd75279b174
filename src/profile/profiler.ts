/**
 * The profiler of a device: its observer. Puts counters into programs, and reads them after each launch.
 */
import { mostLiveRegisters } from "../analysis/values/register-pressure.ts";
import { bug } from "../base/diagnostics.ts";
import type { DeviceProperties } from "../device/device.ts";
import { layOutShared } from "../engine/load-program.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import { recursiveFunctions } from "../ir/graph/call-graph.ts";
import { inlineCalls } from "../ir/passes/pass-inline.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type {
  DeviceObserver,
  LaunchRun,
  ObservedAllocation,
  ObservedLaunch,
  ObservedMemory,
  ObservedProgram,
} from "../machine/observer.ts";
import { readSample, type LaneSample } from "../machine/lane-sample.ts";
import { ACCESS_RECORD_BYTES, COUNTER_BYTES, RECORD_BYTES, recordsOfAccess } from "../machine/warp-counts.ts";
import { addCounters, type CountSite } from "./count-instrumenter.ts";
import type { LinesOf } from "./double-divisions.ts";
import type { KernelFacts, RegisterSource } from "./launch-facts.ts";
import { PROFILE_NAMES } from "./profile-names.ts";
import { shapeAsCompiled } from "./shape/shape-as-compiled.ts";
import { alignSharedVariables } from "./shape/shared-quads.ts";
import { LINES, LineTraces, type LineTrace } from "./caches/line-trace.ts";
import { TRANSFER_HOOKS } from "./transfers.ts";
import { NOTHING_TOUCHED, SectorMaps, sumOfTouched, type TouchedSectors } from "./touched-sectors.ts";

/** What one launch added to the counters of a site; all zero: the launch did not come there. */
export interface SiteCounts {
  readonly site: CountSite;
  /** Of each of its records: one, or three of an access whose space is not known (machine/warp-counts.ts). */
  readonly counters: readonly (readonly number[])[];
  /** Of an access: an example of each of its records. */
  readonly samples: readonly (LaneSample | null)[];
}

export interface CountedLaunch {
  readonly launch: ObservedLaunch;
  readonly run: LaunchRun;
  readonly fault: DeviceFault | null;
  /** Of the sites that the launch came to. */
  readonly counts: readonly SiteCounts[];
  readonly touched: TouchedSectors;
  /** For the model of the caches; null: not asked for. */
  readonly lines: LineTrace | null;
}

interface Counted {
  readonly address: number;
  readonly records: number;
  readonly sites: readonly CountSite[];
}

const COUNTERS = RECORD_BYTES / COUNTER_BYTES;
const NO_FACTS: KernelFacts = {
  registersPerThread: 0,
  registersFrom: "estimate",
  staticSharedBytes: 0,
  spillBytes: null,
};
/** What the driver's compiler keeps in registers besides the program's values: addresses, the stack, the frame. */
const EXTRA_REGISTERS = 6;
const REGISTER_STEP = 8;
const FEWEST_REGISTERS = 16;
const MOST_REGISTERS = 255;

function kernelFacts(kernel: IrFunction): KernelFacts {
  const live = (mostLiveRegisters(kernel) ?? 0) + EXTRA_REGISTERS;
  const registers = Math.max(FEWEST_REGISTERS, Math.ceil(live / REGISTER_STEP) * REGISTER_STEP);
  const { staticSharedBytes, toolSharedBytes } = layOutShared(kernel, []);
  return {
    registersPerThread: Math.min(MOST_REGISTERS, registers),
    registersFrom: "estimate",
    staticSharedBytes: staticSharedBytes - toolSharedBytes,
    spillBytes: null,
  };
}

/** NVIDIA's compiler inlines what a kernel calls, but for recursion and __noinline__. */
function inlineAsCompiled(module: IrModule, own: ReadonlySet<IrFunction>): void {
  const recursive = recursiveFunctions(module);
  const keeps = (callee: IrFunction): boolean => !own.has(callee) || callee.attributes.has("noinline");
  for (const fn of own)
    if (fn.isKernel && fn.blocks.length > 0)
      inlineCalls(fn, module, { recursive, maxInstructions: MOST_INLINED, keeps });
}

/** Instructions of a kernel that more is not inlined into. */
const MOST_INLINED = 50_000;

export class Profiler implements DeviceObserver {
  readonly name = "profiler";
  readonly needs = "code";
  readonly prefix: string = PROFILE_NAMES.prefix;
  readonly libraryFunctions: readonly string[] = TRANSFER_HOOKS;
  /** A launch whose result is known already has counts, too. */
  readonly wantsRepeats = true;
  readonly #launched: (launch: CountedLaunch) => void;
  #memory: ObservedMemory | null = null;
  #maps: SectorMaps | null = null;
  #lines: LineTraces | null = null;
  readonly #tracesLines: boolean;
  readonly #modules: Counted[] = [];
  /** Of launches that wait for others, from the outermost in. */
  readonly #suspended: { readonly counters: readonly BigUint64Array[]; readonly touched: TouchedSectors }[] = [];
  /** What a launch has touched before it waited, by its number. */
  readonly #touchedBefore = new Map<number, TouchedSectors>();
  readonly #addresses = new Map<string, number>();
  readonly #facts = new WeakMap<IrFunction, KernelFacts>();
  /** What the kernels are loaded with whose registers were not asked for yet. */
  readonly #programs = new WeakMap<IrFunction, readonly ObservedProgram[]>();
  readonly #registers: RegisterSource | null;
  readonly #linesOf: LinesOf | undefined;
  #loading: readonly ObservedProgram[] = [];
  #capability: DeviceProperties["computeCapability"] | null = null;

  /**
   * @param launched called after each launch.
   * @param tracesLines trace the lines that warps touch
   * @param registers null: estimates will do
   * @param linesOf lines of source files, where they are known
   */
  constructor(
    launched: (launch: CountedLaunch) => void,
    tracesLines = false,
    registers: RegisterSource | null = null,
    linesOf: LinesOf | undefined = undefined,
  ) {
    this.#launched = launched;
    this.#linesOf = linesOf;
    this.#registers = registers;
    this.#tracesLines = tracesLines;
  }

  attach(memory: ObservedMemory): void {
    this.#memory = memory;
    this.#maps = new SectorMaps(memory);
    this.#lines = new LineTraces(memory, this.#maps, this.#tracesLines);
    this.#addresses.set(PROFILE_NAMES.name(LINES), this.#lines.address);
  }

  allocated(allocation: ObservedAllocation): void {
    this.#maps?.allocated(allocation);
  }

  loading(programs: readonly ObservedProgram[]): void {
    this.#loading = programs;
  }

  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void {
    for (const fn of own) {
      if (!fn.isKernel || fn.blocks.length === 0) continue;
      this.#facts.set(fn, kernelFacts(fn));
      this.#programs.set(fn, this.#loading);
    }
    inlineAsCompiled(module, own);
    alignSharedVariables(module);
    for (const fn of own) if (fn.blocks.length > 0) shapeAsCompiled(fn, module);
    const variable = `counters_${this.#modules.length}`;
    const { sites, records } = addCounters(module, own, variable, {
      recordsLines: this.#tracesLines,
      linesOf: this.#linesOf,
    });
    const address = this.#device.allocate(Math.max(1, records) * RECORD_BYTES);
    this.#addresses.set(PROFILE_NAMES.name(variable), address);
    this.#modules.push({ address, records, sites });
  }

  /** Before the first launch: the GPU whose rules the device follows. */
  follow({ multiProcessorCount, computeCapability }: DeviceProperties): void {
    this.#lines?.begin(multiProcessorCount);
    this.#capability = computeCapability;
  }

  addressOf(variable: string): number | null {
    return this.#addresses.get(variable) ?? null;
  }

  /** Its counters are put aside for the launches inside of it. */
  suspended(): void {
    const counters = this.#modules.map((counted) => {
      const all = this.#countersOf(counted);
      const values = all.slice();
      all.fill(0n);
      return values;
    });
    this.#lines?.take();
    this.#suspended.push({ counters, touched: this.#maps?.take() ?? NOTHING_TOUCHED });
  }

  resumed(launch: ObservedLaunch): void {
    const outer = this.#suspended.pop();
    if (outer === undefined) return;
    for (const [i, values] of outer.counters.entries()) this.#countersOf(this.#modules[i] as Counted).set(values);
    this.#touchedBefore.set(
      launch.ordinal,
      sumOfTouched(this.#touchedBefore.get(launch.ordinal) ?? NOTHING_TOUCHED, outer.touched),
    );
  }

  #countersOf({ address, records }: Counted): BigUint64Array {
    return new BigUint64Array(this.#device.bytes.buffer, address, (records * RECORD_BYTES) / COUNTER_BYTES);
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null, run: LaunchRun): void {
    const counts = this.#modules.flatMap((counted) => this.#take(counted));
    const before = this.#touchedBefore.get(launch.ordinal) ?? NOTHING_TOUCHED;
    this.#touchedBefore.delete(launch.ordinal);
    const touched = sumOfTouched(before, this.#maps?.take() ?? NOTHING_TOUCHED);
    this.#launched({ launch, fault, run, counts, touched, lines: this.#lines?.take() ?? null });
  }

  /** What a kernel takes of a GPU. @param kernel of an ObservedLaunch */
  factsOf(kernel: IrFunction | null): KernelFacts {
    const facts = kernel === null ? undefined : this.#facts.get(kernel);
    if (kernel === null || facts === undefined) return NO_FACTS;
    if (this.#registers === null || this.#capability === null) return facts;
    const programs = this.#programs.get(kernel);
    this.#programs.delete(kernel);
    const compiled = programs === undefined ? null : this.#registers(programs, kernel.name, this.#capability);
    if (compiled === null) return facts;
    const registersPerThread = Math.max(FEWEST_REGISTERS, compiled.registersPerThread);
    const known = { ...facts, ...compiled, registersPerThread, registersFrom: "ptxas" } as const;
    this.#facts.set(kernel, known);
    return known;
  }

  /** Reads the counters of a module, and sets them to zero. */
  #take(counted: Counted): SiteCounts[] {
    const { address, sites } = counted;
    const { buffer } = this.#device.bytes;
    const all = this.#countersOf(counted);
    const counts = sites.flatMap((site) => {
      const isAccess = site.kind === "access";
      const at = Array.from(
        { length: isAccess ? recordsOfAccess(site.space) : 1 },
        (_, n) => address + site.record * RECORD_BYTES + n * ACCESS_RECORD_BYTES,
      );
      const counters = at.map((record) => Array.from(new BigUint64Array(buffer, record, COUNTERS), Number));
      if (counters.every((own) => own.every((count) => count === 0))) return [];
      return [{ site, counters, samples: isAccess ? at.map((record) => readSample(buffer, record)) : [] }];
    });
    all.fill(0n);
    return counts;
  }

  get #device(): ObservedMemory {
    return this.#memory ?? bug("a profiler that watches no device");
  }
}
