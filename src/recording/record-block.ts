/** Records one block of a launch. The device's memory stays as it is: the launch itself comes afterwards. */
import type { LoadedKernel, LoadedProgram } from "../engine/executor.ts";
import { printModule } from "../ir/text/print.ts";
import type { DebugInfo } from "../ir/text/debug-variables.ts";
import { openBlock } from "./open-block.ts";
import { PAGE_BYTES } from "./recorded-memory.ts";
import {
  DEFAULT_LIMITS,
  StepList,
  type BlockRecording,
  type RecordedAllocation,
  type RecordedLaunch,
  type RecordingLimits,
} from "./recording.ts";
import { snapshotBytes, takeSnapshot, type Snapshot } from "./snapshots.ts";
import { LineTable } from "./source-lines.ts";
import { BlockStepper } from "./stepper.ts";

export interface BlockToRecord {
  readonly program: LoadedProgram;
  readonly kernel: LoadedKernel;
  readonly launch: RecordedLaunch;
  /** The device's memory. */
  readonly memory: Uint8Array;
  readonly debug: DebugInfo;
  /** The arrays of the program that lie in memory. */
  readonly allocations: readonly RecordedAllocation[];
  readonly limits?: Partial<RecordingLimits>;
}

/** Instructions between the first snapshots. */
const FIRST_INTERVAL = 256;
/** Odd, so that the last one stays when every second one goes. */
const MOST_SNAPSHOTS = 257;
/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 512;

export function recordBlock(request: BlockToRecord): BlockRecording {
  const { program, kernel, launch, memory: device, debug, allocations } = request;
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const started = performance.now();
  const open = openBlock(program, kernel, launch, (page, into) =>
    into.set(device.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)),
  );
  const { block, memory } = open;
  const printed: string[] = [];
  open.print = (text) => printed.push(text);
  const lines = new LineTable();
  const stepper = new BlockStepper(block, lines);
  open.clock = () => stepper.ticks;
  const steps = new StepList();
  const snapshots = new Snapshots(limits.snapshotBytes);
  const snap = (): Snapshot => takeSnapshot(stepper, steps.count, open.heap.next, memory.takeChanged());
  snapshots.push(snap());
  let end: BlockRecording["end"] | null = null;
  while (end === null) {
    const record = stepper.step();
    if (record === null) {
      end = stepper.end ?? { how: "done" };
      break;
    }
    steps.push(record);
    if (stepper.ticks - snapshots.lastTicks >= snapshots.interval) snapshots.push(snap());
    if (steps.count >= limits.steps) end = { how: "limit", what: "steps" };
    else if (steps.count % STEPS_A_LOOK === 0 && performance.now() - started > limits.milliseconds)
      end = { how: "limit", what: "time" };
  }
  return {
    version: 1,
    launch: { ...launch, params: launch.params.slice() },
    program: {
      ir: printModule(program.module),
      globalAddresses: [...program.globalAddresses],
      functionNames: [...program.functionAddresses.keys()],
      params: kernel.params,
      fmad: program.fmad,
    },
    variables: [...debug.functions],
    globals: [...debug.globals],
    lines: lines.lines,
    steps: steps.columns(),
    stepCount: steps.count,
    instructions: stepper.ticks,
    laneInstructions: stepper.laneTicks,
    end,
    snapshots: snapshots.list,
    pages: memory.touched,
    allocations,
    printed: printed.join(""),
    recordedMs: performance.now() - started,
  };
}

/** Snapshots at equal distances, as many as there is room for. */
class Snapshots {
  list: Snapshot[] = [];
  interval: number = FIRST_INTERVAL;
  #bytes = 0;
  readonly #mostBytes: number;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get lastTicks(): number {
    return this.list.at(-1)?.ticks ?? 0;
  }

  push(snapshot: Snapshot): void {
    this.list.push(snapshot);
    this.#bytes += snapshotBytes(snapshot);
    const isFull = this.list.length >= MOST_SNAPSHOTS || this.#bytes > this.#mostBytes;
    if (isFull && this.list.length > 2 && this.list.length % 2 === 1) this.#thinOut();
  }

  /** Every second one goes; the pages that it held go on to the one behind it. */
  #thinOut(): void {
    const kept: Snapshot[] = [];
    for (let i = 0; i < this.list.length; i += 2) {
      const snapshot = this.list[i] as Snapshot;
      const before = i === 0 ? undefined : this.list[i - 1];
      const own = new Set(snapshot.pages.map(({ number }) => number));
      const inherited = before?.pages.filter(({ number }) => !own.has(number)) ?? [];
      kept.push(inherited.length === 0 ? snapshot : { ...snapshot, pages: [...inherited, ...snapshot.pages] });
    }
    this.list = kept;
    this.#bytes = kept.reduce((sum, snapshot) => sum + snapshotBytes(snapshot), 0);
    this.interval *= 2;
  }
}
