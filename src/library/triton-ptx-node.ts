/** The PTX of a lowered Triton kernel, without a GPU. */
import { createHash } from "node:crypto";
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { enableWasmFeatures } from "../engine/emit/v8-flags-node.ts";
import { openCodeStore, openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import { emitPtxModule } from "../ptx/emit-module.ts";
import { createPtxPipeline } from "../ptx/link-program.ts";
import { wideIr } from "./triton-gpu-code.ts";

/** What CUDA 13.0 takes. */
const PTX_VERSION = { major: 9, minor: 0 };

export async function tritonPtx(
  { module, name }: LoweredKernel,
  computeCapability: { readonly major: number; readonly minor: number },
): Promise<string> {
  const store = openNodeStore();
  const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
  enableWasmFeatures();
  const compiler = await createCompiler({
    resources: nodeClangResources(openCodeStore(), syncNodeStore()),
    store,
    hash,
  });
  const library = await cachedDeviceLibrary(compiler, store, hash);
  const link = createPtxPipeline(library, 64);
  const linked = link([{ ir: wideIr(module), name, options: { fmad: true } }]);
  return emitPtxModule(linked, { computeCapability, ptxVersion: PTX_VERSION, window: null, lineInfo: true }).text;
}
