/**
 * cudaMemcpy and cudaMemset in all forms: linear, pitched rows and slices, variables; at the call or on a stream.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { EXTENT, PITCHED_POINTER } from "../structs.ts";
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import type { CopyRequest, FillRequest } from "../work/requests.ts";
import { CopyKind, checkCopy, checkFill, linearCopy, runCopy } from "../work/copy.ts";
import { requireNotCapturing } from "../work/capture-rules.ts";
import { runWork } from "../work/cuda-work.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { streamState } from "../work/stream-store.ts";
import { DEFAULT_STREAM } from "../work/stream-model.ts";
import { submit } from "./streams.ts";
import { waitForStream } from "../work/waiting.ts";

/**
 * A synchronous copy: refused while the default stream captures. Prints what kernels have printed before it.
 */
function copyNow(cuda: CudaContext, copy: CopyRequest): void {
  const stream = streamState(cuda, DEFAULT_STREAM);
  requireNotCapturing(cuda, stream);
  if (cuda.observer === null && cuda.tracer === null) runCopy(cuda, copy, null);
  else runWork(cuda, { kind: "memcpy", copy }, stream);
  waitForStream(cuda, cuda.current, stream);
}

/** Arguments are checked at the call, even when a capture keeps the copy for later. */
function copyOnStream(cuda: CudaContext, copy: CopyRequest, stream: number): void {
  if (streamState(cuda, stream).capture) checkCopy(cuda, copy);
  submit(cuda, stream, { kind: "memcpy", copy });
}

function fillOnStream(cuda: CudaContext, request: FillRequest, stream: number): void {
  if (streamState(cuda, stream).capture) checkFill(cuda, request);
  submit(cuda, stream, { kind: "memset", fill: request });
}

function copy2d(
  to: number,
  toPitch: number,
  from: number,
  fromPitch: number,
  widthBytes: number,
  height: number,
  kind: number,
): CopyRequest {
  const end = (address: number, pitch: number): CopyRequest["to"] => ({
    address: unsigned(address),
    pitch: unsigned(pitch),
    slicePitch: unsigned(pitch) * unsigned(height),
  });
  return {
    to: end(to, toPitch),
    from: end(from, fromPitch),
    widthBytes: unsigned(widthBytes),
    height: unsigned(height),
    depth: 1,
    kind,
  };
}

function fill2d(address: number, pitch: number, value: number, width: number, height: number): FillRequest {
  return {
    address: unsigned(address),
    pitch: unsigned(pitch),
    slicePitch: unsigned(pitch) * unsigned(height),
    value,
    elementBytes: 1,
    width: unsigned(width),
    height: unsigned(height),
    depth: 1,
  };
}

/** cudaMemset3D: `pitched` is a struct cudaPitchedPtr, `extent` a struct cudaExtent, both by address. */
function fill3d(cuda: CudaContext, pitched: number, value: number, extent: number): FillRequest {
  const { ptr, pitch, ysize } = PITCHED_POINTER.read(cuda.memory, pitched);
  const { width, height, depth } = EXTENT.read(cuda.memory, extent);
  return { address: ptr, pitch, slicePitch: pitch * ysize, value, elementBytes: 1, width, height, depth };
}

function symbolAddress(cuda: CudaContext, symbol: number, offset: number, bytes: number): number {
  const found = cuda.registry.symbol(symbol, cuda.current);
  const [from, count] = [unsigned(offset), unsigned(bytes)];
  if (from + count > found.bytes)
    fail(
      CudaErrorCode.invalidValue,
      `${count} bytes at offset ${from} pass the end of ${found.name}, which has ${found.bytes} bytes`,
      { kind: "beyond-allocation", address: found.pointer },
    );
  return found.pointer + from;
}

function toSymbol(
  cuda: CudaContext,
  symbol: number,
  from: number,
  bytes: number,
  offset: number,
  kind: number,
): CopyRequest {
  if (kind !== CopyKind.hostToDevice && kind !== CopyKind.deviceToDevice && kind !== CopyKind.infer)
    fail(CudaErrorCode.invalidMemcpyDirection, undefined, { kind: "wrong-direction" });
  return linearCopy(symbolAddress(cuda, symbol, offset, bytes), from, bytes, kind);
}

function fromSymbol(
  cuda: CudaContext,
  to: number,
  symbol: number,
  bytes: number,
  offset: number,
  kind: number,
): CopyRequest {
  if (kind !== CopyKind.deviceToHost && kind !== CopyKind.deviceToDevice && kind !== CopyKind.infer)
    fail(CudaErrorCode.invalidMemcpyDirection, undefined, { kind: "wrong-direction" });
  return linearCopy(to, symbolAddress(cuda, symbol, offset, bytes), bytes, kind);
}

/** A part of the group "Memory". */
export const copyCalls: ApiGroup["checked"] = {
  cudaMemcpy: (cuda, to: number, from: number, bytes: number, kind: number) =>
    copyNow(cuda, linearCopy(to, from, bytes, kind)),
  cudaMemcpyAsync: (cuda, to: number, from: number, bytes: number, kind: number, stream: number) =>
    copyOnStream(cuda, linearCopy(to, from, bytes, kind), stream),
  cudaMemcpy2D: (
    cuda,
    to: number,
    toPitch: number,
    from: number,
    fromPitch: number,
    width: number,
    height: number,
    kind: number,
  ) => copyNow(cuda, copy2d(to, toPitch, from, fromPitch, width, height, kind)),
  cudaMemcpy2DAsync: (
    cuda,
    to: number,
    toPitch: number,
    from: number,
    fromPitch: number,
    width: number,
    height: number,
    kind: number,
    stream: number,
  ) => copyOnStream(cuda, copy2d(to, toPitch, from, fromPitch, width, height, kind), stream),
  cudaMemcpyPeer: (cuda, to: number, _toDevice: number, from: number, _fromDevice: number, bytes: number) =>
    copyNow(cuda, linearCopy(to, from, bytes, CopyKind.deviceToDevice)),
  cudaMemcpyPeerAsync: (
    cuda,
    to: number,
    _toDevice: number,
    from: number,
    _fromDevice: number,
    bytes: number,
    stream: number,
  ) => copyOnStream(cuda, linearCopy(to, from, bytes, CopyKind.deviceToDevice), stream),
  cudaMemcpyToSymbol: (cuda, symbol: number, from: number, bytes: number, offset: number, kind: number) =>
    copyNow(cuda, toSymbol(cuda, symbol, from, bytes, offset, kind)),
  cudaMemcpyToSymbolAsync: (
    cuda,
    symbol: number,
    from: number,
    bytes: number,
    offset: number,
    kind: number,
    stream: number,
  ) => copyOnStream(cuda, toSymbol(cuda, symbol, from, bytes, offset, kind), stream),
  cudaMemcpyFromSymbol: (cuda, to: number, symbol: number, bytes: number, offset: number, kind: number) =>
    copyNow(cuda, fromSymbol(cuda, to, symbol, bytes, offset, kind)),
  cudaMemcpyFromSymbolAsync: (
    cuda,
    to: number,
    symbol: number,
    bytes: number,
    offset: number,
    kind: number,
    stream: number,
  ) => copyOnStream(cuda, fromSymbol(cuda, to, symbol, bytes, offset, kind), stream),
  cudaMemset: (cuda, pointer: number, value: number, bytes: number) =>
    fillOnStream(cuda, fill2d(pointer, bytes, value, bytes, 1), 0),
  cudaMemsetAsync: (cuda, pointer: number, value: number, bytes: number, stream: number) =>
    fillOnStream(cuda, fill2d(pointer, bytes, value, bytes, 1), stream),
  cudaMemset2D: (cuda, pointer: number, pitch: number, value: number, width: number, height: number) =>
    fillOnStream(cuda, fill2d(pointer, pitch, value, width, height), 0),
  cudaMemset2DAsync: (
    cuda,
    pointer: number,
    pitch: number,
    value: number,
    width: number,
    height: number,
    stream: number,
  ) => fillOnStream(cuda, fill2d(pointer, pitch, value, width, height), stream),
  cudaMemset3D: (cuda, pitched: number, value: number, extent: number) =>
    fillOnStream(cuda, fill3d(cuda, pitched, value, extent), 0),
  cudaMemset3DAsync: (cuda, pitched: number, value: number, extent: number, stream: number) =>
    fillOnStream(cuda, fill3d(cuda, pitched, value, extent), stream),
};
