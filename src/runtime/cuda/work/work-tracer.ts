/** Records when work on the devices began and ended, for a program that asks while it runs (CUPTI). */
import { isFaultError } from "../../../base/diagnostics.ts";
import { EventClock } from "../api-timeline/event-clock.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import { checkCopy, checkFill, type Place } from "./copy.ts";
import { queueDevice } from "./stream-store.ts";
import type { StreamState } from "./stream-model.ts";
import type { WorkTracing } from "./work-tracing.ts";

export interface TracedWork {
  readonly work: GraphWork;
  readonly stream: StreamState;
  readonly state: DeviceState;
  /** The places of a copy or fill, as they were when it began. */
  readonly from: Place | null;
  readonly to: Place | null;
  /** The call of the program that asked for the work. */
  readonly call: number;
  /** The node of a graph whose launch this is, and that graph; 0: none. */
  readonly node: number;
  readonly graph: number;
  startMs: number;
  durationMs: number;
}

export class WorkTracer implements WorkTracing {
  /** The call that work belongs to from now on. */
  call = 0;
  #node = 0;
  #graph = 0;
  readonly #cuda: CudaContext;
  readonly #done: TracedWork[] = [];
  readonly #clocks: Map<DeviceState, EventClock> = new Map();

  constructor(cuda: CudaContext) {
    this.#cuda = cuda;
  }

  enterGraph(exec: number): void {
    this.#graph = exec;
  }

  enterNode(node: number): void {
    this.#node = node;
  }

  around(work: GraphWork, stream: StreamState, run: () => void): void {
    const begun = this.#begin(work, stream);
    if (begun === null) return run();
    const clock = this.#clock(begun.state, stream);
    const event = clock?.begin(stream.queueStream) ?? null;
    begun.startMs = performance.now();
    run();
    begun.durationMs = performance.now() - begun.startMs;
    if (clock === null || event === null) this.#done.push(begun);
    else
      clock.end(event, stream.queueStream, (times) => {
        if (times === null) return;
        begun.startMs = times.startMs;
        begun.durationMs = times.durationMs;
        this.#done.push(begun);
      });
  }

  /** The next work that has ended, or null. */
  next(): TracedWork | null {
    if (this.#done.length === 0)
      try {
        for (const clock of this.#clocks.values()) clock.settle();
      } catch (error) {
        if (!isFaultError(error)) throw error; // the fault is reported where it belongs
      }
    return this.#done.shift() ?? null;
  }

  reset(state: DeviceState): void {
    this.#clocks.get(state)?.reset(state.device.fault !== null);
    this.#clocks.delete(state);
  }

  /** @param of the device of the work on this stream */
  #clock(of: DeviceState, stream: StreamState): EventClock | null {
    const state = queueDevice(this.#cuda, stream, of);
    const { queue } = state.device;
    if (queue === null || state.device.fault !== null) return null;
    let clock = this.#clocks.get(state);
    if (clock === undefined) this.#clocks.set(state, (clock = new EventClock(queue, () => performance.now())));
    return clock;
  }

  /** null: nothing that a record tells of. */
  #begin(work: GraphWork, stream: StreamState): TracedWork | null {
    const places = placesOf(this.#cuda, work);
    if (places === null) return null;
    return {
      work,
      stream,
      ...places,
      call: this.call,
      node: this.#node,
      graph: this.#graph,
      startMs: 0,
      durationMs: 0,
    };
  }
}

function placesOf(cuda: CudaContext, work: GraphWork): Pick<TracedWork, "state" | "from" | "to"> | null {
  if (work.kind === "kernel") return { state: work.call.device, from: null, to: null };
  if (work.kind === "memcpy") {
    const places = checkCopy(cuda, work.copy);
    return places === null ? null : { ...places, state: stateOf(places.to) ?? stateOf(places.from) ?? cuda.current };
  }
  if (work.kind !== "memset") return null;
  const to = checkFill(cuda, work.fill);
  return to === null ? null : { from: null, to, state: stateOf(to) ?? cuda.current };
}

function stateOf(place: Place): DeviceState | null {
  return place.side === "device" ? place.state : null;
}

export function workTracer(cuda: CudaContext): WorkTracer {
  return cuda.extension<WorkTracer>("traced work", () => new WorkTracer(cuda));
}
