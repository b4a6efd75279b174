/** The library on Node.js: files, all cores, caches in the user's cache directory. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { HeddleError } from "../base/diagnostics.ts";
import { needsWideMemory } from "../device/common/wide-memory.ts";
import { parseDeviceKind } from "../device/common/device-kind.ts";
import { cachedDeviceLibrary, deviceLibraryText } from "../frontend/clang/device-library.ts";
import { nodeContentCache } from "../frontend/clang/content-cache-node.ts";
import { openNodeDevice } from "../device/emulated/open-device-node.ts";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { nodeClangResources, nodeSourceReader, type NodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { presentModel } from "../frontend/clang/lp64/library-place-node.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { type Compiler } from "../frontend/clang/compiler.ts";
import { openCodeStore, openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import type { Device } from "../device/device.ts";
import type { CudaDeviceOptions } from "../device/cuda/open-device.ts";
import type { LibraryText } from "../program/library-text.ts";
import type { LibraryEnvironment } from "./environment.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function nodeEnvironment(): LibraryEnvironment {
  let compiler: Promise<Compiler> | null = null;
  let resources: NodeClangResources | null = null;
  const openResources = (): NodeClangResources => (resources ??= nodeClangResources(openCodeStore(), syncNodeStore()));
  const store = openNodeStore();
  const openCompiler = (): Promise<Compiler> => {
    // Before the compiler's code is read: it is good for these flags only.
    enableWasmFeatures();
    return (compiler ??= createCompiler({ resources: openResources(), store, hash: sha256 }));
  };
  let library: Promise<string> | null = null;
  const openLibrary = (): Promise<string> =>
    (library ??= openCompiler().then((opened) => cachedDeviceLibrary(opened, store, sha256)));
  let wideLibrary: Promise<string> | null = null;
  const openWideLibrary = (): Promise<string> =>
    (wideLibrary ??= openCompiler().then((opened) => cachedDeviceLibrary(opened, store, sha256, "lp64")));
  return {
    compiler: openCompiler,
    includes: nodeSourceReader,
    model: async () => presentModel(await openResources().libraryPlace()),
    async openDevice({ onPrint: _onPrint, model: _model, device, ordinal = 0, timeoutMs, ...options }, observer) {
      const kind = device ?? parseDeviceKind(process.env["HEDDLE_DEVICE"]);
      // A tool that adds code of its own needs the engine; a GPU takes those that need launch events only.
      if (kind !== "emulated" && observer?.needs !== "code") {
        const openText = async (): Promise<LibraryText> => deviceLibraryText(await openCompiler(), store, sha256);
        const gpu = await openGpu(kind, ordinal, openText, {
          timeoutMs: timeoutMs ?? null,
          observer: observer ?? null,
        });
        if (gpu !== null) return gpu;
      }
      enableWasmFeatures();
      return openNodeDevice({
        ...options,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(observer === undefined ? {} : { observer }),
        codeCache: nodeContentCache(),
        startsEarly: true,
        ...(needsWideMemory(options.memoryBytes ?? null)
          ? { library: await openWideLibrary(), nearLibrary: await openLibrary() }
          : { library: await openLibrary() }),
      });
    },
    registers: async () => (await import("../device/cuda/ptxas.ts")).openPtxas(await openLibrary()),
    async readSource(path) {
      try {
        return { path, text: await readFile(path, "utf8") };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new HeddleError(
          code === "ENOENT" ? "file-not-found" : "io-error",
          code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read: ${(error as Error).message}`,
        );
      }
    },
  };
}

/**
 * null: "auto", and there is no GPU. What belongs to GPUs is loaded when one is asked for.
 * @param library functions that Triton kernels and programs in IR call
 */
async function openGpu(
  kind: "cuda" | "auto",
  ordinal: number,
  library: () => Promise<LibraryText>,
  options: Pick<CudaDeviceOptions, "timeoutMs" | "observer">,
): Promise<Device | null> {
  const [{ openFlatDevice }, { syncNodeStore }] = await Promise.all([
    import("../device/cuda/open-device.ts"),
    import("../store/disk-store-node.ts"),
  ]);
  try {
    return openFlatDevice(ordinal, { ...options, store: syncNodeStore(), library: await library() });
  } catch (error) {
    if (kind === "auto" && error instanceof HeddleError && error.code === "no-device") return null;
    throw error;
  }
}
