/**
 * Texture and surface objects, and texture references (runtime API reference, "Texture Object Management", "Surface
 * Object Management").
 *
 * An object is the address of a descriptor in device memory (include/heddle/texture_descriptor.h), which the device
 * headers read. A texture reference is a device variable of 8 bytes that holds such an address once something is bound
 * to it; its attributes (filtering, addressing) are read from the host's struct when binding.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { ARRAY_RESOURCE, LINEAR_RESOURCE, PITCH_2D_RESOURCE } from "../structs.ts";
import type { ApiGroup } from "./api-table.ts";
import type { ChannelFormat } from "./arrays.ts";
import { arrayState, readFormat, texelBytesOf } from "./arrays.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";

const DESCRIPTOR_BYTES = 96;
const TEXTURE_DESC_BYTES = 72;
const ARRAY_LAYERED = 1;
const NO_OBJECT = "the texture or surface object does not exist";

interface Storage {
  readonly pointer: number;
  readonly format: ChannelFormat;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly pitch: number;
  readonly layered: boolean;
  /** Plain memory read by index. */
  readonly linear: boolean;
}

interface Sampling {
  readonly addressMode: readonly [number, number, number];
  readonly filterMode: number;
  readonly readMode: number;
  readonly normalized: boolean;
  readonly border: readonly [number, number, number, number];
}

interface TextureObject {
  readonly resource: Uint8Array;
  readonly texture: Uint8Array;
}

function objects(cuda: CudaContext): Map<number, TextureObject> {
  return cuda.extension("texture objects", () => new Map<number, TextureObject>());
}

const POINT: Sampling = { addressMode: [1, 1, 1], filterMode: 0, readMode: 0, normalized: false, border: [0, 0, 0, 0] };

/** The bytes of a struct cudaResourceDesc, whose longest member is that of planes. */
function resourceAt(cuda: CudaContext, address: number): Uint8Array {
  return cuda.memory.slice(address, PITCH_2D_RESOURCE.size(cuda.memory.model));
}

function object(cuda: CudaContext, handle: bigint): TextureObject {
  return objects(cuda).get(Number(handle)) ?? fail(CudaErrorCode.invalidValue, NO_OBJECT);
}

/** struct cudaResourceDesc: its type says which member of its union holds. */
function readResource(cuda: CudaContext, desc: number): Storage {
  const m = cuda.memory;
  switch (m.u32(desc)) {
    case 0: {
      const array = arrayState(cuda, ARRAY_RESOURCE.read(m, desc).array);
      return {
        pointer: array.pointer,
        format: array.format,
        width: array.width,
        height: array.height,
        depth: array.depth,
        pitch: array.pitch,
        layered: (array.flags & ARRAY_LAYERED) !== 0,
        linear: false,
      };
    }
    case 2: {
      const linear = LINEAR_RESOURCE.read(m, desc);
      const format = readFormat(cuda, linear.desc);
      return {
        pointer: linear.devPtr,
        format,
        width: Math.floor(linear.sizeInBytes / texelBytesOf(format)),
        height: 0,
        depth: 0,
        pitch: linear.sizeInBytes,
        layered: false,
        linear: true,
      };
    }
    case 3: {
      const { devPtr, desc: format, width, height, pitchInBytes } = PITCH_2D_RESOURCE.read(m, desc);
      return {
        pointer: devPtr,
        format: readFormat(cuda, format),
        width,
        height,
        depth: 0,
        pitch: pitchInBytes,
        layered: false,
        linear: false,
      };
    }
    default:
      return fail(CudaErrorCode.notSupported, "mipmapped arrays are not supported yet");
  }
}

/** struct cudaTextureDesc: addressMode[3], filterMode, readMode, sRGB, borderColor[4], normalizedCoords, … */
function readSampling(cuda: CudaContext, desc: number): Sampling {
  const m = cuda.memory;
  return {
    addressMode: [m.u32(desc), m.u32(desc + 4), m.u32(desc + 8)],
    filterMode: m.u32(desc + 12),
    readMode: m.u32(desc + 16),
    border: [m.f32(desc + 24), m.f32(desc + 28), m.f32(desc + 32), m.f32(desc + 36)],
    normalized: m.i32(desc + 40) !== 0,
  };
}

/**
 * struct textureReference: normalized, filterMode, addressMode[3], channelDesc, sRGB, …; its last word is the read
 * mode.
 */
function readReference(cuda: CudaContext, reference: number): Sampling {
  const m = cuda.memory;
  return {
    addressMode: [m.u32(reference + 8), m.u32(reference + 12), m.u32(reference + 16)],
    filterMode: m.u32(reference + 4),
    readMode: m.u32(reference + 68),
    normalized: m.i32(reference) !== 0,
    border: [0, 0, 0, 0],
  };
}

function makeDescriptor(cuda: CudaContext, storage: Storage, sampling: Sampling): number {
  const { format } = storage;
  const channels = format.bits.filter((bits) => bits > 0).length;
  if (channels === 0) fail(CudaErrorCode.invalidChannelDescriptor);
  if (sampling.filterMode === 1 && sampling.readMode === 0 && format.kind !== 2)
    fail(CudaErrorCode.invalidValue, "linear filtering needs floating-point texels, or cudaReadModeNormalizedFloat");
  const bytes = new Uint8Array(DESCRIPTOR_BYTES);
  const view = new DataView(bytes.buffer);
  const words = [
    storage.pointer,
    storage.width,
    storage.height,
    storage.depth,
    storage.pitch,
    storage.pitch * Math.max(1, storage.height),
    texelBytesOf(format),
    channels,
    format.bits[0],
    format.kind,
    ...sampling.addressMode,
    sampling.filterMode,
    sampling.readMode,
    sampling.normalized ? 1 : 0,
  ];
  words.forEach((word, index) => view.setUint32(4 * index, word, true));
  sampling.border.forEach((value, index) => view.setFloat32(64 + 4 * index, value, true));
  view.setUint32(80, storage.layered ? 1 : 0, true);
  view.setUint32(84, storage.linear ? 1 : 0, true);
  view.setUint32(88, Math.floor(storage.pointer / 2 ** 32), true);
  const { device } = cuda.current;
  const pointer = device.allocate(DESCRIPTOR_BYTES);
  device.write(pointer, bytes);
  return pointer;
}

function destroy(cuda: CudaContext, object: bigint): void {
  const pointer = Number(object);
  if (!objects(cuda).delete(pointer)) fail(CudaErrorCode.invalidValue, NO_OBJECT);
  cuda.ownerOf(pointer)?.state.device.free(pointer);
}

interface BoundReference {
  descriptor: number;
  offset: number;
}

function bind(cuda: CudaContext, reference: number, storage: Storage): void {
  const bound = cuda.extension("texture references", () => new Map<number, BoundReference>());
  unbind(cuda, reference);
  const descriptor = makeDescriptor(cuda, storage, readReference(cuda, reference));
  const symbol = cuda.registry.symbol(reference, cuda.current);
  const value = new Uint8Array(8);
  new DataView(value.buffer).setBigUint64(0, BigInt(descriptor), true);
  cuda.current.device.write(symbol.pointer, value.subarray(0, Math.min(8, symbol.bytes)));
  bound.set(reference, { descriptor, offset: 0 });
}

function unbind(cuda: CudaContext, reference: number): void {
  const bound = cuda.extension("texture references", () => new Map<number, BoundReference>());
  const old = bound.get(reference);
  if (old === undefined) return;
  cuda.ownerOf(old.descriptor)?.state.device.free(old.descriptor);
  bound.delete(reference);
}

export const textureApi: ApiGroup = {
  name: "Textures and surfaces",
  plain: {
    /** __cudaRegisterTexture(handle, hostVar, deviceAddress**, deviceName, dim, normalized, external) */
    __cudaRegisterTexture: (cuda, handle: number, hostVariable: number, _address: number, deviceName: number) =>
      cuda.registry.addVariable(hostVariable, {
        program: handle - 1,
        name: cuda.memory.cString(deviceName),
        bytes: 8,
      }),
    __cudaRegisterSurface: (cuda, handle: number, hostVariable: number, _address: number, deviceName: number) =>
      cuda.registry.addVariable(hostVariable, {
        program: handle - 1,
        name: cuda.memory.cString(deviceName),
        bytes: 8,
      }),
  },
  checked: {
    cudaCreateTextureObject(cuda, out: number, resource: number, texture: number) {
      const pointer = makeDescriptor(
        cuda,
        readResource(cuda, resource),
        texture === 0 ? POINT : readSampling(cuda, texture),
      );
      objects(cuda).set(pointer, {
        resource: resourceAt(cuda, resource).slice(),
        texture:
          texture === 0 ? new Uint8Array(TEXTURE_DESC_BYTES) : cuda.memory.slice(texture, TEXTURE_DESC_BYTES).slice(),
      });
      cuda.memory.setU64(out, BigInt(pointer));
    },
    cudaDestroyTextureObject: destroy,
    cudaGetTextureObjectResourceDesc: (cuda, out: number, handle: bigint) =>
      resourceAt(cuda, out).set(object(cuda, handle).resource),
    cudaGetTextureObjectTextureDesc: (cuda, out: number, handle: bigint) =>
      cuda.memory.slice(out, TEXTURE_DESC_BYTES).set(object(cuda, handle).texture),
    cudaCreateSurfaceObject(cuda, out: number, resource: number) {
      const pointer = makeDescriptor(cuda, readResource(cuda, resource), POINT);
      objects(cuda).set(pointer, {
        resource: resourceAt(cuda, resource).slice(),
        texture: new Uint8Array(TEXTURE_DESC_BYTES),
      });
      cuda.memory.setU64(out, BigInt(pointer));
    },
    cudaDestroySurfaceObject: destroy,
    cudaBindTexture(cuda, offset: number, reference: number, pointer: number, formatAddress: number, size: number) {
      const format = readFormat(cuda, formatAddress);
      const owner =
        cuda.ownerOf(unsigned(pointer)) ??
        fail(CudaErrorCode.invalidValue, "a texture can only be bound to device memory");
      const bytes = Math.min(unsigned(size), owner.pointer + owner.bytes - unsigned(pointer));
      bind(cuda, reference, {
        pointer: unsigned(pointer),
        format,
        width: Math.floor(bytes / texelBytesOf(format)),
        height: 0,
        depth: 0,
        pitch: bytes,
        layered: false,
        linear: true,
      });
      if (offset !== 0) cuda.memory.setPointer(offset, 0);
    },
    cudaBindTexture2D(
      cuda,
      offset: number,
      reference: number,
      pointer: number,
      format: number,
      width: number,
      height: number,
      pitch: number,
    ) {
      bind(cuda, reference, {
        pointer: unsigned(pointer),
        format: readFormat(cuda, format),
        width,
        height,
        depth: 0,
        pitch,
        layered: false,
        linear: false,
      });
      if (offset !== 0) cuda.memory.setPointer(offset, 0);
    },
    cudaBindTextureToArray(cuda, reference: number, handle: number) {
      const array = arrayState(cuda, handle);
      bind(cuda, reference, {
        pointer: array.pointer,
        format: array.format,
        width: array.width,
        height: array.height,
        depth: array.depth,
        pitch: array.pitch,
        layered: (array.flags & ARRAY_LAYERED) !== 0,
        linear: false,
      });
    },
    cudaUnbindTexture: unbind,
    cudaGetTextureAlignmentOffset: (cuda, out: number) => cuda.memory.setPointer(out, 0),
    cudaGetTextureReference: (cuda, out: number, symbol: number) => cuda.memory.setPointer(out, symbol),
    cudaDeviceGetTexture1DLinearMaxWidth: (cuda, out: number) => cuda.memory.setPointer(out, 268435456),
  },
  notes: {
    cudaCreateTextureObject: "no mipmaps, no sRGB, no resource views",
    cudaBindTexture: "attributes are read when binding",
  },
};
