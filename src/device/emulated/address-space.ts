/**
 * Addresses apart from the memory behind them (cuMemAddressReserve, cuMemMap). The emulated device has no page tables:
 * a reservation takes a part of the heap's addresses, and its parts become memory, and addresses again.
 */
import { bug } from "../../base/diagnostics.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type { Arena } from "../common/arena.ts";
import type { AddressRange } from "../common/range-tree.ts";
import type { DeviceAddressSpace } from "../device.ts";
import type { HeapBlock } from "./memory.ts";

type Purpose = HeapBlock["purpose"];

export interface AddressSpaceParts {
  readonly heap: Arena<HeapBlock>;
  readonly observer: DeviceObserver | null;
  /** Takes addresses that are free. Throws HeddleError "out-of-memory". */
  reserve(bytes: number, align: number): HeapBlock;
  newVersion(): number;
  changed(): void;
}

export class AddressSpace implements DeviceAddressSpace {
  /** As on an A100 and an H100. */
  readonly granularity: number = 2 * 1024 * 1024;
  /** Nothing is compressed here, and no program can tell. */
  readonly canCompress: boolean = true;
  readonly #parts: AddressSpaceParts;

  constructor(parts: AddressSpaceParts) {
    this.#parts = parts;
  }

  reserve(bytes: number, align: number): number {
    return this.#parts.reserve(bytes, Math.max(align, this.granularity)).start;
  }

  release({ start, bytes }: AddressRange): void {
    this.#cut(start, bytes, "reserved");
    this.#parts.changed();
  }

  open({ start, bytes }: AddressRange, within: AddressRange): void {
    this.#cut(start, bytes, "reserved");
    this.#put(start, bytes, "mapped", within);
    this.#parts.observer?.allocated?.({ start, bytes, purpose: "user", isHostCopied: false });
  }

  close({ start, bytes }: AddressRange, within: AddressRange): void {
    this.#cut(start, bytes, "mapped");
    this.#put(start, bytes, "reserved", within);
    this.#parts.observer?.freed?.({ start, bytes, purpose: "user" });
  }

  /** Frees a part of a block; what lies before and behind it stays. */
  #cut(start: number, bytes: number, purpose: Purpose): void {
    const { heap } = this.#parts;
    const block = heap.find(start);
    if (block === null || block.purpose !== purpose || start + bytes > block.start + block.bytes)
      return bug(`no ${purpose} addresses [${start}, +${bytes})`);
    heap.release(block.start);
    if (start > block.start) heap.take({ ...block, bytes: start - block.start });
    const behind = block.start + block.bytes - (start + bytes);
    if (behind > 0) heap.take({ ...block, start: start + bytes, bytes: behind });
  }

  /** One block with its neighbours of the same kind in the same reservation: a copy may reach over both. */
  #put(start: number, bytes: number, purpose: Purpose, within: AddressRange): void {
    const { heap, newVersion } = this.#parts;
    let [from, to] = [start, start + bytes];
    const before = start > within.start ? heap.find(start - 1) : null;
    if (before?.purpose === purpose) {
      from = before.start;
      heap.release(before.start);
    }
    const after = to < within.start + within.bytes ? heap.find(to) : null;
    if (after?.purpose === purpose) {
      to = after.start + after.bytes;
      heap.release(after.start);
    }
    heap.take({ start: from, bytes: to - from, touched: newVersion(), purpose });
  }
}
