/** Runs a compiled program on the calling thread, which it may block: the part that Node.js and browsers share. */
import type { Device, DeviceProperties } from "../device/device.ts";
import type { LaunchRecord } from "../runtime/cuda/context.ts";
import type { ProfileRecorder } from "../profile/profile-report.ts";
import type { MeasuredReport } from "../profile/timeline/measured-report.ts";
import type { Timeline } from "../profile/timeline/timeline.ts";
import type { ApiTimeline } from "../runtime/cuda/api-timeline/api-timeline.ts";
import type { HostFiles, HostStreams } from "../runtime/host/host-files.ts";
import type { HostThreadSpawner } from "../runtime/host/host-threads.ts";
import type { ProcessRooms } from "../runtime/host/process-rooms.ts";
import type { RuntimeCompiler } from "../program/runtime-compiler.ts";
import { runProgram } from "../runtime/host-program.ts";
import type { KernelSummary, ProgramExit } from "./events.ts";
import type { OpenChecks } from "./open-checks.ts";

export interface OpenedDevices {
  readonly devices: readonly Device[];
  /** A line for the user: which device "auto" took. */
  readonly note: string | null;
  readonly checking: OpenChecks | null;
  readonly profiling: ProfileRecorder | null;
  readonly timeline: ApiTimeline | null;
  /** Whether blocks may run on several threads. */
  readonly parallel: boolean;
}

export interface ExecutionParts {
  readonly wasm: Uint8Array;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly openDevices: () => Promise<OpenedDevices>;
  readonly files: HostFiles;
  readonly streams: HostStreams;
  /** Blocks the thread; undefined: it can only spin. */
  readonly sleepMs: ((milliseconds: number) => void) | undefined;
  /** Starts threads of the program; null: there are none. */
  readonly spawnThread?: HostThreadSpawner | undefined;
  /** Where the program meets other processes; absent: nowhere. */
  readonly rooms?: ProcessRooms | null;
  readonly timeLaunches: boolean;
  readonly onLaunch: ((launch: LaunchRecord) => void) | null;
  /** For programs that compile device code themselves (NVRTC). */
  readonly compileAtRunTime?: RuntimeCompiler;
  /** Follows which kernel is running. */
  readonly activity: { begin(kernel: string): void; end(): void } | null;
}

export async function executeProgram(parts: ExecutionParts): Promise<Omit<ProgramExit, "compileMs">> {
  const { activity, onLaunch, streams } = parts;
  const kernels = new Map<string, KernelSummary>();
  const started = performance.now();
  const { devices, note, checking, profiling, timeline, parallel } = await parts.openDevices();
  profiling?.follow((devices[0] as Device).properties);
  if (note !== null) streams.write("stderr", new TextEncoder().encode(`heddle: ${note}\n`));
  const ready = performance.now();
  const status = runProgram({
    program: { device: [], host: { wasm: parts.wasm }, warnings: "" },
    devices,
    argv: parts.argv,
    env: parts.env,
    streams,
    ...(parts.sleepMs === undefined ? {} : { sleepMs: parts.sleepMs }),
    onLaunch: (launch) => {
      if (launch.elapsedMs !== null) activity?.end();
      if (parts.timeLaunches) count(kernels, launch);
      onLaunch?.(launch);
    },
    timeLaunches: parts.timeLaunches,
    onIdle: () => activity?.end(),
    onLaunchStart: (kernel) => activity?.begin(kernel),
    observer: checking?.api ?? timeline,
    files: parts.files,
    spawnThread: parts.spawnThread,
    rooms: parts.rooms ?? null,
    ...(parts.compileAtRunTime === undefined ? {} : { compileAtRunTime: parts.compileAtRunTime }),
  });
  const { properties } = devices[0] as Device;
  const recorded = timeline?.timeline() ?? null;
  return {
    how: "exited",
    status,
    kernels: [...kernels.values()],
    setupMs: ready - started,
    runMs: performance.now() - ready,
    parallel,
    checked:
      checking === null
        ? null
        : {
            findings: checking.checks.findings,
            leaked: checking.checks.leaked,
            steppedAside: checking.checks.steppedAside,
          },
    profiled: profiling?.report(properties) ?? null,
    measured: recorded?.timeSource === "gpu-events" ? await measured(recorded, properties) : null,
    timeline: recorded,
  };
}

async function measured(timeline: Timeline, gpu: DeviceProperties): Promise<MeasuredReport> {
  const { measuredReport } = await import("../profile/timeline/measured-report.ts");
  return measuredReport(timeline, gpu);
}

function count(kernels: Map<string, KernelSummary>, { kernel, reused, elapsedMs }: LaunchRecord): void {
  let row = kernels.get(kernel);
  if (row === undefined) kernels.set(kernel, (row = { kernel, launches: 0, reused: 0, milliseconds: 0 }));
  row.launches++;
  row.reused += reused ? 1 : 0;
  row.milliseconds += elapsedMs ?? 0;
}
