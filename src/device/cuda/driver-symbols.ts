/**
 * The first storey of the driver binding: the functions of libcuda as they are (CUDA Driver API reference). Each
 * returns a status. Nothing above driver.ts uses them.
 *
 * Names are those that the library exports: where the header has a macro with a suffix (cuMemAlloc_v2), the suffix is
 * here.
 */
import type { ForeignType } from "./foreign-library.ts";

const GRID: readonly ForeignType[] = ["uint32", "uint32", "uint32"];

/** A misspelt name is found by driver.test.ts, which looks through the sources. */
export type DriverFunction = `cu${string}`;

export const DRIVER_FUNCTIONS: Readonly<Record<DriverFunction, readonly ForeignType[]>> = {
  cuInit: ["uint32"],
  cuDriverGetVersion: ["buffer"],
  cuGetErrorName: ["int", "buffer"],
  cuGetErrorString: ["int", "buffer"],

  cuDeviceGetCount: ["buffer"],
  cuDeviceGet: ["buffer", "int"],
  cuDeviceGetName: ["buffer", "int", "int"],
  cuDeviceTotalMem_v2: ["buffer", "int"],
  cuDeviceGetAttribute: ["buffer", "int", "int"],
  cuDevicePrimaryCtxRetain: ["buffer", "int"],
  cuDevicePrimaryCtxRelease_v2: ["int"],
  cuDevicePrimaryCtxReset_v2: ["int"],
  cuCtxSetCurrent: ["ptr"],
  cuCtxSetLimit: ["int", "uint64"],

  cuCtxSynchronize: [],
  cuMemGetInfo_v2: ["buffer", "buffer"],
  cuMemAlloc_v2: ["buffer", "uint64"],
  cuMemFree_v2: ["ptr"],
  cuMemHostRegister_v2: ["ptr", "uint64", "uint32"],
  cuMemHostUnregister: ["ptr"],
  cuMemHostGetDevicePointer_v2: ["buffer", "ptr", "uint32"],
  cuMemcpyHtoD_v2: ["ptr", "buffer", "uint64"],
  cuMemcpyDtoH_v2: ["buffer", "ptr", "uint64"],
  cuMemcpyDtoD_v2: ["ptr", "ptr", "uint64"],
  cuMemcpyPeer: ["ptr", "ptr", "ptr", "ptr", "uint64"],
  cuMemcpyHtoDAsync_v2: ["ptr", "buffer", "uint64", "ptr"],
  cuMemcpyDtoHAsync_v2: ["buffer", "ptr", "uint64", "ptr"],
  cuMemcpyDtoDAsync_v2: ["ptr", "ptr", "uint64", "ptr"],
  cuMemsetD8Async: ["ptr", "uint32", "uint64", "ptr"],
  cuMemsetD16Async: ["ptr", "uint32", "uint64", "ptr"],
  cuMemsetD32Async: ["ptr", "uint32", "uint64", "ptr"],

  cuMemGetAllocationGranularity: ["buffer", "buffer", "uint32"],
  cuMemAddressReserve: ["buffer", "uint64", "uint64", "ptr", "uint64"],
  cuMemAddressFree: ["ptr", "uint64"],
  cuMemCreate: ["buffer", "uint64", "buffer", "uint64"],
  cuMemRelease: ["uint64"],
  cuMemMap: ["ptr", "uint64", "uint64", "uint64", "uint64"],
  cuMemUnmap: ["ptr", "uint64"],
  cuMemSetAccess: ["ptr", "uint64", "buffer", "uint64"],

  cuTensorMapEncodeTiled: [
    ...(["ptr", "int", "uint32", "ptr", "ptr", "ptr", "ptr", "ptr"] as const),
    ...(["int", "int", "int", "int"] as const),
  ],
  cuTensorMapEncodeIm2col: [
    ...(["ptr", "int", "uint32", "ptr", "ptr", "ptr", "ptr", "ptr"] as const),
    ...(["uint32", "uint32", "ptr", "int", "int", "int", "int"] as const),
  ],

  cuModuleLoadData: ["buffer", "buffer"],
  cuModuleLoadDataEx: ["buffer", "buffer", "uint32", "buffer", "buffer"],
  cuModuleUnload: ["ptr"],
  cuModuleGetFunction: ["buffer", "ptr", "text"],
  cuModuleGetGlobal_v2: ["buffer", "buffer", "ptr", "text"],
  cuFuncGetAttribute: ["buffer", "int", "ptr"],
  cuFuncSetAttribute: ["ptr", "int", "int"],
  cuOccupancyMaxActiveBlocksPerMultiprocessor: ["buffer", "ptr", "int", "uint64"],
  cuOccupancyMaxPotentialClusterSize: ["buffer", "ptr", "ptr"],
  cuOccupancyMaxActiveClusters: ["buffer", "ptr", "ptr"],
  cuLinkCreate_v2: ["uint32", "buffer", "buffer", "buffer"],
  cuLinkAddData_v2: ["ptr", "int", "buffer", "uint64", "text", "uint32", "buffer", "buffer"],
  cuLinkAddFile_v2: ["ptr", "int", "text", "uint32", "buffer", "buffer"],
  cuLinkComplete: ["ptr", "buffer", "buffer"],
  cuLinkDestroy: ["ptr"],

  cuStreamCreateWithPriority: ["buffer", "uint32", "int"],
  cuStreamDestroy_v2: ["ptr"],
  cuStreamQuery: ["ptr"],
  cuStreamWaitEvent: ["ptr", "ptr", "uint32"],
  cuStreamBeginCapture_v2: ["ptr", "int"],
  cuStreamEndCapture: ["ptr", "buffer"],
  cuEventCreate: ["buffer", "uint32"],
  cuEventDestroy_v2: ["ptr"],
  cuEventRecord: ["ptr", "ptr"],
  cuEventQuery: ["ptr"],
  cuEventElapsedTime: ["buffer", "ptr", "ptr"],
  cuGraphInstantiateWithFlags: ["buffer", "ptr", "uint64"],
  cuStreamGetCaptureInfo_v2: ["ptr", "buffer", "buffer", "buffer", "buffer", "buffer"],
  cuStreamUpdateCaptureDependencies: ["ptr", "buffer", "uint64", "uint32"],
  cuGraphAddChildGraphNode: ["buffer", "ptr", "ptr", "uint64", "ptr"],
  cuGraphGetNodes: ["ptr", "ptr", "buffer"],
  cuGraphLaunch: ["ptr", "ptr"],
  cuGraphDestroy: ["ptr"],
  cuGraphExecDestroy: ["ptr"],

  /** function, grid, block, shared bytes, stream, arguments, extra */
  cuLaunchKernel: ["ptr", ...GRID, ...GRID, "uint32", "ptr", "ptr", "ptr"],
  /** configuration, function, arguments, extra */
  cuLaunchKernelEx: ["ptr", "ptr", "ptr", "ptr"],
};
