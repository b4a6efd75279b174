/** A Triton kernel that is compiled for some arguments: what Triton's own `CompiledKernel` says of it. */

/** The forms of a kernel, as text. */
export interface TritonAsm {
  /** Operations on tiles: what Triton calls ttir. */
  readonly blocks: string;
  /** LLVM IR. */
  readonly llir: string;
  readonly ptx: string;
}

/** Made by `kernel.warmup`. */
export interface TritonCompiledKernel {
  readonly name: string;
  readonly numWarps: number;
  /** Shared memory of a program. */
  readonly sharedBytes: number;
  /** Registers of a thread. */
  readonly nRegs: number;
  /** Registers of a thread that lie in memory, for want of others. */
  readonly nSpills: number;
  /**
   * Who says so: the GPU's driver; or, on an emulated device, the PTX: the most values that are alive at once. The
   * driver's own figure may differ.
   */
  readonly registersFrom: "driver" | "estimate";
  readonly asm: TritonAsm;
}

/** A thread can have so many: cudaDeviceProp and every GPU since 2012. */
const MOST_REGISTERS = 255;
const REGISTER_BYTES = 4;

/** @param driver what the driver says, where there is one. */
export function registersOf(
  driver: { readonly registers: number; readonly localBytes: number } | null,
  estimate: number,
): Pick<TritonCompiledKernel, "nRegs" | "nSpills" | "registersFrom"> {
  if (driver !== null)
    return {
      nRegs: driver.registers,
      nSpills: Math.ceil(driver.localBytes / REGISTER_BYTES),
      registersFrom: "driver",
    };
  return {
    nRegs: Math.min(estimate, MOST_REGISTERS),
    nSpills: Math.max(0, estimate - MOST_REGISTERS),
    registersFrom: "estimate",
  };
}
