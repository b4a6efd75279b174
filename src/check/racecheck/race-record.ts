/**
 * What the record of a site says after a launch in which its access seemed to race: the entries of the word, looked at
 * with the same conditions as in the code (entry-order.ts), but here with everything that is known of sites. Says who
 * the two parties are, or that there is no race after all.
 */
import { bug, type SourceLocation } from "../../base/diagnostics.ts";
import { dim3Flatten, dim3Unflatten, dim3Volume, type Dim3 } from "../../base/dim3.ts";
import type { Example, Site } from "../../instrument/instrumenter.ts";
import { sameConstant } from "../../ir/model/fold.ts";
import type { IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { CheckedDevice } from "../checker.ts";
import type { Finding, FindingDraft } from "../finding.ts";
import { changesMemory, isAtomic } from "./race-accesses.ts";
import { describeRace, isOneElement, type Between, type RaceParty } from "./race-report.ts";
import type { RaceSite } from "./race-site.ts";
import type { RaceSites } from "./race-sites.ts";
import { ENTRY, ORDER_ANSWER, RACE_WORDS, SITES } from "./race-state.ts";

/** What racecheck's state says, besides the record. */
export interface RecordSurroundings {
  readonly device: CheckedDevice;
  readonly sites: RaceSites;
  /** First entry of the launch. */
  readonly launchStart: number;
  /** By interval: the block whose it is. */
  readonly owners: Uint32Array;
}

export type RaceDraft = FindingDraft & { at?: Site; by?: { block: Dim3; thread: Dim3 } };

export class RaceRecord {
  readonly #site: RaceSite;
  readonly #example: Pick<Example, "words" | "block" | "thread">;
  readonly #launch: ObservedLaunch;
  readonly #kernel: IrFunction;
  readonly #around: RecordSurroundings;
  /** The entry that the thread made, without flags. */
  readonly #own: number;

  constructor(site: RaceSite, example: Example, launch: ObservedLaunch, around: RecordSurroundings) {
    this.#site = site;
    this.#example = example;
    this.#launch = launch;
    this.#kernel = launch.function ?? bug("a launch without code has no races");
    this.#around = around;
    this.#own = this.#word("own") & ~ENTRY.flags;
  }

  /** null: nothing races. @param known the findings so far. */
  describe(known: readonly Finding[]): RaceDraft | null {
    const { kind, constant } = this.#site;
    const [write, read, sites] = [this.#word("write"), this.#word("read"), this.#word("sites")];
    const writer = this.#conflicts(write, sites >>> SITES.bytesShift, true) ? this.#party(write, sites, true) : null;
    // Threads that write the same constant do not race by that.
    const writesSame =
      constant !== null && writer?.site?.constant != null && sameConstant(writer.site.constant, constant);
    if (writer !== null && !writesSame)
      return this.#draft(known, writer, "write", this.#between(write), ORDER_ANSWER.writeNarrow);
    const readSites = sites >>> SITES.readShift;
    if (changesMemory(kind) && this.#conflicts(read, readSites >>> SITES.bytesShift, false))
      return this.#draft(
        known,
        this.#party(read, readSites, false),
        "read",
        this.#between(read),
        ORDER_ANSWER.readNarrow,
      );
    if (writesSame) return null;
    const sharing = { site: this.#site, block: this.#example.block, thread: this.#threadOf(this.#word("stored")) };
    return this.#draft(known, sharing, "write", "warp", 0);
  }

  #word(name: keyof typeof RACE_WORDS): number {
    return this.#example.words[RACE_WORDS[name]] as number;
  }

  #threadOf(entry: number): Dim3 {
    return dim3Unflatten((entry & ENTRY.thread) >>> ENTRY.threadShift, this.#launch.block);
  }

  // ---------------------------------------------------------------- who made an entry, and when

  #ownerOf(entry: number): number {
    return this.#around.owners[entry >>> ENTRY.intervalShift] as number;
  }

  #isOfBlock(entry: number): boolean {
    return this.#site.isOrdered
      ? this.#ownerOf(entry) === dim3Flatten(this.#example.block, this.#launch.grid)
      : entry >= this.#word("block");
  }

  #isOfWarp(entry: number): boolean {
    return ((entry ^ this.#own) & (ENTRY.warp | ENTRY.warps)) === 0;
  }

  #isOfThread(entry: number): boolean {
    return ((entry ^ this.#own) & ENTRY.thread) === 0;
  }

  /** Made in this round by another thread, with no __syncwarp in between. */
  #isOthersInRound(entry: number): boolean {
    return (
      entry >= this.#word("round") &&
      ((entry ^ this.#own) & (ENTRY.thread | ENTRY.lanes | ENTRY.warps)) !== 0 &&
      (!this.#isOfWarp(entry) || entry >>> ENTRY.intervalShift >= this.#own >>> ENTRY.intervalShift)
    );
  }

  /** Made in this launch by another block, in memory that blocks share. */
  #isElsewhere(entry: number): boolean {
    return (
      !this.#isBlockMemory &&
      entry >= this.#around.launchStart &&
      (!this.#isOfBlock(entry) || (entry & ENTRY.blocks) !== 0)
    );
  }

  get #isBlockMemory(): boolean {
    const { windows } = this.#around.device.memory;
    const address = this.#word("address");
    return this.#site.shared || (this.#site.mayBeWindow && address >= windows.start && address < windows.end);
  }

  // ---------------------------------------------------------------- whether it races

  /** @param bytes that the entry is about. */
  #conflicts(entry: number, bytes: number, isWrite: boolean): boolean {
    // With happens-before tracking, only entries that race are given.
    if (this.#site.isOrdered) return entry !== 0;
    const overlaps = !this.#site.conflicts.group.bytewise || (bytes & this.#word("own") & ENTRY.flags) !== 0;
    return (this.#isOthersInRound(entry) || this.#isElsewhere(entry)) && overlaps && !this.#areAtomic(entry, isWrite);
  }

  /** Both are atomic, and for the other's threads, too. */
  #areAtomic(entry: number, isWrite: boolean): boolean {
    const { kind, scope, conflicts } = this.#site;
    return (
      isAtomic(kind) &&
      ((entry & ENTRY.atomic) !== 0 || (isWrite && this.#isOfBlock(entry) && (entry & ENTRY.blocks) !== 0)) &&
      scope !== "block" &&
      !(conflicts.inStep && this.#isOthersInRound(entry) && this.#isOfWarp(entry))
    );
  }

  #between(entry: number): Between {
    const isFar =
      !this.#isOfBlock(entry) ||
      (this.#site.isOrdered
        ? this.#isOfThread(entry) && (entry & ENTRY.blocks) !== 0
        : this.#isElsewhere(entry) && !this.#isOthersInRound(entry));
    if (isFar) return "grid";
    return this.#isOfWarp(entry) ? "warp" : "block";
  }

  // ---------------------------------------------------------------- the other party

  /** @param number the half of the sites' word that belongs to the entry. */
  #party(entry: number, number: number, writes: boolean): RaceParty {
    const isOwn = this.#isOfThread(entry) && this.#isOfBlock(entry);
    return {
      site: this.#otherSite(entry, number, writes, isOwn),
      block: isOwn && (entry & ENTRY.blocks) !== 0 ? null : this.#blockOf(entry),
      // Of several threads that have read it, the entry names the last one.
      thread: isOwn ? null : this.#threadOf(entry),
    };
  }

  #blockOf(entry: number): Dim3 | null {
    const owner = this.#ownerOf(entry);
    return owner < dim3Volume(this.#launch.grid) ? dim3Unflatten(owner, this.#launch.grid) : null;
  }

  /** The site of the other access; null: it is not known any more. */
  #otherSite(entry: number, number: number, writes: boolean, isOwn: boolean): RaceSite | null {
    const { all, only } = writes ? this.#site.conflicts.writes : this.#site.conflicts.reads;
    const named = this.#around.sites.named(number & SITES.last, this.#kernel, this.#site, ({ at }) => all.has(at));
    const siteOf = (i: IrInstruction): RaceSite | null =>
      this.#around.sites.all.findLast(({ at, kind }) => at === i && changesMemory(kind) === writes) ?? null;
    const candidates = [...all].map(siteOf).filter((site) => site !== null);

    // An atomic operation of this block over what the block had written plainly before a barrier: the entry still names
    // the plain write.
    const isOverPlain = writes && this.#isOfBlock(entry) && (entry & (ENTRY.blocks | ENTRY.atomic)) === ENTRY.blocks;
    if (isOverPlain && named !== null && !isAtomic(named.kind)) {
      const atomic = candidates.findLast(({ kind }) => isAtomic(kind));
      if (atomic !== undefined) return atomic;
    }
    if (isOwn) {
      const stranger = this.#strangerAmong(candidates, named);
      if (stranger !== null) return stranger;
    }
    // Where one instruction alone can be the other side, entries do not name it. Where several threads have been there,
    // the entry may name the wrong one.
    if (named !== null && (all.has(named.at) || only === null)) return named;
    return only === null ? null : siteOf(only);
  }

  /**
   * The entry is this thread's own, made over another thread's. That one has come by an access that belongs to another
   * statement than this one, if there is any; at best by one that comes before this one without a barrier.
   */
  #strangerAmong(candidates: readonly RaceSite[], named: RaceSite | null): RaceSite | null {
    const { flow, order } = this.#site;
    const strangers = candidates.filter((site) => !isOneElement(this.#site, site));
    const near = strangers.filter(
      (site) => site === named || (site.flow === flow && flow.reaches(site.order, order, "block")),
    );
    return near.at(-1) ?? strangers.at(-1) ?? null;
  }

  // ---------------------------------------------------------------- the report

  /** @param narrow the bit of ORDER_ANSWER that says that a scope was too narrow. */
  #draft(
    known: readonly Finding[],
    party: RaceParty,
    kind: "read" | "write",
    between: Between,
    narrow: number,
  ): RaceDraft | null {
    const parties = [this.#site, party.site].filter((candidate) => candidate !== null);
    // An access outside of its object meets whatever lies there: memcheck has reported it.
    const isOutside = parties.some(({ location }) =>
      known.some((finding) => finding.checker === "memcheck" && sameLocation(finding.location, location)),
    );
    if (isOutside) return null;
    const { isOrdered } = this.#site;
    const isNarrow = isOrdered && (this.#word("answer") & narrow) !== 0;
    const { block, thread } = this.#example;
    return describeRace(
      { site: this.#site, block, thread },
      party,
      kind,
      { between, isNarrow, isOrdered, isBlockMemory: this.#isBlockMemory },
      { address: this.#word("address"), value: this.#word("value") },
      this.#around.device,
      { kernel: this.#kernel, copiesOf: (one) => this.#copiesOf(one) },
    );
  }

  /** Sites of the same statement: an unrolled loop has several. */
  #copiesOf(one: RaceSite): RaceSite[] {
    return this.#around.sites.all.filter(
      (site) =>
        site === one || (site.flow === one.flow && site.kind === one.kind && sameLocation(site.location, one.location)),
    );
  }
}

function sameLocation(a: SourceLocation | null, b: SourceLocation | null): boolean {
  return a !== null && b !== null && a.file === b.file && a.line === b.line && a.column === b.column;
}
