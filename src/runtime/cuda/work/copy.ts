/**
 * Copies and fills: which memory an address means, whether the range is allocated, and the bytes themselves.
 *
 * A copy has up to three extents; rows and slices have pitches, as cudaMemcpy2D and cudaMemcpy3D. Ranges that leave
 * their allocation and directions that do not fit the pointers give cudaErrorInvalidValue, with the reason as detail.
 */
import { unsigned } from "../../../base/unsigned.ts";
import type { StreamId } from "../../../device/device.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, fail, hex } from "../errors.ts";
import type { CopyEnd, CopyRequest, FillRequest } from "./requests.ts";
import { waitForDevice } from "./waiting.ts";

/** cudaMemcpyKind */
export const CopyKind: {
  readonly hostToHost: 0;
  readonly hostToDevice: 1;
  readonly deviceToHost: 2;
  readonly deviceToDevice: 3;
  readonly infer: 4;
} = {
  hostToHost: 0,
  hostToDevice: 1,
  deviceToHost: 2,
  deviceToDevice: 3,
  infer: 4,
};

/** Where an address lies. */
export type Place =
  | { readonly side: "host"; readonly address: number }
  | { readonly side: "device"; readonly address: number; readonly state: DeviceState };

export function linearCopy(to: number, from: number, bytes: number, kind: number): CopyRequest {
  return {
    to: { address: unsigned(to), pitch: bytes, slicePitch: bytes },
    from: { address: unsigned(from), pitch: bytes, slicePitch: bytes },
    widthBytes: unsigned(bytes),
    height: 1,
    depth: 1,
    kind,
  };
}

/**
 * Finds the memory that holds [address, address + bytes). `expected` is what the copy's kind says, or null to infer.
 */
export function locate(
  cuda: CudaContext,
  address: number,
  bytes: number,
  expected: "host" | "device" | null,
  what: string,
): Place {
  // Managed and mapped memory: the host's copy is the truth between launches.
  const mirrored = cuda.mirrored.find(address);
  if (mirrored !== null && (mirrored.hostAddress === mirrored.deviceAddress || expected !== "device")) {
    if (mirrored.hostAddress === mirrored.deviceAddress && address + bytes > mirrored.hostAddress + mirrored.bytes)
      fail(CudaErrorCode.invalidValue, pastTheEnd(what, address, bytes, mirrored.hostAddress, mirrored.bytes), {
        kind: "beyond-allocation",
        address,
      });
    return { side: "host", address };
  }
  const mapped = expected === "host" ? null : cuda.mirrored.findDevice(address);
  if (mapped !== null) return { side: "host", address: mapped.hostAddress + (address - mapped.deviceAddress) };
  if (expected !== "host") {
    const owner = cuda.ownerOf(address);
    if (owner !== null) {
      if (address + bytes > owner.pointer + owner.bytes)
        fail(CudaErrorCode.invalidValue, pastTheEnd(what, address, bytes, owner.pointer, owner.bytes), {
          kind: "beyond-allocation",
          address,
        });
      return { side: "device", address, state: owner.state };
    }
    // A pinned pointer where the kind says device: the driver goes by the pointer.
    if (expected === "device" && mirrored !== null) return { side: "host", address };
    if (expected === "device") {
      const guess = address < cuda.memory.size ? "; it looks like a host pointer" : "";
      fail(CudaErrorCode.invalidValue, `the ${what} ${hex(address)} is not device memory${guess}`, {
        kind: "wrong-pointer",
        address,
      });
    }
  }
  if (address + bytes > cuda.memory.size) {
    // A device pointer where the kind says host: the driver goes by the pointer (seen on an H200).
    if (expected === "host" && cuda.ownerOf(address) !== null) return locate(cuda, address, bytes, "device", what);
    fail(CudaErrorCode.invalidValue, `the ${what} [${hex(address)}, +${bytes}) is in no memory of the program`, {
      kind: "wrong-pointer",
      address,
    });
  }
  if (address < 1024)
    fail(CudaErrorCode.invalidValue, `the ${what} is a null pointer`, { kind: "wrong-pointer", address });
  return { side: "host", address };
}

function pastTheEnd(what: string, address: number, bytes: number, start: number, size: number): string {
  const past = address + bytes - (start + size);
  const allocation = `its allocation of ${size} bytes at ${hex(start)}`;
  return `the ${what} [${hex(address)}, +${bytes}) passes the end of ${allocation} by ${past} bytes`;
}

/** Bytes from the first to past the last one that a strided access touches. */
function span(end: { pitch: number; slicePitch: number }, widthBytes: number, height: number, depth: number): number {
  return (depth - 1) * end.slicePitch + (height - 1) * end.pitch + widthBytes;
}

const SIDES: readonly (readonly ["host" | "device" | null, "host" | "device" | null])[] = [
  ["host", "host"],
  ["device", "host"],
  ["host", "device"],
  ["device", "device"],
  [null, null],
];

/** Throws CudaFailure when the ranges, pitches or kind are wrong. */
export function checkCopy(cuda: CudaContext, copy: CopyRequest): { to: Place; from: Place } | null {
  const sides = SIDES[copy.kind] ?? fail(CudaErrorCode.invalidMemcpyDirection, undefined, { kind: "wrong-direction" });
  const { widthBytes, height, depth } = copy;
  if (widthBytes === 0 || height === 0 || depth === 0) return null;
  cuda.observer?.copying(copy);
  if (height > 1 && (copy.to.pitch < widthBytes || copy.from.pitch < widthBytes))
    fail(
      CudaErrorCode.invalidPitchValue,
      `a row of ${widthBytes} bytes is wider than a pitch (${copy.to.pitch}, ${copy.from.pitch})`,
    );
  return {
    to: locate(cuda, copy.to.address, span(copy.to, widthBytes, height, depth), sides[0], "destination"),
    from: locate(cuda, copy.from.address, span(copy.from, widthBytes, height, depth), sides[1], "source"),
  };
}

/** Bytes that the two ends of a copy span. */
export function copySpans({ to, from, widthBytes, height, depth }: CopyRequest): {
  readonly to: number;
  readonly from: number;
} {
  return { to: span(to, widthBytes, height, depth), from: span(from, widthBytes, height, depth) };
}

/** @param stream null: a copy that the host waits for. Without a queue every copy is done in its call. */
export function runCopy(cuda: CudaContext, copy: CopyRequest, stream: StreamId | null = null): void {
  const places = checkCopy(cuda, copy);
  if (places === null) return;
  if (places.to.side === "host" && places.from.side === "host") {
    waitForUsers(cuda, places.to.address);
    waitForUsers(cuda, places.from.address);
  }
  const { widthBytes, height, depth, to, from } = copy;
  const dense = (end: CopyEnd): boolean =>
    (height === 1 || end.pitch === widthBytes) && (depth === 1 || end.slicePitch === widthBytes * height);
  if (dense(to) && dense(from)) {
    moveBytes(cuda, places.to, places.from, 0, 0, widthBytes * height * depth, stream);
    return;
  }
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++)
      moveBytes(
        cuda,
        places.to,
        places.from,
        z * to.slicePitch + y * to.pitch,
        z * from.slicePitch + y * from.pitch,
        widthBytes,
        stream,
      );
  }
}

/** The host moves these bytes itself: kernels that use them as they are must be done. */
function waitForUsers(cuda: CudaContext, address: number): void {
  const allocation = cuda.mirrored.find(address);
  if (allocation?.isShared === true) waitForDevice(cuda, allocation.owner);
}

function moveBytes(
  cuda: CudaContext,
  to: Place,
  from: Place,
  toOffset: number,
  fromOffset: number,
  bytes: number,
  stream: StreamId | null,
): void {
  const target = to.address + toOffset;
  const source = from.address + fromOffset;
  if (from.side === "host") cuda.observer?.movedOnHost(source, bytes, false);
  if (to.side === "host") cuda.observer?.movedOnHost(target, bytes, true);
  if (to.side === "host") {
    if (from.side === "host") cuda.memory.bytes.copyWithin(target, source, source + bytes);
    else {
      const { device } = from.state;
      if (stream === null || device.queue === null) device.read(source, cuda.memory.slice(target, bytes));
      else device.queue.read(source, cuda.memory.slice(target, bytes), stream);
    }
  } else if (from.side === "host") {
    const { device } = to.state;
    if (stream === null || device.queue === null) device.write(target, cuda.memory.slice(source, bytes));
    else device.queue.write(target, cuda.memory.slice(source, bytes), stream);
  } else if (to.state === from.state) {
    const { device } = to.state;
    if (stream === null || device.queue === null) device.copy(target, source, bytes);
    else device.queue.copy(target, source, bytes, stream);
  } else if (to.state.device.copyFromPeer?.(target, from.state.device, source, bytes) !== true) {
    const buffer = new Uint8Array(bytes);
    from.state.device.read(source, buffer);
    to.state.device.write(target, buffer);
  }
}

export function checkFill(cuda: CudaContext, fill: FillRequest): Place | null {
  const rowBytes = fill.width * fill.elementBytes;
  if (rowBytes === 0 || fill.height === 0 || fill.depth === 0) return null;
  if (fill.height > 1 && fill.pitch < rowBytes)
    fail(CudaErrorCode.invalidValue, `a row of ${rowBytes} bytes is wider than the pitch ${fill.pitch}`);
  return locate(cuda, fill.address, span(fill, rowBytes, fill.height, fill.depth), "device", "destination");
}

export function runFill(cuda: CudaContext, fill: FillRequest, stream: StreamId): void {
  const place = checkFill(cuda, fill);
  if (place === null) return;
  if (place.side === "host") waitForUsers(cuda, place.address);
  const rowBytes = fill.width * fill.elementBytes;
  const dense =
    (fill.height === 1 || fill.pitch === rowBytes) && (fill.depth === 1 || fill.slicePitch === rowBytes * fill.height);
  const rows = dense ? 1 : fill.height;
  const slices = dense ? 1 : fill.depth;
  const count = dense ? fill.width * fill.height * fill.depth : fill.width;
  for (let z = 0; z < slices; z++) {
    for (let y = 0; y < rows; y++) {
      const address = place.address + z * fill.slicePitch + y * fill.pitch;
      if (place.side === "device") {
        const { device } = place.state;
        if (device.queue === null) device.fill(address, fill.value, fill.elementBytes, count);
        else device.queue.fill(address, fill.value, fill.elementBytes, count, stream);
        continue;
      }
      cuda.observer?.movedOnHost(address, count * fill.elementBytes, true);
      fillHost(cuda.memory.slice(address, count * fill.elementBytes), fill.value, fill.elementBytes);
    }
  }
}

function fillHost(target: Uint8Array, value: number, elementBytes: 1 | 2 | 4): void {
  if (elementBytes === 1) target.fill(value & 0xff);
  else for (let i = 0; i < target.length; i++) target[i] = (value >>> (8 * (i % elementBytes))) & 0xff;
}
