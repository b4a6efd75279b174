/** What the library's devices do, while a profiler records it. Without one this costs a comparison. */
import { bug } from "../base/diagnostics.ts";
import type { Device, GpuKernel, StreamId } from "../device/device.ts";
import type { LaunchConfig, LaunchOutcome } from "../machine/launch.ts";
import { TimelineRecorder } from "../profile/timeline/timeline-recorder.ts";
import {
  TENSOR_OPERATION,
  type OperationKind,
  type Timeline,
  type TimelineLaunch,
  type TimelineOperation,
} from "../profile/timeline/timeline.ts";
import { EventClock } from "../runtime/cuda/api-timeline/event-clock.ts";

/** Work that is done, or put on a stream, when it is recorded. */
export type RecordedWork =
  | { readonly kernel: GpuKernel; readonly config: LaunchConfig & { readonly stream?: StreamId } }
  | { readonly copied: "host to device" | "device to host"; readonly bytes: number; readonly on?: StreamId }
  /** What a library of the GPU's launches. */
  | { readonly called: string; readonly on: StreamId }
  | { readonly filled: number }
  | { readonly graphOn: StreamId };

let active: LibraryRecording | null = null;
/** The host is in an operation of tensors: those that it calls are parts of it. */
let isInOperation = false;
const listeners: ((isActive: boolean) => void)[] = [];

/** Records `work`, where a profiler runs. */
export function record<T>(device: Device, what: RecordedWork, work: () => T): T {
  return active === null ? work() : active.around(device, what, work);
}

/** Whether a profiler runs. */
export function isRecording(): boolean {
  return active !== null;
}

/** The same for a launch that is awaited. */
export function recordLaunch(
  device: Device,
  kernel: GpuKernel,
  config: LaunchConfig & { readonly stream?: StreamId },
  launch: () => Promise<LaunchOutcome>,
): Promise<LaunchOutcome> {
  if (active === null) return launch();
  // A launch that is awaited is on the default stream.
  if (device.queue !== null) return active.around(device, { kernel, config: { ...config, stream: 0 } }, launch);
  return active.awaited(device, { kernel, config }, launch);
}

/** Runs `body`, whose launches become parts of a graph: nothing runs yet. */
export function unrecorded(body: () => void): void {
  const own = active;
  active = null;
  try {
    body();
  } finally {
    active = own;
  }
}

/** What `record` records is recorded by it from now on; null: by none. @returns which one did before */
export function replaceRecording(recording: LibraryRecording | null): LibraryRecording | null {
  const before = active;
  active = recording;
  for (const listener of listeners) listener(active !== null);
  return before;
}

/** Calls `listener` when a profiler begins, and when it ends. */
export function onRecording(listener: (isActive: boolean) => void): void {
  listeners.push(listener);
}

/** Runs an operation of tensors, whose launches have its name and shapes. @param shapesOf is called if one records */
export function inOperation<T>(name: string, shapesOf: () => string, work: () => T): T {
  if (active === null || isInOperation) return work();
  const annotation = { name, domain: null, category: TENSOR_OPERATION, color: null, payload: shapesOf() };
  const end = active.recorder.ranges.open(annotation);
  isInOperation = true;
  try {
    return work();
  } finally {
    isInOperation = false;
    end();
  }
}

export class LibraryRecording {
  readonly recorder: TimelineRecorder = new TimelineRecorder();
  readonly #devices: { readonly device: Device; readonly clock: EventClock | null }[] = [];
  readonly #pending = new Set<Promise<void>>();

  around<T>(device: Device, what: RecordedWork, work: () => T): T {
    const operation = this.#describe(device, what);
    const { clock } = this.#devices[operation.device] ?? bug("a device that is not known");
    if (clock === null || device.fault !== null) {
      const startMs = this.recorder.now();
      const result = work();
      this.recorder.operation({ ...operation, startMs, durationMs: this.recorder.now() - startMs });
      return result;
    }
    const start = clock.begin(operation.stream);
    const result = work();
    clock.end(start, operation.stream, (times) => {
      if (times === null) this.recorder.lost();
      else this.recorder.operation({ ...operation, ...times });
    });
    return result;
  }

  /** A launch on a device without a queue. It waits for others, which is no time of its own. */
  awaited(device: Device, what: RecordedWork, launch: () => Promise<LaunchOutcome>): Promise<LaunchOutcome> {
    const operation = this.#describe(device, what);
    const outcome = launch();
    const recorded: Promise<void> = outcome
      .then(
        ({ elapsedMs }) => {
          const startMs = Math.max(0, this.recorder.now() - elapsedMs);
          this.recorder.operation({ ...operation, startMs, durationMs: elapsedMs });
        },
        () => this.recorder.lost(), // who awaits the launch gets the error
      )
      .finally(() => void this.#pending.delete(recorded));
    this.#pending.add(recorded);
    return outcome;
  }

  /** Waits for what was recorded. */
  async finish(): Promise<Timeline> {
    for (const { device } of this.#devices) if (device.fault === null) await device.synchronize();
    await Promise.all(this.#pending);
    for (const { device, clock } of this.#devices) clock?.finish(device.fault !== null);
    return this.recorder.timeline(
      this.#devices.some(({ clock }) => clock !== null) ? "gpu-events" : "emulation",
      this.#devices.map(({ device }, ordinal) => ({ ordinal, name: device.properties.name })),
    );
  }

  #describe(device: Device, what: RecordedWork): Omit<TimelineOperation, "startMs" | "durationMs"> {
    const stream = streamOf(what);
    const ordinal = this.#ordinalOf(device);
    this.recorder.useStream(ordinal, stream, stream === 0 ? "default stream" : null);
    return {
      kind: kindOf(what),
      name: nameOf(what),
      device: ordinal,
      stream,
      range: this.recorder.ranges.innermost,
      bytes: bytesOf(what),
      launch: "kernel" in what ? launchOf(what.kernel, what.config) : null,
      call: null,
    };
  }

  #ordinalOf(device: Device): number {
    const known = this.#devices.findIndex((one) => one.device === device);
    if (known >= 0) return known;
    const { queue } = device;
    this.#devices.push({ device, clock: queue === null ? null : new EventClock(queue, () => this.recorder.now()) });
    return this.#devices.length - 1;
  }
}

function streamOf(what: RecordedWork): StreamId {
  if ("kernel" in what) return what.config.stream ?? 0;
  if ("graphOn" in what) return what.graphOn;
  return "filled" in what ? 0 : (what.on ?? 0);
}

function kindOf(what: RecordedWork): OperationKind {
  if ("kernel" in what || "called" in what) return "kernel";
  if ("copied" in what) return "copy";
  return "filled" in what ? "fill" : "graph";
}

function nameOf(what: RecordedWork): string {
  if ("kernel" in what) return what.kernel.name;
  if ("called" in what) return what.called;
  if ("copied" in what) return `copy, ${what.copied}`;
  return "filled" in what ? "fill" : "graph";
}

function bytesOf(what: RecordedWork): number | null {
  if ("copied" in what) return what.bytes;
  return "filled" in what ? what.filled : null;
}

function launchOf(kernel: GpuKernel, { grid, block, sharedBytes }: LaunchConfig): TimelineLaunch {
  return {
    grid,
    block,
    dynamicSharedBytes: sharedBytes,
    staticSharedBytes: kernel.staticSharedBytes,
    localBytesPerThread: kernel.localBytesPerThread,
    registersPerThread: kernel.registers ?? null,
    index: null,
  };
}
