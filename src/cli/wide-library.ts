/** The C and C++ library of 64-bit programs: built by `heddle setup`, or for the first program that needs it. */
import type { DataModel } from "../base/data-model.ts";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../frontend/clang/lp64/library-place-node.ts";
import { openCodeStore } from "../frontend/clang/prebuilt-node.ts";
import { progressBar } from "./progress-bar.ts";

export interface WideLibrary {
  readonly path: string;
  /** 0: it was there. */
  readonly seconds: number;
}

/** @param again build it though it is there @param onStart called before anything is fetched or built */
export async function wideLibrary(again = false, onStart: () => void = () => undefined): Promise<WideLibrary> {
  enableWasmFeatures();
  const resources = nodeClangResources(openCodeStore({ readOnly: true }));
  const place = await resources.libraryPlace();
  const found = builtLibrary(place);
  if (found !== null && !again) return { path: found, seconds: 0 };
  onStart();
  const bar = progressBar();
  const started = performance.now();
  const { setUpLibrary } = await import("../frontend/clang/lp64/library-setup-node.ts");
  try {
    const path = await setUpLibrary({ resources, place, onProgress: (part, what) => bar.show(part, what) });
    bar.show(1, "compiling a first program");
    await compileFirstProgram();
    return { path, seconds: Math.round((performance.now() - started) / 1000) };
  } finally {
    bar.clear();
  }
}

/**
 * A little program makes the compiler ask for what all programs need: precompiled headers, our own part of the host
 * library. They are cached.
 */
async function compileFirstProgram(): Promise<void> {
  const { openCompiler } = await import("../session/compiler-node.ts");
  const { compiler } = await openCompiler();
  const text = "__global__ void kernel() {}\nint main() { kernel<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n";
  await compiler.compileProgram([{ path: "first.cu", text }], { model: "lp64" }, null);
}

/** Before a program is compiled: builds the library if its model needs it and it is not there, and says so. */
export async function prepareModel(model: DataModel["name"] | undefined): Promise<void> {
  if (model !== "lp64") return;
  await wideLibrary(false, () =>
    process.stderr.write("heddle: the C and C++ library of 64-bit programs is built, once; this takes some minutes\n"),
  );
}
