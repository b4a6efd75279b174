/**
 * NVIDIA's libraries on a GPU: cuBLAS and its like, loaded when a program first calls them. Handles that are made
 * without arguments belong to a context, and to whoever asked for them (a handle of the program's own). A library
 * without such handles (cuFFT) is called with numbers that the caller keeps.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { libraryNamed } from "../../libraries/libraries.ts";
import { vendorFiles, type LibraryHandle } from "../../libraries/manifest.ts";
import { listAt, type DeviceLibrary, type LibraryFunction } from "../library-call.ts";
import { boundCall, parameterTypes, type ArgumentSource } from "./bound-call.ts";
import { addressOf, type ForeignLibrary } from "./foreign-library.ts";
import { searchLibrary } from "./library-search.ts";

type PlainHandle = LibraryHandle & { readonly kind: "plain" };

export interface GpuLibrarySurroundings {
  /** Of the driver; what is made for a later major version does not run on it. */
  readonly driverMajor: number;
  /** The GPU's address of a program's pointer. */
  readonly address: (pointer: number) => number;
  /** Before a call, which may launch kernels: makes the context current. @throws HeddleError "device-fault" */
  beforeCall(work: { readonly name: string }): void;
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
        const number = Number(/(?:\.so\.|64_)(\d+)/.exec(candidate.path)?.[1] ?? 0);
        const major = manifest.vendor?.cudaOfFile?.[number] ?? number;
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

class LoadedLibrary implements DeviceLibrary {
  readonly #library: ForeignLibrary;
  /** Null where the library has no handles without arguments. */
  readonly #names: PlainHandle | null;
  readonly #around: GpuLibrarySurroundings;
  /** By name, then by kinds. */
  readonly #bound = new Map<string, Map<string, LibraryFunction | null>>();
  /** As numbers where they are exact, which koffi hands over in less time. */
  readonly #handles = new Map<number, number | bigint>();
  /** The memory that the last call read from the host. */
  #host: ArrayBuffer | null = null;
  #hostAddress = 0;

  constructor(library: ForeignLibrary, names: PlainHandle | null, around: GpuLibrarySurroundings) {
    this.#library = library;
    this.#names = names;
    this.#around = around;
  }

  bind(name: string, kinds: string): LibraryFunction | null {
    let byKinds = this.#bound.get(name);
    if (byKinds === undefined) this.#bound.set(name, (byKinds = new Map()));
    let bound = byKinds.get(kinds);
    if (bound === undefined) byKinds.set(kinds, (bound = this.#bind(name, kinds)));
    return bound;
  }

  prepare(owner: number): void {
    if (!this.#handles.has(owner)) this.#create(owner);
  }

  forget(): void {
    this.#handles.clear();
  }

  #bind(name: string, kinds: string): LibraryFunction | null {
    const foreign = this.#library.find(name, "int", parameterTypes(kinds));
    if (foreign === null) return null;
    const call = boundCall(foreign, kinds, this.#sourceFor(name));
    if (name !== this.#names?.destroy) return call;
    return (owner, host, at, stream) => {
      if (!this.#handles.has(owner)) return 0;
      const status = call(owner, host, at, stream);
      this.#handles.delete(owner);
      return status;
    };
  }

  #sourceFor(name: string): ArgumentSource {
    const work = { name };
    return {
      begin: () => this.#around.beforeCall(work),
      handle: (owner) => this.#handles.get(owner) ?? this.#create(owner),
      handleAt: (owner) => BigUint64Array.of(BigInt(this.#handles.get(owner) ?? this.#create(owner))),
      device: this.#around.address,
      origin: (host) => this.#addressOf(host),
      list: (host, at) =>
        BigUint64Array.from(listAt(host, at), ({ isOnDevice, address }) => {
          if (address === 0) return 0n;
          return BigInt(isOnDevice ? this.#around.address(address) : this.#addressOf(host.buffer) + address);
        }),
    };
  }

  /** Memory of a buffer does not move, and is there as long as this refers to it. */
  #addressOf(host: ArrayBuffer): number {
    if (this.#host !== host) {
      this.#host = host;
      this.#hostAddress = addressOf(host);
    }
    return this.#hostAddress;
  }

  #create(owner: number): number | bigint {
    const create = this.#names?.create ?? bug(`${this.#library.path} has no handles`);
    const out = new BigUint64Array(1);
    const status = this.#library.find(create, "int", ["buffer"])?.(out) ?? -1;
    if (status !== 0)
      throw new HeddleError("driver-error", `${create} failed with status ${status} (${this.#library.path})`);
    const [exact] = out as unknown as [bigint];
    const handle = exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact;
    this.#handles.set(owner, handle);
    return handle;
  }
}
