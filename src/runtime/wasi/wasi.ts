/**
 * WASI preview1 for host programs (https://github.com/WebAssembly/WASI, legacy preview1 witx), over `HostFiles` and
 * `HostStreams`.
 *
 * All calls are synchronous. Left out: sockets (ENOTSUP), rights (all granted) and asynchronous poll on files (always
 * ready). Standard output says that it is a terminal, so that the C library buffers by line: text of printf on the
 * host, of stderr and of printf on the device then comes out in the order in which it was made.
 */
import { Errno, HostFileError } from "../host/host-files.ts";
import type { HostMemory } from "../host/host-memory.ts";
import { FileTable } from "./file-table.ts";
import { fileCalls } from "./file-calls.ts";
import { pathCalls } from "./path-calls.ts";
import type { WasiOptions, WasmFunction } from "./wasi-model.ts";

/** A module whose one function `leave` is `unreachable`. */
const LEAVE = Uint8Array.from(
  [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic, version
    [1, 4, 1, 0x60, 0, 0], // types: () → ()
    [3, 2, 1, 0], // one function
    [7, 9, 1, 5, 0x6c, 0x65, 0x61, 0x76, 0x65, 0, 0], // exports: "leave"
    [10, 5, 1, 3, 0, 0, 0x0b], // code: unreachable
  ].flat(),
);
let leave: (() => never) | null = null;
const exitCodes = new WeakMap<object, number>();

/**
 * Leaves the program through its frames. It is a trap of WebAssembly that is thrown: any other exception would be taken
 * by the destructors of the frames' variables, and by catch (...); `exit` runs neither.
 */
export function leaveProgram(code: number): never {
  try {
    return leaveByTrap();
  } catch (trap) {
    exitCodes.set(trap as object, code);
    throw trap;
  }
}

/** Leaves the program as a trap does, and says nothing of the reason. */
export function leaveByTrap(): never {
  leave ??= new WebAssembly.Instance(new WebAssembly.Module(LEAVE)).exports["leave"] as () => never;
  return leave();
}

/** The exit code that the program was left with; null for what else is thrown. */
export function exitCodeOf(error: unknown): number | null {
  return typeof error === "object" && error !== null ? (exitCodes.get(error) ?? null) : null;
}

/** The functions of module "wasi_snapshot_preview1". */
export function createWasi(options: WasiOptions): Record<string, WasmFunction> {
  const { memory } = options;
  const table = new FileTable(options.files);
  const context = { ...options, table };
  const calls: Record<string, WasmFunction> = {
    ...stringListCalls(memory, "args", options.argv),
    ...stringListCalls(
      memory,
      "environ",
      Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
    ),
    ...clockCalls(options),
    ...fileCalls(context),
    ...pathCalls(context),
    proc_exit(code: number): never {
      return leaveProgram(code >>> 0);
    },
    proc_raise(signal: number): never {
      return leaveProgram(128 + signal);
    },
    sched_yield: () => Errno.success,
    random_get(address: number, length: number): number {
      const target = memory.slice(address, length);
      for (let at = 0; at < target.length; at += 65536) {
        // Not into shared memory.
        const bytes = new Uint8Array(Math.min(65536, target.length - at));
        target.set(globalThis.crypto.getRandomValues(bytes), at);
      }
      return Errno.success;
    },
    sock_accept: () => Errno.notsup,
    sock_recv: () => Errno.notsup,
    sock_send: () => Errno.notsup,
    sock_shutdown: () => Errno.notsup,
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, withErrno(call)]));
}

/** What a file operation throws becomes the call's errno; the rest (exit, our bugs) goes on. */
function withErrno(call: WasmFunction): WasmFunction {
  return (...values: never[]) => {
    try {
      return call(...values);
    } catch (error) {
      if (error instanceof HostFileError) return error.errno;
      throw error;
    }
  };
}

function stringListCalls(
  memory: HostMemory,
  name: "args" | "environ",
  strings: readonly string[],
): Record<string, WasmFunction> {
  const encoded = strings.map((text) => new TextEncoder().encode(`${text}\0`));
  return {
    [`${name}_sizes_get`](countAddress: number, bytesAddress: number): number {
      memory.setPointer(countAddress, encoded.length);
      memory.setPointer(
        bytesAddress,
        encoded.reduce((sum, bytes) => sum + bytes.length, 0),
      );
      return Errno.success;
    },
    [`${name}_get`](pointersAddress: number, textAddress: number): number {
      let at = textAddress;
      for (const [index, bytes] of encoded.entries()) {
        memory.setPointerAt(pointersAddress, index, at);
        memory.slice(at, bytes.length).set(bytes);
        at += bytes.length;
      }
      return Errno.success;
    },
  };
}

const CLOCK_REALTIME = 0;
const CLOCK_MONOTONIC = 1;

/** Time of a WASI clock in nanoseconds. CPU-time clocks tell the time since the program's start. */
function clockNs(clock: number, startMs: number): bigint {
  const now = performance.now();
  const starts: Readonly<Record<number, number>> = { [CLOCK_REALTIME]: performance.timeOrigin, [CLOCK_MONOTONIC]: 0 };
  return BigInt(Math.round((now + (starts[clock] ?? -startMs)) * 1e6));
}

function clockCalls({ memory, sleepMs, streams }: WasiOptions): Record<string, WasmFunction> {
  const startMs = performance.now();
  return {
    clock_res_get(clock: number, address: number): number {
      if (clock > 3) return Errno.inval;
      memory.setU64(address, 1000n);
      return Errno.success;
    },
    clock_time_get(clock: number, _precision: bigint, address: number): number {
      if (clock > 3) return Errno.inval;
      memory.setU64(address, clockNs(clock, startMs));
      return Errno.success;
    },
    /** Sleeps to the earliest clock subscription; subscriptions to files are ready at once. */
    poll_oneoff(subscriptions: number, events: number, count: number, eventCountAddress: number): number {
      if (count === 0) return Errno.inval;
      let earliest: { ns: bigint; index: number } | null = null;
      const ready: { userdata: bigint; type: number }[] = [];
      for (let index = 0; index < count; index++) {
        const at = subscriptions + 48 * index;
        const type = memory.u8(at + 8);
        if (type !== 0) {
          ready.push({ userdata: memory.u64(at), type });
          continue;
        }
        const clock = memory.u32(at + 16);
        const timeout = memory.u64(at + 24);
        const ns = (memory.view.getUint16(at + 40, true) & 1) !== 0 ? timeout - clockNs(clock, startMs) : timeout;
        if (earliest === null || ns < earliest.ns) earliest = { ns, index };
      }
      if (ready.length === 0 && earliest !== null) {
        streams.flush();
        if (earliest.ns > 0n) sleepMs(Number(earliest.ns) / 1e6);
        ready.push({ userdata: memory.u64(subscriptions + 48 * earliest.index), type: 0 });
      }
      for (const [index, event] of ready.entries()) {
        const at = events + 32 * index;
        memory.slice(at, 32).fill(0);
        memory.setU64(at, event.userdata);
        memory.setU8(at + 10, event.type);
        if (event.type !== 0) memory.setU64(at + 16, 1n);
      }
      memory.setPointer(eventCountAddress, ready.length);
      return Errno.success;
    },
  };
}
