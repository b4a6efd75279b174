/** A driver that maps memory in a table, for tests without a GPU: it checks what a real one would refuse. */
import type { GpuContext } from "./context.ts";
import type { Driver } from "./driver.ts";

const PAGE = 2 * 1024 * 1024;

export class FakeMappedDriver {
  /** Reserved ranges, by address. */
  readonly reserved: Map<number, number> = new Map();
  /** Mapped ranges, by address: bytes and handle. */
  readonly mapped: Map<number, { bytes: number; handle: bigint }> = new Map();
  /** Physical memory, by handle. */
  readonly physical: Map<bigint, number> = new Map();
  readonly plain: Map<number, number> = new Map();
  canMap = true;
  #next = 0x7000_0000_0000;
  #handle = 1n;

  status(name: string, ...given: unknown[]): number {
    const out = given[0] as BigUint64Array;
    const [a, b] = [Number(given[0]), Number(given[1])];
    switch (name) {
      case "cuMemCreate":
        if (!this.canMap) return 801;
        if (b % PAGE !== 0) throw new Error(`cuMemCreate of ${b} bytes`);
        this.physical.set(this.#handle, b);
        out[0] = this.#handle++;
        return 0;
      case "cuMemAddressReserve": {
        const [, bytes, align, at] = given as [unknown, number, number, number];
        const address = at === 0 ? Math.ceil(this.#next / align) * align : at;
        if (at === 0) this.#next = address + bytes;
        this.reserved.set(address, bytes);
        out[0] = BigInt(address);
        return 0;
      }
      case "cuMemMap": {
        const handle = given[3] as bigint;
        if (this.physical.get(handle) !== b) throw new Error("cuMemMap of another size");
        for (const [start, { bytes }] of this.mapped)
          if (a < start + bytes && start < a + b) throw new Error("cuMemMap over a mapping");
        this.mapped.set(a, { bytes: b, handle });
        return 0;
      }
      case "cuMemSetAccess":
        return this.mapped.has(a) ? 0 : 1;
      case "cuMemUnmap":
        if (this.mapped.get(a)?.bytes !== b) throw new Error("cuMemUnmap of what is not mapped");
        this.mapped.delete(a);
        return 0;
      case "cuMemAddressFree":
        this.reserved.delete(a);
        return 0;
      case "cuMemRelease":
        this.physical.delete(given[0] as bigint);
        return 0;
      case "cuMemAlloc_v2":
        this.plain.set(this.#next, b);
        out[0] = BigInt(this.#next);
        this.#next += b + PAGE;
        return 0;
      case "cuMemFree_v2":
        return this.plain.delete(a) ? 0 : 1;
      case "cuCtxSynchronize":
        return 0;
      default:
        throw new Error(`no ${name}`);
    }
  }

  call(name: string, ...given: unknown[]): void {
    if (this.status(name, ...given) !== 0) throw new Error(`${name} failed`);
  }

  get(): number {
    return PAGE;
  }

  getInt(): number {
    return 1;
  }

  getPair(): readonly [number, number] {
    return [2 ** 36, 2 ** 37];
  }

  error(call: string, status: number): Error {
    return new Error(`${call}: ${status}`);
  }

  /** As much of a context as memory asks for. */
  context(): GpuContext {
    const context = { driver: this as unknown as Driver, device: 0, makeCurrent: () => undefined };
    return context as unknown as GpuContext;
  }
}
