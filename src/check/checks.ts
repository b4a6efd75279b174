/**
 * The checkers of a device: its observer. Lets them instrument programs, and turns the records of failed checks into
 * findings.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import { bug } from "../base/diagnostics.ts";
import { isInOwnSources, type Place } from "../base/source-places.ts";
import { InstrumentedDevice } from "../instrument/instrumented-device.ts";
import type { Example, Site } from "../instrument/instrumenter.ts";
import { reachedFunctions } from "../ir/graph/call-graph.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { DeviceObserver, ObservedAllocation, ObservedLaunch, ObservedMemory } from "../machine/observer.ts";
import { notesOn } from "./allocation-notes.ts";
import { CHECK_NAMES } from "./check-names.ts";
import type { Checker } from "./checker.ts";
import type { CheckerName, Extent, Finding, FindingDraft, LaunchName, Note } from "./finding.ts";
import type { LaunchedWork, StreamWork } from "./stream-work.ts";

export interface ChecksOptions {
  /** A mangled name as a programmer reads it. */
  readonly readable?: (name: string) => string;
  /** Launches may run speculative copies of kernels (instrument/speculative-kernels.ts); default true. */
  readonly speculate?: boolean;
  /** What work launches are. */
  readonly work?: LaunchedWork;
  /** Where the host program is at this moment. @param launched the kernel, when it launches one. */
  readonly here?: (launched: string | null) => Place;
}

/** Device memory that the program has not freed, and the line that allocated it. */
export interface Leak extends Extent {
  readonly location: SourceLocation | null;
}

/** Checkers that stopped because the program needed the memory that they keep their notes in. */
export interface SteppedAside {
  readonly checkers: readonly CheckerName[];
  /** Launches that they have watched. */
  readonly launches: number;
  /** Bytes of the allocation that needed the memory, and where the program made it. */
  readonly bytes: number;
  readonly location: SourceLocation | null;
  /** Those that had stopped before, for an earlier allocation. */
  readonly before: SteppedAside | null;
}

export class Checks implements DeviceObserver {
  readonly name: string;
  readonly needs = "code";
  readonly prefix: string = CHECK_NAMES.prefix;
  readonly shadowPlanes: number;
  readonly serial: boolean;
  readonly wantsRepeats: boolean;
  readonly libraryFunctions: readonly string[];
  /** Those that still watch. */
  #checkers: readonly Checker[];
  #steppedAside: SteppedAside | null = null;
  /** Of the device, so far. */
  #launches = 0;
  readonly #speculate: boolean;
  readonly #work: LaunchedWork | null;
  /** The work that the launch which runs is. */
  #launchedWork: StreamWork | null = null;
  readonly #readable: (name: string) => string;
  readonly #here: (launched: string | null) => Place;
  #watched: InstrumentedDevice | null = null;
  readonly #findings: Finding[] = [];
  /** Kernels, by name. */
  readonly #systemWide = new Set<string>();
  /** By place and kind. */
  readonly #byPlace = new Map<Site | string, Map<string, Finding>>();

  constructor(
    checkers: readonly Checker[],
    { readable = (name) => name, speculate = true, work, here = () => () => null }: ChecksOptions = {},
  ) {
    this.#checkers = checkers;
    this.name = checkers.map(({ name }) => name).join(", ");
    this.#readable = readable;
    this.#speculate = speculate;
    this.#work = work ?? null;
    this.#here = here;
    this.shadowPlanes = planesOf(checkers);
    this.serial = checkers.some(({ serial = false }) => serial);
    this.wantsRepeats = checkers.some(({ wantsRepeats = false }) => wantsRepeats);
    this.libraryFunctions = [...new Set(checkers.flatMap(({ libraryFunctions = [] }) => libraryFunctions))];
  }

  /** null: every checker has watched all launches. */
  get steppedAside(): SteppedAside | null {
    return this.#steppedAside;
  }

  get leastShadowPlanes(): number {
    return planesOf(this.#checkers.some(needsNoShadow) ? [] : this.#checkers.slice(0, 1));
  }

  /** Checkers that need shadow memory stop, the last first, until the bytes fit; as long as another one is left. */
  yieldShadow(bytes: number, fits: (planes: number) => boolean): number | null {
    let left = this.#checkers;
    while (!fits(planesOf(left)) || left === this.#checkers) {
      const last = left.findLast((checker) => !needsNoShadow(checker));
      if (last === undefined || left.length === 1) return null;
      left = left.filter((checker) => checker !== last);
    }
    const aside: SteppedAside = {
      checkers: this.#checkers.filter((checker) => !left.includes(checker)).map(({ name }) => name),
      launches: this.#launches,
      bytes,
      location: this.#here(null)(),
      before: this.#steppedAside,
    };
    this.#steppedAside = aside;
    this.#checkers = left;
    return planesOf(left);
  }

  shadowMoved(): void {
    this.#device.placeShadows(planesOf(this.#checkers));
  }

  /** In the order they were found. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** What the program allocated on the device and has not freed. */
  get leaked(): readonly Leak[] {
    const table = this.#device.allocations;
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
    const { allocations } = this.#device;
    return allocations.find(address) === null && allocations.findFreed(address)?.start === address;
  }

  /** Where the allocation that holds `address`, or held it last, was made and freed. */
  notesOn(address: number, name?: string): readonly Note[] {
    return notesOn(this.#device.allocations, address, name);
  }

  attach(memory: ObservedMemory): void {
    const watched = new InstrumentedDevice(CHECK_NAMES, memory, this.shadowPlanes);
    this.#watched = watched;
    const device = {
      memory,
      allocations: watched.allocations,
      readable: this.#readable,
      variable: (name: string, bytes: number) => watched.variable(name, bytes),
      sites: () => watched.sites(),
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
    this.#device.instrument(module, own, this.#checkers);
  }

  addressOf(variable: string): number | null {
    return this.#device.addressOf(variable);
  }

  allocated(allocation: ObservedAllocation): void {
    this.#device.allocations.add(allocation, allocation.purpose === "user" ? this.#here(null) : null);
    for (const checker of this.#checkers) checker.allocated?.(allocation);
  }

  freed(allocation: ObservedAllocation): void {
    this.#device.allocations.remove(allocation, this.#here(null));
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
    this.#launches++;
    this.#launchedWork = this.#work?.of(launch) ?? null;
    if (this.#launchedWork !== null) this.beginWork(this.#launchedWork);
    this.#device.beginLaunch(launch);
    for (const checker of this.#checkers) checker.launching?.(launch);
    // Speculative copies leave out code of checkers that have stopped.
    return this.#speculate && this.#steppedAside === null ? this.#device.speculativeCopy(launch, this.#checkers) : null;
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null): void {
    const before = this.#findings.length;
    // One checker after the other: the later ones know what the earlier ones have found.
    const owners = this.#checkers.map(({ name }) => name);
    for (const { site, example } of this.#device.failures(owners)) this.#note(site, example, launch);
    for (const checker of this.#checkers)
      this.#findings.push(...(checker.launched?.(launch, fault, this.#findings) ?? []));
    if (this.#launchedWork !== null) this.endWork(this.#launchedWork.place);
    if (this.#findings.length > before) this.#addHostPlace(before, this.#here(launch.kernel)());
  }

  suspended(launch: ObservedLaunch): void {
    const before = this.#findings.length;
    for (const { site, example } of this.#device.failures(this.#checkers.map(({ name }) => name)))
      this.#note(site, example, launch);
    if (this.#findings.length > before) this.#addHostPlace(before, this.#here(launch.kernel)());
  }

  /** What the launch has accessed so far comes before what it accesses from here on: as if this were the next one. */
  resumed(launch: ObservedLaunch): void {
    this.#device.beginLaunch(launch);
    for (const checker of this.#checkers) {
      checker.launching?.(launch);
      checker.resumed?.();
    }
  }

  synchronized(): void {
    this.#work?.hostWaited();
  }

  /**
   * The host program still stands at the launch; what a kernel of a library that comes with Heddle finds in the
   * program's memory is the program's doing there.
   */
  #addHostPlace(first: number, location: SourceLocation | null): void {
    if (location === null) return;
    for (const [index, finding] of this.#findings.entries()) {
      if (index < first || finding.launch === null) continue;
      finding.launch = { ...finding.launch, location };
      if (!isInOwnSources(finding.location)) continue;
      finding.notes = [
        { text: "in a kernel of the library that is called here:", location: finding.location },
        ...finding.notes,
      ];
      finding.location = location;
    }
  }

  #note(site: Site, example: Example, launch: ObservedLaunch): void {
    const { count } = example;
    const checker = this.#checkers.find(({ name }) => name === site.owner) ?? bug(`no checker ${site.owner}`);
    const draft = checker.describe(site, example, launch, this.#findings);
    if (draft === null) return;
    const { at = site, by: { block, thread } = example, ...rest } = draft;
    // One statement has several sites where a loop is unrolled, and in both copies of a kernel: it is wrong once. A
    // place whose line is not known is its own.
    const place: Site | string =
      at.location === null
        ? at
        : JSON.stringify([site.owner, at.function, at.location, rest.details["access"] ?? null]);
    const known = this.#byPlace.get(place)?.get(draft.kind);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    const finding: Finding = {
      ...rest,
      checker: checker.name,
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

  get #device(): InstrumentedDevice {
    return this.#watched ?? bug("the checkers watch no device");
  }
}

function planesOf(checkers: readonly Checker[]): number {
  return checkers.reduce((sum, { shadowPlanes }) => sum + shadowPlanes, 0);
}

function needsNoShadow({ shadowPlanes }: Checker): boolean {
  return shadowPlanes === 0;
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
