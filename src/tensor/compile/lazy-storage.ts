/** Memory that a traced function makes: it is computed when the trace ends, or when somebody looks at it. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Device, DevicePointer } from "../../device/device.ts";
import { Storage } from "../storage.ts";

/** What can compute the memory. */
export interface Owner {
  /** Elements come from the program's text. False: the memory has to be there. */
  writes(storage: LazyStorage, begin: number, bytes: Uint8Array): boolean;
  /** Computes the memory, by `settle`. */
  demand(storage: LazyStorage): void;
}

export class LazyStorage extends Storage {
  readonly #owner: Owner;
  #real: Storage | null = null;

  constructor(place: Device, bytes: number, owner: Owner) {
    super(place, bytes);
    this.#owner = owner;
  }

  /** The memory; null: it is not computed yet. */
  get real(): Storage | null {
    return this.#real;
  }

  settle(real: Storage): void {
    real.retain();
    this.#real = real;
  }

  get pointer(): DevicePointer {
    return this.#settled().pointer;
  }

  read(begin: number, bytes: number): Uint8Array<ArrayBuffer> {
    return bytes === 0 ? new Uint8Array(0) : this.#settled().read(begin, bytes);
  }

  write(begin: number, bytes: Uint8Array): void {
    if (this.#real === null && this.#owner.writes(this, begin, bytes)) return;
    this.#settled().write(begin, bytes);
  }

  protected free(): void {
    this.#real?.release();
  }

  #settled(): Storage {
    if (this.#real === null) this.#owner.demand(this);
    if (this.#real === null)
      throw new HeddleError(
        "bad-arguments",
        "this tensor was made inside of a compiled function, which did not return it",
        { notes: ["a compiled function computes what it returns, gradients, and what it changes in place: return it"] },
      );
    return this.#real;
  }
}
