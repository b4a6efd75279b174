/**
 * The threads of one warp as the scheduler's task: each a coroutine of its own, their contexts side by side in engine
 * memory.
 */
import { WARP_LANES } from "../../machine/memory-map.ts";
import { bug } from "../../base/diagnostics.ts";
import type { FaultRecord, Task, TaskStatus, Wait, WaitOperation } from "../schedule/task.ts";
import { FAULT_CODES } from "../emit/environment.ts";
import { CONTEXT, CONTEXT_BYTES, SUMMARY } from "./layout.ts";

/** Memory as the tasks of a launch see it, and the code they run. */
export interface TaskMachine {
  /** See warp-runner-code.ts. */
  readonly runLanes: (contexts: number, lanes: number, summary: number) => void;
  readonly summary: number;
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  readonly operations: readonly WaitOperation[];
  /** The program's pointers have 64 bits. */
  readonly isWide: boolean;
}

const CONTEXT_WORDS = CONTEXT_BYTES / 4;

export class WarpTask implements Task {
  readonly warp: number;
  lanes: number;
  exitedLanes = 0;
  yieldedLanes = 0;
  waits: readonly Wait[] = NO_WAITS;
  readonly #all: number;
  readonly #machine: TaskMachine;
  readonly #contexts: number;
  readonly #stacks: number;
  readonly #stackBytes: number;
  #waitingLanes = 0;

  /** `stacks`: the stacks of the lanes, one after the other, `stackBytes` each. */
  constructor(
    machine: TaskMachine,
    warp: number,
    threads: number,
    contexts: number,
    stacks: number,
    stackBytes: number,
  ) {
    this.#machine = machine;
    this.warp = warp;
    this.#all = threads === 32 ? -1 : 2 ** threads - 1;
    this.lanes = this.#all;
    this.#contexts = contexts;
    this.#stacks = stacks;
    this.#stackBytes = stackBytes;
  }

  /** For the next block of the slot. */
  reset(): void {
    this.lanes = this.#all;
    this.exitedLanes = 0;
    this.yieldedLanes = 0;
    this.#waitingLanes = 0;
    this.waits = NO_WAITS;
  }

  run(): TaskStatus {
    const { words, summary } = this.#machine;
    const at = summary >> 2;
    try {
      this.#machine.runLanes(this.#contexts, this.lanes & ~this.#waitingLanes, summary);
    } catch (error) {
      if (!isStackExhaustion(error)) throw error;
      const context = (this.#contexts >> 2) + (words[at + SUMMARY.faultLane / 4] as number) * CONTEXT_WORDS;
      words[context + CONTEXT.faultCode / 4] = FAULT_CODES["stack-overflow"];
      words[context + CONTEXT.faultSite / 4] = -1;
      return "fault";
    }
    const exited = words[at + SUMMARY.exited / 4] as number;
    const waiting = words[at + SUMMARY.waiting / 4] as number;
    this.yieldedLanes = words[at + SUMMARY.yielded / 4] as number;
    this.exitedLanes |= exited;
    this.lanes &= ~exited;
    this.#waitingLanes |= waiting;
    if (words[at + SUMMARY.faultLane / 4] !== -1) return "fault";
    if (waiting === 0) this.waits = NO_WAITS;
    else this.waits = words[at + SUMMARY.differs / 4] === 0 ? [this.#waitOf(waiting)] : this.#groupWaits(waiting);
    if (this.lanes === 0) return "ended";
    return this.yieldedLanes !== 0 ? "yielded" : "waiting";
  }

  yieldSite(lane: number): number {
    return this.#machine.words[((this.#contexts + CONTEXT.waitSite) >> 2) + lane * CONTEXT_WORDS] as number;
  }

  /** The wait of lanes that all wait as the lowest of them does. */
  #waitOf(lanes: number): Wait {
    const { words, operations } = this.#machine;
    const at = (this.#contexts >> 2) + (31 - Math.clz32(lanes & -lanes)) * CONTEXT_WORDS;
    const operation = operations[words[at + CONTEXT.waitOperation / 4] as number] ?? bug("unknown wait operation");
    const mask = words[at + CONTEXT.waitMask / 4] as number;
    return {
      lanes,
      operation,
      mask,
      barrier: operation.kind === "barrier" ? mask : 0,
      threads: words[at + CONTEXT.waitThreads / 4] as number,
      site: words[at + CONTEXT.waitSite / 4] as number,
    };
  }

  #groupWaits(waiting: number): Wait[] {
    const { words } = this.#machine;
    const same = (a: number, b: number): boolean => {
      const [x, y] = [(this.#contexts >> 2) + a * CONTEXT_WORDS, (this.#contexts >> 2) + b * CONTEXT_WORDS];
      return WAIT_FIELDS.every((field) => words[x + field] === words[y + field]);
    };
    const groups: Wait[] = [];
    for (let rest = waiting; rest !== 0;) {
      const first = 31 - Math.clz32(rest & -rest);
      let group = 0;
      for (let more = rest; more !== 0; more &= more - 1) {
        const lane = 31 - Math.clz32(more & -more);
        if (same(first, lane)) group |= 1 << lane;
      }
      groups.push(this.#waitOf(group));
      rest &= ~group;
    }
    return groups;
  }

  operands(lanes: number, index: 0 | 1 | 2 | 3, into: Int32Array): void {
    const { words } = this.#machine;
    const at = ((this.#contexts + CONTEXT.operand0) >> 2) + index;
    for (let lane = 0; lane < 32; lane++)
      if (((lanes >>> lane) & 1) !== 0) into[lane] = words[at + lane * CONTEXT_WORDS] as number;
  }

  fewestProducts(lanes: number): number {
    const { words } = this.#machine;
    const at = (this.#contexts + CONTEXT.productGroups) >> 2;
    let fewest = Infinity;
    for (let lane = 0; lane < 32; lane++)
      if (((lanes >>> lane) & 1) !== 0) fewest = Math.min(fewest, words[at + lane * CONTEXT_WORDS] as number);
    return fewest;
  }

  setResults(lanes: number, low: Int32Array, high: Int32Array): void {
    const { words } = this.#machine;
    const at = (this.#contexts + CONTEXT.resultLow) >> 2;
    for (let lane = 0; lane < 32; lane++) {
      if (((lanes >>> lane) & 1) === 0) continue;
      words[at + lane * CONTEXT_WORDS] = low[lane] as number;
      words[at + lane * CONTEXT_WORDS + 1] = high[lane] as number;
    }
  }

  resume(lanes: number): void {
    this.#waitingLanes &= ~lanes;
  }

  split(): Task[] {
    return bug("threads cannot be split");
  }

  faultRecord(): FaultRecord {
    const { words, summary, isWide } = this.#machine;
    const lane = words[(summary + SUMMARY.faultLane) >> 2] as number;
    const word = (field: number): number => words[((this.#contexts + field) >> 2) + lane * CONTEXT_WORDS] as number;
    return {
      lane,
      code: word(CONTEXT.faultCode),
      site: word(CONTEXT.faultSite),
      address: (word(CONTEXT.faultAddress) >>> 0) + (isWide ? (word(CONTEXT.faultAddressHigh) >>> 0) * 2 ** 32 : 0),
      bytes: word(CONTEXT.faultBytes),
    };
  }

  state(): Uint8Array {
    return this.#machine.bytes.slice(this.#stacks, this.#stacks + WARP_LANES * this.#stackBytes);
  }
}

/**
 * Calls of CUDA threads nest on the stack of the thread that runs them, which may be full before their own is: V8
 * throws a RangeError, Firefox an InternalError.
 */
function isStackExhaustion(error: unknown): boolean {
  return error instanceof Error && /call stack|too much recursion/i.test(error.message);
}

const NO_WAITS: readonly Wait[] = [];
const WAIT_FIELDS = [CONTEXT.waitOperation, CONTEXT.waitSite, CONTEXT.waitMask, CONTEXT.waitThreads].map(
  (field) => field / 4,
);
