/** Records a timeline while a program runs. */
import { RangeRecorder } from "./range-recorder.ts";
import type {
  TimeSource,
  Timeline,
  TimelineCall,
  TimelineDevice,
  TimelineOperation,
  TimelineStream,
} from "./timeline.ts";

/** Of each kind of event. More would fill the memory of programs that run for hours. */
export const MOST_EVENTS = 100_000;

export class TimelineRecorder {
  readonly ranges: RangeRecorder;
  readonly #clock: () => number;
  readonly #begun: number;
  readonly #operations: TimelineOperation[] = [];
  readonly #calls: TimelineCall[] = [];
  readonly #streams = new Map<string, TimelineStream>();
  readonly #streamNames = new Map<number, string>();
  readonly #streamsOfDevice = new Map<number, number>();
  #thread: string | null = null;
  #notRecorded = 0;
  #untimed = 0;

  /** @param clock milliseconds that never go back */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#begun = clock();
    this.ranges = new RangeRecorder(() => this.now(), MOST_EVENTS);
  }

  /** Milliseconds since the beginning. */
  now(): number {
    return this.#clock() - this.#begun;
  }

  operation(operation: TimelineOperation): void {
    if (this.#operations.length >= MOST_EVENTS) this.#notRecorded++;
    else this.#operations.push(operation);
  }

  /** Work whose time nobody knows. */
  lost(): void {
    this.#untimed++;
  }

  call(call: TimelineCall): void {
    if (this.#calls.length >= MOST_EVENTS) this.#notRecorded++;
    else this.#calls.push(call);
  }

  /** A stream gets work. @param name null: it is numbered by its first work */
  useStream(device: number, stream: number, name: string | null): void {
    const key = `${device} ${stream}`;
    if (this.#streams.has(key)) return;
    const number = (this.#streamsOfDevice.get(device) ?? 0) + (name === null ? 1 : 0);
    this.#streamsOfDevice.set(device, number);
    this.#streams.set(key, { device, stream, name: name ?? `stream ${number}` });
  }

  nameStream(stream: number, name: string): void {
    this.#streamNames.set(stream, name);
  }

  nameThread(name: string): void {
    this.#thread = name;
  }

  timeline(timeSource: TimeSource, devices: readonly TimelineDevice[]): Timeline {
    const { ranges, marks, notRecorded } = this.ranges.recorded();
    return {
      timeSource,
      devices,
      streams: [...this.#streams.values()].map((stream) => ({
        ...stream,
        name: this.#streamNames.get(stream.stream) ?? stream.name,
      })),
      thread: this.#thread,
      operations: this.#operations.toSorted((a, b) => a.startMs - b.startMs),
      calls: this.#calls.toSorted((a, b) => a.startMs - b.startMs),
      ranges,
      marks,
      durationMs: this.now(),
      notRecorded: this.#notRecorded + notRecorded,
      untimed: this.#untimed,
    };
  }
}
