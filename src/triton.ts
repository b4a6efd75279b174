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
import { createLoadTriton, type LoadTriton } from "./library/triton.ts";

const environment = nodeEnvironment();

/** See LoadTriton. */
export const loadTriton: LoadTriton = createLoadTriton(
  async () =>
    new Gpu(await environment.openDevice({ device: "emulated" }), (text) => console.log(text.replace(/\n$/, ""))),
);

export {
  TritonKernel,
  TritonProgram,
  cdiv,
  type LoadTriton,
  type TritonGrid,
  type TritonLaunchOptions,
  type TritonOptions,
} from "./library/triton.ts";
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
