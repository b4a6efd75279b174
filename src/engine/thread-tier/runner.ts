/** Runs the blocks of a launch with a compiled thread-tier module on the calling thread. */
import { type LongBytes } from "../../ir/intrinsics/print-functions.ts";
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { dim3Unflatten, dim3Volume, type Dim3 } from "../../base/dim3.ts";
import { fmaFloat64 } from "../../base/float-rounding.ts";
import { alignUp } from "../../base/align.ts";
import { addressOf, legalBytes, setGlobal } from "../launch-globals.ts";
import type { DeviceFault, FailedAssertion } from "../../machine/faults.ts";
import { clusterExtents } from "../../machine/clusters.ts";
import { SHARED_ALIGN, WARP_LANES } from "../../machine/memory-map.ts";
import { sharedCounters, type BlockWindows, type Counters } from "../../machine/warp-counts.ts";
import type { BlockRunner, BlockRunnerFactory, BlockRunnerHost } from "../backend.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { ARGUMENTS_OUTSIDE_MEMORY, formatFromMemory, readCString } from "../packed-arguments.ts";
import { BlockScheduler } from "../schedule/block-scheduler.ts";
import type { Site, Task, TaskSource } from "../schedule/task.ts";
import { externalFunctions } from "../emit/external-functions.ts";
import {
  BLOCK_BYTES,
  BLOCK_RECORD,
  CONTEXT,
  CONTEXT_BYTES,
  LAUNCH_GLOBALS,
  SUMMARY_BYTES,
  type LaunchGlobal,
} from "./layout.ts";
import type { ThreadTierMetadata } from "./metadata.ts";
import { WarpTask, type TaskMachine } from "./warp-task.ts";

/** What all threads of a block together get for stacks that recursion leaves open, and the bounds for one thread. */
const OPEN_STACK_BYTES_PER_BLOCK = 8 * 1024 * 1024;
const OPEN_STACK_MIN = 8 * 1024;
const OPEN_STACK_MAX = 256 * 1024;
/** How much engine memory resident blocks may take before no further block is begun, on one thread. */
const RESIDENT_BYTES = 32 * 1024 * 1024;

export const threadRunner: BlockRunnerFactory = (compiled, module, memory) =>
  new ThreadRunner(compiled.metadata as ThreadTierMetadata, module, memory);

/** A resident block's memory. */
interface Slot {
  readonly record: number;
  readonly tasks: readonly WarpTask[];
  readonly contexts: number;
}

/** What the compiled module exports besides its globals. */
interface KernelCode {
  readonly runLanes: TaskMachine["runLanes"];
  readonly resetThreads: (contexts: number, threads: number) => void;
}

class ThreadRunner implements BlockRunner {
  readonly #metadata: ThreadTierMetadata;
  readonly #memory: WebAssembly.Memory;
  readonly #code: KernelCode;
  readonly #globals: Record<string, WebAssembly.Global>;
  #launchState: Launch | null = null;

  constructor(metadata: ThreadTierMetadata, module: WebAssembly.Module, memory: WebAssembly.Memory) {
    this.#metadata = metadata;
    this.#memory = memory;
    const current = (): Launch => this.#launchState ?? bug("device code runs outside a launch");
    const instance = new WebAssembly.Instance(module, {
      env: { memory },
      math: {
        fma64: fmaFloat64,
        fmod: (a: number, b: number) => a % b,
        exp2: (x: number) => 2 ** x,
        log2: Math.log2,
        sin: Math.sin,
        cos: Math.cos,
        tanh: Math.tanh,
      },
      pure: externalFunctions(metadata.externals),
      host: {
        print: (context: number, format: number | bigint, args: number | bigint, longBytes: LongBytes) =>
          current().print(context, addressOf(format), addressOf(args), longBytes),
        clock: () => current().clock(),
        malloc: (bytes: number | bigint) => {
          const address = current().malloc(addressOf(bytes));
          return typeof bytes === "bigint" ? BigInt(address) : address;
        },
        free: (pointer: number | bigint) => {
          const address = addressOf(pointer);
          if (address !== 0) current().host.free(address);
        },
        runChildGrids: (context: number) => current().runChildGrids(context),
        assertFailed: (_: number, message: number | bigint, file: number | bigint, line: number, fn: number | bigint) =>
          current().assertFailed(addressOf(message), addressOf(file), line, addressOf(fn)),
      },
    });
    this.#code = {
      runLanes: instance.exports["run_lanes"],
      resetThreads: instance.exports["reset_threads"],
    } as unknown as KernelCode;
    this.#globals = instance.exports as unknown as Record<string, WebAssembly.Global>;
  }

  run(launch: LaunchDescriptor, host: BlockRunnerHost): DeviceFault | null {
    const state = new Launch(this.#metadata, this.#memory, this.#code, this.#globals, launch, host);
    this.#launchState = state;
    try {
      return state.run();
    } catch (error) {
      // Emitted code checks before it acts: a trap is a mistake of ours.
      if (error instanceof WebAssembly.RuntimeError)
        bug(`the compiled kernel ${this.#metadata.kernel} trapped: ${error.message}`);
      throw error;
    } finally {
      state.dispose();
      this.#launchState = null;
    }
  }
}

class Launch implements TaskSource {
  readonly host: BlockRunnerHost;
  readonly sites: readonly Site[];
  readonly counters: Counters;
  readonly #metadata: ThreadTierMetadata;
  readonly #memory: WebAssembly.Memory;
  readonly #globals: Record<string, WebAssembly.Global>;
  readonly #launch: LaunchDescriptor;
  readonly #code: KernelCode;
  readonly #machine: TaskMachine;
  readonly #allocated: number[] = [];
  readonly #slots: Slot[] = [];
  readonly #threads: number;
  readonly #stackBytes: number;
  readonly #localBytes: number;
  readonly #sharedBytes: number;
  readonly #clusterBlocks: number;
  /** From the shared memory of one block of a cluster to that of the next. */
  readonly #clusterStride: number;
  #top = 0;
  #assertion: FailedAssertion | null = null;
  /** Of a grid that this one has launched and waits for. */
  #childFault: DeviceFault | null = null;
  /**
   * A loop that reads the clock does not repeat itself, though what it keeps may be the same each time: time counts as
   * memory that changes.
   */
  #clockReads = 0;

  constructor(
    metadata: ThreadTierMetadata,
    memory: WebAssembly.Memory,
    code: KernelCode,
    globals: Record<string, WebAssembly.Global>,
    launch: LaunchDescriptor,
    host: BlockRunnerHost,
  ) {
    this.#metadata = metadata;
    this.sites = metadata.sites;
    this.#memory = memory;
    this.counters = sharedCounters(() => memory.buffer);
    this.#code = code;
    this.#globals = globals;
    this.#launch = launch;
    this.host = host;
    this.#threads = dim3Volume(launch.block);
    const open = Math.min(OPEN_STACK_MAX, Math.max(OPEN_STACK_MIN, OPEN_STACK_BYTES_PER_BLOCK / this.#threads)) & ~15;
    this.#stackBytes = metadata.stackBytes < 0 ? open : alignUp(metadata.stackBytes, 16);
    this.#localBytes = metadata.localBytes < 0 ? open : alignUp(metadata.localBytes, 16);
    this.#sharedBytes = metadata.staticSharedBytes + launch.dynamicSharedBytes;
    const cluster = clusterExtents(launch.cluster);
    this.#clusterBlocks = dim3Volume(cluster);
    this.#clusterStride = alignUp(Math.max(1, this.#sharedBytes), SHARED_ALIGN);
    this.#includeTop(launch.memoryTop);
    const params = this.#allocate(launch.params.length, 256, "user");
    new Uint8Array(memory.buffer).set(launch.params, params);
    const shape: Record<LaunchGlobal, number> = {
      ntidX: launch.block.x,
      ntidY: launch.block.y,
      ntidZ: launch.block.z,
      nctaidX: launch.grid.x,
      nctaidY: launch.grid.y,
      nctaidZ: launch.grid.z,
      clusterX: cluster.x,
      clusterY: cluster.y,
      clusterZ: cluster.z,
      clusterStride: this.#clusterBlocks === 1 ? 0 : this.#clusterStride,
      sharedBytes: this.#sharedBytes,
      paramBase: params,
      loopWord: host.loopWord ?? this.#allocate(4, 4, "engine"),
    };
    for (const name of LAUNCH_GLOBALS) this.#set(name, shape[name]);
    const summary = this.#allocate(SUMMARY_BYTES, 16, "engine");
    this.#machine = {
      runLanes: code.runLanes,
      summary,
      operations: metadata.operations,
      isWide: metadata.addressType === "i64",
      words: new Int32Array(memory.buffer),
      bytes: new Uint8Array(memory.buffer),
    };
  }

  run(): DeviceFault | null {
    const slotBytes = this.#threads * (CONTEXT_BYTES + this.#stackBytes) + BLOCK_BYTES;
    const scheduler = new BlockScheduler(
      this,
      this.#launch,
      this.host,
      this.#metadata.kernel,
      Math.max(2, Math.floor(RESIDENT_BYTES / slotBytes)),
    );
    const fault = scheduler.run();
    if (fault !== null && this.#childFault !== null) return this.#childFault;
    if (fault?.kind !== "assert" || this.#assertion === null) return fault;
    return { ...fault, message: `Assertion \`${this.#assertion.expression}\` failed.`, assertion: this.#assertion };
  }

  clock(): bigint {
    this.#clockReads++;
    return BigInt.asIntN(64, this.host.nowNs());
  }

  dispose(): void {
    for (const address of this.#allocated.reverse()) this.host.free(address);
  }

  // -------------------------------------------------------------- TaskSource

  memoryVersion(): number {
    return ((this.#globals["changes"] as WebAssembly.Global).value as number) + this.#clockReads;
  }

  windows(slot: number): Omit<BlockWindows, "block" | "warp"> {
    const { record } = this.#slots[slot] ?? bug(`slot ${slot} was not prepared`);
    const { words } = this.#machine;
    const field = (offset: number): number => (words[(record + offset) >> 2] as number) >>> 0;
    return {
      sharedBase: field(BLOCK_RECORD.sharedBase),
      sharedBytes: this.#sharedBytes,
      localBase: field(BLOCK_RECORD.localBase),
      localBytes: field(BLOCK_RECORD.localBytes),
      localBytesPerThread: this.#localBytes,
    };
  }

  prepare(slot: number): boolean {
    try {
      this.#slots[slot] ??= this.#makeSlot(slot);
      return true;
    } catch (error) {
      if (slot >= this.#clusterBlocks && error instanceof HeddleError && error.code === "out-of-memory") return false;
      throw error;
    }
  }

  start(slot: number, ctaid: Dim3): readonly Task[] {
    const s = this.#slots[slot] ?? bug(`slot ${slot} was not prepared`);
    const { words } = this.#machine;
    const record = s.record >> 2;
    words[record + BLOCK_RECORD.ctaidX / 4] = ctaid.x;
    words[record + BLOCK_RECORD.ctaidY / 4] = ctaid.y;
    words[record + BLOCK_RECORD.ctaidZ / 4] = ctaid.z;
    this.#code.resetThreads(s.contexts, this.#threads);
    for (const task of s.tasks) task.reset();
    return s.tasks;
  }

  /** Windows of a cluster lie one behind the other: slots come in groups of a cluster. */
  #sharedWindow(slot: number): { readonly shared: number; readonly first: number } {
    const rank = slot % this.#clusterBlocks;
    const record = rank === 0 ? null : (this.#slots[slot - rank]?.record ?? bug("a cluster without its first block"));
    const first =
      record === null
        ? this.#allocate((this.#clusterBlocks - 1) * this.#clusterStride + this.#sharedBytes, SHARED_ALIGN, "user")
        : (this.#machine.words[(record + BLOCK_RECORD.sharedBase) >> 2] as number);
    return { shared: first + rank * this.#clusterStride, first };
  }

  #makeSlot(slot: number): Slot {
    const threads = this.#threads;
    const stackBytes = this.#stackBytes;
    const localBytes = this.#localBytes;
    const record = this.#allocate(BLOCK_BYTES + threads * (CONTEXT_BYTES + stackBytes), 16, "engine");
    const contexts = record + BLOCK_BYTES;
    const stacks = contexts + threads * CONTEXT_BYTES;
    const { shared, first } = this.#sharedWindow(slot);
    const local = localBytes === 0 ? shared : this.#allocate(localBytes * threads, 256, "user");
    const { words } = this.#machine;
    words[(record + BLOCK_RECORD.sharedBase) >> 2] = shared;
    words[(record + BLOCK_RECORD.clusterBase) >> 2] = first;
    words[(record + BLOCK_RECORD.localBase) >> 2] = local;
    words[(record + BLOCK_RECORD.localBytes) >> 2] = localBytes * threads;
    for (let t = 0; t < threads; t++) {
      const context = contexts + t * CONTEXT_BYTES;
      const tid = dim3Unflatten(t, this.#launch.block);
      const frame = stacks + t * stackBytes;
      const put = (field: number, value: number): void => {
        words[(context + field) >> 2] = value;
      };
      put(CONTEXT.tidX, tid.x);
      put(CONTEXT.tidY, tid.y);
      put(CONTEXT.tidZ, tid.z);
      put(CONTEXT.block, record);
      put(CONTEXT.lane, t & 31);
      put(CONTEXT.warp, t >>> 5);
      put(CONTEXT.localEnd, local + (t + 1) * localBytes);
      put(CONTEXT.stackEnd, frame + stackBytes);
      put(CONTEXT.frame, frame);
      put(CONTEXT.localStart, local + t * localBytes);
    }
    const tasks = Array.from({ length: Math.ceil(threads / WARP_LANES) }, (_, warp) => {
      const first = warp * WARP_LANES;
      return new WarpTask(
        this.#machine,
        warp,
        Math.min(WARP_LANES, threads - first),
        contexts + first * CONTEXT_BYTES,
        stacks + first * stackBytes,
        stackBytes,
      );
    });
    return { record, tasks, contexts };
  }

  // -------------------------------------------------------------- memory

  #allocate(bytes: number, align: number, kind: "user" | "engine"): number {
    const size = Math.max(bytes, 16);
    const address = this.host.allocate(size, align, kind);
    this.#allocated.push(address);
    if (kind === "user") this.#includeTop(address + size);
    return address;
  }

  /** Windows made for this launch are legal too. */
  #includeTop(end: number): void {
    if (end <= this.#top) return;
    this.#top = end;
    const bytes = legalBytes(end, this.#metadata.addressType);
    this.#set("limitBytes", bytes);
    for (let k = 0; k <= 4; k++) this.#set(`limit${k}`, Math.floor((bytes - 2 ** k) / 2 ** k));
  }

  #set(name: string, value: number): void {
    setGlobal(this.#globals[name] as WebAssembly.Global, value);
  }

  // -------------------------------------------------------------- what device code calls

  /** Device malloc: lives on after the launch. */
  malloc(bytes: number): number {
    const address = this.host.allocate(Math.max(1, bytes), 16, "user");
    this.#includeTop(address + bytes);
    return address;
  }

  print(context: number, format: number, args: number, longBytes: LongBytes): number {
    const text = formatFromMemory(this.#memory, format, args, longBytes);
    if (text === null) return ARGUMENTS_OUTSIDE_MEMORY;
    this.host.print(text, this.#blockOf(context).linear);
    return 0;
  }

  /** 0: a fault follows. */
  runChildGrids(context: number): 0 | 1 {
    const run = this.host.runChildGrids ?? bug("grids of a kernel that waits for them run on another thread");
    this.#clockReads++; // they write memory, too
    this.#childFault = run.call(this.host, this.#blockOf(context).linear);
    return this.#childFault === null ? 1 : 0;
  }

  /** The fault follows. */
  assertFailed(message: number, file: number, line: number, functionName: number): void {
    const text = (address: number): string => (address === 0 ? "" : readCString(this.#memory, address));
    this.#assertion = { expression: text(message), file: text(file), line, functionName: text(functionName) };
  }

  #blockOf(context: number): { block: readonly number[]; linear: number } {
    const { words } = this.#machine;
    const record = words[(context + CONTEXT.block) >> 2] as number;
    const at = (field: number): number => words[(record + field) >> 2] as number;
    const [x, y, z] = [at(BLOCK_RECORD.ctaidX), at(BLOCK_RECORD.ctaidY), at(BLOCK_RECORD.ctaidZ)];
    return { block: [x, y, z], linear: x + this.#launch.grid.x * (y + this.#launch.grid.y * z) };
  }
}
