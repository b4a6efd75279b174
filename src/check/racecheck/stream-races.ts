/**
 * Races between pieces of work on different streams: kernels, copies and fills that access the same bytes, one of them changing them, with no
 * event and no wait of the host that orders the two. The device here does the work one after the other; on a GPU it may overlap.
 *
 * For each word of memory there is an *entry*: its last write and its last read, each with the number of the work, the bytes, and whether the access was
 * atomic (libdevice/race.cu, __heddle_tool_race_stream). Of several readers the last one stands for all: a write that races with an earlier one alone
 * is missed.
 */
import { bug } from "../../base/diagnostics.ts";
import { constI32 } from "../../ir/build.ts";
import type { IrInstruction } from "../../ir/ir.ts";
import { SHARED_SPACE } from "../../ir/layout.ts";
import { I32 } from "../../ir/types.ts";
import { TOOL_PREFIX, type ObservedAllocation } from "../../machine/observer.ts";
import type { CheckedDevice, Example, FunctionContext, FunctionVisitor, SiteOf } from "../checker.ts";
import { countedBytes, type FindingDraft } from "../finding.ts";
import { objectName, rootsOf, type ObjectName } from "../pointer-bounds.ts";
import type { StreamWork } from "../stream-work.ts";
import { changesMemory, isAtomic, isPrivate, raceAccessesOf, type RaceAccess } from "./race-accesses.ts";
import { TITLES, nameOf, verb } from "./race-report.ts";
import { STATE } from "./race-state.ts";

export const STREAM_HOOK: string = `${TOOL_PREFIX}race_stream`;
const TABLE_VARIABLE = "race_streams";
/** Numbers of works that an entry can hold; 0: none. */
const WORKS = 2048;
/** Of half an entry. */
const HALF = { workShift: 5, atomic: 16, bytes: 15 } as const;
/** What the hook answers: a half, and whether it is of a read. */
const ANSWER = { half: 0xffff, read: 0x10000 } as const;

export interface StreamDetail {
  readonly streamAccess: Pick<RaceAccess, "kind" | "volatile" | "bytes">;
  readonly object: ObjectName;
}

export type StreamSite = SiteOf<StreamDetail>;

export function isStreamSite(site: object): site is StreamSite {
  return "streamAccess" in site;
}

/** Finding.details of a race between streams. */
export interface StreamRaceDetails { readonly address: number; readonly between: "streams"; readonly other: string }

interface Known extends Pick<StreamWork, "kind" | "stream" | "number" | "what" | "place"> { readonly entry: number }

const UNORDERED = "nothing orders the two: they are on different streams, and no event that the one records and the other waits for, and no wait of the host, stands between";
const HELP = "record an event behind the first (cudaEventRecord) and let the other stream wait for it (cudaStreamWaitEvent), put both on one stream, or wait on the host in between";

export class StreamRaces {
  readonly #device: CheckedDevice;
  readonly #words: () => Uint32Array;
  readonly #table: number;
  /** From an address to its entry. */
  readonly #shift: number;
  /** What the host has not waited for. */
  #works: Known[] = [];
  #current: Known | null = null;
  #last = 0;
  /** Of the copy or fill that is under way: what it races with. */
  #found: FindingDraft[] = [];

  /** @param plane of shadow memory. @param words the checker's state. */
  constructor(device: CheckedDevice, plane: number, words: () => Uint32Array) {
    this.#device = device;
    this.#words = words;
    this.#table = device.variable(TABLE_VARIABLE, WORKS);
    this.#shift = device.memory.shadow(plane);
    const { start, end } = device.memory.windows;
    words().set([this.#shift, 0, start, end - start], STATE.streams);
  }

  begin(work: StreamWork): void {
    this.#works = this.#works.filter(({ stream, number }) => !work.isDone(stream, number));
    if (++this.#last === WORKS) this.#forget();
    const table = this.#device.memory.bytes.subarray(this.#table, this.#table + WORKS).fill(0);
    for (const { stream, number, entry } of this.#works) if (!work.isBehind(stream, number)) table[entry] = 1;
    const { kind, stream, number, what, place } = work;
    this.#current = { kind, stream, number, what, place, entry: this.#last };
    this.#works.push(this.#current);
    this.#words()[STATE.streamWork] = this.#last;
  }

  /** @returns what the copy or fill that has been done races with. */
  end(): readonly FindingDraft[] {
    const found = this.#found;
    this.#found = [];
    this.#current = null;
    this.#words()[STATE.streamWork] = 0;
    this.#device.memory.bytes.fill(0, this.#table, this.#table + WORKS);
    return found;
  }

  /** New memory: nobody has accessed it. */
  allocated({ start, bytes }: Pick<ObservedAllocation, "start" | "bytes">): void {
    this.#entries(start, bytes).fill(0);
  }

  /** A copy or fill accesses memory. For what is done outside of any work the host waits; what is moved for a kernel's sake is none of the program's doing. */
  accessed(start: number, bytes: number, writes: boolean): void {
    const current = this.#current;
    if (current === null || current.kind === "kernel" || bytes === 0) return;
    const entries = this.#entries(start, bytes);
    const table = this.#device.memory.bytes.subarray(this.#table, this.#table + WORKS);
    const races = (half: number, mask: number): boolean => table[half >>> HALF.workShift] === 1 && (half & mask) !== 0;
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as number;
      const mask = index > 0 && index < entries.length - 1 ? HALF.bytes : bytesOf(((start & ~3) >>> 0) + 4 * index, start, start + bytes);
      const write = entry & ANSWER.half;
      const read = entry >>> 16;
      const other = races(write, mask) ? write : writes && races(read, mask) ? read | ANSWER.read : 0;
      if (other !== 0 && this.#found.length === 0) this.#found.push(this.#draft(`${writes ? "write" : "read"} of ${countedBytes(bytes)} by ${current.what}`, writes, other, ((start & ~3) >>> 0) + 4 * index));
      const mine = (current.entry << HALF.workShift) | mask;
      entries[index] = writes ? ((entry & ~ANSWER.half) | mine) >>> 0 : (write | (mine << 16)) >>> 0;
    }
  }

  visitor({ site, edits, checkAt }: FunctionContext): FunctionVisitor {
    return {
      visit: (i: IrInstruction): void => {
        for (const access of raceAccessesOf(i)) {
          const { pointer, kind, bytes, volatile } = access;
          const roots = rootsOf(pointer);
          const isShared = [...roots].every((root) => root.type.kind === "ptr" && root.type.addressSpace === SHARED_SPACE);
          if (isPrivate(pointer) || isShared) continue;
          const object: ObjectName = roots.size === 1 ? objectName([...roots][0] as (typeof pointer)) : { kind: "pointer" };
          const at = site<StreamDetail>(i, { streamAccess: { kind, volatile, bytes }, object });
          const e = edits.after(i);
          const address = e.cast("ptrtoint", pointer, I32);
          const found = e.intrinsic(STREAM_HOOK, I32, [address, constI32(bytes), constI32(changesMemory(kind) ? 1 : 0), constI32(isAtomic(kind) ? 1 : 0)]);
          checkAt(i, at, e.icmp("ne", found, 0), [address, found], "after");
        }
      },
    };
  }

  describe({ streamAccess: access, object }: StreamSite, { words: [address = 0, other = 0] }: Example): FindingDraft {
    return this.#draft(`${verb(access)} of ${countedBytes(access.bytes)}${nameOf({ object }, this.#device.readable)}`, changesMemory(access.kind), other, address);
  }

  #draft(message: string, writes: boolean, answer: number, address: number): FindingDraft {
    const isRead = (answer & ANSWER.read) !== 0;
    const other = this.#works.find(({ entry }) => entry === (answer & ANSWER.half) >>> HALF.workShift) ?? bug("an entry of a work that nobody knows");
    const kind = !writes ? "read-after-write" : isRead ? "write-after-read" : "write-after-write";
    const details: StreamRaceDetails = { address, between: "streams", other: other.what };
    return {
      kind, title: TITLES[kind], message,
      notes: [{ text: `races with the ${isRead ? "read" : (answer & HALF.atomic) === 0 ? "write" : "atomic operation"} by ${other.what}, on another stream:`, location: other.place() }, { text: UNORDERED }],
      help: HELP, details: { ...details },
    };
  }

  /** The entries of the words that [start, start + bytes) touches. */
  #entries(start: number, bytes: number): Uint32Array {
    const first = (start & ~3) >>> 0;
    return new Uint32Array(this.#device.memory.bytes.buffer, (first + this.#shift) >>> 0, (start + bytes + 3 - first) >>> 2);
  }

  /** All numbers are used up: what was done until now is not known any more. */
  #forget(): void {
    for (const { start, bytes } of this.#device.allocations.live()) this.#entries(start, bytes).fill(0);
    this.#works = [];
    this.#last = 1;
  }
}

/** A bit for each byte of the word at `at` that lies in [start, end). */
function bytesOf(at: number, start: number, end: number): number {
  return [0, 1, 2, 3].reduce((mask, byte) => (at + byte >= start && at + byte < end ? mask | (1 << byte) : mask), 0);
}
