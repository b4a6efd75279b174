/**
 * The tensors that an extension holds: a number for each, a record of it in the extension's memory, and for tensors of
 * the host a copy of their elements there until the call from outside ends.
 */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { elementBytes } from "../tensor/dtypes.ts";
import type { Storage } from "../tensor/storage.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { DEVICE_CPU, DEVICE_CUDA, numberOfDtype, type ValueMemory } from "./values.ts";

/** Of struct TensorRecord in include/heddle/torch/values.h. */
const RECORD = { references: 0, id: 4, data: 8, types: 16, deviceIndex: 20, elements: 24, offset: 32, sizes: 40 };
const REQUIRES_GRADIENT = 1;
const CONTIGUOUS = 2;
const LEAF = 4;

interface Mirror {
  readonly storage: Storage;
  readonly address: number;
}

export interface HandlesOptions {
  readonly values: ValueMemory;
  readonly free: (pointer: number) => void;
  /** The address by which the extension's kernels know the tensor's first element. Throws for other devices'. */
  readonly address: (tensor: Tensor) => number;
}

export class TensorHandles {
  readonly #options: HandlesOptions;
  readonly #tensors: (Tensor | null)[] = [];
  readonly #unused: number[] = [];
  readonly #mirrors = new Map<Storage, Mirror>();

  constructor(options: HandlesOptions) {
    this.#options = options;
  }

  /** Records that the extension has not dropped. */
  get count(): number {
    return this.#tensors.length - this.#unused.length;
  }

  /** The tensor of a record. */
  get(record: number): Tensor {
    return this.byId(this.#options.values.memory.u32(record + RECORD.id));
  }

  byId(id: number): Tensor {
    return this.#tensors[id] ?? bug(`an extension names the tensor ${id}, which it has released`);
  }

  /** A record of a tensor, with one reference, which is the extension's to drop. The tensor is retained. */
  record(tensor: Tensor): number {
    const { values, address } = this.#options;
    const { shape, strides, place } = tensor;
    const data = place === null ? 0 : address(tensor);
    const id = this.#unused.pop() ?? this.#tensors.length;
    this.#tensors[id] = tensor.retain();
    const record = values.allocate(RECORD.sizes + 16 * shape.length);
    const { view } = values.memory;
    view.setInt32(record + RECORD.references, 1, true);
    view.setInt32(record + RECORD.id, id, true);
    setInteger(view, record + RECORD.data, data);
    view.setUint8(record + RECORD.types, numberOfDtype(tensor.dtype));
    view.setUint8(record + RECORD.types + 1, place === null ? DEVICE_CPU : DEVICE_CUDA);
    view.setUint8(record + RECORD.types + 2, shape.length);
    view.setUint8(record + RECORD.types + 3, flagsOf(tensor));
    view.setInt32(record + RECORD.deviceIndex, 0, true);
    setInteger(view, record + RECORD.elements, tensor.length);
    setInteger(view, record + RECORD.offset, tensor.offset);
    for (let d = 0; d < shape.length; d++) {
      setInteger(view, record + RECORD.sizes + 8 * d, shape[d] as number);
      setInteger(view, record + RECORD.sizes + 8 * (shape.length + d), strides[d] as number);
    }
    return record;
  }

  /** The extension has dropped its last reference to a record. */
  release(id: number): void {
    const tensor = this.byId(id);
    this.#tensors[id] = null;
    this.#unused.push(id);
    tensor.release();
  }

  /** The address of a host tensor's first element in the extension's memory. */
  hostData(id: number): number {
    const tensor = this.byId(id);
    const { storage, offset, dtype } = tensor;
    let mirror = this.#mirrors.get(storage);
    if (mirror === undefined) {
      const { values } = this.#options;
      const address = values.allocate(Math.max(storage.bytes, 1));
      if (address === 0)
        throw new HeddleError(
          "out-of-memory",
          `an extension has no memory left for a copy of a host tensor of ${storage.bytes} bytes`,
        );
      values.memory.slice(address, storage.bytes).set(storage.read(0, storage.bytes));
      storage.retain();
      mirror = { storage, address };
      this.#mirrors.set(storage, mirror);
    }
    return mirror.address + offset * elementBytes(dtype);
  }

  /** What the extension has written to host tensors becomes theirs. */
  toTensors(): void {
    for (const { storage, address } of this.#mirrors.values())
      storage.write(0, this.#options.values.memory.slice(address, storage.bytes));
  }

  /** What operations have written to host tensors becomes the extension's. */
  toExtension(): void {
    for (const { storage, address } of this.#mirrors.values())
      this.#options.values.memory.slice(address, storage.bytes).set(storage.read(0, storage.bytes));
  }

  /** Ends a call from outside: host tensors have their elements, and the copies are gone. */
  endCall(): void {
    if (this.#mirrors.size === 0) return;
    this.toTensors();
    for (const { storage, address } of this.#mirrors.values()) {
      this.#options.free(address);
      storage.release();
    }
    this.#mirrors.clear();
  }

  /** Releases everything: the extension is gone. */
  clear(): void {
    for (const tensor of this.#tensors) tensor?.release();
    this.#tensors.length = 0;
    this.#unused.length = 0;
  }
}

function flagsOf(tensor: Tensor): number {
  const requires = tensor.requiresGradient;
  return (
    (requires ? REQUIRES_GRADIENT : 0) | (tensor.isContiguous ? CONTIGUOUS : 0) | (tensor.node === null ? LEAF : 0)
  );
}

function setInteger(view: DataView, at: number, value: number): void {
  view.setInt32(at, value | 0, true);
  view.setInt32(at + 4, Math.floor(value / 2 ** 32), true);
}
