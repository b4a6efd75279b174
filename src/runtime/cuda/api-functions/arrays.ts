/**
 * CUDA arrays and copies in three dimensions (runtime API reference, "Memory Management").
 *
 * An array is stored linearly in device memory, row after row without gaps; its handle is a number of ours.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { CHANNEL_FORMAT, EXTENT, MEMCPY_3D, MEMCPY_3D_PEER, PITCHED_POINTER, POSITION } from "../structs.ts";
import type { ApiGroup } from "./api-table.ts";
import { allocateDeviceMemory } from "../allocations/allocation.ts";
import type { CudaContext } from "../context.ts";
import type { CopyEnd, CopyRequest } from "../work/requests.ts";
import { CopyKind, runCopy } from "../work/copy.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { HandleTable } from "../handles.ts";
import { submit } from "./streams.ts";

/** struct cudaChannelFormatDesc { int x, y, z, w; enum kind; } */
export interface ChannelFormat {
  readonly bits: readonly [number, number, number, number];
  readonly kind: number;
}

export interface ArrayState {
  readonly pointer: number;
  readonly format: ChannelFormat;
  readonly texelBytes: number;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly flags: number;
  /** Bytes from row to row. */
  readonly pitch: number;
}

export function readFormat(cuda: CudaContext, address: number): ChannelFormat {
  const { x, y, z, w, f } = CHANNEL_FORMAT.read(cuda.memory, address);
  return { bits: [x, y, z, w], kind: f };
}

export function writeFormat(cuda: CudaContext, address: number, format: ChannelFormat): void {
  const [x, y, z, w] = format.bits;
  CHANNEL_FORMAT.write(cuda.memory, address, { x, y, z, w, f: format.kind });
}

export function texelBytesOf(format: ChannelFormat): number {
  return format.bits.reduce((sum, bits) => sum + bits, 0) / 8;
}

function arrays(cuda: CudaContext): HandleTable<ArrayState> {
  return cuda.extension("arrays", () => new HandleTable<ArrayState>(0x3000_0010, 0x10));
}

export function arrayState(cuda: CudaContext, handle: number): ArrayState {
  return arrays(cuda).get(handle) ?? fail(CudaErrorCode.invalidResourceHandle, "the CUDA array does not exist");
}

function makeArray(
  cuda: CudaContext,
  formatAddress: number,
  width: number,
  height: number,
  depth: number,
  flags: number,
): number {
  const format = readFormat(cuda, formatAddress);
  const texelBytes = texelBytesOf(format);
  if (texelBytes === 0 || width === 0) fail(CudaErrorCode.invalidChannelDescriptor);
  const pitch = width * texelBytes;
  const pointer = allocateDeviceMemory(cuda, pitch * Math.max(1, height) * Math.max(1, depth), 512);
  return arrays(cuda).add({ pointer, format, texelBytes, width, height, depth, flags, pitch });
}

function freeArray(cuda: CudaContext, handle: number): void {
  if (handle === 0) return;
  const array = arrayState(cuda, handle);
  cuda.ownerOf(array.pointer)?.state.device.free(array.pointer);
  arrays(cuda).delete(handle);
}

/** A place in an array: column in bytes, row, slice. */
function arrayEnd(array: ArrayState, columnBytes: number, row: number, slice = 0): CopyEnd {
  const slicePitch = array.pitch * Math.max(1, array.height);
  return {
    address: array.pointer + columnBytes + row * array.pitch + slice * slicePitch,
    pitch: array.pitch,
    slicePitch,
  };
}

function linearEnd(address: number, pitch: number, height: number): CopyEnd {
  return { address: unsigned(address), pitch: unsigned(pitch), slicePitch: unsigned(pitch) * height };
}

/** The side of `kind` that is an array is device memory, whatever the kind says. */
function kindWithArray(kind: number, arrayIsTarget: boolean): number {
  if (kind === CopyKind.infer || kind === CopyKind.deviceToDevice) return kind;
  if (arrayIsTarget ? kind === CopyKind.hostToDevice : kind === CopyKind.deviceToHost) return kind;
  return fail(CudaErrorCode.invalidMemcpyDirection);
}

function toArray2d(
  cuda: CudaContext,
  array: number,
  column: number,
  row: number,
  from: number,
  pitch: number,
  width: number,
  height: number,
  kind: number,
): CopyRequest {
  return {
    to: arrayEnd(arrayState(cuda, array), column, row),
    from: linearEnd(from, pitch, height),
    widthBytes: width,
    height,
    depth: 1,
    kind: kindWithArray(kind, true),
  };
}

function fromArray2d(
  cuda: CudaContext,
  to: number,
  pitch: number,
  array: number,
  column: number,
  row: number,
  width: number,
  height: number,
  kind: number,
): CopyRequest {
  return {
    to: linearEnd(to, pitch, height),
    from: arrayEnd(arrayState(cuda, array), column, row),
    widthBytes: width,
    height,
    depth: 1,
    kind: kindWithArray(kind, false),
  };
}

/** One end of a three-dimensional copy: in an array, or in pitched memory. Positions in memory are in bytes. */
function end3d(cuda: CudaContext, array: number, position: number, pointer: number, elementBytes: number): CopyEnd {
  const { x, y, z } = POSITION.read(cuda.memory, position);
  if (array !== 0) return arrayEnd(arrayState(cuda, array), x * elementBytes, y, z);
  const { ptr, pitch, ysize } = PITCHED_POINTER.read(cuda.memory, pointer);
  return { address: ptr + x + y * pitch + z * pitch * ysize, pitch, slicePitch: pitch * ysize };
}

/** struct cudaMemcpy3DParms */
export function readCopy3d(cuda: CudaContext, params: number): CopyRequest {
  const p = MEMCPY_3D.read(cuda.memory, params);
  const { width, height, depth } = EXTENT.read(cuda.memory, p.extent);
  const anyArray = p.srcArray !== 0 ? p.srcArray : p.dstArray;
  // With an array, the extent's width counts its elements; without, bytes.
  const unit = anyArray === 0 ? 1 : arrayState(cuda, anyArray).texelBytes;
  return {
    from: end3d(cuda, p.srcArray, p.srcPos, p.srcPtr, unit),
    to: end3d(cuda, p.dstArray, p.dstPos, p.dstPtr, unit),
    widthBytes: width * unit,
    height,
    depth,
    kind: p.kind,
  };
}

/** cudaMemcpy3DPeerParms has a device number behind each pointer and no kind. */
function readCopy3dPeer(cuda: CudaContext, params: number): CopyRequest {
  const p = MEMCPY_3D_PEER.read(cuda.memory, params);
  const { width, height, depth } = EXTENT.read(cuda.memory, p.extent);
  return {
    from: end3d(cuda, p.srcArray, p.srcPos, p.srcPtr, 1),
    to: end3d(cuda, p.dstArray, p.dstPos, p.dstPtr, 1),
    widthBytes: width,
    height,
    depth,
    kind: CopyKind.infer,
  };
}

export const arrayApi: ApiGroup = {
  name: "Arrays",
  checked: {
    cudaMallocArray: (cuda, out: number, format: number, width: number, height: number, flags: number) =>
      cuda.memory.setPointer(out, makeArray(cuda, format, width, height, 0, flags)),
    cudaMalloc3DArray(cuda, out: number, format: number, extent: number, flags: number) {
      const { width, height, depth } = EXTENT.read(cuda.memory, extent);
      cuda.memory.setPointer(out, makeArray(cuda, format, width, height, depth, flags));
    },
    cudaFreeArray: freeArray,
    cudaArrayGetInfo(cuda, format: number, extent: number, flags: number, handle: number) {
      const array = arrayState(cuda, handle);
      if (format !== 0) writeFormat(cuda, format, array.format);
      const { width, height, depth } = array;
      if (extent !== 0) EXTENT.write(cuda.memory, extent, { width, height, depth });
      if (flags !== 0) cuda.memory.setU32(flags, array.flags);
    },
    cudaGetChannelDesc: (cuda, out: number, handle: number) => writeFormat(cuda, out, arrayState(cuda, handle).format),
    cudaMemcpy2DToArray: (
      cuda,
      array: number,
      column: number,
      row: number,
      from: number,
      pitch: number,
      width: number,
      height: number,
      kind: number,
    ) => runCopy(cuda, toArray2d(cuda, array, column, row, from, pitch, width, height, kind)),
    cudaMemcpy2DToArrayAsync: (
      cuda,
      array: number,
      column: number,
      row: number,
      from: number,
      pitch: number,
      width: number,
      height: number,
      kind: number,
      stream: number,
    ) =>
      submit(cuda, stream, {
        kind: "memcpy",
        copy: toArray2d(cuda, array, column, row, from, pitch, width, height, kind),
      }),
    cudaMemcpy2DFromArray: (
      cuda,
      to: number,
      pitch: number,
      array: number,
      column: number,
      row: number,
      width: number,
      height: number,
      kind: number,
    ) => runCopy(cuda, fromArray2d(cuda, to, pitch, array, column, row, width, height, kind)),
    cudaMemcpy2DFromArrayAsync: (
      cuda,
      to: number,
      pitch: number,
      array: number,
      column: number,
      row: number,
      width: number,
      height: number,
      kind: number,
      stream: number,
    ) =>
      submit(cuda, stream, {
        kind: "memcpy",
        copy: fromArray2d(cuda, to, pitch, array, column, row, width, height, kind),
      }),
    cudaMemcpy2DArrayToArray(
      cuda,
      to: number,
      toColumn: number,
      toRow: number,
      from: number,
      fromColumn: number,
      fromRow: number,
      width: number,
      height: number,
    ) {
      runCopy(cuda, {
        to: arrayEnd(arrayState(cuda, to), toColumn, toRow),
        from: arrayEnd(arrayState(cuda, from), fromColumn, fromRow),
        widthBytes: width,
        height,
        depth: 1,
        kind: CopyKind.deviceToDevice,
      });
    },
    // The linear forms run on over the ends of rows; rows have no gaps here.
    cudaMemcpyToArray: (cuda, array: number, column: number, row: number, from: number, bytes: number, kind: number) =>
      runCopy(cuda, toArray2d(cuda, array, column, row, from, bytes, bytes, 1, kind)),
    cudaMemcpyFromArray: (cuda, to: number, array: number, column: number, row: number, bytes: number, kind: number) =>
      runCopy(cuda, fromArray2d(cuda, to, bytes, array, column, row, bytes, 1, kind)),
    cudaMemcpyArrayToArray(
      cuda,
      to: number,
      toColumn: number,
      toRow: number,
      from: number,
      fromColumn: number,
      fromRow: number,
      bytes: number,
    ) {
      runCopy(cuda, {
        to: arrayEnd(arrayState(cuda, to), toColumn, toRow),
        from: arrayEnd(arrayState(cuda, from), fromColumn, fromRow),
        widthBytes: bytes,
        height: 1,
        depth: 1,
        kind: CopyKind.deviceToDevice,
      });
    },
    cudaMemcpy3D: (cuda, params: number) => runCopy(cuda, readCopy3d(cuda, params)),
    cudaMemcpy3DAsync: (cuda, params: number, stream: number) =>
      submit(cuda, stream, { kind: "memcpy", copy: readCopy3d(cuda, params) }),
    cudaMemcpy3DPeer: (cuda, params: number) => runCopy(cuda, readCopy3dPeer(cuda, params)),
    cudaMallocMipmappedArray: () => fail(CudaErrorCode.notSupported, "mipmapped arrays are not supported yet"),
    cudaGetMipmappedArrayLevel: () => fail(CudaErrorCode.notSupported),
    cudaFreeMipmappedArray: () => fail(CudaErrorCode.notSupported),
  },
  notes: {
    cudaMallocMipmappedArray: "always cudaErrorNotSupported",
    cudaGetMipmappedArrayLevel: "always cudaErrorNotSupported",
    cudaFreeMipmappedArray: "always cudaErrorNotSupported",
  },
};
