/** PyTorch's C++ API: headers for extensions, and the half of their calls that is C++ (docs/extensions.md). */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const TORCH: LibraryManifest = manifest({
  name: "torch",
  title: "PyTorch's C++ API",
  linkNames: ["torch", "torch_cpu", "torch_cuda", "torch_python", "c10", "c10_cuda"],
  headers: ["torch/…", "ATen/…", "c10/…", "pybind11/…", "Python.h"],
  innerHeaders: ["THC/…"],
  namespaces: ["at", "c10", "torch", "pybind11"],
  // Linked by loadInline and loadExtension themselves: a program with a main() has no tensors.
  sources: { folder: "libraries/torch", units: ["tensors.cpp", "extension.cpp"], linked: "by-name" },
  has: "what extensions use, for `loadInline` and `loadExtension` of heddle/tensor",
  lacks: "`torch::autograd::Function`, `torch::nn`, `py::class_`; programs with a main()",
});
