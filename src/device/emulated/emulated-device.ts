/**
 * A device that exists in one linear WebAssembly memory and runs kernels with the engine.
 *
 * - Operations take effect at once, in the order they are called: streams need no queues, because every launch is
 *   complete when `launchBlocking` returns or `launch` resolves. While a `launch` is in flight, only further calls of
 *   `launch` are allowed (they wait their turn); anything else that touches memory throws.
 * - Limits and properties are those of the named GPU (gpus.ts). `properties.totalGlobalMem` is the real card's;
 *   `memoryInfo` tells what can be allocated here, which is less than 4 GiB where not more was asked for: its total is
 *   the smaller of the two, its free what is left.
 * - A sibling is a further device in the same memory: a pointer of one is valid on the other, as with unified
 *   addressing and peer access enabled.
 */
import { bug, HeddleError } from "../../base/diagnostics.ts";
import type { LoadedKernel } from "../../engine/executor.ts";
import type { IrModule, PointerBits } from "../../ir/model/ir.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { LaunchConfig, LaunchOutcome } from "../../machine/launch.ts";
import { launchRun } from "../../machine/observer.ts";
import { emulatedTensorMap, type TensorMapDescription } from "../../machine/tensor-map.ts";
import type {
  AllocateOptions,
  AllocationInfo,
  DeviceAddressSpace,
  DeviceClusters,
  Device,
  DevicePointer,
  DeviceProperties,
  DeviceRuntimeLimits,
  GpuKernel,
  QueueOutcome,
} from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { residentBlocksPerMultiprocessor } from "../launch-limits.ts";
import { DeviceHeap } from "./device-heap.ts";
import { emulatedClusters } from "./clusters.ts";
import { ChildGrids } from "./child-grids.ts";
import { type EmulatedKernel, EmulatedModule, samePrograms } from "./emulated-module.ts";
import { launchTree, toTheEnd, toTheEndLater, type LaunchSteps } from "./launch-tree.ts";
import { copyBytes, fillElements, RepeatedFills, transfer } from "./memory-transfer.ts";
import { DEFAULT_GPU, gpuProperties } from "./gpus.ts";
import type { GridResult, GridRunner } from "./grid-runner.ts";
import {
  checkLaunch,
  describeForTools,
  describeLaunch,
  notAnAllocation,
  notLoaded,
  outsideAllocation,
  ownKernel,
  stoppedBy,
  type PendingLaunch,
} from "./launch-checks.ts";
import type { EmulatedDeviceParts } from "./device-parts.ts";
import { LaunchReuse } from "./launch-reuse.ts";
import { isNearLaunch } from "./near-launches.ts";
import { placeModule } from "./place-module.ts";
import type { DeviceMemory, HeapBlock } from "./memory.ts";

/** Ends the threads of devices that nobody refers to any more and nobody has closed. */
const forgotten = new FinalizationRegistry<GridRunner>((runner) => runner.close());

export class EmulatedDevice implements Device {
  readonly kind = "emulated";
  readonly queue = null;
  readonly clusters: DeviceClusters | null;
  readonly sourceCompiler = null;
  readonly properties: DeviceProperties;
  /** The whole memory; for reports and tools. */
  readonly memory: DeviceMemory;
  readonly #parts: EmulatedDeviceParts;
  readonly #siblings: Set<EmulatedDevice>;
  readonly #reuse: LaunchReuse;
  readonly #fills = new RepeatedFills();
  readonly #modules = new Set<EmulatedModule>();
  readonly #owned = new Set<HeapBlock>();
  readonly #heap: DeviceHeap;
  readonly #children: ChildGrids;
  readonly #steps: LaunchSteps;
  /** Prepared before it was loaded, for so many shadow planes, and good for one load: compiling kernels changes it. */
  #preloaded: {
    readonly programs: readonly DeviceProgram[];
    readonly ir: IrModule;
    readonly shadowPlanes: number;
  } | null = null;
  #fault: DeviceFault | null = null;
  #lastLaunch: Promise<unknown> = Promise.resolve();
  #inFlight = 0;
  #launches = 0;
  #closed = false;

  constructor(parts: EmulatedDeviceParts, gpu: string = DEFAULT_GPU, siblings: Set<EmulatedDevice> = new Set()) {
    this.properties = gpuProperties(gpu);
    this.clusters = emulatedClusters(this);
    this.memory = parts.memory;
    this.#parts = parts;
    this.#siblings = siblings.add(this);
    this.#heap = new DeviceHeap(parts.memory);
    this.#children = new ChildGrids(parts.memory, this.properties);
    this.#steps = {
      prepare: (kernel, config, params, depth) => this.#prepareLaunch(kernel, config, params, depth),
      finish: (pending, result) => this.#finish(pending, result),
      suspend: ({ observed }) => parts.observer?.suspended?.(observed),
      resume: ({ observed }) => parts.observer?.resumed?.(observed),
      transfer: (work) => transfer(this.memory, this.#parts.observer, work),
      runBlocking: (grid) => parts.runner.runBlocking(grid),
    };
    forgotten.register(this, parts.runner, this);
    this.#reuse = new LaunchReuse(parts.memory, (kernel, name) => this.#globalAddress(kernel, name));
  }

  /** A further device in the same memory, with the properties of `gpu`. */
  sibling(gpu: string = DEFAULT_GPU): EmulatedDevice {
    return new EmulatedDevice(this.#parts, gpu, this.#siblings);
  }

  // ---------------------------------------------------------------- memory

  memoryInfo(): { freeBytes: number; totalBytes: number } {
    const totalBytes = Math.min(this.properties.totalGlobalMem, this.memory.capacityBytes);
    return { freeBytes: Math.max(0, Math.min(this.memory.freeBytes, totalBytes - this.#allocatedBytes())), totalBytes };
  }

  allocate(bytes: number, options: AllocateOptions = {}): DevicePointer {
    this.#requireIdle();
    const block = this.memory.allocate(bytes, options);
    this.#owned.add(block);
    return block.start;
  }

  free(pointer: DevicePointer): void {
    this.#requireIdle();
    const block = this.memory.find(pointer) ?? this.memory.at(pointer);
    if (block === null || block.start !== pointer || block.purpose !== "user") {
      throw notAnAllocation(pointer, block);
    }
    this.memory.free(pointer);
    for (const device of this.#siblings) device.#owned.delete(block);
  }

  get addressSpace(): DeviceAddressSpace {
    return this.memory.addressSpace;
  }

  get heapBytes(): number {
    return this.#heap.bytes;
  }

  set heapBytes(bytes: number) {
    this.#requireIdle();
    this.#heap.bytes = bytes;
  }

  limitDeviceRuntime(limits: Partial<DeviceRuntimeLimits>): void {
    this.#children.limits = { ...this.#children.limits, ...limits };
  }

  findAllocation(address: number): AllocationInfo | null {
    const block = this.memory.find(address);
    return block === null ? null : { pointer: block.start, bytes: block.bytes };
  }

  nearestAllocation(address: number): AllocationInfo | null {
    return this.memory.nearest(address);
  }

  write(destination: DevicePointer, source: Uint8Array): void {
    this.#requireRange(destination, source.byteLength, "write to");
    this.memory.bytes.set(source, destination);
    this.memory.touch(destination, source.byteLength);
    this.#parts.observer?.written?.(destination, source.byteLength);
  }

  read(source: DevicePointer, destination: Uint8Array): void {
    this.#requireRange(source, destination.byteLength, "read from");
    this.#parts.observer?.read?.(source, destination.byteLength);
    destination.set(this.memory.bytes.subarray(source, source + destination.byteLength));
  }

  copy(destination: DevicePointer, source: DevicePointer, bytes: number): void {
    this.#requireRange(source, bytes, "read from");
    this.#requireRange(destination, bytes, "write to");
    copyBytes(this.memory, this.#parts.observer, destination, source, bytes);
  }

  fill(destination: DevicePointer, value: number, elementBytes: 1 | 2 | 4, count: number): void {
    const bytes = elementBytes * count;
    this.#requireRange(destination, bytes, "write to");
    this.#parts.observer?.written?.(destination, bytes);
    // Benchmarks flush caches by filling the same buffer again and again: what is already there is not written again.
    const block = this.#parts.reuse ? this.memory.find(destination) : null;
    const fill = { destination, value, elementBytes, count };
    if (block !== null && this.#fills.isThere(block, fill, this.memory.version(block))) return;
    fillElements(this.memory, destination, value, elementBytes, count);
    if (block !== null) this.#fills.note(block, fill, this.memory.version(block));
  }

  // ---------------------------------------------------------------- programs

  preload(programs: readonly DeviceProgram[]): void {
    this.#preloaded = { programs, ir: this.#parts.prepare(programs), shadowPlanes: this.memory.shadowPlanes };
  }

  /** The IR of these programs, which may be preloaded. */
  #prepare(programs: readonly DeviceProgram[]): IrModule {
    const preloaded = this.#preloaded;
    this.#preloaded = null;
    return preloaded !== null &&
      preloaded.shadowPlanes === this.memory.shadowPlanes &&
      samePrograms(preloaded.programs, programs)
      ? preloaded.ir
      : this.#parts.prepare(programs);
  }

  get irPointerBits(): PointerBits {
    return this.memory.isWide ? 64 : 32;
  }

  loadModule(program: DeviceProgram | readonly DeviceProgram[]): EmulatedModule {
    this.#requireIdle();
    const programs = Array.isArray(program) ? (program as readonly DeviceProgram[]) : [program as DeviceProgram];
    const ir = this.#prepare(programs);
    const module = placeModule(ir, programs, this.#parts, (gone) => this.#unloaded(gone));
    this.#modules.add(module);
    return module;
  }

  launchBlocking(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): LaunchOutcome {
    this.#requireIdle();
    const tree = launchTree(this.#steps, ownKernel(kernel), config, params);
    return toTheEnd(tree, (grid) => this.#parts.runner.runBlocking(grid));
  }

  /** With a single worker the kernel runs on the calling thread and blocks its event loop. */
  launch(kernel: GpuKernel, config: LaunchConfig, params: Uint8Array): Promise<LaunchOutcome> {
    this.#requireOpen();
    const ownParams = params.slice();
    this.#inFlight++;
    const outcome = this.#lastLaunch.then(async () => {
      try {
        const tree = launchTree(this.#steps, ownKernel(kernel), config, ownParams);
        return await toTheEndLater(tree, (grid) => this.#parts.runner.run(grid));
      } finally {
        this.#inFlight--;
      }
    });
    // The next launch runs whether or not this one failed. The caller gets the error.
    this.#lastLaunch = outcome.then(ignore, ignore);
    return outcome;
  }

  async synchronize(): Promise<QueueOutcome> {
    while (this.#inFlight > 0) await this.#lastLaunch;
    this.#parts.observer?.synchronized?.();
    return { fault: null, output: "" };
  }

  encodeTensorMap(description: TensorMapDescription): Uint8Array {
    return emulatedTensorMap(description);
  }

  residentBlocks(kernel: GpuKernel, threadsPerBlock: number, sharedBytes: number): number {
    return residentBlocksPerMultiprocessor(this.properties, threadsPerBlock, kernel.staticSharedBytes + sharedBytes);
  }

  // ---------------------------------------------------------------- state

  get fault(): DeviceFault | null {
    return this.#fault;
  }

  reset(): void {
    this.#requireIdle();
    for (const module of this.#modules) module.unload();
    for (const block of this.#owned) this.memory.free(block.start);
    this.#owned.clear();
    this.#heap.release();
    this.#children.release();
    this.#reuse.clear();
    this.#fault = null;
  }

  close(): void {
    if (this.#closed) return;
    if (this.#inFlight === 0) this.reset();
    this.#closed = true;
    this.#siblings.delete(this);
    forgotten.unregister(this);
    if (this.#siblings.size === 0) this.#parts.runner.close();
  }

  /** Why launches of this kernel are never skipped, or null when they may be. For summaries. */
  reuseObstacle(kernel: GpuKernel): string | null {
    return this.#parts.reuse ? this.#reuse.summary(ownKernel(kernel).loaded).obstacle : "it is switched off";
  }

  // ---------------------------------------------------------------- the parts of a launch

  /** null: there is nothing to run, the result is there. */
  #prepareLaunch(
    kernel: EmulatedKernel,
    config: LaunchConfig,
    params: Uint8Array,
    depth: number,
  ): PendingLaunch | null {
    this.#requireOpen();
    if (!this.#modules.has(kernel.module)) throw notLoaded(kernel);
    if (this.#fault !== null) throw stoppedBy(this.#fault);
    checkLaunch(kernel, config, params, this);
    this.#launches++;
    const { loaded, module } = kernel;
    this.#heap.attach(module);
    const footprint = this.#reuse.footprint(loaded, params);
    const key =
      this.#parts.reuse && this.#parts.observer?.wantsRepeats !== true && !kernel.launchesGrids
        ? this.#reuse.key(loaded, config, params.subarray(0, kernel.paramBytes), footprint)
        : null;
    if (key !== null && this.#reuse.isCurrent(key)) return null;
    const level = this.#children.enter(module, depth);
    const descriptor = describeLaunch(kernel, config, params, this.memory.top);
    const observed = describeForTools(this.#launches, kernel, config, params);
    const instead = this.#parts.observer?.launching?.(observed) ?? null;
    const program = isNearLaunch(this.memory, footprint) ? (module.near ?? module.current) : module.current;
    const name = instead ?? loaded.name;
    const run = program.kernels.get(name) ?? bug(`the program has no kernel ${name}`);
    return {
      kernel: loaded,
      footprint,
      key,
      grid: { program, kernel: run, descriptor, timeoutMs: config.timeoutMs },
      observed,
      started: performance.now(),
      level,
    };
  }

  #finish(pending: PendingLaunch, { fault: raised, output }: GridResult): LaunchOutcome {
    // A tool's version of a kernel is reported under the name of the original.
    const isOwn = raised !== null && raised !== pending.level?.childFault;
    const fault = isOwn ? { ...raised, kernel: pending.observed.kernel } : raised;
    this.#reuse.noteWrites(pending.footprint);
    const elapsedMs = performance.now() - pending.started;
    const { observer, runner } = this.#parts;
    observer?.launched?.(
      pending.observed,
      fault,
      launchRun(pending.observed, runner.engineOf(pending.grid), elapsedMs),
    );
    if (fault !== null) this.#fault = fault;
    else if (pending.key !== null && pending.footprint !== null) this.#reuse.remember(pending.key, pending.footprint);
    return { fault, output, reused: false, elapsedMs };
  }

  #globalAddress(kernel: LoadedKernel, name: string): number | null {
    for (const module of this.#modules) {
      if (module.program.kernels.get(kernel.name) === kernel) return module.program.globalAddresses.get(name) ?? null;
    }
    return null;
  }

  #unloaded(module: EmulatedModule): void {
    this.#modules.delete(module);
    this.#children.forget(module);
    for (const program of module.forms) this.#parts.runner.forget(program);
  }

  #allocatedBytes(): number {
    let bytes = 0;
    for (const block of this.#owned) bytes += block.bytes;
    return bytes;
  }

  #requireOpen(): void {
    if (this.#closed) throw new HeddleError("bad-arguments", "the device is closed");
  }

  #requireIdle(): void {
    this.#requireOpen();
    for (const device of this.#siblings) {
      if (device.#inFlight > 0)
        throw new HeddleError("bad-arguments", "a launch is in flight on this device", {
          notes: ["await the launch, or synchronize(), first"],
        });
    }
  }

  #requireRange(address: number, bytes: number, verb: string): void {
    this.#requireIdle();
    const block = this.memory.find(address);
    if (bytes === 0 || (block !== null && address + bytes <= block.start + block.bytes)) return;
    throw outsideAllocation(address, bytes, verb, this.nearestAllocation(address));
  }
}

const ignore = (): void => {};
