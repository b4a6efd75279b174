/**
 * The real GPUs that an emulated device can follow: limits and properties, as cudaGetDeviceProperties reports them.
 *
 * Two tables. What follows from the compute capability is in the CUDA C++ Programming Guide, "Compute Capabilities",
 * tables "Feature Support" and "Technical Specifications per Compute Capability". What belongs to the product
 * (multiprocessors, clocks, memory, L2) is in its vendor document, named in each row. Clocks are boost clocks; a memory
 * clock is half of the published data rate in Gbit/s per pin (memory transfers twice a clock), so that 2 · clock · bus
 * / 8 is the published bandwidth.
 *
 * `totalGlobalMem` is the real card's. What can be allocated here is less than 4 GiB (32-bit device addresses), and
 * cudaMemGetInfo says so: its total is the smaller of the two, its free what is left of that.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { DeviceProperties } from "../device.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

interface ArchitectureLimits {
  /** Shared memory per multiprocessor, and the most one block may opt in to. */
  readonly sharedPerSm: number;
  readonly sharedOptin: number;
  /** Reserved by the system per block. */
  readonly sharedReserved: number;
  readonly threadsPerSm: number;
  readonly blocksPerSm: number;
}

const LIMITS: Readonly<Record<string, ArchitectureLimits>> = {
  "6.0": { sharedPerSm: 64 * KIB, sharedOptin: 48 * KIB, sharedReserved: 0, threadsPerSm: 2048, blocksPerSm: 32 },
  "7.0": { sharedPerSm: 96 * KIB, sharedOptin: 96 * KIB, sharedReserved: 0, threadsPerSm: 2048, blocksPerSm: 32 },
  "7.5": { sharedPerSm: 64 * KIB, sharedOptin: 64 * KIB, sharedReserved: 0, threadsPerSm: 1024, blocksPerSm: 16 },
  "8.0": {
    sharedPerSm: 164 * KIB,
    sharedOptin: 163 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 2048,
    blocksPerSm: 32,
  },
  "8.6": {
    sharedPerSm: 100 * KIB,
    sharedOptin: 99 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 1536,
    blocksPerSm: 16,
  },
  "8.9": {
    sharedPerSm: 100 * KIB,
    sharedOptin: 99 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 1536,
    blocksPerSm: 24,
  },
  "9.0": {
    sharedPerSm: 228 * KIB,
    sharedOptin: 227 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 2048,
    blocksPerSm: 32,
  },
  "10.0": {
    sharedPerSm: 228 * KIB,
    sharedOptin: 227 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 2048,
    blocksPerSm: 32,
  },
  "12.0": {
    sharedPerSm: 100 * KIB,
    sharedOptin: 99 * KIB,
    sharedReserved: 1 * KIB,
    threadsPerSm: 1536,
    blocksPerSm: 24,
  },
};

interface Product {
  readonly name: string;
  readonly capability: keyof typeof LIMITS & string;
  readonly sms: number;
  readonly memoryBytes: number;
  readonly clockMHz: number;
  readonly memoryMHz: number;
  readonly busBits: number;
  readonly l2Bytes: number;
  readonly source: string;
}

const PRODUCTS: Readonly<Record<string, Product>> = {
  b200: {
    name: "NVIDIA B200",
    capability: "10.0",
    sms: 148,
    memoryBytes: 180 * GIB,
    clockMHz: 1965,
    memoryMHz: 3996,
    busBits: 8192,
    l2Bytes: 126 * MIB,
    source: "NVIDIA Blackwell Architecture Technical Brief; NVIDIA DGX B200 data sheet",
  },
  h200: {
    name: "NVIDIA H200",
    capability: "9.0",
    sms: 132,
    memoryBytes: 141e9,
    clockMHz: 1980,
    memoryMHz: 3201,
    busBits: 6144,
    l2Bytes: 60 * MIB,
    source: "NVIDIA H200 Tensor Core GPU data sheet (141 GB, 4.8 TB/s)",
  },
  h100: {
    name: "NVIDIA H100 80GB HBM3",
    capability: "9.0",
    sms: 132,
    memoryBytes: 80 * GIB,
    clockMHz: 1980,
    memoryMHz: 2619,
    busBits: 5120,
    l2Bytes: 50 * MIB,
    source: "NVIDIA H100 Tensor Core GPU Architecture whitepaper, SXM5 (80 GB, 3.35 TB/s)",
  },
  a100: {
    name: "NVIDIA A100-SXM4-40GB",
    capability: "8.0",
    sms: 108,
    memoryBytes: 40 * GIB,
    clockMHz: 1410,
    memoryMHz: 1215,
    busBits: 5120,
    l2Bytes: 40 * MIB,
    source: "NVIDIA A100 Tensor Core GPU Architecture whitepaper (40 GB, 1555 GB/s)",
  },
  "a100-80gb": {
    name: "NVIDIA A100-SXM4-80GB",
    capability: "8.0",
    sms: 108,
    memoryBytes: 80 * GIB,
    clockMHz: 1410,
    memoryMHz: 1593,
    busBits: 5120,
    l2Bytes: 40 * MIB,
    source: "NVIDIA A100 Tensor Core GPU data sheet (80 GB SXM, 2039 GB/s)",
  },
  a10: {
    name: "NVIDIA A10",
    capability: "8.6",
    sms: 72,
    memoryBytes: 24 * GIB,
    clockMHz: 1695,
    memoryMHz: 6251,
    busBits: 384,
    l2Bytes: 6 * MIB,
    source: "NVIDIA A10 data sheet (24 GB, 600 GB/s); NVIDIA Ampere GA102 whitepaper",
  },
  l4: {
    name: "NVIDIA L4",
    capability: "8.9",
    sms: 58,
    memoryBytes: 24 * GIB,
    clockMHz: 2040,
    memoryMHz: 6251,
    busBits: 192,
    l2Bytes: 48 * MIB,
    source: "NVIDIA L4 product brief (24 GB, 300 GB/s)",
  },
  l40s: {
    name: "NVIDIA L40S",
    capability: "8.9",
    sms: 142,
    memoryBytes: 48 * GIB,
    clockMHz: 2520,
    memoryMHz: 9001,
    busBits: 384,
    l2Bytes: 96 * MIB,
    source: "NVIDIA L40S data sheet (48 GB, 864 GB/s); NVIDIA Ada GPU Architecture whitepaper",
  },
  t4: {
    name: "Tesla T4",
    capability: "7.5",
    sms: 40,
    memoryBytes: 16 * GIB,
    clockMHz: 1590,
    memoryMHz: 5001,
    busBits: 256,
    l2Bytes: 4 * MIB,
    source: "NVIDIA T4 product brief (16 GB, 320 GB/s); NVIDIA Turing Architecture whitepaper",
  },
  v100: {
    name: "Tesla V100-SXM2-16GB",
    capability: "7.0",
    sms: 80,
    memoryBytes: 16 * GIB,
    clockMHz: 1530,
    memoryMHz: 877,
    busBits: 4096,
    l2Bytes: 6 * MIB,
    source: "NVIDIA Tesla V100 GPU Architecture whitepaper (16 GB, 900 GB/s)",
  },
  p100: {
    name: "Tesla P100-SXM2-16GB",
    capability: "6.0",
    sms: 56,
    memoryBytes: 16 * GIB,
    clockMHz: 1480,
    memoryMHz: 715,
    busBits: 4096,
    l2Bytes: 4 * MIB,
    source: "NVIDIA Tesla P100 whitepaper (16 GB, 732 GB/s)",
  },
  rtx2080ti: {
    name: "NVIDIA GeForce RTX 2080 Ti",
    capability: "7.5",
    sms: 68,
    memoryBytes: 11 * GIB,
    clockMHz: 1545,
    memoryMHz: 7000,
    busBits: 352,
    l2Bytes: 5632 * KIB,
    source: "NVIDIA Turing Architecture whitepaper (11 GB, 616 GB/s)",
  },
  rtx3070: {
    name: "NVIDIA GeForce RTX 3070",
    capability: "8.6",
    sms: 46,
    memoryBytes: 8 * GIB,
    clockMHz: 1725,
    memoryMHz: 7001,
    busBits: 256,
    l2Bytes: 4 * MIB,
    source: "NVIDIA Ampere GA102 GPU Architecture whitepaper, appendix on the RTX 3070 (8 GB, 448 GB/s)",
  },
  rtx3080: {
    name: "NVIDIA GeForce RTX 3080",
    capability: "8.6",
    sms: 68,
    memoryBytes: 10 * GIB,
    clockMHz: 1710,
    memoryMHz: 9501,
    busBits: 320,
    l2Bytes: 5 * MIB,
    source: "NVIDIA Ampere GA102 GPU Architecture whitepaper (10 GB, 760 GB/s)",
  },
  rtx3090: {
    name: "NVIDIA GeForce RTX 3090",
    capability: "8.6",
    sms: 82,
    memoryBytes: 24 * GIB,
    clockMHz: 1695,
    memoryMHz: 9751,
    busBits: 384,
    l2Bytes: 6 * MIB,
    source: "NVIDIA Ampere GA102 GPU Architecture whitepaper (24 GB, 936 GB/s)",
  },
  rtx4070: {
    name: "NVIDIA GeForce RTX 4070",
    capability: "8.9",
    sms: 46,
    memoryBytes: 12 * GIB,
    clockMHz: 2475,
    memoryMHz: 10501,
    busBits: 192,
    l2Bytes: 36 * MIB,
    source: "NVIDIA Ada GPU Architecture whitepaper; GeForce RTX 4070 specifications (12 GB, 504 GB/s)",
  },
  rtx4080: {
    name: "NVIDIA GeForce RTX 4080",
    capability: "8.9",
    sms: 76,
    memoryBytes: 16 * GIB,
    clockMHz: 2505,
    memoryMHz: 11201,
    busBits: 256,
    l2Bytes: 64 * MIB,
    source: "NVIDIA Ada GPU Architecture whitepaper (16 GB, 717 GB/s)",
  },
  rtx4090: {
    name: "NVIDIA GeForce RTX 4090",
    capability: "8.9",
    sms: 128,
    memoryBytes: 24 * GIB,
    clockMHz: 2520,
    memoryMHz: 10501,
    busBits: 384,
    l2Bytes: 72 * MIB,
    source: "NVIDIA Ada GPU Architecture whitepaper (24 GB, 1008 GB/s)",
  },
  rtx5090: {
    name: "NVIDIA GeForce RTX 5090",
    capability: "12.0",
    sms: 170,
    memoryBytes: 32 * GIB,
    clockMHz: 2407,
    memoryMHz: 14001,
    busBits: 512,
    l2Bytes: 96 * MIB,
    source: "NVIDIA RTX Blackwell GPU Architecture whitepaper (32 GB, 1792 GB/s)",
  },
};

/**
 * The GPU that is followed when none is named: its compute capability, 8.0, is the one that programs are compiled for
 * by default, so that what a program sees in cudaDeviceProp agrees with __CUDA_ARCH__.
 */
export const DEFAULT_GPU = "a100";

export const GPU_NAMES: readonly string[] = Object.keys(PRODUCTS);

/** What `gpuProperties` calls the product that a driver names so; null: it is none of ours. */
export function productNamed(name: string): string | null {
  return Object.entries(PRODUCTS).find(([, product]) => product.name === name)?.[0] ?? null;
}

/**
 * @throws HeddleError "bad-arguments" that lists the GPUs there are. Case, spaces and hyphens in `name` do not matter.
 */
export function gpuProperties(name: string): DeviceProperties {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[\s_-]/g, "")
      .replace(/^(nvidia|geforce|tesla)+/, "");
  const key = GPU_NAMES.find((candidate) => plain(candidate) === plain(name));
  const product = key === undefined ? undefined : PRODUCTS[key];
  if (product === undefined)
    throw new HeddleError("bad-arguments", `no GPU is called "${name}" here`, {
      notes: [`known: ${GPU_NAMES.join(", ")}`],
    });
  const limits = LIMITS[product.capability] as ArchitectureLimits;
  const [major, minor] = product.capability.split(".").map(Number) as [number, number];
  return {
    name: product.name,
    computeCapability: { major, minor },
    totalGlobalMem: product.memoryBytes,
    sharedMemPerBlock: 48 * KIB,
    sharedMemPerBlockOptin: limits.sharedOptin,
    sharedMemPerMultiprocessor: limits.sharedPerSm,
    reservedSharedMemPerBlock: limits.sharedReserved,
    regsPerBlock: 65536,
    regsPerMultiprocessor: 65536,
    warpSize: 32,
    maxThreadsPerBlock: 1024,
    maxThreadsPerMultiProcessor: limits.threadsPerSm,
    maxBlocksPerMultiProcessor: limits.blocksPerSm,
    maxThreadsDim: [1024, 1024, 64],
    maxGridSize: [2 ** 31 - 1, 65535, 65535],
    totalConstMem: 64 * KIB,
    multiProcessorCount: product.sms,
    clockRateKHz: product.clockMHz * 1000,
    memoryClockRateKHz: product.memoryMHz * 1000,
    memoryBusWidthBits: product.busBits,
    l2CacheBytes: product.l2Bytes,
    source: product.source,
  };
}
