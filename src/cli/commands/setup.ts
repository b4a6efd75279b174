/** `heddle setup`: builds the C and C++ library of 64-bit programs on this machine. */
import { HeddleError } from "../../base/diagnostics.ts";
import { enableWasmFeatures } from "../../engine/emit/v8-flags-node.ts";
import { nodeClangResources } from "../../frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../../frontend/clang/lp64/library-place-node.ts";
import { openCodeStore } from "../../frontend/clang/prebuilt-node.ts";
import { progressBar } from "../progress-bar.ts";

export async function setupCommand(args: readonly string[]): Promise<number> {
  const again = args.includes("--again");
  const unknown = args.find((argument) => argument !== "--again");
  if (unknown !== undefined)
    throw new HeddleError("bad-arguments", `unknown option ${unknown}`, { notes: ["heddle setup [--again]"] });
  enableWasmFeatures();
  const resources = nodeClangResources(openCodeStore({ readOnly: true }));
  const place = await resources.libraryPlace();
  const found = builtLibrary(place);
  if (found !== null && !again) {
    process.stdout.write(`heddle: 64-bit programs can be compiled: their library is in ${found}\n`);
    return 0;
  }
  const bar = progressBar();
  const started = performance.now();
  const { setUpLibrary } = await import("../../frontend/clang/lp64/library-setup-node.ts");
  try {
    const path = await setUpLibrary({ resources, place, onProgress: (part, what) => bar.show(part, what) });
    bar.clear();
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stdout.write(`heddle: the library of 64-bit programs is in ${path}, made in ${seconds} s\n`);
    return 0;
  } finally {
    bar.clear();
  }
}
