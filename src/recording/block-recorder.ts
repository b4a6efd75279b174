/** The tool that waits for a launch and records a block of it. */
import { demangle } from "../base/demangle.ts";
import { dim3Volume, formatDim3 } from "../base/dim3.ts";
import { bug, HeddleError } from "../base/diagnostics.ts";
import { readDebugInfo, type DebugInfo } from "../ir/text/debug-variables.ts";
import type {
  DeviceObserver,
  ObservedAllocation,
  ObservedLaunch,
  ObservedMemory,
  ObservedProgram,
} from "../machine/observer.ts";
import { recordBlock } from "./record-block.ts";
import type { RecordingChoice } from "./recording-choice.ts";
import type { BlockRecording, RecordedAllocation } from "./recording.ts";

export class BlockRecorder implements DeviceObserver {
  readonly name = "recorder";
  readonly needs = "code";
  readonly wantsRepeats = true;
  readonly #choice: RecordingChoice;
  readonly #onRecording: (recording: BlockRecording) => void;
  readonly #allocations = new Map<number, RecordedAllocation>();
  #memory: ObservedMemory | null = null;
  #programs: readonly ObservedProgram[] = [];
  #launches = 0;
  #isDone = false;

  constructor(choice: RecordingChoice, onRecording: (recording: BlockRecording) => void) {
    this.#choice = choice;
    this.#onRecording = onRecording;
  }

  attach(memory: ObservedMemory): void {
    this.#memory = memory;
  }

  loading(programs: readonly ObservedProgram[]): void {
    this.#programs = [...this.#programs, ...programs];
  }

  allocated({ start, bytes, purpose }: ObservedAllocation): void {
    if (purpose === "user") this.#allocations.set(start, { start, bytes });
  }

  freed({ start }: ObservedAllocation): void {
    this.#allocations.delete(start);
  }

  launching(launch: ObservedLaunch): void {
    const { kernel, block, limits } = this.#choice;
    if (this.#isDone || !isNamed(launch.kernel, kernel)) return;
    this.#launches++;
    if (this.#launches !== this.#choice.launch) return;
    this.#isDone = true;
    if (block.x >= launch.grid.x || block.y >= launch.grid.y || block.z >= launch.grid.z)
      throw new HeddleError(
        "bad-arguments",
        `the grid of ${demangle(launch.kernel)} has no block ${formatDim3(block)}`,
        {
          notes: [`it has ${dim3Volume(launch.grid)} blocks: ${formatDim3(launch.grid)}`],
        },
      );
    if (launch.cluster !== null)
      throw new HeddleError(
        "unsupported",
        `a block of ${demangle(launch.kernel)} cannot be recorded: it is launched in clusters, ` +
          "and recording such a kernel is not supported yet",
        { notes: ["heddle check and heddle profile run it"] },
      );
    const program = launch.placed ?? bug("a launch to record without its program");
    const loaded = program.kernels.get(launch.kernel) ?? bug(`the program has no kernel ${launch.kernel}`);
    const memory = this.#memory ?? bug("a recorder without memory");
    const recording = recordBlock({
      program,
      kernel: loaded,
      launch: {
        kernel: launch.kernel,
        ordinal: launch.ordinal,
        grid: launch.grid,
        block: launch.block,
        blockIndex: block,
        dynamicSharedBytes: launch.sharedBytes,
        cooperative: launch.cooperative,
        params: launch.arguments,
        memoryTop: memory.bytes.length,
      },
      memory: memory.bytes,
      debug: this.#debugInfo(),
      allocations: [...this.#allocations.values()],
      limits,
    });
    this.#onRecording(recording);
  }

  #debugInfo(): DebugInfo {
    const infos = this.#programs.flatMap(({ ir }) => (typeof ir === "string" ? readDebugInfo(ir) : []));
    return {
      functions: new Map(infos.flatMap(({ functions }) => [...functions])),
      globals: new Map(infos.flatMap(({ globals }) => [...globals])),
    };
  }
}

function isNamed(mangled: string, name: string | null): boolean {
  return name === null || mangled === name || demangle(mangled).includes(name);
}
