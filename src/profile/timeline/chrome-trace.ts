/**
 * A timeline in Chrome's Trace Event Format (JSON object form), which Perfetto (ui.perfetto.dev) and chrome://tracing
 * open. A process for the host program, one for each device; a row ("thread") for each stream, and for the ranges of
 * each domain.
 */
import { dim3Volume, type Dim3 } from "../../base/dim3.ts";
import type { Metrics } from "../line-profile.ts";
import type { ProfileReport } from "../profile-report.ts";
import {
  scopeOf,
  tensorOperationOf,
  type Annotation,
  type Timeline,
  type TimelineLaunch,
  type TimelineOperation,
  type TimelineRange,
} from "./timeline.ts";

export interface ChromeTraceOptions {
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  /** The profile of the same run: kernels get its headline counters. null: nothing was counted. */
  readonly report: ProfileReport | null;
  /** The program, for the name of its row. */
  readonly program: string;
}

/** One event; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  /** X: complete. b, e: beginning and end of an asynchronous one. i: instant. s, f: an arrow. M: a name. */
  readonly ph: "X" | "b" | "e" | "i" | "s" | "f" | "M";
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: string;
  readonly s?: "t";
  readonly bp?: "e";
  readonly args?: Readonly<Record<string, string | number | boolean>>;
}

export interface ChromeTrace {
  readonly displayTimeUnit: "ms";
  readonly otherData: Readonly<Record<string, string | number>>;
  readonly traceEvents: readonly TraceEvent[];
}

const HOST_PROCESS = 1;
const FIRST_DEVICE_PROCESS = 2;
const CALL_ROW = 1;
const FIRST_RANGE_ROW = 2;

const TIME_SOURCES: Readonly<Record<Timeline["timeSource"], string>> = {
  emulation:
    "the emulated device of Heddle: how long the emulation took on this machine's CPU. They say nothing of a GPU; " +
    "order, nesting, sizes and counters do",
  "gpu-events": "CUDA events in front of each operation and behind it, on the GPU's clock",
};

/** What a kernel's event shows of its counters, where the launch has them. */
const HEADLINES: readonly string[] = [
  "sm__maximum_warps_per_active_cycle_pct",
  "launch__waves_per_multiprocessor",
  "launch__registers_per_thread",
  "smsp__inst_executed.sum",
  "smsp__thread_inst_executed.sum",
  "smsp__sass_branch_targets_threads_divergent.sum",
  "memory_l2_theoretical_sectors_global",
  "memory_l2_theoretical_sectors_global_ideal",
  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
  "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
  "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
  "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
];

export function chromeTrace(timeline: Timeline, options: ChromeTraceOptions): ChromeTrace {
  const rows = new RangeRows(timeline);
  const events = [
    ...callEvents(timeline),
    ...operationEvents(timeline, options),
    ...rangeEvents(timeline, rows),
    ...markEvents(timeline, rows),
  ].sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || (b.dur ?? 0) - (a.dur ?? 0));
  return {
    displayTimeUnit: "ms",
    otherData: {
      tool: "heddle profile",
      times: TIME_SOURCES[timeline.timeSource],
      ...(options.report === null ? {} : { counting: "counters in the kernels take a part of the times" }),
      ...(timeline.notRecorded === 0 ? {} : { notRecorded: timeline.notRecorded }),
      ...(timeline.untimed === 0 ? {} : { untimed: timeline.untimed }),
    },
    traceEvents: [...nameEvents(timeline, rows, options.program), ...events],
  };
}

/** The row of the ranges of each domain. */
class RangeRows {
  readonly names: readonly (readonly [domain: string | null, row: number])[];
  readonly #rows: ReadonlyMap<string | null, number>;

  constructor({ ranges, marks }: Timeline) {
    const domains = new Set([...ranges, ...marks].map(({ domain }) => domain));
    this.names = [...domains].map((domain, index) => [domain, FIRST_RANGE_ROW + index] as const);
    this.#rows = new Map(this.names);
  }

  of(domain: string | null): number {
    return this.#rows.get(domain) ?? FIRST_RANGE_ROW;
  }
}

/** The row of a stream on its device's process. */
function streamRow({ streams }: Timeline, device: number, stream: number): number {
  return 1 + streams.findIndex((one) => one.device === device && one.stream === stream);
}

function nameEvents(timeline: Timeline, rows: RangeRows, program: string): TraceEvent[] {
  const emulated = timeline.timeSource === "emulation" ? ", emulated" : "";
  return [
    ...processName(HOST_PROCESS, `${program} (host)`),
    ...rowName(HOST_PROCESS, CALL_ROW, timeline.thread === null ? "CUDA API" : `CUDA API, ${timeline.thread}`),
    ...rows.names.flatMap(([domain, row]) => rowName(HOST_PROCESS, row, domain === null ? "NVTX" : `NVTX, ${domain}`)),
    ...timeline.devices.flatMap(({ ordinal, name }) =>
      processName(FIRST_DEVICE_PROCESS + ordinal, `GPU ${ordinal}: ${name}${emulated}`),
    ),
    ...timeline.streams.flatMap(({ device, stream, name }) =>
      rowName(FIRST_DEVICE_PROCESS + device, streamRow(timeline, device, stream), name),
    ),
  ];
}

function processName(pid: number, name: string): TraceEvent[] {
  return [
    { name: "process_name", ph: "M", pid, tid: 0, args: { name } },
    { name: "process_sort_index", ph: "M", pid, tid: 0, args: { sort_index: pid } },
  ];
}

function rowName(pid: number, tid: number, name: string): TraceEvent[] {
  return [
    { name: "thread_name", ph: "M", pid, tid, args: { name } },
    { name: "thread_sort_index", ph: "M", pid, tid, args: { sort_index: tid } },
  ];
}

function callEvents({ calls }: Timeline): TraceEvent[] {
  return calls.map(({ name, startMs, durationMs, error }) => ({
    name,
    ph: "X",
    cat: "api",
    pid: HOST_PROCESS,
    tid: CALL_ROW,
    ...interval(startMs, durationMs),
    ...(error === 0 ? {} : { args: { cudaError: error } }),
  }));
}

/** Work, and the arrows to it from the calls that asked for it. */
function operationEvents(timeline: Timeline, options: ChromeTraceOptions): TraceEvent[] {
  const callStarts = new Map(timeline.calls.map(({ id, startMs }) => [id, startMs]));
  const rowEnds = new Map<string, number>();
  return timeline.operations.flatMap((operation, index): TraceEvent[] => {
    const pid = FIRST_DEVICE_PROCESS + operation.device;
    const tid = streamRow(timeline, operation.device, operation.stream);
    // A stream does one thing after the other. Events are half a microsecond apart from the truth.
    const startMs = Math.max(operation.startMs, rowEnds.get(`${pid} ${tid}`) ?? 0);
    const endMs = Math.max(startMs, operation.startMs + operation.durationMs);
    rowEnds.set(`${pid} ${tid}`, endMs);
    const asked = operation.call === null ? undefined : callStarts.get(operation.call);
    const arrow = { cat: "launch", name: "launch", id: String(index) };
    return [
      {
        name: options.readable(operation.name),
        ph: "X",
        cat: operation.kind,
        pid,
        tid,
        ...interval(startMs, endMs - startMs),
        args: operationArguments(operation, timeline, options),
      },
      ...(asked === undefined
        ? []
        : ([
            { ...arrow, ph: "s", pid: HOST_PROCESS, tid: CALL_ROW, ts: microseconds(asked) },
            { ...arrow, ph: "f", bp: "e", pid, tid, ts: microseconds(startMs) },
          ] as const)),
    ];
  });
}

function operationArguments(
  operation: TimelineOperation,
  timeline: Timeline,
  { report }: ChromeTraceOptions,
): Record<string, string | number> {
  const { launch, bytes, range } = operation;
  const scope = scopeOf(timeline, range);
  const asked = tensorOperationOf(timeline, range);
  const counted = launch === null || launch.index === null ? undefined : report?.launches[launch.index];
  return {
    ...(bytes === null ? {} : { bytes }),
    ...(launch === null ? {} : launchArguments(launch)),
    ...(counted === undefined
      ? {}
      : {
          engine: counted.engine,
          ...(counted.fault === null ? {} : { fault: counted.fault }),
          ...headlines(counted.metrics),
        }),
    ...(scope.length === 0 ? {} : { scope: scope.join(" / ") }),
    ...(asked === null ? {} : { operation: asked.name, shapes: asked.shapes }),
  };
}

function launchArguments(launch: TimelineLaunch): Record<string, string | number> {
  const { grid, block, staticSharedBytes, dynamicSharedBytes, registersPerThread } = launch;
  return {
    grid: extents(grid),
    block: extents(block),
    blocks: dim3Volume(grid),
    threads: dim3Volume(grid) * dim3Volume(block),
    sharedBytes: staticSharedBytes + dynamicSharedBytes,
    ...(registersPerThread === null ? {} : { registersPerThread }),
  };
}

function headlines(metrics: Metrics): Record<string, number> {
  return Object.fromEntries(
    HEADLINES.flatMap((name) => {
      const value = metrics[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Ranges that are started and ended may overlap: they are asynchronous events, which viewers give own rows. */
function rangeEvents({ ranges }: Timeline, rows: RangeRows): TraceEvent[] {
  return ranges.flatMap((range, index): TraceEvent[] => {
    const { kind, name, startMs, durationMs, isOpen } = range;
    const common = {
      name,
      cat: "nvtx",
      pid: HOST_PROCESS,
      tid: rows.of(range.domain),
      args: { ...annotationArguments(range), ...(isOpen ? { isOpen } : {}) },
    };
    if (kind === "nested") return [{ ...common, ph: "X", ...interval(startMs, durationMs) }];
    const { args: _, ...end } = common;
    return [
      { ...common, ph: "b", id: String(index), ts: microseconds(startMs) },
      { ...end, ph: "e", id: String(index), ts: microseconds(startMs + durationMs) },
    ];
  });
}

function markEvents({ marks }: Timeline, rows: RangeRows): TraceEvent[] {
  return marks.map((mark) => ({
    name: mark.name,
    ph: "i",
    s: "t",
    cat: "nvtx",
    pid: HOST_PROCESS,
    tid: rows.of(mark.domain),
    ts: microseconds(mark.atMs),
    args: annotationArguments(mark),
  }));
}

function annotationArguments({ category, color, payload }: Annotation | TimelineRange): Record<string, string> {
  return {
    ...(category === null ? {} : { category }),
    ...(color === null ? {} : { color: `#${(color >>> 0).toString(16).padStart(8, "0")}` }),
    ...(payload === null ? {} : { payload }),
  };
}

function interval(startMs: number, durationMs: number): { ts: number; dur: number } {
  const [start, end] = [nanoseconds(startMs), nanoseconds(startMs + durationMs)];
  return { ts: start / 1e3, dur: (end - start) / 1e3 };
}

function microseconds(ms: number): number {
  return nanoseconds(ms) / 1e3;
}

/** Whole ones, so that what ends where another begins does not overlap it by a rounding. */
function nanoseconds(ms: number): number {
  return Math.round(ms * 1e6);
}

function extents({ x, y, z }: Dim3): string {
  return `${x} × ${y} × ${z}`;
}
