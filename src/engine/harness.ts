/**
 * The smallest surroundings in which an executor runs: one memory, a first-fit allocator, arguments packed from plain
 * values. For tests and the fuzzer; a device has far more to do (device/emulated).
 */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { dim3, type Dim3Like } from "../base/dim3.ts";
import { parseModule } from "../ir/text/parse.ts";
import type { IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import { ENGINE_BASE, PAGE_BYTES, TAIL_SLACK_BYTES, USER_BASE } from "../machine/memory-map.ts";
import { makeWideMemory } from "./wide-memory.ts";
import type { Executor, ExecutorHost, LoadedProgram } from "./executor.ts";
import { loadProgram } from "./load-program.ts";

export interface HarnessLaunch {
  readonly grid: Dim3Like;
  readonly block: Dim3Like;
  readonly sharedBytes?: number;
  readonly cooperative?: boolean;
  readonly cluster?: Dim3Like;
}

export interface HarnessOutcome {
  readonly fault: DeviceFault | null;
  readonly output: string;
}

/** Integers of any width, floats, addresses; bytes for a struct. */
export type HarnessArgument = number | bigint | Uint8Array;

interface Region {
  start: number;
  end: number;
}

export class Harness {
  readonly memory: WebAssembly.Memory;
  readonly #user: { base: number; end: number; live: Region[] };
  readonly #engine: { base: number; end: number; live: Region[] };
  #clock = 0n;
  /** One past the last byte of user memory that was ever allocated. */
  #used: number;

  /** Windows of blocks: in a wide memory below 4 GiB, else among the arrays. */
  readonly #windows: { base: number; end: number; live: Region[] };

  /**
   * `userBytes`: how much memory kernels may use. `toolBytes`: behind that, for what watches them.
   *
   * @param addresses wide: the memory has addresses of 64 bits. far: and arrays lie above 4 GiB, where the JavaScript
   *   engine can
   */
  constructor(userBytes: number = 32 * 1024 * 1024, toolBytes = 0, addresses: "narrow" | "wide" | "far" = "narrow") {
    const wide = addresses !== "narrow";
    const base = addresses === "far" && hasLargeMemories() ? HIGH_BASE : USER_BASE;
    const end = base + userBytes;
    const pages = Math.ceil((end + TAIL_SLACK_BYTES + toolBytes) / PAGE_BYTES);
    this.memory = wide ? wideMemory(pages) : new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
    this.#user = { base, end, live: [] };
    this.#windows = base === USER_BASE ? this.#user : { base: USER_BASE, end: USER_BASE + WINDOW_BYTES, live: [] };
    this.#used = base;
    this.#engine = { base: ENGINE_BASE, end: USER_BASE, live: [] };
  }

  /** First legal address and one past the last. */
  get userRange(): { base: number; end: number } {
    return { base: this.#user.base, end: this.#user.end };
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }

  allocate(bytes: number, align = 16, kind: "user" | "engine" | "window" = "user"): number {
    const space = { user: this.#user, engine: this.#engine, window: this.#windows }[kind];
    let start = space.base;
    let place = 0;
    for (; place <= space.live.length; place++) {
      start = Math.ceil(start / align) * align;
      const next = space.live[place];
      if (start + bytes <= (next?.start ?? space.end)) {
        space.live.splice(place, 0, { start, end: start + Math.max(1, bytes) });
        if (space === this.#user) this.#used = Math.max(this.#used, start + bytes);
        return start;
      }
      if (next !== undefined) start = Math.max(start, next.end);
    }
    return bug(`the harness has no ${bytes} bytes left`);
  }

  free(address: number): void {
    for (const space of [this.#user, this.#engine, this.#windows]) {
      const index = space.live.findIndex((region) => region.start === address);
      if (index >= 0) {
        space.live.splice(index, 1);
        return;
      }
    }
    bug(`free of 0x${address.toString(16)}, which is not allocated`);
  }

  /** Forgets every allocation and zeroes what they held. */
  reset(): void {
    for (const region of this.#user.live) this.bytes.fill(0, region.start, region.end);
    for (const region of this.#windows.live) this.bytes.fill(0, region.start, region.end);
    for (const space of [this.#user, this.#engine, this.#windows]) space.live.length = 0;
  }

  /** What brings user memory and the allocations back to what they are now: a program is loaded once, run often. */
  checkpoint(): () => void {
    const spaces = [this.#user, this.#engine, this.#windows];
    const live = spaces.map((space) => [...space.live]);
    const image = this.bytes.slice(this.#user.base, this.#used);
    return () => {
      spaces.forEach((space, i) => (space.live = [...(live[i] as Region[])]));
      this.bytes.set(image, this.#user.base);
      this.bytes.fill(0, this.#user.base + image.length, this.#used);
    };
  }

  load(ir: string | IrModule, fmad = true): LoadedProgram {
    const module = typeof ir === "string" ? parseModule(ir, "test.ll") : ir;
    return loadProgram(
      module,
      { allocate: (bytes, align) => this.allocate(bytes, align), memory: this.memory },
      { fmad },
    );
  }

  /** Room for an array, filled with it. */
  place(data: ArrayBufferView): number {
    const address = this.allocate(data.byteLength, 256);
    this.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), address);
    return address;
  }

  read(address: number, bytes: number): Uint8Array {
    return this.bytes.slice(address, address + bytes);
  }

  readI32(address: number, count: number): Int32Array {
    return new Int32Array(this.read(address, count * 4).buffer);
  }

  readF32(address: number, count: number): Float32Array {
    return new Float32Array(this.read(address, count * 4).buffer);
  }

  run(
    executor: Executor,
    program: LoadedProgram,
    kernelName: string,
    launch: HarnessLaunch,
    args: readonly HarnessArgument[],
  ): HarnessOutcome {
    const kernel = program.kernels.get(kernelName) ?? bug(`no kernel ${kernelName}`);
    const params = new Uint8Array(kernel.paramBytes);
    kernel.params.forEach((param, i) => packArgument(params, param, args[i] ?? bug(`no argument for ${param.name}`)));
    let output = "";
    const host: ExecutorHost = {
      print: (text) => void (output += text),
      nowNs: () => (this.#clock += 100n),
      allocate: (bytes, align, kind) => this.allocate(bytes, align, kind === "user" ? "window" : kind),
      free: (address) => this.free(address),
    };
    const descriptor = {
      grid: dim3(launch.grid),
      block: dim3(launch.block),
      dynamicSharedBytes: launch.sharedBytes ?? 0,
      params,
      cooperative: launch.cooperative ?? false,
      cluster: launch.cluster === undefined ? null : dim3(launch.cluster),
      memoryTop: this.#user.end,
    };
    const fault = executor.run(program, kernel, descriptor, this.memory, host);
    return { fault, output };
  }
}

function packArgument(
  params: Uint8Array,
  param: { offset: number; size: number; kind: string },
  value: HarnessArgument,
): void {
  const view = new DataView(params.buffer);
  if (value instanceof Uint8Array) params.set(value, param.offset);
  else if (param.kind === "f32") view.setFloat32(param.offset, Number(value), true);
  else if (param.kind === "f64") view.setFloat64(param.offset, Number(value), true);
  else {
    let rest = BigInt.asUintN(param.size * 8, BigInt(value));
    for (let i = 0; i < param.size; i++, rest >>= 8n) params[param.offset + i] = Number(rest & 0xffn);
  }
}

const HIGH_BASE = 4 * 2 ** 30 + USER_BASE;
const WINDOW_BYTES = 32 * 2 ** 20;

const hasLargeMemories = (): boolean => {
  try {
    return makeWideMemory(0, HIGH_BASE, true).buffer.byteLength === 0;
  } catch (error) {
    if (error instanceof HeddleError && error.code === "unsupported") return false;
    throw error;
  }
};

/** Also in engines that have 64-bit memories of 4 GiB at most (V8 before 13, with a flag). */
function wideMemory(pages: number): WebAssembly.Memory {
  if (hasLargeMemories()) return makeWideMemory(pages * PAGE_BYTES, pages * PAGE_BYTES, true);
  const descriptor = { index: "u64", initial: pages, maximum: 65536, shared: true };
  return new WebAssembly.Memory(descriptor);
}
