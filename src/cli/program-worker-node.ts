/**
 * The thread that a host program runs in: it may block, so that the main thread can still hear Ctrl-C and count time.
 */
import { parentPort, workerData } from "node:worker_threads";
import { HeddleError, bug } from "../base/diagnostics.ts";
import type { CheckerName, Finding } from "../check/finding.ts";
import type { Checks, Leak } from "../check/checks.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { LaunchRecord } from "../runtime/cuda/context.ts";
import type { ApiChecks } from "../runtime/cuda/api-checks/api-checks.ts";
import type { ExitStatus } from "../runtime/host-program.ts";
import { runProgram } from "../runtime/host-program.ts";
import { ActivityWriter } from "./activity.ts";
import { chosenKind, createDevices, loadDevices } from "./devices-node.ts";
import type { OpenedDevices } from "./devices-node.ts";
import { NodeFiles } from "./host-files-node.ts";
import { BrokenPipe, BufferedStreams, OutputBuffer } from "./output-buffer.ts";
import type { DeviceOptions } from "./options/run-options.ts";
import type { ErrorReport } from "./error-report.ts";
import { reportOf } from "./error-report.ts";
import { rehearseLaunch } from "./warm-up.ts";
import { InputReader } from "./standard-input.ts";

/** Known before the program is compiled: the thread gets ready meanwhile. */
export interface ProgramWorkerData {
  readonly directories: readonly string[];
  readonly devices: DeviceOptions;
  readonly output: SharedArrayBuffer;
  readonly input: SharedArrayBuffer;
  readonly activity: SharedArrayBuffer;
  /** Keep a record of launches by kernel. */
  readonly summary: boolean;
  /** Nothing is to be run for a while: there is time to warmUp. */
  readonly idle: boolean;
}

/** The messages to the thread: perhaps what to expect, then what to run. */
export type ProgramOrder = ExpectOrder | RunOrder;

/** Device code of a program whose host code is still being compiled. */
export interface ExpectOrder {
  readonly kind: "expect";
  readonly program: DeviceProgram;
  /** IR text of the device library. */
  readonly library: string;
}

export interface RunOrder {
  readonly kind: "run";
  readonly wasm: Uint8Array;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** IR text of the device library, a megabyte or two: it is not sent again where it came with what to expect. */
  readonly library: "expected" | { readonly ir: string | null };
}

/** Launches of one kernel. */
export interface KernelSummary {
  readonly kernel: string;
  launches: number;
  reused: number;
  milliseconds: number;
}

export type ProgramMessage =
  | {
      readonly kind: "ended";
      readonly status: ExitStatus;
      readonly kernels: readonly KernelSummary[];
      readonly setupMs: number;
      readonly runMs: number;
      readonly checked: CheckResult | null;
    }
  | { readonly kind: "failed"; readonly report: ErrorReport }
  | { readonly kind: "broken-pipe" }
  /** The program waits for standard input. */
  | { readonly kind: "input" };

/** What the checkers have to tell in the end. */
export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Allocations that were never freed. */
  readonly leaked: readonly Leak[];
}

const sleepWord = new Int32Array(new SharedArrayBuffer(4));
function sleepMs(milliseconds: number): void {
  Atomics.wait(sleepWord, 0, 0, milliseconds);
}

interface OpenChecks {
  readonly checks: Checks;
  readonly api: ApiChecks;
}

interface OpenDevices extends OpenedDevices {
  readonly checking: OpenChecks | null;
}

/** @param wasm the program, where it is known already. */
async function openDevices(
  options: DeviceOptions,
  library: string | null,
  wasm: Uint8Array | null = null,
): Promise<OpenDevices> {
  const checking =
    options.check === null ? null : await openChecks(options.check, wasm !== null && hasConcurrentWork(wasm));
  return { ...(await createDevices(options, library, checking?.checks ?? null)), checking };
}

/** Devices that have begun with what they will load. */
async function openExpecting({ program, library }: ExpectOrder, options: DeviceOptions): Promise<OpenDevices> {
  const opened = await openDevices(options, library);
  try {
    opened.devices[0]?.expect?.([program]);
  } catch (error) {
    // What is wrong with device code is told when the program loads it, if it does.
    if (!(error instanceof HeddleError)) throw error;
  }
  return opened;
}

/** @param expecting devices with the order's library, if that is "expected". */
async function main(
  data: ProgramWorkerData,
  order: RunOrder,
  expecting: Promise<OpenDevices> | null,
): Promise<ProgramMessage> {
  const output = new OutputBuffer(data.output);
  const input = new InputReader(data.input, () => parentPort?.postMessage({ kind: "input" } satisfies ProgramMessage));
  const streams = new BufferedStreams(output, (buffer) => input.read(buffer));
  const kernels = new Map<string, KernelSummary>();
  const activity = new ActivityWriter(data.activity);
  const onLaunch = (launch: LaunchRecord): void => {
    if (launch.elapsedMs !== null) activity.end();
    if (!data.summary) return;
    let row = kernels.get(launch.kernel);
    if (row === undefined)
      kernels.set(launch.kernel, (row = { kernel: launch.kernel, launches: 0, reused: 0, milliseconds: 0 }));
    row.launches++;
    row.reused += launch.reused ? 1 : 0;
    row.milliseconds += launch.elapsedMs ?? 0;
  };
  try {
    const started = performance.now();
    const { devices, note, checking } = await (order.library === "expected"
      ? (expecting ?? bug("no library was sent"))
      : openDevices(data.devices, order.library.ir, order.wasm));
    if (note !== null) streams.write("stderr", new TextEncoder().encode(`heddle: ${note}\n`));
    const ready = performance.now();
    const status = runProgram({
      program: { device: [], host: { wasm: order.wasm }, warnings: "" },
      devices,
      argv: order.argv,
      env: order.env,
      streams,
      sleepMs,
      onLaunch,
      timeLaunches: data.summary,
      onIdle: () => activity.end(),
      onLaunchStart: (kernel) => activity.begin(kernel),
      observer: checking?.api ?? null,
      files: new NodeFiles({ workingDirectory: order.workingDirectory, directories: data.directories }),
    });
    return {
      kind: "ended",
      status,
      kernels: [...kernels.values()],
      setupMs: ready - started,
      runMs: performance.now() - ready,
      checked: checking === null ? null : { findings: checking.checks.findings, leaked: checking.checks.leaked },
    };
  } catch (error) {
    if (error instanceof BrokenPipe) return { kind: "broken-pipe" };
    return { kind: "failed", report: reportOf(error) };
  } finally {
    output.flush();
  }
}

/**
 * Whether a host program can put work on streams of its own, or on branches of a graph. V8 compiles the same bytes
 * once.
 */
function hasConcurrentWork(wasm: Uint8Array): boolean {
  return WebAssembly.Module.imports(new WebAssembly.Module(wasm as BufferSource)).some(
    ({ name }) => name.startsWith("cudaStreamCreate") || name.startsWith("cudaGraphLaunch"),
  );
}

/** The checkers load only where they are asked for. */
async function openChecks(names: readonly CheckerName[], streams: boolean): Promise<OpenChecks> {
  const [{ Checks }, { createCheckers }, { ApiChecks }, { demangle }] = await Promise.all([
    import("../check/checks.ts"),
    import("../check/checkers.ts"),
    import("../runtime/cuda/api-checks/api-checks.ts"),
    import("../base/demangle.ts"),
  ]);
  const checks: Checks = new Checks(createCheckers(names, { streams }), {
    readable: demangle,
    here: (launched) => api.here(launched === null ? null : demangle(launched)),
  });
  const api = new ApiChecks(checks, { silent: !names.includes("api") });
  return { checks, api };
}

// The engine loads while the program is compiled, or while nothing happens.
const { idle, devices } = workerData as ProgramWorkerData;
const kind = chosenKind(devices);
// what fails here fails again in main(), which tells
void (idle && kind === "emulated" ? rehearseLaunch(devices) : loadDevices(kind)).catch(() => {});
let expecting: Promise<OpenDevices> | null = null;
parentPort?.on("message", (order: ProgramOrder) => {
  if (order.kind === "expect") {
    expecting = openExpecting(order, devices);
    expecting.catch(() => {}); // main() asks for it, and tells
  } else
    void main(workerData as ProgramWorkerData, order, expecting).then((message) => parentPort?.postMessage(message));
});
