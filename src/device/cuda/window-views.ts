/**
 * A part of a window at which another device's memory of the same GPU can be seen: programs with 32-bit pointers then
 * work on it as it is. A view stays until its memory is freed, or until its place is needed and no running call uses
 * it.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { Arena } from "../common/arena.ts";
import type { GpuContext } from "./context.ts";
import type { GpuBlock } from "./gpu-memory.ts";
import { mapAt, type MappedMemory } from "./mapped-memory.ts";

interface View extends GpuBlock {
  readonly mapped: MappedMemory;
  /** The call that used it last. */
  usedBy: number;
}

export class WindowViews {
  readonly #context: GpuContext;
  readonly #arena: Arena<View>;
  readonly #base: number;
  readonly #views = new Map<MappedMemory, View>();

  /** @param base the window's address */
  constructor(context: GpuContext, base: number, part: { start: number; end: number; page: number }) {
    this.#context = context;
    this.#base = base;
    this.#arena = new Arena(part.start, part.end, part.page);
  }

  /**
   * The window's pointer for an address of the memory.
   * @param call a number that grows: views that later calls have not used may make room
   */
  pointer(mapped: MappedMemory, address: number, call: number): number {
    let view = this.#views.get(mapped);
    if (view === undefined) view = this.#add(mapped, call);
    view.usedBy = call;
    return view.start + (address - mapped.address);
  }

  #add(mapped: MappedMemory, call: number): View {
    const start = this.#place(mapped.bytes, call);
    this.#context.makeCurrent();
    mapAt(this.#context, this.#base + start, mapped.bytes, mapped.handle);
    const view: View = { start, bytes: mapped.bytes, purpose: "module", mapped, usedBy: call };
    this.#arena.take(view);
    this.#views.set(mapped, view);
    return view;
  }

  #place(bytes: number, call: number): number {
    const { granule, capacity } = this.#arena;
    const place = (): number | null => this.#arena.place(bytes, granule, 0);
    let start = place();
    if (start !== null) return start;
    const unused = [...this.#views.values()].filter(({ usedBy }) => usedBy < call).sort((a, b) => a.usedBy - b.usedBy);
    if (unused.length > 0) this.#context.driver.status("cuCtxSynchronize");
    for (const { mapped } of unused) {
      this.forget(mapped);
      start = place();
      if (start !== null) return start;
    }
    throw new HeddleError(
      "out-of-memory",
      `a call of an extension reaches ${capacity} bytes of tensors at a time, and this one needs ${bytes} more`,
      { notes: ["this extension has 32-bit pointers; heddle setup builds the library of 64-bit ones"] },
    );
  }

  /** Before the memory is unmapped where it comes from. */
  forget(mapped: MappedMemory): void {
    const view = this.#views.get(mapped);
    if (view === undefined) return;
    this.#views.delete(mapped);
    this.#arena.release(view.start);
    this.#context.driver.status("cuMemUnmap", this.#base + view.start, view.bytes);
  }

  find(address: number): GpuBlock | null {
    return this.#arena.find(address);
  }

  clear(): void {
    for (const mapped of this.#views.keys()) this.forget(mapped);
  }
}
