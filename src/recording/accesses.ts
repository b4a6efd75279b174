/** The accesses to memory of one step, request by request: which lane goes where, and what it costs. */
import { userLocation } from "../base/source-places.ts";
import type { Block, Thread } from "../engine/interpreter/thread.ts";
import type { AccessKind } from "../engine/interpreter/memory.ts";
import type { IrInstruction } from "../ir/model/ir.ts";
import { idealTransactions, sectorsOf, spaceOf, transactionsOf, type BlockWindows } from "../machine/warp-counts.ts";
import type { LaneListener } from "./stepper.ts";

/** What lanes of a warp access together. */
export interface WatchedRequest {
  readonly kind: AccessKind;
  readonly space: "global" | "shared" | "local";
  /** Of the source; 0: not known. */
  readonly line: number;
  readonly column: number;
  /** Of one lane. */
  readonly bytes: number;
  readonly lanes: readonly { readonly lane: number; readonly address: number }[];
  /** Sectors of 32 bytes; of shared memory, wavefronts. */
  readonly transactions: number;
  /** The same if what is accessed lay side by side. */
  readonly ideal: number;
}

interface RawAccess {
  readonly lane: number;
  readonly address: number;
  readonly bytes: number;
  readonly kind: AccessKind;
}

/** What a wavefront serves at a time. */
const SERVED_SIZES: readonly number[] = [1, 2, 4, 8, 16];

export class AccessLog implements LaneListener {
  readonly #block: Block;
  readonly #requests: { readonly instruction: IrInstruction; readonly accesses: RawAccess[] }[] = [];
  #thread: Thread | null = null;
  #instruction: IrInstruction | null = null;
  #isVariable = false;
  #isNew = false;

  constructor(block: Block) {
    this.#block = block;
  }

  begin(thread: Thread, pc: number): void {
    const instruction = thread.frame.code.instructions[pc] ?? null;
    this.#isNew = instruction !== this.#instruction || thread.lane <= (this.#thread?.lane ?? -1);
    this.#instruction = instruction;
    this.#isVariable = isOwnVariable(instruction);
    this.#thread = thread;
  }

  access(address: number, bytes: number, kind: AccessKind): void {
    if (this.#isVariable || this.#thread === null || this.#instruction === null) return;
    const isLast = this.#requests.at(-1)?.instruction === this.#instruction;
    if (this.#isNew || !isLast) this.#requests.push({ instruction: this.#instruction, accesses: [] });
    this.#isNew = false;
    const { lane } = this.#thread;
    const { accesses } = this.#requests.at(-1) as { accesses: RawAccess[] };
    const last = accesses.at(-1);
    // An atomic operation reads and writes one place.
    if (last?.lane === lane && last.address === address && last.kind === kind) return;
    accesses.push({ lane, address, bytes, kind });
  }

  requests(): WatchedRequest[] {
    return this.#requests.flatMap(({ instruction, accesses }) => {
      const groups = new Map<string, RawAccess[]>();
      for (const access of accesses) {
        const key = `${access.kind} ${spaceOf(access.address, this.#windows())} ${access.bytes}`;
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [access]);
        else group.push(access);
      }
      // A copy between a variable and memory is an access to the memory.
      return [...groups.values()].map((group) => this.#request(instruction, group)).filter(isOfInterest);
    });
  }

  #request(instruction: IrInstruction, group: readonly RawAccess[]): WatchedRequest {
    const { kind, bytes, address } = group[0] as RawAccess;
    const space = spaceOf(address, this.#windows());
    const place = userLocation(instruction.location);
    const addresses: number[] = [];
    let mask = 0;
    for (const { lane, address: own } of group) {
      addresses[lane] = own;
      mask |= 1 << lane;
    }
    const access = { lanes: mask, addresses, bytes, isLoad: kind === "load" };
    const isWhole = space !== "shared" || SERVED_SIZES.includes(bytes);
    return {
      kind,
      space,
      line: place?.line ?? 0,
      column: place?.column ?? 0,
      bytes,
      lanes: group.map(({ lane, address: own }) => ({ lane, address: own })),
      transactions: isWhole ? transactionsOf(space, access, this.#windows()) : sectorsOf(access),
      ideal: idealTransactions(space, group.length, bytes),
    };
  }

  #windows(): BlockWindows {
    const { sharedBase, sharedBytes, localBase, localBytes, threads, linear } = this.#block;
    return {
      sharedBase,
      sharedBytes,
      localBase,
      localBytes,
      localBytesPerThread: localBytes / threads.length,
      block: linear,
      warp: this.#thread?.warp.index ?? 0,
    };
  }
}

/** Unoptimized code keeps each variable in memory; for a GPU it would be in a register. */
function isOwnVariable(instruction: IrInstruction | null): boolean {
  if (instruction?.op !== "load" && instruction?.op !== "store") return false;
  return instruction.pointer.kind === "instruction" && instruction.pointer.op === "alloca";
}

function isOfInterest({ space }: WatchedRequest): boolean {
  return space !== "local";
}
