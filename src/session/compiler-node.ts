/** The compiler with its cache on disk, and the device library that comes out of it. */
import { createHash } from "node:crypto";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import type { DataModel } from "../base/data-model.ts";
import type { BlobStore } from "../store/store.ts";
import { memoryStore } from "../store/store.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import { openCodeStore, openNodeStore } from "../frontend/clang/prebuilt-node.ts";

export interface NodeCompiler {
  readonly compiler: Compiler;
  /** IR text of the device library, joined from its units; cached. */
  deviceLibrary(model?: DataModel["name"]): Promise<string>;
  /** See NodeClangResources. */
  keepCode(): Promise<void>;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** @param cache false: nothing is read from the cache on disk or written to it; "read": nothing is written. */
export async function openCompiler(cache: boolean | "read" = true): Promise<NodeCompiler> {
  const warn = (message: string): void => void process.stderr.write(`heddle: ${message}\n`);
  const readOnly = cache === "read";
  const store: BlobStore = cache === false ? memoryStore() : openNodeStore({ warn, readOnly });
  // Before the compiler's code is read: it is good for these flags only.
  enableWasmFeatures();
  const resources = nodeClangResources(
    cache === false ? null : openCodeStore({ warn, readOnly }),
    cache === false ? null : syncNodeStore(undefined, { readOnly }),
  );
  const compiler = await createCompiler({ resources, store, hash: sha256 });
  const libraries = new Map<DataModel["name"], Promise<string>>();
  const loadLibrary = async (model: DataModel["name"]): Promise<string> =>
    (await import("../frontend/clang/device-library.ts")).cachedDeviceLibrary(compiler, store, sha256, model);
  return {
    compiler,
    keepCode: () => resources.keepCode(),
    deviceLibrary: (model = "ilp32") => {
      const library = libraries.get(model) ?? loadLibrary(model);
      libraries.set(model, library);
      return library;
    },
  };
}
