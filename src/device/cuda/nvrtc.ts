/**
 * NVRTC, NVIDIA's compiler as a library: found, bound, and every call checked (NVRTC documentation, "User Interface").
 */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { NVRTC } from "../../libraries/cuda.ts";
import { vendorFiles } from "../../libraries/manifest.ts";
import { formatVersion, type CudaVersion } from "./driver.ts";
import { ForeignFunctions, ForeignLibrary, addressOf, textAt, type ForeignType } from "./foreign-library.ts";
import { libraryFiles, searchLibrary } from "./library-search.ts";

const FUNCTIONS: Readonly<Record<string, readonly ForeignType[]>> = {
  nvrtcVersion: ["buffer", "buffer"],
  nvrtcCreateProgram: ["buffer", "text", "text", "int", "buffer", "buffer"],
  nvrtcDestroyProgram: ["buffer"],
  nvrtcAddNameExpression: ["ptr", "text"],
  nvrtcGetLoweredName: ["ptr", "text", "buffer"],
  nvrtcCompileProgram: ["ptr", "int", "buffer"],
  nvrtcGetProgramLogSize: ["ptr", "buffer"],
  nvrtcGetProgramLog: ["ptr", "buffer"],
  nvrtcGetPTXSize: ["ptr", "buffer"],
  nvrtcGetPTX: ["ptr", "buffer"],
  nvrtcGetCUBINSize: ["ptr", "buffer"],
  nvrtcGetCUBIN: ["ptr", "buffer"],
};

const SUCCESS = 0;
const COMPILATION_FAILED = 6;
/** cuFuncGetParamInfo and what our options need came with it. */
const OLDEST = { major: 12, minor: 0 };

export interface NvrtcSource {
  readonly path: string;
  readonly text: string;
  /** Headers by the names that #include has; they come before the include paths. */
  readonly headers: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  readonly nameExpressions: readonly string[];
}

export interface NvrtcResult {
  readonly ptx: string;
  readonly cubin: Uint8Array;
  readonly log: string;
  /** Name expressions to names in the code. */
  readonly names: ReadonlyMap<string, string>;
}

export class Nvrtc {
  readonly path: string;
  readonly version: CudaVersion;
  readonly #functions: ForeignFunctions;

  constructor(library: ForeignLibrary) {
    this.path = library.path;
    this.#functions = new ForeignFunctions(
      library,
      FUNCTIONS,
      (name) => new HeddleError("no-device", `${library.path} has no ${name}: it is no NVRTC, or too old a one`),
    );
    this.version = readVersion(library) ?? { major: 0, minor: 0 };
  }

  /** @throws HeddleError "compile-error" whose `notes` hold the compiler's report. */
  compile(source: NvrtcSource): NvrtcResult {
    const handle = new BigUint64Array(1);
    const [names, texts] = [cStrings(Object.keys(source.headers)), cStrings(Object.values(source.headers))];
    this.#call("nvrtcCreateProgram", handle, source.text, source.path, names.count, texts.pointers, names.pointers);
    const program = Number(handle[0]);
    try {
      for (const expression of source.nameExpressions) this.#call("nvrtcAddNameExpression", program, expression);
      const options = cStrings(source.options);
      const status = this.#functions.get("nvrtcCompileProgram")(program, options.count, options.pointers);
      const log = new TextDecoder().decode(this.#bytes("ProgramLog", program)).replace(/\0+$/, "").trim();
      if (status === COMPILATION_FAILED) {
        const errors = [...log.matchAll(/^.*\berror\b.*$/gm)].length;
        throw new HeddleError(
          "compile-error",
          `${source.path} does not compile (NVRTC ${formatVersion(this.version)})`,
          { notes: log === "" ? [] : log.split("\n"), cause: { errors } },
        );
      }
      if (status !== SUCCESS)
        throw new HeddleError("driver-error", `NVRTC ${formatVersion(this.version)} failed with status ${status}`, {
          notes: [this.path, ...log.split("\n")],
        });
      const lowered = new BigUint64Array(1);
      const found = source.nameExpressions.map((expression): [string, string] => {
        this.#call("nvrtcGetLoweredName", program, expression, lowered);
        return [expression, textAt(Number(lowered[0]))];
      });
      return {
        ptx: new TextDecoder().decode(this.#bytes("PTX", program)).replace(/\0+$/, ""),
        cubin: this.#bytes("CUBIN", program),
        log,
        names: new Map(found),
      };
    } finally {
      this.#functions.get("nvrtcDestroyProgram")(handle);
    }
  }

  #bytes(what: "ProgramLog" | "PTX" | "CUBIN", program: number): Uint8Array {
    const size = new BigUint64Array(1);
    this.#call(`nvrtcGet${what}Size`, program, size);
    const bytes = new Uint8Array(Number(size[0]));
    if (bytes.length > 0) this.#call(`nvrtcGet${what}`, program, bytes);
    return bytes;
  }

  #call(name: string, ...values: Parameters<ReturnType<ForeignFunctions["get"]>>): void {
    const status = this.#functions.get(name)(...values);
    if (status !== SUCCESS)
      throw new HeddleError(
        "driver-error",
        `${name} failed with status ${status} (NVRTC ${formatVersion(this.version)}, ${this.path})`,
      );
  }
}

/** Pointers to C strings, which live as long as the result. */
function cStrings(texts: readonly string[]): {
  readonly count: number;
  readonly pointers: BigUint64Array;
  readonly bytes: readonly Uint8Array[];
} {
  const bytes = texts.map((text) => {
    const encoded = new TextEncoder().encode(`${text}\0`);
    const own = new Uint8Array(new ArrayBuffer(encoded.length));
    own.set(encoded);
    return own;
  });
  return {
    count: texts.length,
    pointers: BigUint64Array.from([...bytes.map((text) => BigInt(addressOf(text))), 0n]),
    bytes,
  };
}

function readVersion(library: ForeignLibrary): CudaVersion | null {
  const version = new Int32Array(2);
  const call = library.find("nvrtcVersion", "int", ["buffer", "buffer"]);
  return call !== null && call(version.subarray(0, 1), version.subarray(1, 2)) === SUCCESS
    ? { major: version[0] as number, minor: version[1] as number }
    : null;
}

/**
 * The NVRTC of this machine.
 * @param driver must be able to load the code. It cannot load the code of an NVRTC with a later major version.
 * @throws HeddleError "no-device" with the NVRTCs that were found, and why each does not fit.
 */
export function openNvrtc(driver: CudaVersion | null): Nvrtc {
  const { library, tried } = searchLibrary(
    { files: vendorFiles(NVRTC, process.platform) ?? [], ofDriver: false },
    (candidate) => {
      const version = readVersion(candidate);
      if (version === null) return "it is no NVRTC";
      if (version.major < OLDEST.major)
        return `NVRTC ${formatVersion(version)} is older than the ${formatVersion(OLDEST)} that is needed`;
      if (driver !== null && version.major > driver.major)
        return (
          `the code of NVRTC ${formatVersion(version)} needs a driver of CUDA ${version.major}, ` +
          `and this one's is ${formatVersion(driver)}`
        );
      return null;
    },
  );
  if (library === null) {
    throw new HeddleError(
      "no-device",
      tried.length === 0
        ? "CUDA source cannot be compiled for the GPU: NVRTC (libnvrtc) was not found"
        : "CUDA source cannot be compiled for the GPU: no NVRTC that fits was found",
      {
        notes: [
          ...tried,
          "it comes with the CUDA toolkit and with Python's package nvidia-cuda-nvrtc; HEDDLE_CUDA_LIBRARIES names " +
            "further folders to look in",
        ],
      },
    );
  }
  loadBuiltins(library.path);
  return new Nvrtc(library);
}

/**
 * Identifies the NVRTCs of this machine without loading one: names (which contain the version) and sizes of their
 * files. Part of the cache key of compiled code.
 */
export function nvrtcFingerprint(): string {
  return (fingerprint ??= JSON.stringify([
    process.env["HEDDLE_CUDA_LIBRARIES"] ?? "",
    [
      ...new Set(
        libraryFiles({ files: vendorFiles(NVRTC, process.platform) ?? [], ofDriver: false }).map((path) =>
          realpathSync(path),
        ),
      ),
    ].map((path) => [path, statSync(path).size]),
  ]));
}

let fingerprint: string | null = null;

/** NVRTC opens a second library by its bare name, which the system finds if it is loaded already. */
function loadBuiltins(path: string): void {
  if (!isAbsolute(path)) return;
  const folder = dirname(path);
  for (const file of readdirSync(folder)) {
    if (!basename(file).startsWith("libnvrtc-builtins.so.") && !/^nvrtc-builtins64_\d+\.dll$/.test(file)) continue;
    try {
      void new ForeignLibrary(join(folder, file));
    } catch {
      // The file may belong to another version; NVRTC then reports what is missing.
    }
  }
}
