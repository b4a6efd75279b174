/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Triton kernels without Python, on Node.js.
 *
 *     import { loadTriton } from "heddle/triton";
 *
 * docs/triton.md says what runs.
 */
import { Gpu } from "./library/gpu.ts";
import { nodeEnvironment } from "./library/environment-node.ts";
import { nodeContentCache } from "./frontend/clang/content-cache-node.ts";
import { importFromDisk, pythonFile } from "./library/triton-files-node.ts";
import { createLoadTriton, createOpenTriton, type LoadTriton, type TritonOptions } from "./library/load-triton.ts";
import { autotuneText } from "./library/triton-autotune.ts";
import type { TritonProgram } from "./library/triton.ts";

const environment = nodeEnvironment();

const open = createOpenTriton(
  async () =>
    new Gpu(await environment.openDevice({ device: "emulated" }), (text) => console.log(text.replace(/\n$/, ""))),
  nodeContentCache(),
  // Few programs need these.
  {
    compile: async (source, options) =>
      (await import("./library/heddle.ts")).createHeddle(environment).compile(source, options),
    ptx: async (kernel, target) => (await import("./library/triton-ptx-node.ts")).tritonPtx(kernel, target),
  },
);

/** As Triton's own variable says. */
const printing = (): Pick<TritonOptions, "onAutotune"> =>
  process.env["TRITON_PRINT_AUTOTUNING"] === "1" ? { onAutotune: (choice) => console.log(autotuneText(choice)) } : {};

/** See LoadTriton. */
export const loadTriton: LoadTriton = createLoadTriton((file, importSource, options) =>
  open(file, importSource, { ...printing(), ...options }),
);

/**
 * As loadTriton, of a file: what it imports is read from the files beside it, as Python would find them.
 *
 *     const { kernels } = await loadTritonFile("kernels/attention.py");
 *
 * @throws HeddleError "file-not-found"; "compile-error" where the text is no Python.
 */
export async function loadTritonFile(
  path: string,
  options: Omit<TritonOptions, "filename" | "imports"> = {},
): Promise<TritonProgram> {
  return open(pythonFile(path), importFromDisk, { ...printing(), ...options });
}

export { type AutotuneChoice, type AutotuneMode } from "./library/triton-autotune.ts";
export { type TritonAsm, type TritonCompiledKernel } from "./library/triton-compiled-kernel.ts";
export { cdiv, type LoadTriton, type TritonOptions } from "./library/load-triton.ts";
export { type RecordOptions } from "./library/triton-recording.ts";
export {
  type ProgramRecording,
  type RecordedAccess,
  type RecordedStep,
  type RecordedTile,
  type RecordedValue,
  type RecordedVariable,
} from "./frontend/triton/record-program.ts";
export { type TritonGrid, type TritonLaunchOptions } from "./library/triton-grid.ts";
export { TritonKernel, TritonProgram } from "./library/triton.ts";
export {
  DtypeArgument,
  TensorDescriptorArgument,
  TypedArgument,
  FloatArgument,
  dtype,
  float,
  tensorDescriptor,
  typed,
  type TritonArgument,
  type TritonKeywords,
} from "./library/triton-arguments.ts";
