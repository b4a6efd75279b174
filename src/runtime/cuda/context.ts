/**
 * The state behind the CUDA runtime API of one host program: its devices, the current one, errors, handles.
 *
 * On a device without a queue everything executes at the call: a launch or an asynchronous copy is complete when the
 * call that issued it returns. Otherwise work goes to the queue's streams, and the calls that wait in CUDA wait here
 * (waiting.ts). A kernel's fault becomes an error as in CUDA: the next call that could see it returns it (see
 * `noticeFault`), and so do all calls after it.
 */
import type { ApiObserver } from "./api-observer.ts";
import type { Device, GpuKernel, StreamId } from "../../device/device.ts";
import type { LaunchConfig } from "../../machine/launch.ts";
import type { TextProgram } from "../../program/device-program.ts";
import type { RuntimeCompiler } from "../../program/runtime-compiler.ts";
import { CudaErrorCode, fail } from "./errors.ts";
import { HandleTable } from "./handles.ts";
import type { CaptureState, GraphState, GraphExecState } from "./graph/graph-model.ts";
import type { BuiltInStreams, EventState, StreamState } from "./work/stream-model.ts";
import { MirroredMemory } from "./allocations/mirrored-memory.ts";
import { Registry } from "./registry.ts";
import type { WorkTracing } from "./work/work-tracing.ts";
import type { HostGuard } from "../host/host-guard.ts";
import type { HostMemory } from "../host/host-memory.ts";
import type { HostStreams } from "../host/host-files.ts";
import type { DeviceState } from "./device-state.ts";

/** What the runtime needs of the running host program. */
/** A pointer or a handle; or an int. */
export type CallValue = number | { readonly int: number };

/** [start, end) of the host's memory. */
export interface AddressRange {
  readonly start: number;
  readonly end: number;
}

export interface HostProgram {
  readonly memory: HostMemory;
  /** Calls a function of the program by its pointer. */
  call(functionPointer: number, ...values: CallValue[]): number;
  /** How many parameters such a function has; 0 where it is none. */
  parameterCount(functionPointer: number): number;
  /** The program's own malloc; 0 when it has no memory left. */
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** The device code that the program refers to by this identity (fat-binary.ts). */
  deviceProgram(id: string): TextProgram;
  /** Device code that the program does not register: functions that its kernels may call. */
  functionPrograms(): readonly TextProgram[];
  /** Where the host twins of __managed__ variables lie (docs/host-abi.md), or null. */
  managedRange(): AddressRange | null;
  /** Memory below 4 GiB that the program's malloc has left out (hostlib/allocations.cpp), or null. */
  gap(): AddressRange | null;
  /** Of an observed program: it reports its accesses to [start, start + bytes) (docs/host-abi.md). */
  watch(start: number, bytes: number): void;
  /** Of an observed program: it reports its accesses from `start` on, where device memory lies. */
  watchDevice(start: number): void;
}

/** Returns what `launch` does. */
export type AroundLaunch = <T>(
  kernel: GpuKernel,
  config: LaunchConfig & { readonly stream: StreamId },
  launch: () => T,
) => T;

export interface CudaOptions {
  readonly host: HostProgram;
  readonly guard: HostGuard;
  readonly devices: readonly Device[];
  readonly streams: HostStreams;
  /** Prints one line for the user on stderr, once per text. */
  readonly note: (line: string) => void;
  /** Prints a report of several lines on stderr. */
  readonly report: (text: string) => void;
  /** Called before and after every launch, for summaries and for progress. */
  readonly onLaunchStart?: ((kernel: string) => void) | undefined;
  readonly onLaunch?: ((launch: LaunchRecord) => void) | undefined;
  /** Makes a launch, such as between two marks of a clock. */
  readonly aroundLaunch?: AroundLaunch | undefined;
  /** Called when launches that were pending have ended. */
  readonly onIdle?: (() => void) | undefined;
  /** Wait for every launch, so that its time is known. */
  readonly timeLaunches?: boolean | undefined;
  readonly observer?: ApiObserver | null | undefined;
  /** null: code cannot be compiled while the program runs. */
  readonly compileAtRunTime?: RuntimeCompiler | null | undefined;
}

export interface LaunchRecord {
  readonly kernel: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** null: the launch is pending. */
  readonly elapsedMs: number | null;
  readonly reused: boolean;
}

/** What each host thread has of its own. */
interface ThreadState {
  /** The device. */
  readonly current: number;
  readonly lastError: number;
  readonly workError: number;
}
const NEW_THREAD: ThreadState = { current: 0, lastError: CudaErrorCode.success, workError: CudaErrorCode.success };

export class CudaContext {
  readonly host: HostProgram;
  readonly memory: HostMemory;
  readonly options: CudaOptions;
  readonly devices: readonly DeviceState[];
  readonly registry: Registry;
  readonly mirrored: MirroredMemory;
  readonly observer: ApiObserver | null;
  /** Records when work ran, while the program asks for it. */
  tracer: WorkTracing | null = null;
  readonly streams: HandleTable<StreamState> = new HandleTable(0x5000_0010, 0x10);
  /** Of stream-store.ts. A field of its own: calls of libraries look at it each time. */
  builtInStreams: BuiltInStreams | null = null;
  readonly events: HandleTable<EventState> = new HandleTable(0x6000_0010, 0x10);
  readonly graphs: HandleTable<GraphState> = new HandleTable(0x7000_0010, 0x10);
  readonly graphExecs: HandleTable<GraphExecState> = new HandleTable(0x7800_0010, 0x10);
  /** Captures that have not been ended. */
  readonly captures: Set<CaptureState> = new Set();
  /** State of a family of functions that only that family uses, made at the first request. */
  readonly #extensions: Map<string, unknown> = new Map();
  #current = 0;
  /** The error that cudaGetLastError returns and clears. */
  lastError: number = CudaErrorCode.success;
  /** The error of a launch that was refused, until the program asks for its last error. */
  refusedLaunch: number = CudaErrorCode.success;
  /** The error of the last launch, copy or fill, or success. */
  workError: number = CudaErrorCode.success;
  launchCount = 0;
  /** The host thread whose calls these are, and what the others left. */
  #thread = 0;
  readonly #threads: Map<number, ThreadState> = new Map();

  constructor(options: CudaOptions) {
    this.options = options;
    this.host = options.host;
    this.memory = options.host.memory;
    this.devices = options.devices.map((device, ordinal) => ({
      ordinal,
      device,
      modules: new Map(),
      parts: new Map(),
      allocations: new Map(),
      limits: new Map(),
      peers: new Set(),
      flags: 0,
      cacheConfig: 0,
      sharedBankConfig: 0,
      fault: null,
      active: false,
    }));
    this.registry = new Registry();
    this.mirrored = new MirroredMemory(this);
    this.observer = options.observer ?? null;
  }

  get current(): DeviceState {
    return this.devices[this.#current] ?? fail(CudaErrorCode.noDevice);
  }

  setCurrent(ordinal: number): void {
    this.#current = this.deviceAt(ordinal).ordinal;
  }

  /** The host thread whose call this is. */
  get thread(): number {
    return this.#thread;
  }

  /** Each host thread has a current device and errors of its own. */
  actAs(thread: number): void {
    if (thread === this.#thread) return;
    const { lastError, workError } = this;
    this.#threads.set(this.#thread, { current: this.#current, lastError, workError });
    const state = this.#threads.get(thread) ?? NEW_THREAD;
    this.#thread = thread;
    this.#current = state.current;
    this.lastError = state.lastError;
    this.workError = state.workError;
  }

  deviceAt(ordinal: number): DeviceState {
    if (this.devices.length === 0) return fail(CudaErrorCode.noDevice);
    return this.devices[ordinal] ?? fail(CudaErrorCode.invalidDevice);
  }

  extension<T>(name: string, make: () => T): T {
    const found = this.#extensions.get(name);
    if (found !== undefined) return found as T;
    const made = make();
    this.#extensions.set(name, made);
    return made;
  }

  /** The sticky error that the next API call must return, or success. */
  get stickyError(): number {
    return this.devices[this.#current]?.fault?.code ?? CudaErrorCode.success;
  }

  note(line: string): void {
    this.options.note(line);
  }

  /** The device that holds `address` in a live allocation or a module's variable, the current one first. */
  ownerOf(address: number): { state: DeviceState; pointer: number; bytes: number } | null {
    const order = [this.devices[this.#current], ...this.devices.filter((state) => state.ordinal !== this.#current)];
    for (const state of order) {
      if (state === undefined) continue;
      const found = state.device.findAllocation(address);
      if (found !== null) return { state, pointer: found.pointer, bytes: found.bytes };
      const symbol = this.registry.symbolAt(state, address);
      if (symbol !== null) return { state, pointer: symbol.pointer, bytes: symbol.bytes };
    }
    return null;
  }
}
