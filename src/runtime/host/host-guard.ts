/**
 * What no machine allows and WebAssembly does not stop: writes through null pointers, which land in memory that nothing
 * else uses. And allocations that fail because pointers have 32 bits.
 */
import { NULL_PAGE_BYTES } from "../../base/data-model.ts";
import { formatLocation, type SourceLocation } from "../../base/diagnostics.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";
import { LongArithmetic, type LostBits } from "./long-arithmetic.ts";
import type { HostMemory } from "./host-memory.ts";
import type { HostPlaces } from "./source-places.ts";

/** An allocation that the program was not given. */
export interface FailedAllocation {
  readonly bytes: number;
  readonly location: SourceLocation | null;
}

/** Thrown through the program's frames: it has written through a null pointer, and ends as on any other machine. */
export class NullWrite extends Error {
  constructor() {
    super("the host program wrote through a null pointer");
    this.name = "NullWrite";
  }
}

/** Thrown through the program's frames: it has read through a null pointer. */
export class NullRead extends Error {
  constructor() {
    super("the host program read through a null pointer");
    this.name = "NullRead";
  }
}

const GIB = 2 ** 30;
/** The most that 32-bit pointers reach, and that engines before Node.js 24 give to 64-bit programs. */
const NARROW_BYTES = 4 * GIB;
/** What the linker allows to 64-bit programs. */
const WIDE_BYTES = 16 * GIB;
/** What the null page is filled with: a write of zeros is a change, too. */
const FILL = 0xdd;
const FILL_WORD = 0xdddd_dddd;
/** Words at its start that every CUDA call looks at. */
const LOOKED_AT = 4;
/** Failed allocations that are reported; programs that look for the largest size make many. */
const REPORTED = 5;
/** So many results that have lost bits are known as sizes, and none that may be the size of something else. */
const LOST_SIZES = 8;
const SMALLEST_LOST = 65_536;

export class HostGuard {
  readonly #memory: HostMemory;
  readonly #places: () => HostPlaces;
  readonly #report: (text: string) => void;
  readonly failed: FailedAllocation[] = [];
  #hasNullPage = false;
  #refuse: (bytes: number) => void = () => undefined;
  #arithmetic: LongArithmetic | null = null;
  readonly #lost: LostBits[] = [];
  #saidLost = 0;

  constructor(memory: HostMemory, places: () => HostPlaces, report: (text: string) => void) {
    this.#memory = memory;
    this.#places = places;
    this.#report = report;
  }

  get imports(): readonly (readonly [string, WasmFunction])[] {
    return [
      ["__heddle_allocation_failed", (bytes: number) => this.#allocationFailed(bytes)],
      [
        "__heddle_null_read",
        () => {
          throw new NullRead();
        },
      ],
      [
        "__heddle_long_arithmetic",
        (operation: number, data: number, left: number, right: number) => {
          this.#arithmetic ??= new LongArithmetic(this.#memory);
          const { lost, isSettled } = this.#arithmetic.judge(operation, data >>> 0, left, right);
          if (lost !== null) this.#lostBits(lost);
          return isSettled ? 1 : 0;
        },
      ],
    ];
  }

  /** The result is no size of an allocation any more: it is smaller than the program believes. */
  remember(lost: LostBits): void {
    if (lost.left < SMALLEST_LOST || this.#lost.some(({ left }) => left === lost.left)) return;
    this.#lost.push(lost);
    if (this.#lost.length > LOST_SIZES) this.#lost.shift();
    this.#refuse(lost.left);
  }

  /** Why an allocation of so many bytes must fail; null: it may be made. */
  lostSize(bytes: number): string | null {
    const lost = this.#lost.find(({ left }) => left === bytes);
    return lost === undefined ? null : `the size has lost bits ${placeText(lost.location)}: ${lost.text}`;
  }

  #lostBits(lost: LostBits): void {
    this.remember(lost);
    if (this.#saidLost++ < REPORTED) this.#report(`bits are lost ${placeText(lost.location)}\n  ${lost.text}`);
  }

  /**
   * Before the program starts. Programs of earlier versions have no null page.
   *
   * @param refuse tells the program's malloc not to give so many bytes.
   */
  start(hasNullPage: boolean, refuse: (bytes: number) => void): void {
    this.#hasNullPage = hasNullPage;
    this.#refuse = refuse;
    if (hasNullPage) this.#memory.slice(0, NULL_PAGE_BYTES).fill(FILL);
  }

  /** Throws NullWrite if the first bytes have changed. */
  look(): void {
    if (!this.#hasNullPage) return;
    const { view } = this.#memory;
    for (let at = 0; at < LOOKED_AT * 4; at += 4) if (view.getUint32(at, true) !== FILL_WORD) throw new NullWrite();
  }

  /** Whether the program has written through a null pointer. */
  get wroteNull(): boolean {
    return this.#hasNullPage && this.#memory.slice(0, NULL_PAGE_BYTES).some((byte) => byte !== FILL);
  }

  /** Lines about allocations that failed, for the report of a program that died. */
  get reasons(): readonly string[] {
    const [first] = this.failed;
    if (first === undefined) return [];
    const { location, bytes } = first;
    return [
      `  an allocation of ${bytes} bytes had failed before${location === null ? "" : `, ${placeText(location)}`}`,
    ];
  }

  /** Why the host has no more memory. */
  #limit(): string {
    const { model, size } = this.#memory;
    const isLarge = model.pointerBytes === 8 && hasLargeMemories();
    const most = isLarge ? WIDE_BYTES : NARROW_BYTES;
    const left = `(${Math.max(0, most - size)} bytes are left)`;
    if (model.pointerBytes === 4)
      return `a host program has 32-bit pointers: one allocation has at most 2 GiB, all together 4 GiB ${left}`;
    const engine = isLarge ? "a host program has at most 16 GiB" : "a host program has at most 4 GiB before Node.js 24";
    return `${engine}, all allocations together ${left}`;
  }

  #allocationFailed(bytes: number): void {
    const places = this.#places();
    const location = places.locate(places.capture());
    this.failed.push({ bytes, location });
    if (this.failed.length > REPORTED) return;
    const lost = this.lostSize(bytes);
    const lines = [
      `an allocation of ${bytes} bytes on the host fails`,
      ...(location === null ? [] : [`  ${placeText(location)}`]),
      ...(lost === null ? [] : [`  ${lost}`]),
      `  ${this.#limit()}`,
    ];
    this.#report(lines.join("\n"));
  }
}

/** Whether the engine has WebAssembly memories above 4 GiB. */
function hasLargeMemories(): boolean {
  const descriptor = { address: "i64", initial: 0n, maximum: BigInt(NARROW_BYTES / 65536 + 1) };
  try {
    return new WebAssembly.Memory(descriptor as unknown as WebAssembly.MemoryDescriptor).buffer.byteLength === 0;
  } catch {
    return false;
  }
}

/** "at a.cu:12:5, in main" */
export function placeText(location: SourceLocation): string {
  const { functionName } = location;
  return `at ${formatLocation(location)}${functionName === undefined ? "" : `, in ${functionName}`}`;
}
