/**
 * PTX → machine code, by the compiler that is part of the driver (CUDA Driver API, "Module Management").
 *
 * One text is loaded as it is: the driver compiles it as a whole, and keeps the machine code in its own cache
 * (CUDA_CACHE_PATH). Several are linked, which makes a cubin, but of relocatable code: with a third more registers in
 * places, and up to 40 % slower on an H200.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { addressOf, bytesAt } from "./foreign-library.ts";
import { DEVICE_RUNTIME_FILE } from "./library-search.ts";
import { DriverStatus, formatVersion, type CudaVersion, type Driver } from "./driver.ts";

/** CUjit_option */
const JIT_ERROR_LOG = 5;
const JIT_ERROR_LOG_BYTES = 6;
const JIT_LINE_INFO = 13;
/** CUjitInputType */
const INPUT_PTX = 1;
const INPUT_LIBRARY = 4;
const LOG_BYTES = 16 * 1024;

export interface PtxText {
  /** For messages. */
  readonly name: string;
  readonly text: string;
}

/** An archive of relocatable machine code, such as NVIDIA's libcudadevrt.a. */
export interface LibraryFile {
  readonly library: string;
}

/** As the driver takes it: ended by a zero. */
export function encodePtx(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`);
}

/**
 * Loads a module from what `encodePtx` made. The name is for messages.
 * @returns CUmodule, in the current context.
 * @throws HeddleError "driver-error" with the compiler's log.
 */
export function loadPtx(driver: Driver, name: string, ptx: Uint8Array, lineInfo: boolean): number {
  const { log, options, values } = compilerOptions(lineInfo);
  const out = new BigUint64Array(1);
  const status = driver.status("cuModuleLoadDataEx", out, ptx, options.length, options, values);
  if (status !== DriverStatus.success) throw refused(driver, status, name, log);
  return Number(out[0]);
}

/**
 * @returns the machine code for the GPU of the current context.
 * @throws HeddleError "driver-error" with the compiler's log.
 */
export function linkPtx(driver: Driver, inputs: readonly (PtxText | LibraryFile)[], lineInfo: boolean): Uint8Array {
  const { log, options, values } = compilerOptions(lineInfo);
  const out = new BigUint64Array(1);
  driver.call("cuLinkCreate_v2", options.length, options, values, out);
  const link = Number(out[0]);
  try {
    for (const input of inputs) {
      const status = addInput(driver, link, input);
      if (status !== DriverStatus.success) throw refused(driver, status, nameOf(input), log);
    }
    const [address, size] = [new BigUint64Array(1), new BigUint64Array(1)];
    const status = driver.status("cuLinkComplete", link, address, size);
    if (status !== DriverStatus.success) throw refused(driver, status, inputs.map(nameOf).join(", "), log);
    return bytesAt(Number(address[0]), Number(size[0])).slice();
  } finally {
    driver.status("cuLinkDestroy", link);
  }
}

function addInput(driver: Driver, link: number, input: PtxText | LibraryFile): number {
  if ("library" in input) return driver.status("cuLinkAddFile_v2", link, INPUT_LIBRARY, input.library, 0, null, null);
  const bytes = encodePtx(input.text);
  return driver.status("cuLinkAddData_v2", link, INPUT_PTX, bytes, bytes.length, input.name, 0, null, null);
}

function nameOf(input: PtxText | LibraryFile): string {
  return "library" in input ? input.library : input.name;
}

function compilerOptions(lineInfo: boolean): {
  readonly log: Uint8Array;
  readonly options: Int32Array;
  readonly values: BigUint64Array;
} {
  const log = new Uint8Array(LOG_BYTES);
  return {
    log,
    options: Int32Array.of(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES, JIT_LINE_INFO),
    values: BigUint64Array.of(BigInt(addressOf(log)), BigInt(LOG_BYTES), lineInfo ? 1n : 0n),
  };
}

function refused(driver: Driver, status: number, name: string, log: Uint8Array): HeddleError {
  const end = log.indexOf(0);
  const lines = new TextDecoder()
    .decode(log.subarray(0, end < 0 ? LOG_BYTES : end))
    .split("\n")
    .filter((line) => line.trim() !== "");
  const verb = name.endsWith(DEVICE_RUNTIME_FILE) ? "link" : "compile the PTX of";
  const reason = `${driver.errorPhrase(status)} (${driver.errorName(status)}, ${status})`;
  const error = new HeddleError(
    "driver-error",
    `the driver (CUDA ${formatVersion(driver.version)}) does not ${verb} ${name}: ${reason}`,
    { notes: lines },
  );
  return Object.assign(error, { status });
}

/** The version of the PTX language that a driver takes: PTX ISA reference, "Release Notes". */
export function ptxVersion({ major, minor }: CudaVersion): CudaVersion {
  if (major >= 13) return { major: 9, minor: major > 13 ? 0 : Math.min(minor, 1) };
  const ofTwelve = [0, 1, 2, 3, 4, 5, 5, 6, 7, 8];
  return { major: 8, minor: ofTwelve[Math.min(minor, 9)] as number };
}
