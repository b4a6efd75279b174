/**
 * NVIDIA's libraries on a GPU: cuBLAS and its like, loaded when a program first calls them. Handles that are made
 * without arguments belong to a context, and to whoever asked for them (a handle of the program's own). A library
 * without such handles (cuFFT) is called with numbers that the caller keeps.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { libraryNamed } from "../../libraries/libraries.ts";
import { vendorFiles, type LibraryHandle } from "../../libraries/manifest.ts";
import { listAt, type DeviceLibrary, type LibraryCall, type ListedAddress } from "../device.ts";
import {
  ForeignLibrary,
  addressOf,
  type ForeignFunction,
  type ForeignType,
  type ForeignValue,
} from "./foreign-library.ts";
import { searchLibrary } from "./library-search.ts";

type PlainHandle = LibraryHandle & { readonly kind: "plain" };

export interface GpuLibrarySurroundings {
  /** Of the driver; what is made for a later major version does not run on it. */
  readonly driverMajor: number;
  makeCurrent(): void;
  /** The GPU's address of a program's pointer. */
  address(pointer: number): number;
  /** Before a call that may launch kernels. @throws HeddleError "device-fault" */
  beforeCall(name: string): void;
}

type Found =
  | { readonly library: DeviceLibrary; readonly missing: null }
  | { readonly library: null; readonly missing: string };

export class GpuLibraries {
  readonly #around: GpuLibrarySurroundings;
  readonly #open = new Map<string, { readonly found: Found; readonly loaded: LoadedLibrary | null }>();

  constructor(around: GpuLibrarySurroundings) {
    this.#around = around;
  }

  find(name: string): Found {
    let entry = this.#open.get(name);
    if (entry === undefined) this.#open.set(name, (entry = this.#load(name)));
    return entry.found;
  }

  /** The context is gone, and handles with it. */
  forget(): void {
    for (const { loaded } of this.#open.values()) loaded?.forget();
  }

  #load(name: string): { readonly found: Found; readonly loaded: LoadedLibrary | null } {
    const manifest = libraryNamed(name);
    const handles = manifest?.vendor?.handles ?? [];
    const handle = handles.find((known) => known.kind === "plain") ?? null;
    const probe = [handle?.create ?? handles[0]?.create ?? []].flat()[0];
    if (manifest === null || probe === undefined) throw new HeddleError("bad-arguments", `no library ${name} is known`);
    const { driverMajor } = this.#around;
    const { library, tried } = searchLibrary(
      { files: vendorFiles(manifest, process.platform) ?? [], ofDriver: manifest.vendor?.comesWith === "driver" },
      (candidate) => {
        if (candidate.find(probe, "int", ["buffer"]) === null) return `it has no ${probe}`;
        const major = Number(/(?:\.so\.|64_)(\d+)/.exec(candidate.path)?.[1] ?? 0);
        return major > driverMajor ? `it needs a driver of CUDA ${major}, and this one's is ${driverMajor}` : null;
      },
    );
    if (library === null)
      return {
        found: {
          library: null,
          missing:
            tried.length === 0
              ? "which was not found (HEDDLE_CUDA_LIBRARIES names folders to look in)"
              : `of which none fits: ${tried.join("; ")}`,
        },
        loaded: null,
      };
    const loaded = new LoadedLibrary(library, handle, this.#around);
    return { found: { library: loaded, missing: null }, loaded };
  }
}

const TYPES: Readonly<Record<string, ForeignType>> = {
  h: "uint64",
  H: "uint64",
  i: "int",
  l: "uint64",
  w: "uint64",
  v: "uint64",
  d: "double",
  f: "float",
  p: "uint64",
  a: "uint64",
  s: "uint64",
};

class LoadedLibrary implements DeviceLibrary {
  readonly #library: ForeignLibrary;
  /** Null where the library has no handles without arguments. */
  readonly #names: PlainHandle | null;
  readonly #around: GpuLibrarySurroundings;
  readonly #functions = new Map<string, ForeignFunction | null>();
  readonly #handles = new Map<number, bigint>();
  /** The memory that the last call read from the host. */
  #host: ArrayBuffer | null = null;
  #hostAddress = 0;

  constructor(library: ForeignLibrary, names: PlainHandle | null, around: GpuLibrarySurroundings) {
    this.#library = library;
    this.#names = names;
    this.#around = around;
  }

  call(name: string, kinds: string, { owner, values, host }: LibraryCall): number | null {
    const foreign = this.#function(name, kinds);
    if (foreign === null) return null;
    if (name === this.#names?.destroy && !this.#handles.has(owner)) return 0;
    this.#around.makeCurrent();
    this.#around.beforeCall(name);
    if (this.#host !== host) {
      // Memory of a buffer does not move, and is there as long as this refers to it.
      this.#host = host;
      this.#hostAddress = addressOf(host);
    }
    const given: ForeignValue[] = [];
    /** Referenced as long as the function may read them. */
    let lists: BigUint64Array[] | null = null;
    for (let i = 0; i < kinds.length; i++) {
      const value = values[i] as number | bigint;
      switch (kinds[i]) {
        case "h":
          given.push(this.#handle(owner));
          break;
        case "H":
        case "v": {
          const list =
            kinds[i] === "H" ? BigUint64Array.of(this.#handle(owner)) : this.#addresses(listAt(host, Number(value)));
          (lists ??= []).push(list);
          given.push(addressOf(list));
          break;
        }
        case "i":
          given.push(typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, value)));
          break;
        case "p":
          given.push(Number(value) === 0 ? 0 : this.#around.address(Number(value)));
          break;
        case "a":
          given.push(Number(value) === 0 ? 0 : this.#hostAddress + Number(value));
          break;
        default:
          given.push(value);
      }
    }
    const status = foreign(...given);
    if (lists !== null) lists.length = 0;
    if (name === this.#names?.destroy) this.#handles.delete(owner);
    return status;
  }

  forget(): void {
    this.#handles.clear();
  }

  #addresses(list: readonly ListedAddress[]): BigUint64Array {
    return BigUint64Array.from(list, ({ isOnDevice, address }) => {
      if (address === 0) return 0n;
      return BigInt(isOnDevice ? this.#around.address(address) : this.#hostAddress + address);
    });
  }

  #handle(owner: number): bigint {
    const known = this.#handles.get(owner);
    if (known !== undefined) return known;
    const create = this.#names?.create ?? bug(`${this.#library.path} has no handles`);
    const out = new BigUint64Array(1);
    const status = this.#function(create, "out")?.(out) ?? -1;
    if (status !== 0)
      throw new HeddleError("driver-error", `${create} failed with status ${status} (${this.#library.path})`);
    const handle = out[0] as bigint;
    this.#handles.set(owner, handle);
    return handle;
  }

  /**
   * By name and kinds: what one function is called with is always the same, but for what lies on the host or on the
   * device, which are alike here.
   */
  #function(name: string, kinds: string): ForeignFunction | null {
    let found = this.#functions.get(name);
    if (found === undefined) {
      found = this.#library.find(
        name,
        "int",
        kinds === "out" ? ["buffer"] : Array.from(kinds, (kind) => TYPES[kind] as ForeignType),
      );
      this.#functions.set(name, found);
    }
    return found;
  }
}
