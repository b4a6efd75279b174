/**
 * The errors of the CUDA runtime API: numbers, names and the phrases that cudaGetErrorString gives (CUDA 12
 * driver_types.h).
 *
 * Programs compare and print them, so they match CUDA's exactly.
 */
import { unsigned } from "../../base/unsigned.ts";
import type { FaultKind } from "../../machine/faults.ts";

/** [code, name, phrase] */
const ERRORS: readonly (readonly [number, string, string])[] = [
  [0, "cudaSuccess", "no error"],
  [1, "cudaErrorInvalidValue", "invalid argument"],
  [2, "cudaErrorMemoryAllocation", "out of memory"],
  [3, "cudaErrorInitializationError", "initialization error"],
  [4, "cudaErrorCudartUnloading", "driver shutting down"],
  [5, "cudaErrorProfilerDisabled", "profiler disabled while using external profiling tool"],
  [6, "cudaErrorProfilerNotInitialized", "profiler not initialized: call cudaProfilerInitialize()"],
  [7, "cudaErrorProfilerAlreadyStarted", "profiler already started"],
  [8, "cudaErrorProfilerAlreadyStopped", "profiler already stopped"],
  [9, "cudaErrorInvalidConfiguration", "invalid configuration argument"],
  [12, "cudaErrorInvalidPitchValue", "invalid pitch argument"],
  [13, "cudaErrorInvalidSymbol", "invalid device symbol"],
  [16, "cudaErrorInvalidHostPointer", "invalid host pointer"],
  [17, "cudaErrorInvalidDevicePointer", "invalid device pointer"],
  [18, "cudaErrorInvalidTexture", "invalid texture reference"],
  [19, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"],
  [20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"],
  [21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"],
  [22, "cudaErrorAddressOfConstant", "constant is not accessible by the host"],
  [23, "cudaErrorTextureFetchFailed", "fetch from texture failed"],
  [24, "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound"],
  [25, "cudaErrorSynchronizationError", "incorrect use of __syncthreads()"],
  [26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"],
  [27, "cudaErrorInvalidNormSetting", "read as normalized float not supported for 32-bit non float type"],
  [28, "cudaErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"],
  [31, "cudaErrorNotYetImplemented", "feature not yet implemented"],
  [32, "cudaErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"],
  [34, "cudaErrorStubLibrary", "CUDA driver is a stub library"],
  [35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"],
  [36, "cudaErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"],
  [37, "cudaErrorInvalidSurface", "invalid surface reference"],
  [43, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"],
  [44, "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name"],
  [45, "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name"],
  [46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"],
  [49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"],
  [52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"],
  [53, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"],
  [65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"],
  [
    66,
    "cudaErrorLaunchFileScopedTex",
    "launch failed because kernel uses unsupported, file-scoped textures (texture object is supported)",
  ],
  [
    67,
    "cudaErrorLaunchFileScopedSurf",
    "launch failed because kernel uses unsupported, file-scoped surfaces (surface object is supported)",
  ],
  [
    68,
    "cudaErrorSyncDepthExceeded",
    "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth",
  ],
  [
    69,
    "cudaErrorLaunchPendingCountExceeded",
    "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount",
  ],
  [98, "cudaErrorInvalidDeviceFunction", "invalid device function"],
  [100, "cudaErrorNoDevice", "no CUDA-capable device is detected"],
  [101, "cudaErrorInvalidDevice", "invalid device ordinal"],
  [102, "cudaErrorDeviceNotLicensed", "device doesn't have valid Grid license"],
  [103, "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed"],
  [127, "cudaErrorStartupFailure", "startup failure in cuda runtime"],
  [200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"],
  [201, "cudaErrorDeviceUninitialized", "invalid device context"],
  [205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"],
  [206, "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"],
  [207, "cudaErrorArrayIsMapped", "array is mapped"],
  [208, "cudaErrorAlreadyMapped", "resource already mapped"],
  [209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"],
  [210, "cudaErrorAlreadyAcquired", "resource already acquired"],
  [211, "cudaErrorNotMapped", "resource not mapped"],
  [212, "cudaErrorNotMappedAsArray", "resource not mapped as array"],
  [213, "cudaErrorNotMappedAsPointer", "resource not mapped as pointer"],
  [214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"],
  [215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"],
  [216, "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"],
  [217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"],
  [218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"],
  [219, "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"],
  [220, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"],
  [221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"],
  [222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."],
  [223, "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"],
  [224, "cudaErrorUnsupportedExecAffinity", "the provided execution affinity is not supported"],
  [225, "cudaErrorUnsupportedDevSideSync", "the provided PTX contains unsupported call to cudaDeviceSynchronize"],
  [300, "cudaErrorInvalidSource", "device kernel image is invalid"],
  [301, "cudaErrorFileNotFound", "file not found"],
  [302, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"],
  [303, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"],
  [304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"],
  [400, "cudaErrorInvalidResourceHandle", "invalid resource handle"],
  [401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"],
  [402, "cudaErrorLossyQuery", "attempted introspection would be semantically lossy"],
  [500, "cudaErrorSymbolNotFound", "named symbol not found"],
  [600, "cudaErrorNotReady", "device not ready"],
  [700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"],
  [701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"],
  [702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"],
  [703, "cudaErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"],
  [704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"],
  [705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"],
  [708, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"],
  [709, "cudaErrorContextIsDestroyed", "context is destroyed"],
  [710, "cudaErrorAssert", "device-side assert triggered"],
  [711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"],
  [712, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"],
  [713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"],
  [714, "cudaErrorHardwareStackError", "hardware stack error"],
  [715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"],
  [716, "cudaErrorMisalignedAddress", "misaligned address"],
  [717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"],
  [718, "cudaErrorInvalidPc", "invalid program counter"],
  [719, "cudaErrorLaunchFailure", "unspecified launch failure"],
  [720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"],
  [800, "cudaErrorNotPermitted", "operation not permitted"],
  [801, "cudaErrorNotSupported", "operation not supported"],
  [802, "cudaErrorSystemNotReady", "system not yet initialized"],
  [803, "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"],
  [804, "cudaErrorCompatNotSupportedOnDevice", "forward compatibility was attempted on non supported HW"],
  [805, "cudaErrorMpsConnectionFailed", "MPS client failed to connect to the MPS control daemon or the MPS server"],
  [806, "cudaErrorMpsRpcFailure", "the remote procedural call between the MPS server and the MPS client failed"],
  [807, "cudaErrorMpsServerNotReady", "MPS server is not ready to accept new MPS client requests"],
  [808, "cudaErrorMpsMaxClientsReached", "the hardware resources required to create MPS client have been exhausted"],
  [
    809,
    "cudaErrorMpsMaxConnectionsReached",
    "the hardware resources required to support device connections have been exhausted",
  ],
  [810, "cudaErrorMpsClientTerminated", "the MPS client has been terminated by the server"],
  [
    811,
    "cudaErrorCdpNotSupported",
    "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it",
  ],
  [
    812,
    "cudaErrorCdpVersionMismatch",
    "unsupported interaction between different versions of CUDA Dynamic Parallelism",
  ],
  [900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"],
  [901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"],
  [902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"],
  [903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"],
  [904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"],
  [905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"],
  [
    906,
    "cudaErrorStreamCaptureImplicit",
    "operation would make the legacy stream depend on a capturing blocking stream",
  ],
  [907, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"],
  [
    908,
    "cudaErrorStreamCaptureWrongThread",
    "attempt to terminate a thread-local capture sequence from another thread",
  ],
  [909, "cudaErrorTimeout", "wait operation timed out"],
  [
    910,
    "cudaErrorGraphExecUpdateFailure",
    "the graph update was not performed because it included changes which violated " +
      "constraints specific to instantiated graph update",
  ],
  [911, "cudaErrorExternalDevice", "an async error has occured in external entity outside of CUDA"],
  [912, "cudaErrorInvalidClusterSize", "a kernel launch error has occurred due to cluster misconfiguration"],
  [
    913,
    "cudaErrorFunctionNotLoaded",
    "the function handle is not loaded when calling an API that requires a loaded function",
  ],
  [
    914,
    "cudaErrorInvalidResourceType",
    "one or more resources passed in are not valid resource types for the operation",
  ],
  [
    915,
    "cudaErrorInvalidResourceConfiguration",
    "one or more resources are insufficient or non-applicable for the operation",
  ],
  [999, "cudaErrorUnknown", "unknown error"],
  [10000, "cudaErrorApiFailureBase", "api failure base"],
];

const byCode: ReadonlyMap<number, readonly [number, string, string]> = new Map(ERRORS.map((row) => [row[0], row]));

export function errorName(code: number): string {
  return byCode.get(code)?.[1] ?? "unrecognized error code";
}

export function errorString(code: number): string {
  return byCode.get(code)?.[2] ?? "unrecognized error code";
}

/** The codes that the runtime itself raises, by short names. */
export const CudaErrorCode: {
  readonly success: 0;
  readonly invalidValue: 1;
  readonly memoryAllocation: 2;
  readonly invalidConfiguration: 9;
  readonly invalidPitchValue: 12;
  readonly invalidSymbol: 13;
  readonly invalidDevicePointer: 17;
  readonly invalidTexture: 18;
  readonly invalidChannelDescriptor: 20;
  readonly invalidMemcpyDirection: 21;
  readonly missingConfiguration: 52;
  readonly invalidDeviceFunction: 98;
  readonly noDevice: 100;
  readonly invalidDevice: 101;
  readonly noKernelImage: 209;
  readonly unsupportedLimit: 215;
  readonly peerAccessUnsupported: 217;
  readonly fileNotFound: 301;
  readonly invalidResourceHandle: 400;
  readonly illegalState: 401;
  readonly symbolNotFound: 500;
  readonly notReady: 600;
  readonly illegalAddress: 700;
  readonly launchOutOfResources: 701;
  readonly launchTimeout: 702;
  readonly peerAccessAlreadyEnabled: 704;
  readonly peerAccessNotEnabled: 705;
  readonly setOnActiveProcess: 708;
  readonly assert: 710;
  readonly hostMemoryAlreadyRegistered: 712;
  readonly hostMemoryNotRegistered: 713;
  readonly illegalInstruction: 715;
  readonly misalignedAddress: 716;
  readonly launchFailure: 719;
  readonly cooperativeLaunchTooLarge: 720;
  readonly notPermitted: 800;
  readonly notSupported: 801;
  readonly streamCaptureUnsupported: 900;
  readonly streamCaptureInvalidated: 901;
  readonly streamCaptureMerge: 902;
  readonly streamCaptureUnmatched: 903;
  readonly streamCaptureUnjoined: 904;
  readonly streamCaptureIsolation: 905;
  readonly streamCaptureImplicit: 906;
  readonly capturedEvent: 907;
  readonly streamCaptureWrongThread: 908;
  readonly graphExecUpdateFailure: 910;
  readonly invalidClusterSize: 912;
  readonly unknown: 999;
} = {
  success: 0,
  invalidValue: 1,
  memoryAllocation: 2,
  invalidConfiguration: 9,
  invalidPitchValue: 12,
  invalidSymbol: 13,
  invalidDevicePointer: 17,
  invalidTexture: 18,
  invalidChannelDescriptor: 20,
  invalidMemcpyDirection: 21,
  missingConfiguration: 52,
  invalidDeviceFunction: 98,
  noDevice: 100,
  invalidDevice: 101,
  noKernelImage: 209,
  unsupportedLimit: 215,
  peerAccessUnsupported: 217,
  fileNotFound: 301,
  invalidResourceHandle: 400,
  illegalState: 401,
  symbolNotFound: 500,
  notReady: 600,
  illegalAddress: 700,
  launchOutOfResources: 701,
  launchTimeout: 702,
  peerAccessAlreadyEnabled: 704,
  peerAccessNotEnabled: 705,
  setOnActiveProcess: 708,
  assert: 710,
  hostMemoryAlreadyRegistered: 712,
  hostMemoryNotRegistered: 713,
  illegalInstruction: 715,
  misalignedAddress: 716,
  launchFailure: 719,
  cooperativeLaunchTooLarge: 720,
  notPermitted: 800,
  notSupported: 801,
  streamCaptureUnsupported: 900,
  streamCaptureInvalidated: 901,
  streamCaptureMerge: 902,
  streamCaptureUnmatched: 903,
  streamCaptureUnjoined: 904,
  streamCaptureIsolation: 905,
  streamCaptureImplicit: 906,
  capturedEvent: 907,
  streamCaptureWrongThread: 908,
  graphExecUpdateFailure: 910,
  invalidClusterSize: 912,
  unknown: 999,
};

/** The error that a program sees for a fault. */
export const FAULT_ERRORS: Readonly<Record<FaultKind, number>> = {
  "illegal-address": CudaErrorCode.illegalAddress,
  "misaligned-address": CudaErrorCode.misalignedAddress,
  "illegal-instruction": CudaErrorCode.illegalInstruction,
  assert: CudaErrorCode.assert,
  trap: CudaErrorCode.launchFailure,
  "stack-overflow": CudaErrorCode.launchFailure,
  deadlock: CudaErrorCode.launchTimeout,
  timeout: CudaErrorCode.launchTimeout,
};

/** The program's mistake behind a failed call, even if the program handles the error: for heddle check. */
export type Misuse =
  /** A copy or fill leaves the allocation that holds `address`. */
  | { readonly kind: "beyond-allocation"; readonly address: number }
  /** The kind of a copy does not fit its pointers. */
  | { readonly kind: "wrong-direction" }
  /** `address` is no memory of the side where it is used. */
  | { readonly kind: "wrong-pointer"; readonly address: number }
  /** `address` cannot be freed. */
  | { readonly kind: "bad-free"; readonly address: number }
  /** Calls that a capture under way refuses. */
  | { readonly kind: "in-capture" }
  | { readonly kind: "destroyed-handle"; readonly what: "stream" | "event"; readonly handle: number };

/** Thrown inside the runtime; the wrapper of every API function turns it into the function's return value. */
export class CudaFailure extends Error {
  readonly code: number;
  /** Our own explanation, one line for the user's stderr. */
  readonly detail: string | undefined;
  readonly misuse: Misuse | null;
  constructor(code: number, detail?: string, misuse: Misuse | null = null) {
    super(detail ?? errorString(code));
    this.name = "CudaFailure";
    this.code = code;
    this.detail = detail;
    this.misuse = misuse;
  }
}

/** Ends the API call with an error. */
export function fail(code: number, detail?: string, misuse: Misuse | null = null): never {
  throw new CudaFailure(code, detail, misuse);
}

export function hex(address: number): string {
  return `0x${unsigned(address).toString(16)}`;
}
