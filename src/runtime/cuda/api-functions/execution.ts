/**
 * Registration of device code and launches (runtime API reference, "Execution Control"; what the compiler emits:
 * docs/host-abi.md).
 */
import { unsigned } from "../../../base/unsigned.ts";
import { FAT_BINARY_WRAPPER, FUNC_ATTRIBUTES, LAUNCH_ATTRIBUTE, LAUNCH_CONFIG } from "../structs.ts";
import { dim3Volume, type Dim3 } from "../../../base/dim3.ts";
import type { ApiGroup } from "./api-table.ts";
import { readReference } from "../../../program/fat-binary.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { permanentText } from "./error-handling.ts";
import { ATTRIBUTE_MAX_DYNAMIC_SHARED, prepareCall, readDim3, writeDim3 } from "../work/launch.ts";
import { checkLaunchLimits } from "../../../device/launch-limits.ts";
import { submit } from "./streams.ts";

const FAT_BINARY_MAGIC = 0x466243b1;
/** No registers are allocated here; this is what cudaFuncGetAttributes answers. */
const ASSUMED_REGISTERS = 32;
const ATTRIBUTE_CARVEOUT = 9;

interface PushedConfiguration {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly stream: number;
}
interface OldLaunch {
  grid: { x: number; y: number; z: number };
  block: { x: number; y: number; z: number };
  sharedBytes: number;
  stream: number;
  params: Uint8Array;
}

function pushed(cuda: CudaContext): PushedConfiguration[] {
  return cuda.extension<PushedConfiguration[]>("launch configurations", () => []);
}

function oldLaunches(cuda: CudaContext): OldLaunch[] {
  return cuda.extension<OldLaunch[]>("configured calls", () => []);
}

export function launch(
  cuda: CudaContext,
  functionAddress: number,
  grid: number,
  block: number,
  args: number,
  sharedBytes: number,
  stream: number,
  cooperative: boolean,
  cluster: Dim3 | null = null,
): void {
  const call = prepareCall(cuda, {
    functionAddress,
    grid: readDim3(cuda, grid),
    block: readDim3(cuda, block),
    args,
    sharedBytes: unsigned(sharedBytes),
    cooperative,
    cluster,
  });
  submit(cuda, stream, { kind: "kernel", call });
}

/** cudaLaunchAttributeID */
const ATTRIBUTE_COOPERATIVE = 2;
const ATTRIBUTE_CLUSTER = 4;

/** What a cudaLaunchConfig_t asks for by its attributes. */
function attributesOf(
  cuda: CudaContext,
  config: number,
): { readonly cooperative: boolean; readonly cluster: Dim3 | null } {
  const m = cuda.memory;
  const { attrs, numAttrs } = LAUNCH_CONFIG.read(m, config);
  let cooperative = false;
  let cluster: Dim3 | null = null;
  for (let i = 0; i < numAttrs; i++) {
    const { id, val } = LAUNCH_ATTRIBUTE.read(m, attrs + LAUNCH_ATTRIBUTE.size(m.model) * i);
    if (id === ATTRIBUTE_COOPERATIVE) cooperative = m.i32(val) !== 0;
    // A cluster of one block is what every launch has.
    if (id === ATTRIBUTE_CLUSTER) cluster = dim3Volume(readDim3(cuda, val)) === 1 ? null : readDim3(cuda, val);
  }
  return { cooperative, cluster };
}

function launchEx(cuda: CudaContext, config: number, functionAddress: number, args: number): void {
  const { cooperative, cluster } = attributesOf(cuda, config);
  const { gridDim, blockDim, dynamicSmemBytes, stream } = LAUNCH_CONFIG.read(cuda.memory, config);
  launch(cuda, functionAddress, gridDim, blockDim, args, dynamicSmemBytes, stream, cooperative, cluster);
}

/** The device's answer about launches of this kernel with clusters. */
function clusterQuestion(
  cuda: CudaContext,
  out: number,
  functionAddress: number,
  config: number,
  question: "maxBlocks" | "maxActive",
): void {
  const { device } = cuda.current;
  if (device.clusters === null)
    return fail(CudaErrorCode.notSupported, `${device.properties.name} has no thread block clusters here`);
  const kernel = cuda.registry.kernel(cuda.registry.function(functionAddress), cuda.current);
  const { cooperative, cluster } = attributesOf(cuda, config);
  const { gridDim, blockDim, dynamicSmemBytes } = LAUNCH_CONFIG.read(cuda.memory, config);
  const shape = {
    grid: readDim3(cuda, gridDim),
    block: readDim3(cuda, blockDim),
    sharedBytes: dynamicSmemBytes,
    cooperative,
    ...(cluster === null ? {} : { cluster }),
  };
  cuda.memory.setI32(out, device.clusters[question](kernel, shape));
}

function activeBlocks(
  cuda: CudaContext,
  out: number,
  functionAddress: number,
  threads: number,
  sharedBytes: number,
): void {
  const state = cuda.current;
  const registered = cuda.registry.function(functionAddress);
  const kernel = cuda.registry.kernel(registered, state);
  if (threads <= 0) fail(CudaErrorCode.invalidValue);
  const shape = { grid: { x: 1, y: 1, z: 1 }, block: { x: threads, y: 1, z: 1 }, sharedBytes: unsigned(sharedBytes) };
  const fits =
    checkLaunchLimits(state.device.properties, kernel, shape, state.device.properties.sharedMemPerBlockOptin) === null;
  cuda.memory.setI32(out, fits ? state.device.residentBlocks(kernel, threads, shape.sharedBytes) : 0);
}

/** Host twins of managed variables, which have a range of addresses of their own, start with the device's values. */
function adoptManagedVariables(cuda: CudaContext): void {
  const range = cuda.host.managedRange();
  if (range === null) return;
  for (const [hostAddress] of cuda.registry.variables()) {
    if (hostAddress < range.start || hostAddress >= range.end || cuda.mirrored.at(hostAddress) !== undefined) continue;
    const symbol = cuda.registry.symbol(hostAddress, cuda.deviceAt(0));
    cuda.mirrored.adoptVariable(hostAddress, symbol.pointer, symbol.bytes);
  }
}

export const executionApi: ApiGroup = {
  name: "Execution",
  plain: {
    __cudaRegisterFatBinary(cuda, wrapper: number) {
      const { magic, data } = FAT_BINARY_WRAPPER.read(cuda.memory, wrapper);
      if (magic !== FAT_BINARY_MAGIC) fail(CudaErrorCode.invalidValue);
      if (cuda.registry.isEmpty) for (const program of cuda.host.functionPrograms()) cuda.registry.addProgram(program);
      const program = cuda.host.deviceProgram(readReference(cuda.memory.bytes, data));
      return cuda.registry.addProgram(program) + 1; // a handle is the program's index and one, so that it is not null
    },
    __cudaRegisterFatBinaryEnd: (cuda) => adoptManagedVariables(cuda),
    __cudaUnregisterFatBinary: () => undefined,
    __cudaInitModule: () => 1,
    __cudaRegisterFunction: (cuda, handle: number, hostFunction: number, _deviceFunction: number, deviceName: number) =>
      cuda.registry.addFunction(hostFunction, handle - 1, cuda.memory.cString(deviceName)),
    __cudaRegisterVar: (
      cuda,
      handle: number,
      hostVariable: number,
      _deviceAddress: number,
      deviceName: number,
      _external: number,
      size: number,
    ) =>
      cuda.registry.addVariable(hostVariable, {
        program: handle - 1,
        name: cuda.memory.cString(deviceName),
        bytes: unsigned(size),
      }),
    __cudaPushCallConfiguration(cuda, grid: number, block: number, sharedBytes: number, stream: number) {
      pushed(cuda).push({
        grid: readDim3(cuda, grid),
        block: readDim3(cuda, block),
        sharedBytes,
        stream,
      });
      return 0;
    },
    __cudaPopCallConfiguration(cuda, grid: number, block: number, sharedBytes: number, stream: number) {
      const configuration = pushed(cuda).pop();
      if (configuration === undefined) {
        cuda.lastError = CudaErrorCode.missingConfiguration;
        return CudaErrorCode.missingConfiguration;
      }
      writeDim3(cuda, grid, configuration.grid);
      writeDim3(cuda, block, configuration.block);
      cuda.memory.setPointer(sharedBytes, configuration.sharedBytes);
      cuda.memory.setPointer(stream, configuration.stream);
      return 0;
    },
  },
  checked: {
    cudaLaunchKernel: (
      cuda,
      f: number,
      grid: number,
      block: number,
      args: number,
      sharedBytes: number,
      stream: number,
    ) => launch(cuda, f, grid, block, args, sharedBytes, stream, false),
    cudaLaunchCooperativeKernel: (
      cuda,
      f: number,
      grid: number,
      block: number,
      args: number,
      sharedBytes: number,
      stream: number,
    ) => launch(cuda, f, grid, block, args, sharedBytes, stream, true),
    cudaLaunchKernelExC: launchEx,
    // Names from before CUDA 7, removed in CUDA 10.1: configure, give arguments one by one, launch.
    cudaConfigureCall(cuda, grid: number, block: number, sharedBytes: number, stream: number) {
      oldLaunches(cuda).push({
        grid: readDim3(cuda, grid),
        block: readDim3(cuda, block),
        sharedBytes: unsigned(sharedBytes),
        stream,
        params: new Uint8Array(4096),
      });
    },
    cudaSetupArgument(cuda, argument: number, size: number, offset: number) {
      const call = oldLaunches(cuda).at(-1) ?? fail(CudaErrorCode.missingConfiguration);
      call.params.set(cuda.memory.slice(argument, size), offset);
    },
    cudaLaunch(cuda, functionAddress: number) {
      const old = oldLaunches(cuda).pop() ?? fail(CudaErrorCode.missingConfiguration);
      const call = prepareCall(cuda, {
        functionAddress,
        grid: old.grid,
        block: old.block,
        args: null,
        sharedBytes: old.sharedBytes,
        cooperative: false,
      });
      submit(cuda, old.stream, {
        kind: "kernel",
        call: { ...call, params: old.params.slice(0, Math.max(4, call.kernel.paramBytes)) },
      });
    },
    cudaFuncGetAttributes(cuda, out: number, functionAddress: number) {
      const { properties: p } = cuda.current.device;
      const registered = cuda.registry.function(functionAddress);
      const kernel = cuda.registry.kernel(registered, cuda.current);
      const version = 10 * p.computeCapability.major + p.computeCapability.minor;
      const dynamic =
        registered.attributes.get(ATTRIBUTE_MAX_DYNAMIC_SHARED) ?? p.sharedMemPerBlock - kernel.staticSharedBytes;
      FUNC_ATTRIBUTES.write(cuda.memory, out, {
        sharedSizeBytes: kernel.staticSharedBytes,
        constSizeBytes: 0,
        localSizeBytes: kernel.localBytesPerThread,
        maxThreadsPerBlock: Math.min(kernel.maxThreadsPerBlock, p.maxThreadsPerBlock),
        numRegs: ASSUMED_REGISTERS,
        // Libraries choose by it which of their configurations the code was compiled with.
        ptxVersion: cuda.registry.architecture(registered) ?? version,
        binaryVersion: version,
        cacheModeCA: 0,
        maxDynamicSharedSizeBytes: dynamic,
        preferredShmemCarveout: registered.attributes.get(ATTRIBUTE_CARVEOUT) ?? -1,
        clusterDimMustBeSet: 0,
        requiredClusterWidth: 0,
        requiredClusterHeight: 0,
        requiredClusterDepth: 0,
        clusterSchedulingPolicyPreference: 0,
        nonPortableClusterSizeAllowed: 0,
      });
    },
    cudaFuncSetAttribute(cuda, functionAddress: number, attribute: number, value: number) {
      const registered = cuda.registry.function(functionAddress);
      if (attribute === ATTRIBUTE_MAX_DYNAMIC_SHARED) {
        const kernel = cuda.registry.kernel(registered, cuda.current);
        const limit = cuda.current.device.properties.sharedMemPerBlockOptin - kernel.staticSharedBytes;
        const { name } = cuda.current.device.properties;
        if (value < 0 || value > limit)
          fail(
            CudaErrorCode.invalidValue,
            `${value} bytes of dynamic shared memory; ${name} allows a block of this kernel at most ${limit}`,
          );
      } else if (attribute === ATTRIBUTE_CARVEOUT) {
        if (value < -1 || value > 100) fail(CudaErrorCode.invalidValue);
      } else if (attribute < ATTRIBUTE_MAX_DYNAMIC_SHARED || attribute > 15) fail(CudaErrorCode.invalidValue);
      registered.attributes.set(attribute, value);
    },
    cudaFuncSetCacheConfig(cuda, functionAddress: number, config: number) {
      cuda.registry.function(functionAddress).cacheConfig = config;
    },
    cudaFuncSetSharedMemConfig: (cuda, functionAddress: number) => void cuda.registry.function(functionAddress),
    cudaOccupancyMaxActiveBlocksPerMultiprocessor: activeBlocks,
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: activeBlocks,
    cudaOccupancyAvailableDynamicSMemPerBlock(
      cuda,
      out: number,
      functionAddress: number,
      blocks: number,
      _threads: number,
    ) {
      const { properties: p } = cuda.current.device;
      const kernel = cuda.registry.kernel(cuda.registry.function(functionAddress), cuda.current);
      if (blocks <= 0) fail(CudaErrorCode.invalidValue);
      const share =
        Math.floor(p.sharedMemPerMultiprocessor / blocks / 128) * 128 -
        p.reservedSharedMemPerBlock -
        kernel.staticSharedBytes;
      cuda.memory.setPointer(out, Math.max(0, Math.min(share, p.sharedMemPerBlockOptin - kernel.staticSharedBytes)));
    },
    cudaFuncGetName: (cuda, out: number, functionAddress: number) =>
      cuda.memory.setPointer(out, permanentText(cuda, cuda.registry.function(functionAddress).name)),
    cudaLaunchCooperativeKernelMultiDevice: () =>
      fail(CudaErrorCode.notSupported, "cooperative launches over several devices are not supported yet"),
    cudaOccupancyMaxActiveClusters: (cuda, out: number, f: number, config: number) =>
      clusterQuestion(cuda, out, f, config, "maxActive"),
    cudaOccupancyMaxPotentialClusterSize: (cuda, out: number, f: number, config: number) =>
      clusterQuestion(cuda, out, f, config, "maxBlocks"),
    cudaSetDoubleForDevice: () => undefined,
    cudaSetDoubleForHost: () => undefined,
    cudaGetFuncBySymbol(cuda, out: number, functionAddress: number) {
      cuda.registry.function(functionAddress);
      cuda.memory.setPointer(out, functionAddress);
    },
  },
  notes: {
    cudaLaunchKernel: "the kernel has ended when the call returns",
    cudaLaunchKernelExC: "attributes other than clusters and cooperative have no effect",
    cudaLaunchCooperativeKernelMultiDevice: "always cudaErrorNotSupported",
    cudaFuncGetAttributes: "numRegs is always 32, constSizeBytes 0",
    cudaFuncSetCacheConfig: "no effect",
    cudaFuncSetSharedMemConfig: "no effect",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor: "registers are not modelled",
  },
};
