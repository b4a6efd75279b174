/**
 * The checkers of a device: its observer. Instruments programs, keeps the table of allocations, and turns records into
 * findings.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { bug } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import { reachedFunctions } from "../ir/graph/call-graph.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import {
  TOOL_PREFIX,
  type DeviceObserver,
  type ObservedAllocation,
  type ObservedLaunch,
  type ObservedMemory,
} from "../machine/observer.ts";
import { AllocationTable, LAUNCH_VARIABLE, LAUNCH_WORDS, TABLE_VARIABLE } from "./allocation-table.ts";
import type { CheckedDevice, Checker, Example, Site } from "./checker.ts";
import {
  isOwn,
  type CheckerName,
  type Extent,
  type Finding,
  type FindingDraft,
  type LaunchName,
  type Note,
  type Place,
} from "./finding.ts";
import { instrument } from "./instrument.ts";
import { isLikely, type LikelyKernel } from "./likely-kernels.ts";
import type { LaunchedWork, StreamWork } from "./stream-work.ts";
import { EXAMPLE_WORDS, FAILED_VARIABLE, MEMORY_VARIABLE, RECORD, RECORD_BYTES } from "./tool-code.ts";

const LAUNCH_BYTES = 64;

interface CheckedModule {
  readonly records: number;
  readonly sites: readonly Site[];
}

export interface ChecksOptions {
  /** A mangled name as a programmer reads it. */
  readonly readable?: (name: string) => string;
  /** Kernels run without what is known of likely launches (likely-kernels.ts), as if no launch were one. */
  readonly unlikely?: boolean;
  /** What work launches are. */
  readonly work?: LaunchedWork;
  /** Where the host program is at this moment. @param launched the kernel, when it launches one. */
  readonly here?: (launched: string | null) => Place;
}

/** Device memory that the program has not freed, and the line that allocated it. */
export interface Leak extends Extent {
  readonly location: SourceLocation | null;
}

export class Checks implements DeviceObserver {
  readonly shadowPlanes: number;
  readonly serial: boolean;
  readonly wantsRepeats: boolean;
  readonly libraryFunctions: readonly string[];
  readonly #checkers: readonly Checker[];
  readonly #unlikely: boolean;
  readonly #work: LaunchedWork | null;
  /** The work that the launch which runs is. */
  #launchedWork: StreamWork | null = null;
  readonly #readable: (name: string) => string;
  readonly #here: (launched: string | null) => Place;
  #memory: ObservedMemory | null = null;
  #table: AllocationTable | null = null;
  #launchWords = 0;
  #serial = 0;
  /** A word that is not 0 once a check has failed. */
  #failed = 0;
  readonly #modules: CheckedModule[] = [];
  /** By their originals. */
  readonly #likely = new WeakMap<IrFunction, LikelyKernel>();
  /** Addresses of the tool's variables by their names. */
  readonly #addresses = new Map<string, number>();
  readonly #findings: Finding[] = [];
  /** Kernels, by name. */
  readonly #systemWide = new Set<string>();
  /** By place and kind. */
  readonly #byPlace = new Map<Site | string, Map<string, Finding>>();

  constructor(
    checkers: readonly Checker[],
    { readable = (name) => name, unlikely = false, work, here = () => () => null }: ChecksOptions = {},
  ) {
    this.#checkers = checkers;
    this.#readable = readable;
    this.#unlikely = unlikely;
    this.#work = work ?? null;
    this.#here = here;
    this.shadowPlanes = checkers.reduce((sum, checker) => sum + checker.shadowPlanes, 0);
    this.serial = checkers.some(({ serial = false }) => serial);
    this.wantsRepeats = checkers.some(({ wantsRepeats = false }) => wantsRepeats);
    this.libraryFunctions = [...new Set(checkers.flatMap(({ libraryFunctions = [] }) => libraryFunctions))];
  }

  /** In the order they were found. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** What the program allocated on the device and has not freed. */
  get leaked(): readonly Leak[] {
    const table = this.#allocations;
    return [...table.leaked()].map((allocation) => ({
      start: allocation.start,
      bytes: allocation.bytes,
      location: table.placeOf(allocation)?.() ?? null,
    }));
  }

  /**
   * A finding of a checker that watches something else than kernels. The same draft at the same place is one finding.
   */
  report(
    checker: CheckerName,
    draft: FindingDraft,
    location: SourceLocation | null,
    launch: LaunchName | null = null,
  ): void {
    const same = this.#findings.find(
      (known) =>
        known.checker === checker &&
        known.kind === draft.kind &&
        known.message === draft.message &&
        JSON.stringify(known.location) === JSON.stringify(location),
    );
    if (same !== undefined) same.count++;
    else
      this.#findings.push({
        ...draft,
        checker,
        location,
        function: location?.functionName ?? null,
        count: 1,
        example: null,
        launch,
      });
  }

  /** Whether an allocation began at `address` that was freed since. */
  wasFreed(address: number): boolean {
    return this.#allocations.find(address) === null && this.#allocations.findFreed(address)?.start === address;
  }

  /** Where the allocation that holds `address`, or held it last, was made and freed. */
  notesOn(address: number, name?: string): readonly Note[] {
    return this.#allocations.notesOn(address, name);
  }

  attach(memory: ObservedMemory): void {
    this.#memory = memory;
    const table = new AllocationTable(memory);
    this.#table = table;
    const variable = (name: string, bytes: number): number => {
      const address = memory.allocate(bytes);
      this.#addresses.set(TOOL_PREFIX + name, address);
      return address;
    };
    this.#addresses.set(TOOL_PREFIX + TABLE_VARIABLE, table.address);
    this.#addresses.set(TOOL_PREFIX + MEMORY_VARIABLE, 0);
    this.#launchWords = variable(LAUNCH_VARIABLE, LAUNCH_BYTES);
    this.#failed = variable(FAILED_VARIABLE, 4);
    for (let plane = 0; plane < this.shadowPlanes; plane++)
      this.#addresses.set(`${TOOL_PREFIX}shadow_${plane}`, memory.shadow(plane) >>> 0);
    const modules = this.#modules;
    const device: CheckedDevice = {
      memory,
      allocations: table,
      readable: this.#readable,
      variable,
      *sites() {
        for (const { sites } of modules) yield* sites;
      },
    };
    let plane = 0;
    for (const checker of this.#checkers) {
      checker.attach(device, plane);
      plane += checker.shadowPlanes;
    }
  }

  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void {
    for (const kernel of own)
      if (kernel.isKernel && [...reachedFunctions(kernel, own)].some(hasSystemAtomics))
        this.#systemWide.add(kernel.name);
    const name = `records_${this.#modules.length}`;
    const { sites, likely } = instrument(module, own, this.#checkers, name);
    for (const kernel of likely) this.#likely.set(kernel.original, kernel);
    const records = this.#device.allocate(Math.max(1, sites.length) * RECORD_BYTES);
    this.#addresses.set(TOOL_PREFIX + name, records);
    this.#modules.push({ records, sites });
  }

  addressOf(variable: string): number | null {
    return this.#addresses.get(variable) ?? null;
  }

  allocated(allocation: ObservedAllocation): void {
    this.#allocations.add(allocation, allocation.purpose === "user" ? this.#here(null) : null);
    for (const checker of this.#checkers) checker.allocated?.(allocation);
  }

  freed(allocation: ObservedAllocation): void {
    this.#allocations.remove(allocation, this.#here(null));
    for (const checker of this.#checkers) checker.freed?.(allocation);
  }

  written(start: number, bytes: number): void {
    for (const checker of this.#checkers) checker.written?.(start, bytes);
  }

  copied(destination: number, source: number, bytes: number): void {
    for (const checker of this.#checkers) checker.copied?.(destination, source, bytes);
  }

  read(start: number, bytes: number): void {
    for (const checker of this.#checkers) {
      for (const draft of checker.read?.(start, bytes) ?? [])
        this.#findings.push({
          location: null,
          function: null,
          count: 1,
          example: null,
          launch: null,
          ...draft,
          checker: checker.name,
        });
    }
  }

  /** Whether a kernel has atomic operations of system scope, as those have that work together with the host. */
  isSystemWide(kernel: string): boolean {
    return this.#systemWide.has(kernel);
  }

  /** Work on a stream is about to be done. */
  beginWork(work: StreamWork): void {
    for (const checker of this.#checkers) checker.beginWork?.(work);
  }

  /** A copy or fill that is under way reads or changes memory that host and device share, on the host's side. */
  moved(start: number, bytes: number, writes: boolean): void {
    for (const checker of this.#checkers) checker.moved?.(start, bytes, writes);
  }

  /** It is done. @param place where the host program is. */
  endWork(place: Place): void {
    for (const checker of this.#checkers)
      for (const draft of checker.endWork?.() ?? []) this.report(checker.name, draft, place());
  }

  launching(launch: ObservedLaunch): string | null {
    this.#launchedWork = this.#work?.of(launch) ?? null;
    if (this.#launchedWork !== null) this.beginWork(this.#launchedWork);
    const words = new DataView(this.#device.bytes.buffer, this.#launchWords);
    words.setUint32(LAUNCH_WORDS.sharedBytes, launch.sharedBytes, true);
    words.setUint32(LAUNCH_WORDS.serial, ++this.#serial, true);
    for (const checker of this.#checkers) checker.launching?.(launch);
    const kernel = this.#likely.get(launch.function);
    if (kernel === undefined || this.#unlikely || !isLikely(launch, kernel, this.#allocations)) return null;
    return this.#checkers.every((checker) => checker.isLikely?.(launch, kernel) ?? true) ? kernel.copy.name : null;
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null): void {
    const before = this.#findings.length;
    const failed = new Uint32Array(this.#device.bytes.buffer, this.#failed, 1);
    if (failed[0] !== 0) {
      failed[0] = 0;
      this.#readRecords(launch);
    }
    for (const checker of this.#checkers)
      this.#findings.push(...(checker.launched?.(launch, fault, this.#findings) ?? []));
    if (this.#launchedWork !== null) this.endWork(this.#launchedWork.place);
    if (this.#findings.length > before) this.#tellPlace(before, this.#here(launch.kernel)());
  }

  synchronized(): void {
    this.#work?.hostWaited();
  }

  /**
   * The host program still stands at the launch; what a kernel of a library that comes with Heddle finds in the
   * program's memory is the program's doing there.
   */
  #tellPlace(first: number, location: SourceLocation | null): void {
    if (location === null) return;
    for (const [index, finding] of this.#findings.entries()) {
      if (index < first || finding.launch === null) continue;
      finding.launch = { ...finding.launch, location };
      if (!isOwn(finding.location)) continue;
      finding.notes = [
        { text: "in a kernel of the library that is called here:", location: finding.location },
        ...finding.notes,
      ];
      finding.location = location;
    }
  }

  #readRecords(launch: ObservedLaunch): void {
    // One checker after the other: the later know what the earlier have found.
    for (const { name } of this.#checkers) {
      for (const { records, sites } of this.#modules)
        this.#readRecordsOf(
          sites.filter(({ checker }) => checker === name),
          records,
          launch,
        );
    }
  }

  #readRecordsOf(sites: readonly Site[], records: number, launch: ObservedLaunch): void {
    for (const site of sites) {
      const record = new Uint32Array(this.#device.bytes.buffer, records + site.index * RECORD_BYTES, RECORD_BYTES / 4);
      if (record[RECORD.count] === 0) continue;
      this.#note(site, record.slice(), launch);
      record.fill(0);
    }
  }

  #note(site: Site, record: Uint32Array, launch: ObservedLaunch): void {
    const count = record[RECORD.count] as number;
    const example: Example = {
      words: record.subarray(RECORD.words, RECORD.words + EXAMPLE_WORDS),
      block: dim3At(record, RECORD.block),
      thread: dim3At(record, RECORD.thread),
      count,
    };
    const checker = this.#checkers.find(({ name }) => name === site.checker) ?? bug(`no checker ${site.checker}`);
    const draft = checker.describe(site, example, launch, this.#findings);
    if (draft === null) return;
    const { at = site, by: { block, thread } = example, ...rest } = draft;
    // One statement has several sites where a loop is unrolled, and in both copies of a kernel: it is wrong once. A
    // place of which nobody knows the line is its own.
    const place: Site | string =
      at.location === null
        ? at
        : JSON.stringify([site.checker, at.function, at.location, rest.details["access"] ?? null]);
    const known = this.#byPlace.get(place)?.get(draft.kind);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    const finding: Finding = {
      ...rest,
      checker: site.checker,
      location: at.location,
      function: at.function,
      count,
      example: { block, thread },
      launch: nameOf(launch),
    };
    const kinds = this.#byPlace.get(place) ?? new Map<string, Finding>();
    this.#byPlace.set(place, kinds.set(draft.kind, finding));
    this.#findings.push(finding);
  }

  get #device(): ObservedMemory {
    return this.#memory ?? bug("the checkers watch no device");
  }

  get #allocations(): AllocationTable {
    return this.#table ?? bug("the checkers watch no device");
  }
}

function hasSystemAtomics({ blocks }: IrFunction): boolean {
  return blocks.some(({ instructions }) =>
    instructions.some((i) => (i.op === "atomicrmw" || i.op === "cmpxchg") && i.scope === null),
  );
}

/** What reports say of a launch. */
export function nameOf({ kernel, grid, block, sharedBytes, ordinal }: ObservedLaunch): LaunchName {
  return { kernel, grid, block, sharedBytes, ordinal, location: null };
}

function dim3At(record: Uint32Array, index: number): Dim3 {
  return { x: record[index] as number, y: record[index + 1] as number, z: record[index + 2] as number };
}
