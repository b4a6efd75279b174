/**
 * CUDA arrays and copies in three dimensions (runtime API reference, "Memory Management").
 *
 * An array is stored linearly in device memory, row after row without gaps; its handle is a number of ours.
 */
import type { ApiGroup } from "./api-table.ts";
import { allocateDeviceMemory } from "../memory/allocation.ts";
import type { CudaContext } from "../context.ts";
import type { CopyEnd, CopyRequest } from "../work/requests.ts";
import { CopyKind, runCopy } from "../memory/copy.ts";
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
  const m = cuda.memory;
  return {
    bits: [m.i32(address), m.i32(address + 4), m.i32(address + 8), m.i32(address + 12)],
    kind: m.u32(address + 16),
  };
}

export function writeFormat(cuda: CudaContext, address: number, format: ChannelFormat): void {
  [...format.bits, format.kind].forEach((value, index) => cuda.memory.setI32(address + 4 * index, value));
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
  return { address: address >>> 0, pitch: pitch >>> 0, slicePitch: (pitch >>> 0) * height };
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

/** struct cudaMemcpy3DParms: srcArray, srcPos, srcPtr, dstArray, dstPos, dstPtr, extent, kind; 32 bits each. */
export function readCopy3d(cuda: CudaContext, params: number): CopyRequest {
  const words = Array.from({ length: 20 }, (_, index) => cuda.memory.u32(params + 4 * index));
  const at = (index: number): number => words[index] as number;
  const anyArray = at(0) !== 0 ? arrayState(cuda, at(0)) : at(8) !== 0 ? arrayState(cuda, at(8)) : null;
  // With an array, the extent's width counts its elements; without, bytes. Positions in linear memory are in bytes.
  const unit = anyArray?.texelBytes ?? 1;
  const end = (start: number): CopyEnd => {
    const [x, y, z] = [at(start + 1), at(start + 2), at(start + 3)];
    if (at(start) !== 0) return arrayEnd(arrayState(cuda, at(start)), x * unit, y, z);
    const [pointer, pitch, height] = [at(start + 4), at(start + 5), at(start + 7)];
    return { address: pointer + x + y * pitch + z * pitch * height, pitch, slicePitch: pitch * height };
  };
  return { from: end(0), to: end(8), widthBytes: at(16) * unit, height: at(17), depth: at(18), kind: at(19) };
}

/** cudaMemcpy3DPeerParms has a device number behind each pointer and no kind. */
function readCopy3dPeer(cuda: CudaContext, params: number): CopyRequest {
  const m = cuda.memory;
  const end = (start: number): CopyEnd => {
    const [array, x, y, z] = [m.u32(start), m.u32(start + 4), m.u32(start + 8), m.u32(start + 12)];
    if (array !== 0) return arrayEnd(arrayState(cuda, array), x, y, z);
    const [pointer, pitch, height] = [m.u32(start + 16), m.u32(start + 20), m.u32(start + 28)];
    return { address: pointer + x + y * pitch + z * pitch * height, pitch, slicePitch: pitch * height };
  };
  return {
    from: end(params),
    to: end(params + 36),
    widthBytes: m.u32(params + 72),
    height: m.u32(params + 76),
    depth: m.u32(params + 80),
    kind: CopyKind.infer,
  };
}

export const arrayApi: ApiGroup = {
  name: "Arrays",
  checked: {
    cudaMallocArray: (cuda, out: number, format: number, width: number, height: number, flags: number) =>
      cuda.memory.setU32(out, makeArray(cuda, format, width, height, 0, flags)),
    cudaMalloc3DArray: (cuda, out: number, format: number, extent: number, flags: number) =>
      cuda.memory.setU32(
        out,
        makeArray(
          cuda,
          format,
          cuda.memory.u32(extent),
          cuda.memory.u32(extent + 4),
          cuda.memory.u32(extent + 8),
          flags,
        ),
      ),
    cudaFreeArray: freeArray,
    cudaArrayGetInfo(cuda, format: number, extent: number, flags: number, handle: number) {
      const array = arrayState(cuda, handle);
      if (format !== 0) writeFormat(cuda, format, array.format);
      if (extent !== 0)
        [array.width, array.height, array.depth].forEach((value, index) =>
          cuda.memory.setU32(extent + 4 * index, value),
        );
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
