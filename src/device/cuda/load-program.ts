/**
 * A program's PTX → a module in a GPU's context. Kernels that launch kernels need NVIDIA's device runtime: their PTX is
 * linked with it, and the machine code is kept in the store, as the driver does not cache what it links.
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { HeddleError } from "../../base/diagnostics.ts";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { CudaVersion, Driver } from "./driver.ts";
import { formatVersion } from "./driver.ts";
import { DEVICE_RUNTIME_FILE, deviceRuntimeFiles } from "./library-search.ts";
import { linkPtx, loadPtx } from "./link-ptx.ts";

/** Increment this when the meaning of a cache entry changes. */
const FORMAT = "cuda linked program 1";

export interface ProgramCode {
  /** For messages. */
  readonly name: string;
  /** What `encodePtx` made. */
  readonly ptx: Uint8Array;
  readonly callsDeviceRuntime: boolean;
  readonly lineInfo: boolean;
}

/**
 * @returns CUmodule, in the current context.
 * @throws HeddleError "driver-error" with the compiler's or the linker's log; "unsupported" where NVIDIA's device
 *   runtime is needed and not found
 */
export function loadProgram(
  driver: Driver,
  code: ProgramCode,
  store: SyncStore | null,
  computeCapability: CudaVersion,
  libraries: () => readonly string[] = deviceRuntimeFiles,
): number {
  const { name, ptx, callsDeviceRuntime, lineInfo } = code;
  if (!callsDeviceRuntime) return loadPtx(driver, name, ptx, lineInfo);
  const [library] = libraries();
  if (library === undefined) throw missing();
  const key = cacheKey(driver, code, library, computeCapability);
  let linked = store?.get(key) ?? null;
  if (linked === null) {
    const text = new TextDecoder().decode(ptx.subarray(0, -1));
    linked = linkPtx(driver, [{ name, text }, { library }], lineInfo);
    store?.put(key, linked);
  }
  return loadPtx(driver, `${name}, linked with ${library}`, linked, lineInfo);
}

function cacheKey(driver: Driver, code: ProgramCode, library: string, computeCapability: CudaVersion): string {
  const { size, mtimeMs } = statSync(library);
  return createHash("sha256")
    .update(
      JSON.stringify([
        FORMAT,
        formatVersion(driver.version),
        computeCapability,
        [library, size, mtimeMs],
        code.lineInfo,
        createHash("sha256").update(code.ptx).digest("hex"),
      ]),
    )
    .digest("hex");
}

function missing(): HeddleError {
  return new HeddleError(
    "unsupported",
    `kernels that launch kernels (dynamic parallelism) on a GPU need NVIDIA's device runtime: ` +
      `${DEVICE_RUNTIME_FILE} is not found`,
    {
      notes: [
        "a CUDA toolkit has it: install one, name its folder in CUDA_HOME, or the library's folder in " +
          "HEDDLE_CUDA_LIBRARIES",
        "the emulated device runs such programs without it",
      ],
    },
  );
}
