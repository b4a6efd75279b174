/** Records what a program does over time: its calls, the work on its streams, its ranges. */
import { unsigned } from "../../../base/unsigned.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { EventId } from "../../../device/device.ts";
import type { RangeRecorder } from "../../../profile/timeline/range-recorder.ts";
import { TimelineRecorder } from "../../../profile/timeline/timeline-recorder.ts";
import type { OperationKind, Timeline, TimelineLaunch, TimelineOperation } from "../../../profile/timeline/timeline.ts";
import type { ApiObserver } from "../api-observer.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import { checkCopy, checkFill, type Place } from "../work/copy.ts";
import type { CopyRequest, FillRequest, KernelCall } from "../work/requests.ts";
import { queueDevice } from "../work/stream-store.ts";
import { LEGACY_STREAM, PER_THREAD_STREAM, type StreamState } from "../work/stream-model.ts";
import { EventClock } from "./event-clock.ts";

/** What is known of work before it runs. */
interface Described {
  readonly kind: OperationKind;
  readonly name: string;
  readonly state: DeviceState;
  readonly bytes: number | null;
  readonly call: KernelCall | null;
}

interface Begun extends Described {
  readonly startMs: number;
  readonly range: number | null;
  /** On a device with a queue: what begins its time. */
  readonly event: EventId | null;
}

/** A call that took less and asked for no work is left out. */
const SHORTEST_CALL_MS = 0.001;
const RESETS: ReadonlySet<string> = new Set(["cudaDeviceReset", "cudaThreadExit"]);

export class ApiTimeline implements ApiObserver {
  readonly imports: ApiObserver["imports"] = new Map();
  readonly #recorder: TimelineRecorder;
  readonly #lastLaunch: () => number | null;
  readonly #clocks = new Map<DeviceState, EventClock>();
  #cuda: CudaContext | null = null;
  /** Calls that are under way; a callback may make some of its own. */
  readonly #calls: { readonly id: number; readonly startMs: number; hasWork: boolean }[] = [];
  #callCount = 0;
  readonly #begun = new WeakMap<GraphWork, Begun>();

  /** @param lastLaunch the place of the latest launch in the launches of a profile; null where nothing is counted. */
  constructor(lastLaunch: () => number | null, recorder: TimelineRecorder = new TimelineRecorder()) {
    this.#lastLaunch = lastLaunch;
    this.#recorder = recorder;
  }

  get annotations(): RangeRecorder {
    return this.#recorder.ranges;
  }

  attach(cuda: CudaContext): void {
    this.#cuda = cuda;
  }

  nameStream(stream: number, name: string): void {
    this.#recorder.nameStream(unsigned(stream), name);
  }

  nameThread(name: string): void {
    this.#recorder.nameThread(name);
  }

  calling(name: string): void {
    this.#calls.push({ id: ++this.#callCount, startMs: this.#recorder.now(), hasWork: false });
    if (RESETS.has(name)) for (const [state, clock] of this.#clocks) clock.reset(state.device.fault !== null);
  }

  returned(name: string, _values: readonly number[], error: number): void {
    const { id, startMs, hasWork } = this.#calls.pop() ?? bug("a call returns that nobody made");
    const durationMs = this.#recorder.now() - startMs;
    if (name.startsWith("cuda") && (hasWork || durationMs >= SHORTEST_CALL_MS))
      this.#recorder.call({ id, name, startMs, durationMs, error });
  }

  beginWork(work: GraphWork, stream: StreamState): void {
    const described = this.#describe(work);
    if (described === null) return;
    const call = this.#calls.at(-1);
    if (call !== undefined) call.hasWork = true;
    this.#recorder.useStream(described.state.ordinal, stream.handle, builtInName(stream.handle));
    this.#begun.set(work, {
      ...described,
      startMs: this.#recorder.now(),
      range: this.#recorder.ranges.innermost,
      event:
        described.kind === "host function"
          ? null
          : (this.#clock(described.state, stream)?.begin(stream.queueStream) ?? null),
    });
  }

  endWork(work: GraphWork, stream: StreamState): void {
    const begun = this.#begun.get(work);
    if (begun === undefined) return;
    this.#begun.delete(work);
    const { kind, name, state, bytes, call, range, startMs, event } = begun;
    const operation = {
      kind,
      name,
      device: state.ordinal,
      stream: stream.handle,
      range,
      bytes,
      launch: call === null ? null : this.#launch(call),
      call: this.#calls.at(-1)?.id ?? null,
    } satisfies Partial<TimelineOperation>;
    if (event === null) {
      this.#recorder.operation({ ...operation, startMs, durationMs: this.#recorder.now() - startMs });
      return;
    }
    this.#clock(state, stream)?.end(event, stream.queueStream, (times) => {
      if (times === null) this.#recorder.lost();
      else this.#recorder.operation({ ...operation, ...times });
    });
  }

  branch(_key: object, _before: readonly object[], stream: StreamState): StreamState {
    return stream;
  }

  /** What was recorded, when the program has ended. */
  timeline(): Timeline {
    const devices = this.#cuda?.devices ?? [];
    for (const [state, clock] of this.#clocks) clock.finish(state.device.fault !== null);
    return this.#recorder.timeline(
      devices[0]?.device.kind === "cuda" ? "gpu-events" : "emulation",
      devices.map(({ ordinal, device }) => ({ ordinal, name: device.properties.name })),
    );
  }

  failed(): boolean {
    return false;
  }

  isReported(): boolean {
    return false;
  }

  copying(): void {
    // beginWork has the copy.
  }

  movedOnHost(): void {
    // beginWork has the copy.
  }

  join(): void {
    // The steps of a graph are on its stream already.
  }

  ended(): void {
    // timeline() does what is left, also for a program that does not end by itself.
  }

  /** @param of the device of the work on this stream */
  #clock(of: DeviceState, stream: StreamState): EventClock | null {
    const state = queueDevice(this.#cuda ?? bug("a timeline of no program"), stream, of);
    const { queue } = state.device;
    if (queue === null || state.device.fault !== null) return null;
    let clock = this.#clocks.get(state);
    if (clock === undefined) this.#clocks.set(state, (clock = new EventClock(queue, () => this.#recorder.now())));
    return clock;
  }

  /** null: nothing that takes time, or that is refused. */
  #describe(work: GraphWork): Described | null {
    const cuda = this.#cuda ?? bug("a timeline of no program");
    switch (work.kind) {
      case "kernel":
        return { kind: "kernel", name: work.call.kernel.name, state: work.call.device, bytes: null, call: work.call };
      case "memcpy":
        return describeCopy(cuda, work.copy);
      case "memset":
        return describeFill(cuda, work.fill);
      case "host":
        return { kind: "host function", name: "host function", state: cuda.current, bytes: null, call: null };
      default:
        return null;
    }
  }

  #launch({ grid, block, sharedBytes, kernel }: KernelCall): TimelineLaunch {
    return {
      grid,
      block,
      dynamicSharedBytes: sharedBytes,
      staticSharedBytes: kernel.staticSharedBytes,
      localBytesPerThread: kernel.localBytesPerThread,
      registersPerThread: kernel.registers ?? null,
      index: this.#lastLaunch(),
    };
  }
}

function describeCopy(cuda: CudaContext, copy: CopyRequest): Described | null {
  const places = checkCopy(cuda, copy);
  if (places === null) return null;
  const { to, from } = places;
  return {
    kind: "copy",
    name: `copy, ${from.side} to ${to.side}`,
    // As the copy itself chooses: the device that it writes to.
    state: stateOf(to) ?? stateOf(from) ?? cuda.current,
    bytes: copy.widthBytes * copy.height * copy.depth,
    call: null,
  };
}

function describeFill(cuda: CudaContext, fill: FillRequest): Described | null {
  const place = checkFill(cuda, fill);
  if (place === null) return null;
  return {
    kind: "fill",
    name: "fill",
    state: stateOf(place) ?? cuda.current,
    bytes: fill.width * fill.elementBytes * fill.height * fill.depth,
    call: null,
  };
}

function stateOf(place: Place): DeviceState | null {
  return place.side === "device" ? place.state : null;
}

/** null: a stream that the program made. */
function builtInName(handle: number): string | null {
  if (handle === PER_THREAD_STREAM) return "default stream of the thread";
  return handle <= LEGACY_STREAM ? "default stream" : null;
}
