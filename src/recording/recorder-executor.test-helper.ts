/** Runs launches as recordings run them, block after block: to compare the stepper with the interpreter. */
import { dim3Unflatten, dim3Volume } from "../base/dim3.ts";
import type { Executor } from "../engine/executor.ts";
import type { DeviceFault } from "../machine/faults.ts";
import { openBlock } from "./open-block.ts";
import { PAGE_BYTES } from "./recorded-memory.ts";
import { recordBlock } from "./record-block.ts";
import type { BlockRecording, RecordedLaunch } from "./recording.ts";
import { Replay } from "./replay.ts";
import { LineTable } from "./source-lines.ts";
import { BlockStepper } from "./stepper.ts";

/** @param inspect gets a recording of every block, too */
export function stepperExecutor(inspect: ((recording: BlockRecording) => void) | null = null): Executor {
  return {
    name: "stepper",
    run(program, kernel, launch, memory, host) {
      const device = new Uint8Array(memory.buffer);
      for (let linear = 0; linear < dim3Volume(launch.grid); linear++) {
        const recorded: RecordedLaunch = {
          ...launch,
          kernel: kernel.name,
          ordinal: 1,
          blockIndex: dim3Unflatten(linear, launch.grid),
        };
        const page = (number: number): Uint8Array =>
          device.subarray(number * PAGE_BYTES, Math.min(device.length, (number + 1) * PAGE_BYTES));
        if (inspect !== null)
          inspect(
            recordBlock({
              program,
              kernel,
              launch: recorded,
              memory: device,
              debug: { functions: new Map(), globals: new Map() },
              allocations: [],
            }),
          );
        const open = openBlock(program, kernel, recorded, (number, into) => into.set(page(number)));
        open.print = (text) => host.print(text);
        const stepper = new BlockStepper(open.block, new LineTable());
        open.clock = () => stepper.ticks;
        while (stepper.step() !== null);
        for (const { number, bytes } of open.memory.takeChanged())
          if ((number + 1) * PAGE_BYTES <= launch.memoryTop) page(number).set(bytes);
        if (stepper.end?.how === "fault") return stepper.end.fault;
        if (stepper.end?.how !== "done") return standstill(kernel.name, stepper.end?.how ?? "nothing");
      }
      return null;
    },
  };
}

function standstill(kernel: string, message: string): DeviceFault {
  return { kind: "deadlock", kernel, block: null, thread: null, location: null, message };
}

/** Everything that a replay says of a step. */
export function describeStep(replay: Replay, step: number): string {
  const { recording } = replay;
  replay.goTo(step);
  const line = recording.lines[recording.steps.lines[step] as number];
  const warp = recording.steps.warps[step] as number;
  const variables = line === undefined ? [] : replay.variables(warp, line);
  return JSON.stringify([replay.warps(), variables, replay.shared(), replay.accesses(step)]);
}
