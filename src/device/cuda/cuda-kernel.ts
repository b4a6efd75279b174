/**
 * A kernel of a loaded module. For fast launches the parameters are packed into one buffer of the kernel, and the
 * driver's description of that buffer is made once (CUDA Driver API, cuLaunchKernel, "extra").
 */
import type { RegionAccess } from "../../analysis/pointers/access-summary.ts";
import { HeddleError, unsupported } from "../../base/diagnostics.ts";
import type { KernelParam, LaunchConfig } from "../../machine/launch.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { GpuKernel } from "../device.ts";
import type { GpuContext } from "./context.ts";
import { addressOf } from "./foreign-library.ts";
import type { CudaModule } from "./cuda-module.ts";

/** CUfunction_attribute */
const FunctionAttribute = {
  maxThreadsPerBlock: 0,
  sharedBytes: 1,
  constantBytes: 2,
  localBytes: 3,
  registers: 4,
  maxDynamicShared: 8,
  nonPortableCluster: 14,
} as const;

const PARAM_BUFFER_POINTER = 1n;
const PARAM_BUFFER_SIZE = 2n;
/** Shared memory, static and dynamic together, that a kernel may use without cuFuncSetAttribute. */
const DEFAULT_SHARED = 48 * 1024;

/** CUlaunchConfig is 56 bytes, CUlaunchAttribute 72: a number, 4 bytes of padding, a value of up to 64 bytes. */
const CONFIG_BYTES = 56;
const ATTRIBUTE_BYTES = 72;
const LaunchAttribute = { cooperative: 2, cluster: 4, programmaticStreamSerialization: 6 } as const;

export interface KernelFacts {
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  readonly usesGridSync: boolean;
  /** Printing and device malloc need services that must be ready before the launch (kernel-services.ts). */
  readonly usesPrintf: boolean;
  readonly usesHeap: boolean;
  /**
   * Without, it cannot tell clusters from single blocks, and is launched without them: addresses of shared memory are
   * then those of one block.
   */
  readonly usesClusters: boolean;
  /** Of `__cluster_dims__`; 1 without. */
  readonly clusterBlocks: number;
  readonly regions: readonly RegionAccess[] | null;
}

/**
 * Parameters begin at 0x210 of a constant bank: a multiple of 16 and of no more. Where one of them needs more (a tensor
 * map: 64), ptxas moves all of them up (the first `KPARAM_INFO` of the machine code is 0x30), and a buffer that is
 * handed over as a whole lies 48 bytes too low. The driver knows the places, if it gets each parameter by itself.
 */
const BANK_ALIGN = 16;

/** Parameters of launches, and the driver's description of where they lie. */
export class LaunchParameters {
  // An ArrayBuffer does not move, so its address stays valid.
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly #size = new BigUint64Array(new ArrayBuffer(8));
  /** As cuLaunchKernel's `extra` has it, or its `kernelParams`. */
  readonly #words: BigUint64Array<ArrayBuffer>;
  /** Where the address of each parameter stands; 0: they lie in one buffer, or there are none. */
  readonly places: number;
  /** Where the address of the buffer stands; 0: there are places, or no parameters. */
  readonly description: number;

  constructor({ params, paramBytes }: Pick<KernelFacts, "params" | "paramBytes">) {
    this.buffer = new Uint8Array(new ArrayBuffer(Math.max(paramBytes, 16)));
    this.#size[0] = BigInt(paramBytes);
    const [buffer, size] = [BigInt(addressOf(this.buffer)), BigInt(addressOf(this.#size))];
    const isSplit = params.some(({ align }) => align > BANK_ALIGN);
    const words = isSplit
      ? params.map(({ offset }) => buffer + BigInt(offset))
      : [PARAM_BUFFER_POINTER, buffer, PARAM_BUFFER_SIZE, size, 0n];
    this.#words = new BigUint64Array(new ArrayBuffer(8 * words.length));
    this.#words.set(words);
    const start = paramBytes === 0 ? 0 : addressOf(this.#words);
    this.places = isSplit ? start : 0;
    this.description = isSplit ? 0 : start;
  }
}

export class CudaKernel implements GpuKernel {
  readonly module: CudaModule;
  readonly name: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  readonly staticSharedBytes: number;
  readonly localBytesPerThread: number;
  readonly maxThreadsPerBlock: number;
  readonly usesGridSync: boolean;
  readonly usesPrintf: boolean;
  readonly usesHeap: boolean;
  readonly usesClusters: boolean;
  readonly regions: readonly RegionAccess[] | null;
  readonly registers: number;
  /** CUfunction */
  readonly handle: number;
  /** What the next launch passes; at least 16 bytes. */
  readonly paramBuffer: Uint8Array;
  readonly #context: GpuContext;
  readonly #own: LaunchParameters;
  readonly #launch: (...values: number[]) => number;
  /** `__cluster_dims__` of a kernel on a GPU that has no clusters; else null. */
  readonly #impossibleCluster: number | null;
  #dynamicShared: number;
  /** References the memory whose address the driver received last, so that it is not collected. */
  readonly described: ArrayBuffer[] = [];

  constructor(module: CudaModule, name: string, handle: number, facts: KernelFacts) {
    this.module = module;
    this.name = name;
    this.handle = handle;
    this.#context = module.context;
    this.params = facts.params;
    this.paramBytes = facts.paramBytes;
    this.usesGridSync = facts.usesGridSync;
    this.usesPrintf = facts.usesPrintf;
    this.usesHeap = facts.usesHeap;
    this.usesClusters = facts.usesClusters;
    this.regions = facts.regions;
    this.#impossibleCluster = facts.clusterBlocks > 1 && !module.context.hasClusters() ? facts.clusterBlocks : null;
    this.maxThreadsPerBlock = this.#attribute(FunctionAttribute.maxThreadsPerBlock);
    this.staticSharedBytes = this.#attribute(FunctionAttribute.sharedBytes);
    this.#dynamicShared = DEFAULT_SHARED - this.staticSharedBytes;
    this.localBytesPerThread = this.#attribute(FunctionAttribute.localBytes);
    this.registers = this.#attribute(FunctionAttribute.registers);
    this.#own = new LaunchParameters(facts);
    this.paramBuffer = this.#own.buffer;
    this.#launch = this.#context.driver.function("cuLaunchKernel");
  }

  /**
   * Puts a launch on a stream. Returns the driver's status.
   * @param isCaptured the launch becomes a part of a graph
   * @param parameters default: those in `paramBuffer`
   * @throws HeddleError "unsupported" for `__cluster_dims__` on a GPU that has no clusters
   */
  enqueue(config: LaunchConfig, stream: number, isCaptured = false, parameters: LaunchParameters = this.#own): number {
    const { grid, block, sharedBytes } = config;
    if (this.#impossibleCluster !== null)
      throw unsupported(
        `the kernel ${this.name} with clusters of ${this.#impossibleCluster} blocks on a GPU below 9.0`,
      );
    if (sharedBytes > this.#dynamicShared) this.allowDynamicShared(sharedBytes);
    if (config.cooperative === true || (config.cluster !== undefined && this.usesClusters))
      return this.#enqueueWithAttributes(config, stream, parameters);
    // It saves time between the launches of a graph; one by one, the call takes the host longer than it saves.
    if (isCaptured && config.waitsItself === true) return this.#enqueueWithAttributes(config, stream, parameters);
    return this.#launch(
      this.handle,
      grid.x,
      grid.y,
      grid.z,
      block.x,
      block.y,
      block.z,
      sharedBytes,
      stream,
      parameters.places,
      parameters.description,
    );
  }

  /** Blocks of this many threads that a multiprocessor holds at once. */
  residentBlocks(threads: number, sharedBytes: number): number {
    if (sharedBytes > this.#dynamicShared) this.allowDynamicShared(sharedBytes);
    return this.#context.driver.getInt(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor",
      this.handle,
      threads,
      sharedBytes,
    );
  }

  allowDynamicShared(bytes: number): void {
    this.#context.driver.call("cuFuncSetAttribute", this.handle, FunctionAttribute.maxDynamicShared, bytes);
    this.#dynamicShared = bytes;
  }

  #enqueueWithAttributes(config: LaunchConfig, stream: number, { places, description }: LaunchParameters): number {
    const described = this.#describe(config, stream);
    return this.#context.driver.status("cuLaunchKernelEx", described, this.handle, places, description);
  }

  maxClusterBlocks(config: LaunchConfig): number {
    return this.#context.driver.getInt("cuOccupancyMaxPotentialClusterSize", this.handle, this.#describe(config, 0));
  }

  maxActiveClusters(config: LaunchConfig): number {
    return this.#context.driver.getInt("cuOccupancyMaxActiveClusters", this.handle, this.#describe(config, 0));
  }

  /** The address of a CUlaunchConfig, good until the next call. */
  #describe(config: LaunchConfig, stream: number): number {
    const { grid, block, sharedBytes, cooperative, cluster } = config;
    if (sharedBytes > this.#dynamicShared) this.allowDynamicShared(sharedBytes);
    const attributes: [id: number, ...value: number[]][] = [];
    if (cooperative === true) attributes.push([LaunchAttribute.cooperative, 1]);
    if (config.waitsItself === true) attributes.push([LaunchAttribute.programmaticStreamSerialization, 1]);
    if (cluster !== undefined && this.usesClusters) {
      attributes.push([LaunchAttribute.cluster, cluster.x, cluster.y, cluster.z]);
      // More than 8 blocks are beyond what every GPU of the architecture can do, and have to be allowed.
      if (cluster.x * cluster.y * cluster.z > 8)
        this.#context.driver.call("cuFuncSetAttribute", this.handle, FunctionAttribute.nonPortableCluster, 1);
    }
    const list = new ArrayBuffer(ATTRIBUTE_BYTES * Math.max(attributes.length, 1));
    attributes.forEach(([id, ...value], i) => {
      new Int32Array(list, ATTRIBUTE_BYTES * i, 1)[0] = id;
      new Int32Array(list, ATTRIBUTE_BYTES * i + 8, value.length).set(value);
    });
    const described = new ArrayBuffer(CONFIG_BYTES);
    new Uint32Array(described, 0, 7).set([grid.x, grid.y, grid.z, block.x, block.y, block.z, sharedBytes]);
    new BigUint64Array(described, 32, 2).set([BigInt(stream), BigInt(addressOf(list))]);
    new Uint32Array(described, 48, 1)[0] = attributes.length;
    this.described.splice(0, 2, described, list);
    return addressOf(described);
  }

  #attribute(attribute: number): number {
    return this.#context.driver.getInt("cuFuncGetAttribute", attribute, this.handle);
  }
}

/** A kernel of this kind of device, whose module is loaded. @throws HeddleError "bad-arguments" */
export function cudaKernel(kernel: GpuKernel): CudaKernel {
  if (!(kernel instanceof CudaKernel))
    throw new HeddleError("bad-arguments", `the kernel ${kernel.name} belongs to another kind of device`);
  if (!kernel.module.isLoaded)
    throw new HeddleError(
      "bad-arguments",
      `the kernel ${kernel.name} belongs to a module that is not loaded on this device`,
    );
  return kernel;
}

/** What an observer is told of a launch whose parameters are in the kernel's buffer. */
export function observedLaunch(kernel: CudaKernel, config: LaunchConfig, ordinal: number): ObservedLaunch {
  return {
    ordinal,
    kernel: kernel.name,
    function: null,
    placed: null,
    params: kernel.params,
    grid: config.grid,
    block: config.block,
    sharedBytes: config.sharedBytes,
    cooperative: config.cooperative === true,
    cluster: config.cluster ?? null,
    arguments: kernel.paramBuffer.slice(0, kernel.paramBytes),
  };
}
