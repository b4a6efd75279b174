/**
 * Races between pieces of work on different streams: kernels, copies and fills that access the same bytes, one of them
 * changing them, with no event and no wait of the host that orders the two. The device here does the work one after the
 * other; on a GPU it may overlap.
 *
 * They use the entries of race-state.ts: each piece of work begins an interval, which its entries come after, and of
 * each word the bytes are known that the work has accessed, and whether all of that was atomic (libdevice/race.cu,
 * __heddle_tool_race_stream). Of several readers the last one stands for all, and the one before it for the last one's
 * own writes: a write that races with an earlier one alone is missed.
 */
import { CHECK_NAMES } from "../check-names.ts";
import type { Example, FunctionContext, FunctionVisitor, SiteOf } from "../../instrument/instrumenter.ts";
import { bug } from "../../base/diagnostics.ts";
import { constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE } from "../../ir/model/layout.ts";
import { I32 } from "../../ir/model/types.ts";
import type { ObservedAllocation } from "../../machine/observer.ts";
import type { CheckedDevice } from "../checker.ts";
import { countedBytes, type FindingDraft } from "../finding.ts";
import { ordersMemory } from "../../instrument/accesses.ts";
import { objectName, type ObjectName } from "../../instrument/pointer-bounds.ts";
import { originsOf, withoutCasts } from "../../analysis/pointers/pointer-origins.ts";
import type { StreamWork } from "../stream-work.ts";
import { changesMemory, isAtomic, isPrivate, raceAccessesOf, type RaceAccess } from "./race-accesses.ts";
import { TITLES, nameOf, verb } from "./race-report.ts";
import { synchronizationOf } from "./synchronization.ts";
import { ENTRY, INTERVALS, PLANES, SITES, STATE } from "./race-state.ts";

export const STREAM_HOOK: string = `${CHECK_NAMES.prefix}race_stream`;
const TABLE_VARIABLE = "race_works";
/** Pieces of work that the host has not waited for. */
const MOST_WORKS = 2048;
/** What the hook answers: a place in the table, from 1, and of what. */
const ANSWER = { place: 0xffff, read: 0x10000, atomic: 0x20000 } as const;
const ALL_BYTES = 15;

export interface StreamDetail {
  readonly streamAccess: Pick<RaceAccess, "kind" | "volatile" | "bytes">;
  readonly object: ObjectName;
}

export type StreamSite = SiteOf<StreamDetail>;

export function isStreamSite(site: object): site is StreamSite {
  return "streamAccess" in site;
}

/** Finding.details of a race between streams. */
export interface StreamRaceDetails {
  readonly address: number;
  readonly between: "streams";
  readonly other: string;
}

interface Known extends Pick<StreamWork, "kind" | "stream" | "number" | "isStep" | "what" | "place"> {
  /** Its intervals. */
  first: number;
  end: number;
}

/** What is missing between the two, and what usually helps. */
const MISSING = {
  streams: {
    where: "on another stream",
    text:
      "nothing orders the two: they are on different streams, and no event that the one records and the " +
      "other waits for, and no wait of the host, stands between",
    help:
      "record an event behind the first (cudaEventRecord) and let the other stream wait for it " +
      "(cudaStreamWaitEvent), put both on one stream, or wait on the host in between",
  },
  steps: {
    where: "another step of the graph",
    text: "nothing orders the two: no path of the graph's edges leads from the one to the other",
    help:
      "make the one depend on the other (cudaGraphAddDependencies; in a capture an event that its stream " +
      "records and the other's waits for)",
  },
} as const;

export class StreamRaces {
  readonly #device: CheckedDevice;
  readonly #words: () => Uint32Array;
  readonly #table: number;
  /** From an address to the entries of its word. */
  readonly #shifts: Readonly<Record<"write" | "read" | "sites", number>>;
  /** What the host has not waited for, in order. */
  #works: Known[] = [];
  /** What the table lists; null: work that is ordered with all. */
  #listed: (Known | null)[] = [];
  #unordered: ReadonlySet<Known> = new Set();
  #current: Known | null = null;
  /** Beyond it nothing was ever allocated. */
  #top = 0;
  /** Of the copy or fill that is under way: what it races with. */
  #found: FindingDraft[] = [];

  /** @param firstPlane of racecheck's shadow memory. @param words the checker's state. */
  constructor(device: CheckedDevice, firstPlane: number, words: () => Uint32Array) {
    this.#device = device;
    this.#words = words;
    this.#table = device.variable(TABLE_VARIABLE, 8 * MOST_WORKS);
    const shift = (plane: number): number => device.memory.shadow(firstPlane + plane);
    this.#shifts = { write: shift(PLANES.write), read: shift(PLANES.read), sites: shift(PLANES.sites) };
    const { start, end } = device.memory.windows;
    words().set([0, 0, start, end - start], STATE.works);
  }

  begin(work: StreamWork): void {
    this.#works = this.#works.filter(({ stream, number }) => !work.isDone(stream, number));
    if (this.#works.length === MOST_WORKS) this.#works.shift();
    const { kind, stream, number, isStep, what, place } = work;
    const first = this.#nextInterval();
    this.#current = { kind, stream, number, isStep, what, place, first, end: first + 1 };
    this.#unordered = new Set(this.#works.filter((other) => !work.isBehind(other.stream, other.number)));
    this.#list();
    this.#works.push(this.#current);
  }

  /** @returns what the copy or fill that has been done races with. */
  end(): readonly FindingDraft[] {
    const found = this.#found;
    const words = this.#words();
    const last = words[STATE.counter] as number;
    // In a launch of many blocks the intervals have begun anew: what was before is not known any more.
    if (this.#current !== null && last < this.#current.first) this.#works = [];
    else if (this.#current !== null) this.#current.end = words[STATE.exhausted] === 0 ? last + 1 : INTERVALS;
    this.#found = [];
    this.#current = null;
    this.#unordered = new Set();
    words[STATE.works] = 0;
    return found;
  }

  /** A kernel begins. What is none of a stream's work comes after all before it. */
  launching(): void {
    if (this.#current === null) this.#nextInterval();
  }

  /** New memory: nothing has accessed it. */
  allocated({ start, bytes }: Pick<ObservedAllocation, "start" | "bytes">): void {
    if (start < this.#top) for (const plane of ["write", "read"] as const) this.#kept(plane, start, bytes).fill(0);
    this.#top = Math.max(this.#top, start + bytes);
  }

  /**
   * A copy or fill accesses memory. For what is done outside of any work the host waits; what is moved for a kernel's
   * sake is none of the program's doing.
   */
  accessed(start: number, bytes: number, writes: boolean): void {
    const current = this.#current;
    if (current === null || current.kind === "kernel" || bytes === 0) return;
    const [write, read, sites] = [
      this.#kept("write", start, bytes),
      this.#kept("read", start, bytes),
      this.#kept("sites", start, bytes),
    ];
    const mine = writes ? write : read;
    const shift = SITES.workShift + (writes ? 0 : SITES.readShift);
    const own = (current.first << ENTRY.intervalShift) >>> 0;
    for (let index = 0; index < write.length; index++) {
      const mask =
        index > 0 && index < write.length - 1
          ? ALL_BYTES
          : bytesOf(((start & ~3) >>> 0) + 4 * index, start, start + bytes);
      const touched = sites[index] as number;
      const by = ((touched >>> SITES.workShift) & mask) === 0 ? null : this.#unorderedWork(write[index] as number);
      const byRead =
        by !== null || !writes || ((touched >>> (SITES.workShift + SITES.readShift)) & mask) === 0
          ? null
          : this.#unorderedWork(read[index] as number);
      const other = by ?? byRead;
      if (other !== null && this.#found.length === 0) {
        const isAtomic = (((by === null ? read : write)[index] as number) & ENTRY.atomic) !== 0;
        this.#found.push(
          this.#draft(
            `${writes ? "write" : "read"} of ${countedBytes(bytes)} by ${current.what}`,
            writes,
            other,
            { isRead: by === null, isAtomic },
            ((start & ~3) >>> 0) + 4 * index,
          ),
        );
      }
      const again = mine[index] === own;
      mine[index] = own;
      sites[index] = (again ? touched : touched & ~(ALL_BYTES << shift)) | (mask << shift);
    }
  }

  visitor({ site, edits, checkAt }: FunctionContext): FunctionVisitor {
    /** What the hook says of stores that it has been asked about already. */
    const asked = new Map<IrInstruction, Asked>();
    const ask = (e: Emitter, { pointer, kind, bytes }: RaceAccess): Asked => {
      const address = e.cast("ptrtoint", pointer, I32);
      return {
        address,
        found: e.intrinsic(STREAM_HOOK, I32, [
          address,
          constI32(bytes),
          constI32(changesMemory(kind) ? 1 : 0),
          constI32(isAtomic(kind) ? 1 : 0),
        ]),
      };
    };
    return {
      visit: (i: IrInstruction): void => {
        for (const access of raceAccessesOf(i)) {
          const { pointer, kind, bytes, volatile } = access;
          const roots = originsOf(pointer);
          const isShared = [...roots].every(
            (root) => root.type.kind === "ptr" && root.type.addressSpace === SHARED_SPACE,
          );
          if (isPrivate(pointer) || isShared) continue;
          const object: ObjectName =
            roots.size === 1 ? objectName([...roots][0] as typeof pointer) : { kind: "pointer" };
          const at = site<StreamDetail>(i, { streamAccess: { kind, volatile, bytes }, object });
          const e = edits.after(i);
          // What updates a word is asked about before its own read stands where another one did.
          const update = kind === "read" ? updateBehind(i, access) : null;
          if (update !== null) asked.set(update, ask(e, raceAccessesOf(update)[0] as RaceAccess));
          const { address, found } = asked.get(i) ?? ask(e, access);
          checkAt(i, at, e.icmp("ne", found, 0), [address, found], "after");
        }
      },
    };
  }

  describe({ streamAccess: access, object }: StreamSite, { words: [address = 0, other = 0] }: Example): FindingDraft {
    const by = this.#listed[(other & ANSWER.place) - 1] ?? bug("a race with work that nobody knows");
    return this.#draft(
      `${verb(access)} of ${countedBytes(access.bytes)}${nameOf({ object }, this.#device.readable)}`,
      changesMemory(access.kind),
      by,
      { isRead: (other & ANSWER.read) !== 0, isAtomic: (other & ANSWER.atomic) !== 0 },
      address,
    );
  }

  #draft(
    message: string,
    writes: boolean,
    other: Known,
    { isRead, isAtomic: isOtherAtomic }: { readonly isRead: boolean; readonly isAtomic: boolean },
    address: number,
  ): FindingDraft {
    const otherAction = isOtherAtomic ? "atomic operation" : "write";
    const kindOfWrite = isRead ? "write-after-read" : "write-after-write";
    const kind = writes ? kindOfWrite : "read-after-write";
    const missing = MISSING[other.isStep && this.#current?.isStep === true ? "steps" : "streams"];
    const details: StreamRaceDetails = { address, between: "streams", other: other.what };
    return {
      kind,
      title: TITLES[kind],
      message,
      notes: [
        {
          text: `races with the ${isRead ? "read" : otherAction} by ` + `${other.what}, ${missing.where}:`,
          location: other.place(),
        },
        { text: missing.text },
      ],
      help: missing.help,
      details: { ...details },
    };
  }

  /** The entries of the words that [start, start + bytes) touches. */
  #kept(plane: "write" | "read" | "sites", start: number, bytes: number): Uint32Array {
    const first = (start & ~3) >>> 0;
    return new Uint32Array(
      this.#device.memory.bytes.buffer,
      (first + this.#shifts[plane]) >>> 0,
      (start + bytes + 3 - first) >>> 2,
    );
  }

  /** The number of an interval that begins now. */
  #nextInterval(): number {
    const words = this.#words();
    if ((words[STATE.counter] as number) > INTERVALS / 2) this.#renumber(words);
    const next = (words[STATE.counter] as number) + 1;
    words[STATE.counter] = next;
    words[STATE.workStart] = next << ENTRY.intervalShift;
    return next;
  }

  /** Where the intervals of each piece of work begin, for the hook. */
  #list(): void {
    const starts: number[] = [];
    this.#listed = [];
    for (const [index, work] of this.#works.entries()) {
      starts.push((work.first << 1) | (this.#unordered.has(work) ? 1 : 0));
      this.#listed.push(work);
      if (this.#works[index + 1]?.first === work.end) continue;
      starts.push(work.end << 1);
      this.#listed.push(null);
    }
    this.#words()[STATE.works] = starts.length;
    new Uint32Array(this.#device.memory.bytes.buffer, this.#table, 2 * MOST_WORKS).set(starts);
  }

  #workOf(entry: number): Known | null {
    const interval = entry >>> ENTRY.intervalShift;
    return this.#works.findLast(({ first, end }) => interval >= first && interval < end) ?? null;
  }

  #unorderedWork(entry: number): Known | null {
    if (this.#unordered.size === 0) return null;
    const work = this.#workOf(entry);
    return work !== null && this.#unordered.has(work) ? work : null;
  }

  /** Intervals are used up: each piece of work that still counts gets one, and what was before is forgotten. */
  #renumber(words: Uint32Array): void {
    const fresh = new Map(this.#works.map((work, index) => [work, index + 1]));
    const { windows } = this.#device.memory;
    for (const { start, bytes } of [
      { start: windows.start, bytes: windows.end - windows.start },
      ...this.#device.allocations.live(),
    ]) {
      for (const plane of ["write", "read"] as const) {
        const entries = this.#kept(plane, start, bytes);
        for (let index = 0; index < entries.length; index++) {
          const entry = entries[index] as number;
          if (entry === 0) continue;
          const work = this.#workOf(entry);
          entries[index] =
            work === null ? 0 : ((fresh.get(work) as number) << ENTRY.intervalShift) | (entry & ENTRY.atomic);
        }
      }
    }
    for (const [work, first] of fresh) Object.assign(work, { first, end: first + 1 });
    words[STATE.counter] = this.#works.length + 1;
  }
}

interface Asked {
  readonly address: IrValue;
  readonly found: IrValue;
}

/**
 * The store behind a load, in its block and with nothing in between that others may see, that changes what it has read.
 */
function updateBehind(load: IrInstruction, { pointer, bytes }: RaceAccess): IrInstruction | null {
  const { instructions } = load.block;
  for (let index = instructions.indexOf(load) + 1; index < instructions.length; index++) {
    const i = instructions[index] as IrInstruction;
    if (i.op === "store" && withoutCasts(i.pointer) === withoutCasts(pointer))
      return raceAccessesOf(i).some((access) => access.kind === "write" && access.bytes === bytes) ? i : null;
    if (
      ordersMemory(i) ||
      (i.op === "call" && (i.callee.kind !== "function" || i.callee.blocks.length > 0 || synchronizationOf(i) !== null))
    )
      return null;
  }
  return null;
}

/** A bit for each byte of the word at `at` that lies in [start, end). */
function bytesOf(at: number, start: number, end: number): number {
  return [0, 1, 2, 3].reduce((mask, byte) => (at + byte >= start && at + byte < end ? mask | (1 << byte) : mask), 0);
}
