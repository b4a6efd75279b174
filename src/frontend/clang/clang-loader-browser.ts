/**
 * Loads the Clang package and Heddle's own files in a browser, by URL: nothing has to be bundled, a web server that
 * serves the files of the two packages is enough.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { once } from "../../base/once.ts";
import type { ClangResources, OwnDirectory } from "./clang.ts";
import type { BlobStore } from "../../store/store.ts";
import { ENTRY_DIGEST_BYTES, entryPath } from "./prebuilt.ts";
import { startBrowserToolThread } from "./tool-thread-browser.ts";

/** dist/fingerprints.json: as ClangResources.fingerprint gives them in Node.js, where prebuilt results were made. */
type Fingerprints = Readonly<Record<OwnDirectory, string>>;

/** dist/resources.json: the text of each file, by path: include/…, hostlib/…, libdevice/…, libraries/…. */
type OwnFiles = Readonly<Record<string, string>>;

export interface BrowserLocations {
  /** The directory that holds llvm.core.wasm and llvm-resources.tar: gen/ of the package @yowasp/clang. Ends in "/". */
  readonly clang: string;
  /** dist/ of this package. Ends in "/". */
  readonly heddle: string;
}

async function request(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new HeddleError("io-error", `${url} cannot be fetched`, { cause: error });
  }
  if (!response.ok)
    throw new HeddleError("file-not-found", `${url} cannot be fetched: ${response.status} ${response.statusText}`);
  return response;
}

export function browserClangResources(locations: BrowserLocations): ClangResources {
  const json = async (name: string): Promise<unknown> => (await request(`${locations.heddle}${name}`)).json();
  const fingerprints = once(() => json("fingerprints.json") as Promise<Fingerprints>);
  const files = once(() => json("resources.json") as Promise<OwnFiles>);
  return {
    fingerprint: async (directory) => (await fingerprints())[directory],
    module: async () => {
      const response = await request(`${locations.clang}llvm.core.wasm`);
      // Only with this type may a browser compile while it downloads.
      if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
      return WebAssembly.compile(await response.arrayBuffer());
    },
    systemArchives: async () => [shared(await (await request(`${locations.clang}llvm-resources.tar`)).arrayBuffer())],
    ownFiles: async () => {
      const encoder = new TextEncoder();
      return new Map(Object.entries(await files()).map(([path, text]) => [path, encoder.encode(text)]));
    },
    ...(startBrowserToolThread === undefined ? {} : { startToolThread: startBrowserToolThread }),
  };
}

/** dist/fingerprint, which changes with the code of our compilers. */
export async function browserFingerprint(locations: BrowserLocations): Promise<string> {
  return (await request(`${locations.heddle}fingerprint`)).text();
}

/** In memory that the compiler's threads share, where they can. */
function shared(bytes: ArrayBuffer): Uint8Array {
  if (startBrowserToolThread === undefined) return new Uint8Array(bytes);
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(new Uint8Array(bytes));
  return copy;
}

/** What came prebuilt with the package; finds nothing where scripts/prebuild.mjs has not run. */
export function browserPrebuilt(locations: BrowserLocations): Pick<BlobStore, "get"> {
  const base = `${locations.heddle}prebuilt/`;
  let keys: Promise<ReadonlySet<string>> | null = null;
  const load = async (): Promise<ReadonlySet<string>> => {
    const response = await fetch(`${base}index.json`);
    return new Set(response.ok ? ((await response.json()) as string[]) : []);
  };
  return {
    get: async (key) => {
      if (!(await (keys ??= load())).has(key)) return null;
      return new Uint8Array(await (await request(base + entryPath(key))).arrayBuffer()).subarray(ENTRY_DIGEST_BYTES);
    },
  };
}
