/**
 * The device's linear memory as a kernel sees it: every access is checked against the window of legal addresses and for
 * alignment, and every change is counted, so that the scheduler knows when threads that spin can see anything new.
 */
import type { IrType } from "../../ir/model/ir.ts";
import { storeSize } from "../../ir/model/layout.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import { loaderOf, storerOf, type Value } from "./value.ts";

/** A WebAssembly.Memory, or what stands for one: its buffer is another one after it has grown. */
interface GrowingMemory {
  readonly buffer: ArrayBufferLike;
}

/** Thrown by an instruction that cannot be executed. The scheduler adds the thread and the source line. */
export class Fault extends Error {
  readonly kind: DeviceFault["kind"];
  readonly access: DeviceFault["access"];
  assertion: DeviceFault["assertion"];
  constructor(kind: DeviceFault["kind"], message: string, access?: DeviceFault["access"]) {
    super(message);
    this.kind = kind;
    this.access = access;
  }
}

/** Thrown where a grid that this one has launched and waits for has ended in a fault: so does the launch. */
export class ChildFault extends Error {
  readonly fault: DeviceFault;
  constructor(fault: DeviceFault) {
    super(fault.message);
    this.fault = fault;
  }
}

export type AccessKind = "load" | "store" | "atomic";

export class DeviceMemory {
  readonly #memory: GrowingMemory;
  /** One past the last legal address. */
  top: number;
  view: DataView;
  bytes: Uint8Array;
  /** Counts the stores that changed something, unless `countsChanges` is false. */
  version = 0;
  countsChanges = true;

  constructor(memory: GrowingMemory, top: number) {
    this.#memory = memory;
    this.top = top;
    this.bytes = new Uint8Array(memory.buffer);
    this.view = new DataView(memory.buffer);
  }

  /** After anything that may have grown the memory. */
  refresh(): void {
    if (this.bytes.buffer === this.#memory.buffer && this.bytes.byteLength === this.#memory.buffer.byteLength) return;
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.view = new DataView(this.#memory.buffer);
  }

  /** Windows that were allocated for this launch are legal too. */
  includeWindow(end: number): void {
    this.top = Math.max(this.top, end);
  }

  check(address: number, bytes: number, align: number, kind: AccessKind): void {
    if (address < USER_BASE || address + bytes > this.top)
      throw new Fault(
        "illegal-address",
        `${kind} of ${bytes} bytes at address 0x${address.toString(16)}, outside the memory in use`,
        { address, bytes, kind },
      );
    if (address % align !== 0)
      throw new Fault(
        "misaligned-address",
        `${kind} of ${bytes} bytes at address 0x${address.toString(16)}, which is not a multiple of ${align}`,
        { address, bytes, kind },
      );
  }

  /** Whether the bytes at `address` are those of `before`, and if not, counts a change. */
  noteChange(address: number, before: Uint8Array): void {
    for (let i = 0; i < before.length; i++)
      if (this.bytes[address + i] !== before[i]) {
        this.version++;
        return;
      }
  }

  copyWithin(destination: number, source: number, count: number): void {
    if (count === 0) return;
    this.check(source, count, 1, "load");
    this.check(destination, count, 1, "store");
    this.version++;
    this.bytes.copyWithin(destination, source, source + count);
  }

  fill(destination: number, value: number, count: number): void {
    if (count === 0) return;
    this.check(destination, count, 1, "store");
    this.version++;
    this.bytes.fill(value, destination, destination + count);
  }

  /** The zero-terminated bytes at `address`, one character each (UTF-8 is decoded by whoever prints). */
  readString(address: number, limit: number = Infinity): string {
    const codes: number[] = [];
    for (let a = address; codes.length < limit; a++) {
      this.check(a, 1, 1, "load");
      const code = this.bytes[a] as number;
      if (code === 0) break;
      codes.push(code);
    }
    return decoder.decode(new Uint8Array(codes));
  }
}

const decoder = new TextDecoder();

/**
 * The alignment that an access must have: what the instruction promises, but no more than the hardware needs, which is
 * the access's size (a load of 4 bytes that the compiler knows to be 16-aligned would not trap at a multiple of 4).
 */
function requiredAlign(type: IrType, align: number): number {
  const size = storeSize(type);
  let natural = 1;
  while (natural * 2 <= size && natural < 16) natural *= 2;
  return Math.max(1, Math.min(align || natural, natural));
}

/** A checked load of one type. */
export function checkedLoad(
  type: IrType,
  align: number,
  kind: AccessKind = "load",
): (memory: DeviceMemory, address: number) => Value {
  const load = loaderOf(type);
  const size = storeSize(type);
  const required = requiredAlign(type, align);
  return (memory, address) => {
    memory.check(address, size, required, kind);
    return load(memory.view, address);
  };
}

/** A checked store of one type. */
export function checkedStore(
  type: IrType,
  align: number,
  kind: AccessKind = "store",
): (memory: DeviceMemory, address: number, value: Value) => void {
  const store = storerOf(type);
  const size = storeSize(type);
  const required = requiredAlign(type, align);
  return (memory, address, value) => {
    memory.check(address, size, required, kind);
    if (!memory.countsChanges) return store(memory.view, address, value);
    const before = memory.bytes.slice(address, address + size);
    store(memory.view, address, value);
    memory.noteChange(address, before);
  };
}
