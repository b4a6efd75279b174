/**
 * Host accesses to memory that the device works on: managed and mapped memory while a kernel runs that was given it,
 * pinned memory while an asynchronous copy is on its way. The device here has done the work when the call returns; on a
 * GPU it may go on until the host waits for it.
 */
import type { Place } from "../../../base/source-places.ts";
import type { FindingDraft, Note } from "../../../check/finding.ts";
import { countedBytes } from "../../../check/finding.ts";
import type { CudaContext } from "../context.ts";
import { copySpans } from "../work/copy.ts";
import type { MirroredAllocation } from "../allocations/mirrored-memory.ts";
import type { GraphWork } from "../graph/graph-model.ts";
import type { StreamState } from "../work/stream-model.ts";
import { pointerArgument } from "../allocations/pointer-arguments.ts";
import { demangle } from "../../../base/demangle.ts";
import type { StreamOrder } from "./stream-order.ts";

/** Host memory that a piece of work may use until the host waits for it. */
export interface Busy {
  readonly start: number;
  readonly bytes: number;
  readonly stream: number;
  readonly work: number;
  /** "the kernel fill", "the copy". */
  readonly what: string;
  readonly memory: "managed" | "pinned";
  readonly place: Place;
  /** 1 for each byte that the work has changed; null: all of them. */
  readonly changed: Uint8Array | null;
  /** false: nobody but the work changes it, it only reads. */
  readonly writes: boolean;
  /** Already reported: [reads, writes]. */
  readonly reported: [boolean, boolean];
}

export class DeviceWork {
  readonly #order: StreamOrder;
  #busy: Busy[] = [];
  /** Host copies before the kernel that runs now. */
  #before: { readonly mirrored: MirroredAllocation; readonly bytes: Uint8Array }[] = [];

  constructor(order: StreamOrder) {
    this.#order = order;
  }

  begin(cuda: CudaContext, work: GraphWork): void {
    if (work.kind !== "kernel") return;
    this.#before = [...cuda.mirrored.values()].map((mirrored) => ({
      mirrored,
      bytes: cuda.memory.slice(mirrored.hostAddress, mirrored.bytes).slice(),
    }));
  }

  end(cuda: CudaContext, work: GraphWork, stream: StreamState, number: number, place: Place): void {
    const common = { stream: stream.handle, work: number, place };
    if (work.kind === "kernel") {
      const given = argumentsOf(cuda, work);
      const what = `the kernel ${demangle(work.call.kernel.name)}`;
      for (const { mirrored, bytes } of this.#before) {
        if (mirrored.deviceAddress === 0) continue;
        const now = cuda.memory.slice(mirrored.hostAddress, mirrored.bytes);
        const changed = bytes.map((value, index) => (value === now[index] ? 0 : 1));
        if (!given.has(mirrored) && !changed.includes(1)) continue;
        this.#busy.push({
          ...common,
          start: mirrored.hostAddress,
          bytes: mirrored.bytes,
          what,
          memory: mirrored.kind === "managed" || mirrored.kind === "variable" ? "managed" : "pinned",
          changed,
          writes: true,
          reported: [false, false],
        });
      }
      this.#before = [];
    } else if (work.kind === "memcpy") {
      const { copy } = work;
      const spans = copySpans(copy);
      const what = "an asynchronous copy";
      for (const [end, bytes, writes] of [
        [copy.to, spans.to, true],
        [copy.from, spans.from, false],
      ] as const) {
        const mirrored = cuda.mirrored.find(end.address);
        if (mirrored !== null && (mirrored.kind === "pinned" || mirrored.kind === "registered"))
          this.#busy.push({
            ...common,
            start: end.address,
            bytes,
            what,
            memory: "pinned",
            changed: null,
            writes,
            reported: [false, false],
          });
      }
    }
    this.settle(cuda);
  }

  /** Drops what the host has waited for. */
  settle(cuda: CudaContext): void {
    this.#busy = this.#busy.filter(({ stream, work }) => !this.#order.isDone(stream, work));
    const start = Math.min(...this.#busy.map((busy) => busy.start));
    const end = Math.max(...this.#busy.map((busy) => busy.start + busy.bytes));
    if (this.#busy.length === 0) cuda.host.watch(0, 0);
    else cuda.host.watch(start, end - start);
  }

  /** The host program accesses [address, address + bytes). @returns a finding, unless it was reported before */
  access(address: number, bytes: number, isWrite: boolean): FindingDraft | null {
    for (const busy of this.#busy) {
      if (address + bytes <= busy.start || address >= busy.start + busy.bytes) continue;
      const changed =
        busy.changed === null
          ? busy.writes
          : busy.changed.subarray(Math.max(0, address - busy.start), address - busy.start + bytes).includes(1);
      if (!changed && !isWrite) continue;
      if (busy.reported[isWrite ? 1 : 0]) return null;
      busy.reported[isWrite ? 1 : 0] = true;
      return draft(busy, bytes, isWrite, changed || busy.changed === null);
    }
    return null;
  }
}

export function draft(
  { what, memory, place, writes, start, bytes: size }: Busy,
  bytes: number,
  isWrite: boolean,
  certain: boolean,
): FindingDraft {
  const writing = certain ? "writes it" : "was given it";
  const notes: Note[] = [
    { text: `${what} ${writes ? writing : "reads it"}, and nothing has waited for it`, location: place() },
  ];
  return {
    kind: "host-access-while-busy",
    ...(certain ? {} : { level: "warning" as const }),
    title: "host access while the device works",
    message: `${isWrite ? "write" : "read"} of ${countedBytes(bytes)} of ${memory} memory`,
    notes,
    help:
      "wait before the access: cudaDeviceSynchronize, cudaStreamSynchronize of that stream, " +
      "or an event recorded behind it",
    details: { access: isWrite ? "write" : "read", bytes, memory, start, size },
  };
}

/** Memory that the kernel's pointer arguments point into, in the host's or the device's addresses. */
export function argumentsOf(
  cuda: CudaContext,
  { call }: Extract<GraphWork, { kind: "kernel" }>,
): Set<MirroredAllocation> {
  const found = new Set<MirroredAllocation>();
  for (const param of call.kernel.params) {
    if (param.kind !== "pointer") continue;
    const value = pointerArgument(call.params, param);
    const mirrored = cuda.mirrored.findDevice(value) ?? cuda.mirrored.find(value);
    if (mirrored !== null) found.add(mirrored);
  }
  return found;
}
