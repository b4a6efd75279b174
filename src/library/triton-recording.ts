/** Recording one program of a launch: its memory is that of the device, and keeps what the program writes apart. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Device } from "../device/device.ts";
import type { BlockKernel } from "../frontend/triton/blocks/model.ts";
import type { Scalar } from "../frontend/triton/blocks/interpreter-elements.ts";
import { recordProgram, type ProgramRecording, type RecordingMemory } from "../frontend/triton/record-program.ts";
import { DeviceArray } from "./device-array.ts";

/** Options of `kernel.record`, beside those of a launch. */
export interface RecordOptions {
  /** Which program of the grid; default: the first. */
  readonly program?: readonly number[];
  /** The recording ends after so many steps; default 10000. */
  readonly steps?: number;
}

const MOST_STEPS = 10_000;
const PAGE_BYTES = 4096;

/** The operations on tiles that a launch carries out, and what it passes to them. */
export interface LaunchTiles {
  readonly blocks: BlockKernel;
  readonly passed: readonly (number | bigint | DeviceArray)[];
}

export function recordLaunch(
  device: Device,
  { blocks: kernel, passed }: LaunchTiles,
  grid: readonly [number, number, number],
  { program = [], steps = MOST_STEPS }: RecordOptions,
): ProgramRecording {
  if (device.irPointerBits !== 32)
    throw new HeddleError("unsupported", "a program is recorded on an emulated device", {
      notes: ['give loadTriton a device of openDevice({ device: "emulated" })'],
    });
  const id = [program[0] ?? 0, program[1] ?? 0, program[2] ?? 0] as const;
  if (program.length > 3 || id.some((at, axis) => !Number.isInteger(at) || at < 0 || at >= (grid[axis] ?? 1)))
    throw new HeddleError("bad-arguments", `the grid (${grid.join(", ")}) has no program (${id.join(", ")})`);
  if (!Number.isInteger(steps) || steps < 1)
    throw new HeddleError("bad-arguments", `steps is a whole number above 0, not ${steps}`);
  const args = kernel.params.map(({ value }, i): Scalar => {
    const given = passed[i];
    if (given instanceof DeviceArray) return given.pointer;
    return value.type.element.kind === "int" ? BigInt(given ?? 0) : Number(given ?? 0);
  });
  return recordProgram({ kernel, args, memory: new Overlay(device), place: { id, count: grid }, mostSteps: steps });
}

class Overlay implements RecordingMemory {
  readonly #device: Device;
  /** Pages of the device's arrays, with what the program has written. */
  readonly #pages = new Map<number, Uint8Array>();
  #last: { readonly start: number; readonly bytes: number } | null = null;

  constructor(device: Device) {
    this.#device = device;
  }

  arrayAt(address: number): { readonly start: number; readonly bytes: number } | null {
    const last = this.#last;
    if (last !== null && address >= last.start && address < last.start + last.bytes) return last;
    const found = this.#device.findAllocation(address);
    return found === null ? null : (this.#last = { start: found.pointer, bytes: found.bytes });
  }

  getUint8(address: number): number {
    const { page, at } = this.#page(address);
    return page[at] ?? 0;
  }

  setUint8(address: number, value: number): void {
    const { page, at } = this.#page(address);
    page[at] = value;
  }

  /** A page of the array around the address. */
  #page(address: number): { page: Uint8Array; at: number } {
    const array = this.arrayAt(address);
    if (array === null) throw new HeddleError("bad-arguments", `there is no array at 0x${address.toString(16)}`);
    const offset = address - array.start;
    const first = array.start + Math.floor(offset / PAGE_BYTES) * PAGE_BYTES;
    let page = this.#pages.get(first);
    if (page === undefined) {
      page = new Uint8Array(Math.min(PAGE_BYTES, array.start + array.bytes - first));
      this.#device.read(first, page);
      this.#pages.set(first, page);
    }
    return { page, at: address - first };
  }
}
