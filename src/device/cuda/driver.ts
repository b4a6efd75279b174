/**
 * The second storey of the driver binding: the driver of this machine, found and initialised, with every call checked.
 * Nobody above sees a status, except where a status is an answer ("not ready").
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { CUDA_DRIVER } from "../../libraries/cuda.ts";
import { vendorFiles } from "../../libraries/manifest.ts";
import { DRIVER_FUNCTIONS, type DriverFunction } from "./driver-symbols.ts";
import {
  ForeignFunctions,
  textAt,
  type ForeignFunction,
  type ForeignLibrary,
  type ForeignValue,
} from "./foreign-library.ts";
import { searchLibrary } from "./library-search.ts";

/** CUresult, where code asks for one. */
export const DriverStatus: {
  readonly success: 0;
  readonly outOfMemory: 2;
  readonly noDevice: 100;
  readonly notFound: 500;
  readonly notReady: 600;
} = {
  success: 0,
  outOfMemory: 2,
  noDevice: 100,
  notFound: 500,
  notReady: 600,
};

/** Virtual memory management (11.2) and parameter layouts of functions (12.4) are younger than what came before. */
const OLDEST_DRIVER = 12000;

export interface CudaVersion {
  readonly major: number;
  readonly minor: number;
}

/** A call that the driver refused. `status` is its CUresult. */
export class DriverError extends HeddleError {
  readonly status: number;
  constructor(call: string, status: number, name: string, phrase: string) {
    super(
      status === DriverStatus.outOfMemory ? "out-of-memory" : "driver-error",
      `${call}: ${phrase} (${name}, ${status})`,
    );
    this.status = status;
  }
}

export class Driver {
  readonly path: string;
  /** The version of CUDA that the driver speaks: 13.0 and the like. */
  readonly version: CudaVersion;
  readonly #functions: ForeignFunctions;
  readonly #out = new ArrayBuffer(16);
  readonly #words = new BigUint64Array(this.#out);
  readonly #ints = new Int32Array(this.#out);
  readonly #floats = new Float32Array(this.#out);

  /** @throws HeddleError "no-device" where it cannot be initialised. */
  constructor(library: ForeignLibrary) {
    this.path = library.path;
    this.#functions = new ForeignFunctions(
      library,
      DRIVER_FUNCTIONS,
      (name) =>
        new HeddleError("unsupported", `the NVIDIA driver here (CUDA ${formatVersion(this.version)}) has no ${name}`, {
          notes: [`${library.path}: a newer driver has it`],
        }),
    );
    this.version = splitVersion(rawVersion(this.function("cuDriverGetVersion")));
    const status = this.status("cuInit", 0);
    if (status === DriverStatus.success) return;
    const name = this.errorName(status);
    throw new HeddleError(
      "no-device",
      status === DriverStatus.noDevice
        ? "the NVIDIA driver is here, but it sees no GPU"
        : `the NVIDIA driver does not start: ${this.errorPhrase(status)} (${name}, ${status})`,
      {
        notes: [
          `${library.path}, CUDA ${formatVersion(this.version)}`,
          ...(process.env["CUDA_VISIBLE_DEVICES"] === undefined
            ? []
            : [`CUDA_VISIBLE_DEVICES is "${process.env["CUDA_VISIBLE_DEVICES"]}"`]),
        ],
      },
    );
  }

  /** The function itself, for the launch path, which checks statuses on its own. */
  function(name: DriverFunction): ForeignFunction {
    return this.#functions.get(name);
  }

  /** Calls, and throws a DriverError unless it succeeds. */
  call(name: DriverFunction, ...values: ForeignValue[]): void {
    const status = this.#functions.get(name)(...values);
    if (status !== DriverStatus.success) throw this.error(name, status);
  }

  /** Calls, and returns the status. */
  status(name: DriverFunction, ...values: ForeignValue[]): number {
    return this.#functions.get(name)(...values);
  }

  /**
   * Calls a function whose first parameter receives a handle, an address or a size. Those of user space are exact as
   * numbers.
   */
  get(name: DriverFunction, ...values: ForeignValue[]): number {
    this.#words.fill(0n);
    this.call(name, this.#out, ...values);
    return Number(this.#words[0]);
  }

  /** As `get`, with two results. */
  getPair(name: DriverFunction, ...values: ForeignValue[]): readonly [number, number] {
    this.#words.fill(0n);
    this.call(name, new BigUint64Array(this.#out, 0, 1), new BigUint64Array(this.#out, 8, 1), ...values);
    return [Number(this.#words[0]), Number(this.#words[1])];
  }

  getInt(name: DriverFunction, ...values: ForeignValue[]): number {
    this.call(name, this.#out, ...values);
    return this.#ints[0] as number;
  }

  getFloat(name: DriverFunction, ...values: ForeignValue[]): number {
    this.call(name, this.#out, ...values);
    return this.#floats[0] as number;
  }

  /**
   * A text of at most `capacity` bytes that the function writes into its first parameter; the second is the capacity.
   */
  getText(name: DriverFunction, capacity: number, ...values: ForeignValue[]): string {
    const bytes = new Uint8Array(capacity);
    this.call(name, bytes, capacity, ...values);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  error(call: string, status: number): DriverError {
    return new DriverError(call.replace(/_v\d$/, ""), status, this.errorName(status), this.errorPhrase(status));
  }

  /** CUDA_ERROR_ILLEGAL_ADDRESS and the like. */
  errorName(status: number): string {
    return this.#errorText("cuGetErrorName", status) ?? "an unknown status";
  }

  errorPhrase(status: number): string {
    return this.#errorText("cuGetErrorString", status) ?? "the driver refused it";
  }

  #errorText(name: "cuGetErrorName" | "cuGetErrorString", status: number): string | null {
    const out = new BigUint64Array(1);
    return this.#functions.get(name)(status, out) === DriverStatus.success && out[0] !== 0n
      ? textAt(Number(out[0]))
      : null;
  }
}

export function formatVersion({ major, minor }: CudaVersion): string {
  return `${major}.${minor}`;
}

/** 13000 → 13.0 */
export function splitVersion(version: number): CudaVersion {
  return { major: Math.floor(version / 1000), minor: Math.floor((version % 1000) / 10) };
}

let opened: Driver | HeddleError | null = null;

/**
 * The driver of this machine. It is looked for once; whoever asks again gets the same answer.
 * @throws HeddleError "no-device", which says what is missing.
 */
export function openDriver(): Driver {
  if (opened === null) {
    try {
      opened = findDriver();
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      opened = error;
    }
  }
  if (opened instanceof HeddleError) throw opened;
  return opened;
}

function findDriver(): Driver {
  const files = vendorFiles(CUDA_DRIVER, process.platform);
  if (files === null) throw new HeddleError("no-device", `there is no NVIDIA driver for ${process.platform}`);
  const { library, tried } = searchLibrary({ files, ofDriver: true }, (candidate) => {
    const version = candidate.find("cuDriverGetVersion", "int", ["buffer"]);
    if (version === null) return "it is not a CUDA driver";
    const found = rawVersion(version);
    if (found >= OLDEST_DRIVER) return null;
    const [itsVersion, oldest] = [found, OLDEST_DRIVER].map((number) => formatVersion(splitVersion(number)));
    return `its CUDA ${itsVersion} is older than the ${oldest} that is needed`;
  });
  if (library !== null) return new Driver(library);
  throw new HeddleError(
    "no-device",
    tried.length === 0
      ? `no GPU can be used here: the NVIDIA driver's library ${files[0]} was not found`
      : "no GPU can be used here: no NVIDIA driver that fits was found",
    {
      notes: [...tried, "HEDDLE_CUDA_LIBRARIES names further folders to look in"],
    },
  );
}

function rawVersion(call: ForeignFunction): number {
  const version = new Int32Array(1);
  return call(version) === DriverStatus.success ? (version[0] as number) : 0;
}
