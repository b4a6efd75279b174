/**
 * The members of cudaDeviceProp and the numbers of cudaDeviceAttr, from a device's properties.
 *
 * Limits that no data sheet differs in (textures, pitches, grid) are those of the CUDA C++ Programming Guide,
 * "Technical Specifications per Compute Capability", for 7.5 to 9.0. What the emulated device cannot do it does not
 * claim: thread block clusters, access to pageable memory, native host atomics.
 */
import type { DeviceProperties } from "../../../device/device.ts";

/** In the order of include/heddle/device_properties.inc; a member of several values takes as many slots. */
export type DevicePropertyValues = readonly (readonly [name: string, ...values: number[]])[];

export interface DevicePlace {
  readonly ordinal: number;
  readonly deviceCount: number;
  /** Bytes that can be allocated, which is what programs size their data by. */
  readonly allocatableBytes: number;
  readonly hasClusters: boolean;
}

export function devicePropertyValues(p: DeviceProperties, place: DevicePlace): DevicePropertyValues {
  const { major, minor } = p.computeCapability;
  const ampere = major >= 8 ? 1 : 0;
  const dataCentre = /\b(H100|H200|A100|V100|L4|L40|T4|B200)/i.test(p.name);
  return [
    ["totalGlobalMem", place.allocatableBytes],
    ["sharedMemPerBlock", p.sharedMemPerBlock],
    ["regsPerBlock", p.regsPerBlock],
    ["warpSize", p.warpSize],
    ["memPitch", 0x7fff_ffff],
    ["maxThreadsPerBlock", p.maxThreadsPerBlock],
    ["maxThreadsDim", ...p.maxThreadsDim],
    ["maxGridSize", ...p.maxGridSize],
    ["clockRate", p.clockRateKHz],
    ["totalConstMem", p.totalConstMem],
    ["major", major],
    ["minor", minor],
    ["textureAlignment", 512],
    ["texturePitchAlignment", 32],
    ["deviceOverlap", 1],
    ["multiProcessorCount", p.multiProcessorCount],
    ["kernelExecTimeoutEnabled", 0],
    ["integrated", 0],
    ["canMapHostMemory", 1],
    ["computeMode", 0],
    ["maxTexture1D", 131072],
    ["maxTexture1DLinear", 268435456],
    ["maxTexture2D", 131072, 65536],
    ["maxTexture3D", 16384, 16384, 16384],
    ["maxTexture1DLayered", 32768, 2048],
    ["maxTexture2DLayered", 32768, 32768, 2048],
    ["maxTextureCubemap", 32768],
    ["maxTextureCubemapLayered", 32768, 2046],
    ["maxSurfaceCubemap", 32768],
    ["maxSurfaceCubemapLayered", 32768, 2046],
    ["surfaceAlignment", 512],
    ["concurrentKernels", 1],
    ["ECCEnabled", dataCentre ? 1 : 0],
    ["pciBusID", place.ordinal + 1],
    ["pciDeviceID", 0],
    ["pciDomainID", 0],
    ["tccDriver", 0],
    ["asyncEngineCount", dataCentre ? 3 : 2],
    ["unifiedAddressing", 1],
    ["memoryClockRate", p.memoryClockRateKHz],
    ["memoryBusWidth", p.memoryBusWidthBits],
    ["l2CacheSize", p.l2CacheBytes],
    ["persistingL2CacheMaxSize", ampere * Math.floor((p.l2CacheBytes * 3) / 4)],
    ["maxThreadsPerMultiProcessor", p.maxThreadsPerMultiProcessor],
    ["streamPrioritiesSupported", 1],
    ["globalL1CacheSupported", 1],
    ["localL1CacheSupported", 1],
    ["sharedMemPerMultiprocessor", p.sharedMemPerMultiprocessor],
    ["regsPerMultiprocessor", p.regsPerMultiprocessor],
    ["managedMemory", 1],
    ["isMultiGpuBoard", 0],
    ["hostNativeAtomicSupported", 0],
    ["singleToDoublePrecisionPerfRatio", doublePrecisionRatio(major, minor)],
    ["pageableMemoryAccess", 0],
    ["concurrentManagedAccess", 1],
    ["computePreemptionSupported", 1],
    ["canUseHostPointerForRegisteredMem", 0],
    ["cooperativeLaunch", 1],
    ["cooperativeMultiDeviceLaunch", 0],
    ["sharedMemPerBlockOptin", p.sharedMemPerBlockOptin],
    ["pageableMemoryAccessUsesHostPageTables", 0],
    ["directManagedMemAccessFromHost", 0],
    ["maxBlocksPerMultiProcessor", p.maxBlocksPerMultiProcessor],
    ["accessPolicyMaxWindowSize", ampere * 128 * 1024 * 1024],
    ["reservedSharedMemPerBlock", p.reservedSharedMemPerBlock],
    ["hostRegisterSupported", 1],
    ["memoryPoolsSupported", 1],
    ["clusterLaunch", place.hasClusters ? 1 : 0],
    ["unifiedFunctionPointers", 0],
  ];
}

/** cudaDeviceAttr numbers by member of cudaDeviceProp and index of the value. */
const ATTRIBUTES: Readonly<Record<number, readonly [string, number?]>> = {
  1: ["maxThreadsPerBlock"],
  2: ["maxThreadsDim", 0],
  3: ["maxThreadsDim", 1],
  4: ["maxThreadsDim", 2],
  5: ["maxGridSize", 0],
  6: ["maxGridSize", 1],
  7: ["maxGridSize", 2],
  8: ["sharedMemPerBlock"],
  9: ["totalConstMem"],
  10: ["warpSize"],
  11: ["memPitch"],
  12: ["regsPerBlock"],
  13: ["clockRate"],
  14: ["textureAlignment"],
  15: ["deviceOverlap"],
  16: ["multiProcessorCount"],
  17: ["kernelExecTimeoutEnabled"],
  18: ["integrated"],
  19: ["canMapHostMemory"],
  20: ["computeMode"],
  21: ["maxTexture1D"],
  22: ["maxTexture2D", 0],
  23: ["maxTexture2D", 1],
  24: ["maxTexture3D", 0],
  25: ["maxTexture3D", 1],
  26: ["maxTexture3D", 2],
  27: ["maxTexture2DLayered", 0],
  28: ["maxTexture2DLayered", 1],
  29: ["maxTexture2DLayered", 2],
  30: ["surfaceAlignment"],
  31: ["concurrentKernels"],
  32: ["ECCEnabled"],
  33: ["pciBusID"],
  34: ["pciDeviceID"],
  35: ["tccDriver"],
  36: ["memoryClockRate"],
  37: ["memoryBusWidth"],
  38: ["l2CacheSize"],
  39: ["maxThreadsPerMultiProcessor"],
  40: ["asyncEngineCount"],
  41: ["unifiedAddressing"],
  42: ["maxTexture1DLayered", 0],
  43: ["maxTexture1DLayered", 1],
  50: ["pciDomainID"],
  51: ["texturePitchAlignment"],
  52: ["maxTextureCubemap"],
  53: ["maxTextureCubemapLayered", 0],
  54: ["maxTextureCubemapLayered", 1],
  66: ["maxSurfaceCubemap"],
  67: ["maxSurfaceCubemapLayered", 0],
  68: ["maxSurfaceCubemapLayered", 1],
  69: ["maxTexture1DLinear"],
  75: ["major"],
  76: ["minor"],
  78: ["streamPrioritiesSupported"],
  79: ["globalL1CacheSupported"],
  80: ["localL1CacheSupported"],
  81: ["sharedMemPerMultiprocessor"],
  82: ["regsPerMultiprocessor"],
  83: ["managedMemory"],
  84: ["isMultiGpuBoard"],
  86: ["hostNativeAtomicSupported"],
  87: ["singleToDoublePrecisionPerfRatio"],
  88: ["pageableMemoryAccess"],
  89: ["concurrentManagedAccess"],
  90: ["computePreemptionSupported"],
  91: ["canUseHostPointerForRegisteredMem"],
  95: ["cooperativeLaunch"],
  96: ["cooperativeMultiDeviceLaunch"],
  97: ["sharedMemPerBlockOptin"],
  99: ["hostRegisterSupported"],
  100: ["pageableMemoryAccessUsesHostPageTables"],
  101: ["directManagedMemAccessFromHost"],
  106: ["maxBlocksPerMultiProcessor"],
  108: ["persistingL2CacheMaxSize"],
  109: ["accessPolicyMaxWindowSize"],
  111: ["reservedSharedMemPerBlock"],
  115: ["memoryPoolsSupported"],
  120: ["clusterLaunch"],
};
/** Attributes that exist and are 0 here: sizes of surfaces and mipmaps, sparse arrays, interprocess and RDMA, NUMA. */
const ZERO_ATTRIBUTES: ReadonlySet<number> = new Set([
  45, 46, 47, 48, 49, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 77, 85, 92, 93, 94, 98, 102, 103,
  104, 105, 107, 110, 112, 113, 114, 116, 117, 118, 119, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132,
  133, 134,
]);

/** The value of a cudaDeviceAttr, or null when there is no such attribute. */
export function deviceAttribute(attribute: number, values: DevicePropertyValues): number | null {
  const entry = ATTRIBUTES[attribute];
  if (entry === undefined) return ZERO_ATTRIBUTES.has(attribute) ? 0 : null;
  const row = values.find(([name]) => name === entry[0]);
  return (row?.[1 + (entry[1] ?? 0)] as number | undefined) ?? null;
}

/** Arithmetic in single precision beside double: 2 on A100, H100 and the like, 32 on T4, 64 on GPUs for graphics. */
function doublePrecisionRatio(major: number, minor: number): number {
  if (minor === 0) return 2;
  return major * 10 + minor === 75 ? 32 : 64;
}
