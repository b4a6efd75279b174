/**
 * What a host program does that no machine allows and WebAssembly does not stop, and what fails because pointers have 32
 * bits: allocations without room, and writes through null pointers, which land in memory that nothing else uses.
 */
import { NULL_PAGE_BYTES } from "../../base/data-model.ts";
import { formatLocation, type SourceLocation } from "../../base/diagnostics.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";
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

/** The most that 32-bit pointers reach. */
const HOST_MAX_BYTES = 2 ** 32;
/** What the null page is filled with: a write of zeros is a change, too. */
const FILL = 0xdd;
const FILL_WORD = 0xdddd_dddd;
/** Words at its start that every CUDA call looks at. */
const LOOKED_AT = 4;
/** Failed allocations that are reported; programs that look for the largest size make many. */
const REPORTED = 5;

export class HostGuard {
  readonly #memory: HostMemory;
  readonly #places: () => HostPlaces;
  readonly #report: (text: string) => void;
  readonly failed: FailedAllocation[] = [];
  #hasNullPage = false;

  constructor(memory: HostMemory, places: () => HostPlaces, report: (text: string) => void) {
    this.#memory = memory;
    this.#places = places;
    this.#report = report;
  }

  get imports(): readonly (readonly [string, WasmFunction])[] {
    return [["__heddle_allocation_failed", (bytes: number) => this.#allocationFailed(bytes)]];
  }

  /** Before the program starts. Programs of earlier versions have no null page. */
  start(hasNullPage: boolean): void {
    this.#hasNullPage = hasNullPage;
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

  #allocationFailed(bytes: number): void {
    const places = this.#places();
    const location = places.locate(places.capture());
    this.failed.push({ bytes, location });
    if (this.failed.length > REPORTED) return;
    const left = HOST_MAX_BYTES - this.#memory.size;
    const lines = [
      `an allocation of ${bytes} bytes on the host fails`,
      ...(location === null ? [] : [`  ${placeText(location)}`]),
      `  a host program has 32-bit pointers: one allocation has at most 2 GiB, all together 4 GiB (${left} bytes are left)`,
    ];
    this.#report(lines.join("\n"));
  }
}

/** "at a.cu:12:5, in main" */
export function placeText(location: SourceLocation): string {
  const { functionName } = location;
  return `at ${formatLocation(location)}${functionName === undefined ? "" : `, in ${functionName}`}`;
}
