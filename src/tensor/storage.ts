/** Memory of tensors: on the host, or on a device. Tensors that are views of one another share it. */
import type { Device, DevicePointer } from "../device/device.ts";

/** Where a tensor's memory is: a device, or null for the host. */
export type Place = Device | null;

export abstract class Storage {
  readonly place: Place;
  readonly bytes: number;
  #references = 0;

  constructor(place: Place, bytes: number) {
    this.place = place;
    this.bytes = bytes;
  }

  /** The address of the first byte. */
  abstract readonly pointer: DevicePointer;
  /** A copy of `bytes` bytes. */
  abstract read(begin: number, bytes: number): Uint8Array<ArrayBuffer>;
  abstract write(begin: number, bytes: Uint8Array): void;
  protected abstract free(): void;

  retain(): void {
    this.#references++;
  }

  release(): void {
    if (--this.#references === 0) this.free();
  }
}

let hostAddresses = 4096;

class HostStorage extends Storage {
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly pointer = hostAddresses;

  constructor(bytes: number) {
    super(null, bytes);
    this.#memory = new Uint8Array(bytes);
    hostAddresses += Math.ceil((bytes + 1) / 64) * 64;
  }

  read(begin: number, bytes: number): Uint8Array<ArrayBuffer> {
    return this.#memory.slice(begin, begin + bytes);
  }

  write(begin: number, bytes: Uint8Array): void {
    this.#memory.set(bytes, begin);
  }

  protected free(): void {
    // The garbage collector does.
  }
}

class DeviceStorage extends Storage {
  readonly #device: Device;
  readonly pointer: DevicePointer;

  constructor(device: Device, bytes: number) {
    super(device, bytes);
    this.#device = device;
    this.pointer = bytes === 0 ? 0 : device.allocate(bytes);
  }

  read(begin: number, bytes: number): Uint8Array<ArrayBuffer> {
    const target = new Uint8Array(bytes);
    if (bytes > 0) this.#device.read(this.pointer + begin, target);
    return target;
  }

  write(begin: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#device.write(this.pointer + begin, bytes);
  }

  protected free(): void {
    // After a fault the device's memory is gone as a whole.
    if (this.pointer !== 0 && this.#device.fault === null) this.#device.free(this.pointer);
  }
}

/** @throws HeddleError "out-of-memory" */
export function allocate(place: Place, bytes: number): Storage {
  return place === null ? new HostStorage(bytes) : new DeviceStorage(place, bytes);
}
