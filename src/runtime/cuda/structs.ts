/** Structures of include/driver_types.h that programs hand to the runtime by address, field by field. */
import { CStruct } from "../host/c-struct.ts";

const DIM3: CStruct<"x" | "y" | "z"> = new CStruct({ x: "uint", y: "uint", z: "uint" });

export const EXTENT: CStruct<"width" | "height" | "depth"> = new CStruct({
  width: "size",
  height: "size",
  depth: "size",
});

export const POSITION: CStruct<"x" | "y" | "z"> = new CStruct({ x: "size", y: "size", z: "size" });

export const PITCHED_POINTER: CStruct<"ptr" | "pitch" | "xsize" | "ysize"> = new CStruct({
  ptr: "pointer",
  pitch: "size",
  xsize: "size",
  ysize: "size",
});

export const CHANNEL_FORMAT: CStruct<"x" | "y" | "z" | "w" | "f"> = new CStruct({
  x: "int",
  y: "int",
  z: "int",
  w: "int",
  f: "uint",
});

type CopyFields = "srcArray" | "srcPos" | "srcPtr" | "dstArray" | "dstPos" | "dstPtr" | "extent";

export const MEMCPY_3D: CStruct<CopyFields | "kind"> = new CStruct({
  srcArray: "pointer",
  srcPos: POSITION,
  srcPtr: PITCHED_POINTER,
  dstArray: "pointer",
  dstPos: POSITION,
  dstPtr: PITCHED_POINTER,
  extent: EXTENT,
  kind: "uint",
});

export const MEMCPY_3D_PEER: CStruct<CopyFields | "srcDevice" | "dstDevice"> = new CStruct({
  srcArray: "pointer",
  srcPos: POSITION,
  srcPtr: PITCHED_POINTER,
  srcDevice: "int",
  dstArray: "pointer",
  dstPos: POSITION,
  dstPtr: PITCHED_POINTER,
  dstDevice: "int",
  extent: EXTENT,
});

export const MEMSET_PARAMS: CStruct<"dst" | "pitch" | "value" | "elementSize" | "width" | "height"> = new CStruct({
  dst: "pointer",
  pitch: "size",
  value: "uint",
  elementSize: "uint",
  width: "size",
  height: "size",
});

export const HOST_NODE_PARAMS: CStruct<"fn" | "userData"> = new CStruct({ fn: "pointer", userData: "pointer" });

export const KERNEL_NODE_PARAMS: CStruct<
  "func" | "gridDim" | "blockDim" | "sharedMemBytes" | "kernelParams" | "extra"
> = new CStruct({
  func: "pointer",
  gridDim: DIM3,
  blockDim: DIM3,
  sharedMemBytes: "uint",
  kernelParams: "pointer",
  extra: "pointer",
});

const MEM_LOCATION: CStruct<"type" | "id"> = new CStruct({ type: "uint", id: "int" });

const MEM_POOL_PROPS: CStruct<"allocType" | "handleTypes" | "location" | "security" | "maxSize" | "reserved"> =
  new CStruct({
    allocType: "uint",
    handleTypes: "uint",
    location: MEM_LOCATION,
    security: "pointer",
    maxSize: "size",
    // unsigned char reserved[56]
    reserved: ["uint", 14],
  });

export const MEM_ALLOC_NODE_PARAMS: CStruct<"poolProps" | "accessDescs" | "accessDescCount" | "bytesize" | "dptr"> =
  new CStruct({
    poolProps: MEM_POOL_PROPS,
    accessDescs: "pointer",
    accessDescCount: "size",
    bytesize: "size",
    dptr: "pointer",
  });

export const GRAPH_UPDATE_RESULT: CStruct<"result" | "errorNode" | "errorFromNode"> = new CStruct({
  result: "uint",
  errorNode: "pointer",
  errorFromNode: "pointer",
});

export const POINTER_ATTRIBUTES: CStruct<"type" | "device" | "devicePointer" | "hostPointer"> = new CStruct({
  type: "uint",
  device: "int",
  devicePointer: "pointer",
  hostPointer: "pointer",
});

export const LAUNCH_CONFIG: CStruct<"gridDim" | "blockDim" | "dynamicSmemBytes" | "stream" | "attrs" | "numAttrs"> =
  new CStruct({
    gridDim: DIM3,
    blockDim: DIM3,
    dynamicSmemBytes: "size",
    stream: "pointer",
    attrs: "pointer",
    numAttrs: "uint",
  });

/** The value is a union of 64 bytes, 8 bytes behind the start. */
export const LAUNCH_ATTRIBUTE: CStruct<"id" | "pad" | "val"> = new CStruct({
  id: "uint",
  pad: "uint",
  val: ["uint", 16],
});

/** What __cudaRegisterFatBinary is given (docs/host-abi.md). */
export const FAT_BINARY_WRAPPER: CStruct<"magic" | "version" | "data" | "unused"> = new CStruct({
  magic: "uint",
  version: "uint",
  data: "pointer",
  unused: "pointer",
});

/** cudaResourceDesc, by the member of its union that `resType` chooses. */
export const ARRAY_RESOURCE: CStruct<"resType" | "array"> = new CStruct({ resType: "uint", array: "pointer" });

export const LINEAR_RESOURCE: CStruct<"resType" | "devPtr" | "desc" | "sizeInBytes"> = new CStruct({
  resType: "uint",
  devPtr: "pointer",
  desc: CHANNEL_FORMAT,
  sizeInBytes: "size",
});

export const PITCH_2D_RESOURCE: CStruct<"resType" | "devPtr" | "desc" | "width" | "height" | "pitchInBytes"> =
  new CStruct({
    resType: "uint",
    devPtr: "pointer",
    desc: CHANNEL_FORMAT,
    width: "size",
    height: "size",
    pitchInBytes: "size",
  });

export const FUNC_ATTRIBUTES: CStruct<
  | "sharedSizeBytes"
  | "constSizeBytes"
  | "localSizeBytes"
  | "maxThreadsPerBlock"
  | "numRegs"
  | "ptxVersion"
  | "binaryVersion"
  | "cacheModeCA"
  | "maxDynamicSharedSizeBytes"
  | "preferredShmemCarveout"
  | "clusterDimMustBeSet"
  | "requiredClusterWidth"
  | "requiredClusterHeight"
  | "requiredClusterDepth"
  | "clusterSchedulingPolicyPreference"
  | "nonPortableClusterSizeAllowed"
> = new CStruct({
  sharedSizeBytes: "size",
  constSizeBytes: "size",
  localSizeBytes: "size",
  maxThreadsPerBlock: "int",
  numRegs: "int",
  ptxVersion: "int",
  binaryVersion: "int",
  cacheModeCA: "int",
  maxDynamicSharedSizeBytes: "int",
  preferredShmemCarveout: "int",
  clusterDimMustBeSet: "int",
  requiredClusterWidth: "int",
  requiredClusterHeight: "int",
  requiredClusterDepth: "int",
  clusterSchedulingPolicyPreference: "int",
  nonPortableClusterSizeAllowed: "int",
});
