/**
 * Pages of memory that lie at two addresses of this process: where a host program's WebAssembly memory has them, and
 * where a GPU's window of addresses wants them. Nothing is copied between the two.
 *
 * The pages belong to a file without a name (memfd_create(2)), which mmap(2) puts at both addresses. WebAssembly memory
 * does not move, and its engine does not mind: the pages are as readable and writable as those they replace. Linux
 * only.
 */
import { alignUp } from "../../base/align.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { ForeignFunctions, ForeignLibrary, type Signatures } from "./foreign-library.ts";

const LIBC: Signatures = {
  memfd_create: ["text", "uint32"],
  ftruncate: ["int", "uint64"],
  mmap: ["ptr", "uint64", "int", "int", "int", "uint64"],
  munmap: ["ptr", "uint64"],
  madvise: ["ptr", "uint64", "int"],
  close: ["int"],
};
const NAMES: readonly string[] = ["libc.so.6", "libc.so", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

const [PROT_NONE, PROT_READ_WRITE] = [0, 3];
/** asm-generic/mman-common.h */
const MAP = { shared: 0x1, private: 0x2, fixed: 0x10, anonymous: 0x20, noReserve: 0x4000, fixedNoReplace: 0x10_0000 };
const MADV_REMOVE = 9;
const MFD_CLOEXEC = 1;

/** Sizes and addresses are multiples of this. */
export const HOST_PAGE_BYTES = 4096;

export class HostPages {
  readonly #libc: ForeignFunctions;
  readonly #file: number;
  readonly #start: number;
  readonly #bytes: number;

  private constructor(libc: ForeignFunctions, file: number, start: number, bytes: number) {
    this.#libc = libc;
    this.#file = file;
    this.#start = start;
    this.#bytes = bytes;
  }

  /**
   * Takes the addresses [start, start + bytes), at which this process has nothing. null where the system does not
   * allow it.
   */
  static reserve(start: number, bytes: number): HostPages | null {
    const library = process.platform === "linux" ? findLibc() : null;
    if (library === null) return null;
    const libc = new ForeignFunctions(
      library,
      LIBC,
      (name) => new HeddleError("unsupported", `${library.path} has no ${name}`),
    );
    const file = libc.get("memfd_create")("heddle", MFD_CLOEXEC);
    if (file < 0) return null;
    const pages = new HostPages(libc, file, start, bytes);
    const flags = MAP.private | MAP.anonymous | MAP.noReserve | MAP.fixedNoReplace;
    if (libc.get("ftruncate")(file, bytes) === 0 && pages.#map(start, bytes, PROT_NONE, flags, -1, 0)) return pages;
    libc.get("close")(file);
    return null;
  }

  /**
   * Puts the pages behind [start, start + bytes) of the reserved addresses at `twin`, too. What was there is lost.
   * False where the system refuses.
   */
  share(start: number, bytes: number, twin: number): boolean {
    const size = alignUp(bytes, HOST_PAGE_BYTES);
    const flags = MAP.shared | MAP.fixed;
    const offset = start - this.#start;
    return (
      this.#map(start, size, PROT_READ_WRITE, flags, this.#file, offset) &&
      this.#map(twin, size, PROT_READ_WRITE, flags, this.#file, offset)
    );
  }

  /** The pages at both addresses are zero, and take no memory until something is written there. */
  empty(start: number, bytes: number): void {
    this.#libc.get("madvise")(start, alignUp(bytes, HOST_PAGE_BYTES), MADV_REMOVE);
  }

  /** The reserved addresses are free. Pages at other addresses stay until these are. */
  close(): void {
    this.#libc.get("munmap")(this.#start, this.#bytes);
    this.#libc.get("close")(this.#file);
  }

  /** mmap returns the address, or -1; of both the low half comes back. */
  #map(at: number, bytes: number, protection: number, flags: number, file: number, offset: number): boolean {
    return this.#libc.get("mmap")(at, bytes, protection, flags, file, offset) === ((at % 2 ** 32) | 0);
  }
}

function findLibc(): ForeignLibrary | null {
  for (const name of NAMES) {
    try {
      return new ForeignLibrary(name);
    } catch (error) {
      if (error instanceof HeddleError) throw error; // koffi itself is missing
    }
  }
  return null;
}
