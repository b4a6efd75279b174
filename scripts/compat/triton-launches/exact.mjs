// What a launch leaves in memory if all of its floats have 64 bits: the interpreter of block IR, without rounding.
import { interpretProgram } from "../../../dist/frontend/triton/blocks/interpreter.js";

const SPACE = 1 << 26;

class Memory {
  #regions;
  #floats = new Map();
  constructor(regions) {
    this.#regions = regions;
    this.exact = {
      get: (address) => this.#floats.get(address),
      set: (address, value) => this.#floats.set(address, value),
    };
  }

  #find(address) {
    const at = Math.floor(address / SPACE) - 1;
    return { bytes: this.#regions[at], at: address - (at + 1) * SPACE };
  }

  getUint8(address) {
    const { bytes, at } = this.#find(address);
    return bytes?.[at] ?? 0;
  }

  setUint8(address, value) {
    const { bytes, at } = this.#find(address);
    if (bytes !== undefined && at >= 0 && at < bytes.length) bytes[at] = value;
  }

  /** The float that was stored at a byte of a region. */
  floatAt(region, offset) {
    return this.#floats.get((region + 1) * SPACE + offset);
  }
}

/**
 * @param blocks the kernel @param args as a launch passes them @param seconds after which it gives up
 * @returns for each region a function from a byte's offset to the unrounded float that was stored there
 */
export function exactRun(blocks, args, grid, regions, seconds) {
  const memory = new Memory(regions.map(({ before }) => Uint8Array.from(before)));
  const [x = 1, y = 1, z = 1] = grid;
  const end = performance.now() + seconds * 1000;
  const observer = {
    before: () => {
      if (performance.now() > end) throw new Error(`more than ${seconds} s`);
    },
  };
  for (let k = 0; k < z; k++)
    for (let j = 0; j < y; j++)
      for (let i = 0; i < x; i++) interpretProgram(blocks, args, memory, { id: [i, j, k], count: [x, y, z] }, observer);
  return regions.map((_, region) => (offset) => memory.floatAt(region, offset));
}

/** Where that memory has the regions. */
export const exactPointers = (regions) => regions.map((_, i) => ({ pointer: (i + 1) * SPACE }));
