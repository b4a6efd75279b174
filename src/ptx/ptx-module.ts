/**
 * The contract between the code generator (this folder) and whoever loads what it generates into a driver
 * (device/cuda).
 *
 *   createPtxPipeline(libraryIr)      link-program.ts: programs of a front end → one linked module (some functions
 *                                     of the device library are instructions here, and some inline PTX stays)
 *   emitPtxModule(module, target)     emit-module.ts: that module → PTX
 *
 * A module's data layout says what its pointers are. With 64 bits they are the GPU's own: a loader hands `text` to the
 * driver, and finds kernels and variables by name. With 32 bits they are offsets into one window of GPU addresses
 * (address-map.ts), and a loader
 *   1. reserves the window (cuMemAddressReserve, 4 GiB, aligned to 4 GiB; best always at the same place, as the address
 *      is part of the code),
 *   2. maps memory at windowBase + variablesBase, at least `variablesBytes`, zeroes it and writes every
 *      variable's `initial`,
 *   3. hands `text` to the driver's linker or ptxas (an option for the highest number of registers is the caller's),
 *   4. finds kernels with cuModuleGetFunction by `PtxKernel.name`, and the memory behind __constant__ variables with
 *      cuModuleGetGlobal of `constants.symbol`; their initial values are in the text,
 *   5. sets up `services` (assert needs none: the driver's own prints the message, and the launch ends with
 *      CUDA_ERROR_ASSERT),
 *   6. launches with CU_LAUNCH_PARAM_BUFFER_POINTER and the very bytes of `Device.launch` (offsets of
 *      `PtxKernel.params`), as PTX lays parameters out as the device ABI does. Pointers in them, and in memory, are the
 *      program's 32-bit ones.
 */
import type { RegionAccess } from "../analysis/pointers/access-summary.ts";
import type { KernelParam } from "../machine/launch.ts";

export interface PtxTarget {
  readonly computeCapability: { readonly major: number; readonly minor: number };
  /**
   * What `.version` says: the highest that the driver or ptxas takes, at least 7.0 (cuDriverGetVersion 12.4 ↔ 8.4, 13.0
   * ↔ 9.0).
   */
  readonly ptxVersion: { readonly major: number; readonly minor: number };
  /** Where 32-bit pointers point; null for a module with 64-bit pointers, which are the GPU's own. */
  readonly window: PtxWindow | null;
  /** Whether the text tells source lines (`.loc`), for profilers and faults. Costs no speed. */
  readonly lineInfo: boolean;
  /** Copies of phis stay as they are emitted (emit/coalesce-copies.ts), for tests. */
  readonly keepsCopies?: boolean;
}

/** All numbers are literals in the code. */
export interface PtxWindow {
  /** The window's first address, a multiple of 2^32. */
  readonly windowBase: bigint;
  /** The program's address (at least GLOBAL_START, a multiple of 256) where the module's variables begin. */
  readonly variablesBase: number;
  /**
   * The program's address (at least CONSTANT_ALIAS, a multiple of 256) where its __constant__ variables begin: distinct
   * for modules that are loaded together.
   */
  readonly constantsBase: number;
}

export interface PtxModule {
  /** PTX, complete with `.version` and `.target`. */
  readonly text: string;
  /** By their names in the IR (mangled), in the order of the module. */
  readonly kernels: ReadonlyMap<string, PtxKernel>;
  /**
   * By their names in the IR (mangled): __device__, __managed__ and __constant__ variables, string literals, tables of
   * virtual functions.
   */
  readonly variables: ReadonlyMap<string, PtxVariable>;
  /** Bytes from target.variablesBase that all variables of space "global" take together; 0 if there are none. */
  readonly variablesBytes: number;
  /** All __constant__ variables are one array in .const; null if there are none. */
  readonly constants: { readonly symbol: string; readonly bytes: number } | null;
  /** Its kernels ask for their place in a cluster, or for other blocks' shared memory. */
  readonly usesClusters: boolean;
  /** The text has to be linked with NVIDIA's device runtime, libcudadevrt.a: kernels launch kernels. */
  readonly callsDeviceRuntime: boolean;
  readonly services: PtxServices;
}

export interface PtxKernel {
  /** The `.entry`'s name, the one in the IR. */
  readonly name: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  /**
   * It, or anything that it may call, synchronises the grid: to be launched with cuLaunchCooperativeKernel or the
   * cooperative attribute.
   */
  readonly usesGridSync: boolean;
  /** Threads of a block that `__launch_bounds__` allows, or null where nothing is said. */
  readonly maxThreads: number | null;
  /** Blocks of a cluster that `__cluster_dims__` asks for; 1 where nothing is said. */
  readonly clusterBlocks: number;
  /** It may call device malloc or free; print; assert: `services` must be ready before the launch. */
  readonly usesHeap: boolean;
  readonly usesPrintf: boolean;
  /** The memory outside of its blocks that a launch may touch; null: any. */
  readonly regions: readonly RegionAccess[] | null;
}

export interface PtxVariable {
  readonly name: string;
  /**
   * "global": at windowBase + address. "constant": at the address of constants.symbol + (address −
   * constantsBase). With 64-bit pointers the driver places variables, and cuModuleGetGlobal finds both by `symbol`.
   */
  readonly space: "global" | "constant";
  /** Its name in the text where the driver places it, else null. */
  readonly symbol: string | null;
  /** The program's address, which cudaGetSymbolAddress returns; 0 where the driver places it. */
  readonly address: number;
  readonly bytes: number;
  readonly align: number;
  /** What a "global" variable holds at first; null: zeros. Always null for "constant", whose values are in the text. */
  readonly initial: Uint8Array | null;
}

/**
 * What the code needs of the host while it runs. Each is a pair of variables of four bytes, or null where the module
 * does not use it; the host writes the program's address of a region and its size in bytes into them before the first
 * launch.
 */
export interface PtxServices {
  /** Device malloc: a zeroed region (libdevice/heap.cu), shared by all modules. */
  readonly heap: PtxRegionVariables | null;
  /** Device printf: see `PRINTF_HEADER_BYTES`. */
  readonly printf: PtxRegionVariables | null;
}

export interface PtxRegionVariables {
  readonly base: PtxVariable;
  readonly bytes: PtxVariable;
}

/**
 * The buffer of device printf, a multiple of 16 bytes, little-endian. It begins with a u32: how many bytes past this
 * header were asked for so far (the host sets it to 0 after it has read the records). Records follow, each at a
 * multiple of 8, in no order between threads:
 *
 *   u32  bytes of the whole record, a multiple of 8; 0: nobody finished writing it
 *   u32  bytes of the format, its NUL counted in
 *   u32  bytes of the arguments
 *   u32  0
 *   the arguments as vprintf takes them (packed, each aligned to its own size), then zeros to a multiple of 8
 *   the format, then, for each %s that it has, the text with its NUL
 *
 * A record that does not fit whole is not written, and the counter then is larger than the region: its text is lost, as
 * with CUDA's own buffer.
 */
export const PRINTF_HEADER_BYTES = 16;
