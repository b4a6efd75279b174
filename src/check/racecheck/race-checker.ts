/**
 * Racecheck: accesses of different threads to the same memory, one of them a write, with nothing that orders them.
 *
 * The code beside accesses (race-visitor.ts) finds them. This file has the state that the code works on, from launch to
 * launch.
 */
import { bug } from "../../base/diagnostics.ts";
import type { Example, FunctionContext, FunctionVisitor, ModuleFacts, Site } from "../../instrument/instrumenter.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import type { ObservedAllocation, ObservedLaunch } from "../../machine/observer.ts";
import type { CheckedDevice, Checker, ReadDraft } from "../checker.ts";
import type { Finding, FindingDraft } from "../finding.ts";
import type { StreamWork } from "../stream-work.ts";
import { ORDERED_HOOKS } from "./ordered-hooks.ts";
import { COPY_FUNCTIONS, expandMemIntrinsics } from "./pass-expand-mem-intrinsics.ts";
import { RaceModule } from "./race-module.ts";
import { RaceRecord, type RaceDraft } from "./race-record.ts";
import type { RaceSite } from "./race-site.ts";
import { RaceSites } from "./race-sites.ts";
import {
  ENTRY,
  INTERVALS,
  MAX_RANGES,
  ORDER_TABLES,
  OWNERS_VARIABLE,
  PLANES,
  STATE,
  STATE_BYTES,
  STATE_VARIABLE,
} from "./race-state.ts";
import { HOOKS, RaceVisitor } from "./race-visitor.ts";
import { STREAM_HOOK, StreamRaces, isStreamSite } from "./stream-races.ts";

export class RaceChecker implements Checker {
  readonly name = "racecheck";
  readonly shadowPlanes: number = PLANES.count;
  readonly libraryFunctions: readonly string[];
  readonly serial = true;
  /** The same work on another stream may race where on the same one it does nothing new. */
  readonly wantsRepeats: boolean;
  readonly usesSpeculation = true;
  #device: CheckedDevice | null = null;
  #state = 0;
  #owners = 0;
  #firstPlane = 0;
  readonly #sites = new RaceSites();
  #module: RaceModule | null = null;
  /** The ranges in the state are not the allocations there are. */
  #isListOld = true;
  /**
   * The last interval, and whether they have begun anew: memory that was free then has entries of the intervals before.
   */
  #counter = 0;
  #hasForgotten = false;
  readonly #followsStreams: boolean;
  #streams: StreamRaces | null = null;

  constructor({ streams = false }: { readonly streams?: boolean } = {}) {
    this.#followsStreams = streams;
    this.wantsRepeats = streams;
    this.libraryFunctions = [...HOOKS, ...ORDERED_HOOKS, ...COPY_FUNCTIONS, ...(streams ? [STREAM_HOOK] : [])];
  }

  attach(device: CheckedDevice, firstPlane: number): void {
    this.#device = device;
    this.#firstPlane = firstPlane;
    this.#state = device.variable(STATE_VARIABLE, STATE_BYTES);
    this.#owners = device.variable(OWNERS_VARIABLE, 4 * INTERVALS);
    for (const [name, bytes] of Object.entries(ORDER_TABLES)) device.variable(name, bytes);
    const words = this.#words;
    for (let plane = 0; plane < PLANES.count; plane++)
      words[STATE.planes + plane] = device.memory.shadow(firstPlane + plane);
    words[STATE.counter] = 1;
    if (this.#followsStreams) this.#streams = new StreamRaces(device, firstPlane, () => this.#words);
  }

  prepare(module: IrModule, own: ReadonlySet<IrFunction>): void {
    expandMemIntrinsics(module, own);
  }

  beginModule(module: IrModule, own: ReadonlySet<IrFunction>, { uniformity }: ModuleFacts): void {
    this.#module = new RaceModule(module, own, uniformity);
  }

  visitor(context: FunctionContext): FunctionVisitor {
    const module = this.#module ?? bug("no module is walked");
    const streams = this.#streams?.visitor(context);
    const races = new RaceVisitor(context, {
      module,
      conflicts: module.conflictsOf(context),
      isOrdered: module.ordered.has(context.function),
      distributed: module.distributed.has(context.function),
      firstPlane: this.#firstPlane,
      windows: this.#checked.memory.windows,
      number: (site) => this.#sites.add(site, context.speculative?.original ?? context.function),
    });
    if (streams === undefined) return races;
    // Entries of other work are tested before this one's take their place.
    return {
      visit: (i) => {
        streams.visit(i);
        races.visit(i);
      },
    };
  }

  beginWork(work: StreamWork): void {
    this.#streams?.begin(work);
  }

  endWork(): readonly FindingDraft[] {
    return this.#streams?.end() ?? [];
  }

  written(start: number, bytes: number): void {
    this.#streams?.accessed(start, bytes, true);
  }

  copied(destination: number, source: number, bytes: number): void {
    this.#streams?.accessed(source, bytes, false);
    this.#streams?.accessed(destination, bytes, true);
  }

  read(start: number, bytes: number): readonly ReadDraft[] {
    this.#streams?.accessed(start, bytes, false);
    return [];
  }

  moved(start: number, bytes: number, writes: boolean): void {
    this.#streams?.accessed(start, bytes, writes);
  }

  allocated(allocation: ObservedAllocation): void {
    this.#isListOld = true;
    this.#streams?.allocated(allocation);
    if (this.#streams === null && this.#hasForgotten) this.#forgetRange(allocation);
  }

  freed(): void {
    this.#isListOld = true;
  }

  launching(): void {
    const words = this.#words;
    this.#streams?.launching();
    // Between launches forgetting loses nothing; in the middle of one it does.
    const counter = words[STATE.counter] as number;
    if (counter < this.#counter) this.#hasForgotten = true;
    if (this.#streams === null && counter > INTERVALS / 2) this.#forget();
    if (this.#isListOld) this.#listRanges(words);
    words[STATE.counter] = (words[STATE.counter] as number) + 1;
    words[STATE.launch] = (words[STATE.counter] as number) << ENTRY.intervalShift;
    words[STATE.tag] = 0;
    words[STATE.serial] = (words[STATE.serial] as number) + 1;
    this.#counter = words[STATE.counter] as number;
    words[STATE.nodes] = words[STATE.exhausted] = words[STATE.gridBarriers] = 0;
  }

  /** In the middle of a block, whose threads begin a round. */
  resumed(): void {
    const words = this.#words;
    words[STATE.round] = words[STATE.block] = words[STATE.launch] as number;
  }

  describe(site: Site, example: Example, launch: ObservedLaunch, known: readonly Finding[]): RaceDraft | null {
    if (isStreamSite(site)) return this.#streams?.describe(site, example) ?? null;
    return new RaceRecord(site as RaceSite, example, launch, {
      device: this.#checked,
      sites: this.#sites,
      launchStart: this.#words[STATE.launch] as number,
      owners: new Uint32Array(this.#checked.memory.bytes.buffer, this.#owners, INTERVALS),
    }).describe(known);
  }

  /** Stretches of memory whose entries may matter. */
  #watched(): { start: number; bytes: number }[] {
    const {
      memory: { windows },
      allocations,
    } = this.#checked;
    return [{ start: windows.start, bytes: windows.end - windows.start }, ...allocations.live()];
  }

  #listRanges(words: Uint32Array): void {
    this.#isListOld = false;
    const ranges = this.#watched();
    const listed = ranges.length <= MAX_RANGES ? ranges : [ranges[0] as (typeof ranges)[0], around(ranges.slice(1))];
    words[STATE.ranges] = listed.length;
    listed.forEach(({ start, bytes }, index) => words.set([start, (bytes + 3) & ~3], STATE.range + 2 * index));
  }

  #forget(): void {
    for (const range of this.#watched()) this.#forgetRange(range);
    this.#words[STATE.counter] = 1;
    this.#hasForgotten = true;
  }

  #forgetRange({ start, bytes }: { readonly start: number; readonly bytes: number }): void {
    const { memory } = this.#checked;
    for (const plane of [PLANES.write, PLANES.read]) {
      const at = (start + memory.shadow(this.#firstPlane + plane)) >>> 0;
      memory.bytes.fill(0, at, at + ((bytes + 3) & ~3));
    }
  }

  get #words(): Uint32Array {
    return new Uint32Array(this.#checked.memory.bytes.buffer, this.#state, STATE_BYTES / 4);
  }

  get #checked(): CheckedDevice {
    return this.#device ?? bug("the checker watches no device");
  }
}

/** One stretch that holds all. */
function around(ranges: readonly { start: number; bytes: number }[]): { start: number; bytes: number } {
  const start = Math.min(...ranges.map((range) => range.start));
  return { start, bytes: Math.max(...ranges.map((range) => range.start + range.bytes)) - start };
}
