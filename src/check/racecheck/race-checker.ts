/**
 * Racecheck: accesses of different threads to the same memory, one of them a write, with nothing that orders them.
 *
 * The code beside accesses (race-visitor.ts) finds them; here stand the state that it works on, and what is said of a
 * race.
 */
import type { Example, FunctionContext, FunctionVisitor, ModuleFacts, Site } from "../../instrument/instrumenter.ts";
import { bug } from "../../base/diagnostics.ts";
import type { SourceLocation } from "../../base/diagnostics.ts";
import { dim3Flatten, dim3Unflatten, dim3Volume, type Dim3 } from "../../base/dim3.ts";
import { sameConstant } from "../../ir/model/fold.ts";
import type { IrFunction, IrInstruction, IrModule } from "../../ir/model/ir.ts";
import type { ObservedAllocation, ObservedLaunch } from "../../machine/observer.ts";
import type { CheckedDevice, Checker, ReadDraft } from "../checker.ts";
import { changesMemory, isAtomic } from "./race-accesses.ts";
import { COPY_FUNCTIONS, expandMemIntrinsics } from "./pass-expand-mem-intrinsics.ts";
import { RaceModule } from "./race-module.ts";
import { describeRace, isOneElement, type Between, type RaceParty } from "./race-report.ts";
import { ORDERED_HOOKS } from "./ordered-hooks.ts";
import { RaceSites } from "./race-sites.ts";
import {
  ENTRY,
  INTERVALS,
  MAX_RANGES,
  ORDER_ANSWER,
  ORDER_TABLES,
  OWNERS_VARIABLE,
  PLANES,
  RACE_WORDS,
  SITES,
  STATE,
  STATE_BYTES,
  STATE_VARIABLE,
} from "./race-state.ts";
import type { RaceSite } from "./race-site.ts";
import { HOOKS, RaceVisitor } from "./race-visitor.ts";
import { STREAM_HOOK, StreamRaces, isStreamSite } from "./stream-races.ts";
import type { Finding, FindingDraft } from "../finding.ts";
import type { StreamWork } from "../stream-work.ts";

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
      firstPlane: this.#firstPlane,
      windows: this.#checked.memory.windows,
      number: (site) => this.#sites.add(site, context.speculative?.original ?? context.function),
    });
    if (streams === undefined) return races;
    // Entries of other work are looked at before this one's take their place.
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

  describe(
    site: Site,
    { words, block, thread, count }: Example,
    launch: ObservedLaunch,
    known: readonly Finding[],
  ): (FindingDraft & { at?: Site; by?: { block: Dim3; thread: Dim3 } }) | null {
    if (isStreamSite(site)) return this.#streams?.describe(site, { words, block, thread, count }) ?? null;
    const kernel = launch.function ?? bug("a launch without code has no races");
    const word = (index: number): number => words[index] as number;
    const mine = site as RaceSite;
    const own = word(RACE_WORDS.own) & ~ENTRY.flags;
    const [write, read, sites, stored] = [
      word(RACE_WORDS.write),
      word(RACE_WORDS.read),
      word(RACE_WORDS.sites),
      word(RACE_WORDS.stored),
    ];
    const launchStart = this.#words[STATE.launch] as number;
    const owners = new Uint32Array(this.#checked.memory.bytes.buffer, this.#owners, INTERVALS);
    const ownerOf = (entry: number): number => owners[entry >>> ENTRY.intervalShift] as number;
    const isMine = mine.isOrdered
      ? (entry: number): boolean => ownerOf(entry) === dim3Flatten(block, launch.grid)
      : (entry: number): boolean => entry >= word(RACE_WORDS.block);
    const ofWarp = (entry: number): boolean => ((entry ^ own) & (ENTRY.warp | ENTRY.warps)) === 0;
    const inRound = (entry: number): boolean =>
      entry >= word(RACE_WORDS.round) &&
      ((entry ^ own) & (ENTRY.thread | ENTRY.lanes | ENTRY.warps)) !== 0 &&
      (!ofWarp(entry) || entry >>> ENTRY.intervalShift >= own >>> ENTRY.intervalShift);
    const { windows } = this.#checked.memory;
    const ofBlock =
      mine.shared ||
      (mine.mayBeWindow && word(RACE_WORDS.address) >= windows.start && word(RACE_WORDS.address) < windows.end);
    const elsewhere = (entry: number): boolean =>
      !ofBlock && entry >= launchStart && (!isMine(entry) || (entry & ENTRY.blocks) !== 0);
    const overlaps = (bytes: number): boolean =>
      !mine.conflicts.group.bytewise || (bytes & word(RACE_WORDS.own) & ENTRY.flags) !== 0;
    /** Both are atomic, and for the other's threads, too. */
    const areAtomic = (entry: number, isWrite: boolean): boolean =>
      isAtomic(mine.kind) &&
      ((entry & ENTRY.atomic) !== 0 || (isWrite && isMine(entry) && (entry & ENTRY.blocks) !== 0)) &&
      mine.scope !== "block" &&
      !(mine.conflicts.inStep && inRound(entry) && ofWarp(entry));
    // Of a kernel that is accounted for closely only entries that race are given.
    const conflicts = (entry: number, bytes: number, isWrite: boolean): boolean =>
      mine.isOrdered
        ? entry !== 0
        : (inRound(entry) || elsewhere(entry)) && overlaps(bytes) && !areAtomic(entry, isWrite);
    const me = { site: mine, block, thread };
    const copiesOf = (one: RaceSite): RaceSite[] =>
      this.#sites.all.filter(
        (site) =>
          site === one ||
          (site.flow === one.flow && site.kind === one.kind && sameLocation(site.location, one.location)),
      );
    const other = (entry: number, number: number, writes: boolean): RaceParty => {
      const { all, only } = writes ? mine.conflicts.writes : mine.conflicts.reads;
      const noted = this.#sites.named(number & SITES.last, kernel, mine, ({ at }) => all.has(at));
      // Where one instruction alone can be the other side, nobody has written down which it was; where several threads
      // have been there, perhaps the wrong one.
      const of = (i: IrInstruction): RaceSite | null =>
        this.#sites.all.findLast((candidate) => candidate.at === i && changesMemory(candidate.kind) === writes) ?? null;
      const owner = ownerOf(entry);
      const same = ((entry ^ own) & ENTRY.thread) === 0 && isMine(entry);
      // The entry is this thread's own, made over another's: that one has come by an access that is not of one
      // statement with this one, if there is any; at best by one that comes before this without a barrier.
      const strangers = same
        ? [...all]
            .map(of)
            .filter((site) => site !== null)
            .filter((site) => !isOneElement(mine, site))
        : [];
      const near = strangers.filter(
        (site) => site === noted || (site.flow === mine.flow && mine.flow.reaches(site.order, mine.order, "block")),
      );
      const elsewhereBy = near.length > 0 ? near : strangers;
      // An atomic operation of this block over what the block had written plainly before a barrier: the entry still
      // names that.
      const isOverPlain = writes && isMine(entry) && (entry & (ENTRY.blocks | ENTRY.atomic)) === ENTRY.blocks;
      const atomics =
        isOverPlain && noted !== null && !isAtomic(noted.kind)
          ? [...all].map(of).filter((site) => site !== null && isAtomic(site.kind))
          : [];
      const at =
        atomics.length > 0
          ? (atomics.at(-1) ?? null)
          : elsewhereBy.length > 0
            ? (elsewhereBy.at(-1) ?? null)
            : noted !== null && (all.has(noted.at) || only === null)
              ? noted
              : only === null
                ? null
                : of(only);
      return {
        site: at,
        block:
          same && (entry & ENTRY.blocks) !== 0
            ? null
            : owner < dim3Volume(launch.grid)
              ? dim3Unflatten(owner, launch.grid)
              : null,
        // Several threads read it, and of those this one is named.
        thread: same ? null : dim3Unflatten((entry & ENTRY.thread) >>> ENTRY.threadShift, launch.block),
      };
    };
    const isFar = (entry: number): boolean =>
      !isMine(entry) ||
      (mine.isOrdered
        ? ((entry ^ own) & ENTRY.thread) === 0 && (entry & ENTRY.blocks) !== 0
        : elsewhere(entry) && !inRound(entry));
    const between = (entry: number): Between => (isFar(entry) ? "grid" : ofWarp(entry) ? "warp" : "block");
    const details = { address: word(RACE_WORDS.address), value: word(RACE_WORDS.value) };
    const told = (
      party: RaceParty,
      kind: "read" | "write",
      where: Between,
      narrow = 0,
    ): ReturnType<RaceChecker["describe"]> => {
      const parties = [mine, party.site].filter((candidate) => candidate !== null);
      // Out of its object an access meets whatever lies there: that it does so has been said.
      if (
        parties.some(({ location }) =>
          known.some((finding) => finding.checker === "memcheck" && sameLocation(finding.location, location)),
        )
      )
        return null;
      const isNarrow = mine.isOrdered && (word(RACE_WORDS.answer) & narrow) !== 0;
      return describeRace(
        me,
        party,
        kind,
        { between: where, isNarrow, isOrdered: mine.isOrdered },
        details,
        this.#checked,
        { kernel, copiesOf },
      );
    };
    // Of threads that write the same, it is not the writing.
    const writer = conflicts(write, sites >>> SITES.bytesShift, true) ? other(write, sites, true) : null;
    const setsTheSame =
      writer !== null &&
      mine.constant !== null &&
      writer.site?.constant != null &&
      sameConstant(writer.site.constant, mine.constant);
    if (writer !== null && !setsTheSame) return told(writer, "write", between(write), ORDER_ANSWER.writeNarrow);
    if (changesMemory(mine.kind) && conflicts(read, sites >>> (SITES.readShift + SITES.bytesShift), false))
      return told(other(read, sites >>> SITES.readShift, false), "read", between(read), ORDER_ANSWER.readNarrow);
    if (setsTheSame) return null;
    return told(
      { site: mine, block, thread: dim3Unflatten((stored & ENTRY.thread) >>> ENTRY.threadShift, launch.block) },
      "write",
      "warp",
    );
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

function sameLocation(a: SourceLocation | null, b: SourceLocation | null): boolean {
  return a !== null && b !== null && a.file === b.file && a.line === b.line && a.column === b.column;
}
