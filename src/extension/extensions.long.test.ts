import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { profiler } from "../profile.ts";
import { gradcheck, loadExtension, loadInline, openTensors, type Tensor, type Tensors } from "../tensor.ts";
import { partsOf, type Extension } from "./extensions.ts";

const LECTURE = readFileSync("bench/latency/square-matrix.cu", "utf8");

/** Every kind of argument and result, and what goes wrong. */
const MANY = `
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

template <typename scalar_t>
__global__ void scale_kernel(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x, double factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.size(0))
    for (int j = 0; j < x.size(1); j++) x[i][j] = static_cast<scalar_t>(x[i][j] * factor);
}
torch::Tensor scaled(torch::Tensor x, double factor) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, not ", x.device());
  auto y = x.contiguous().clone();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, y.scalar_type(), "scaled", [&] {
    auto stream = at::cuda::getCurrentCUDAStream();
    scale_kernel<scalar_t><<<(y.size(0) + 31) / 32, 32, 0, stream>>>(
        y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), factor);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return y;
}
__global__ void count_kernel(const long* x, long* total, int n) {
  for (int i = 0; i < n; i++) *total += x[i];
}
torch::Tensor long_sum(torch::Tensor x) {
  auto total = torch::zeros({1}, x.options());
  count_kernel<<<1, 1>>>(x.data_ptr<long>(), total.data_ptr<long>(), x.numel());
  return total;
}
std::tuple<torch::Tensor, int64_t, std::vector<std::string>> about(
    torch::Tensor x, std::optional<torch::Tensor> y, bool flag, const std::string &text, std::vector<int64_t> list) {
  int64_t sum = 0;
  for (int64_t one : list) sum += one;
  return {y.has_value() ? *y : x, sum + flag, {text, c10::toString(x.scalar_type()), c10::str(x.sizes())}};
}
std::vector<torch::Tensor> reversed(std::vector<torch::Tensor> all) {
  std::reverse(all.begin(), all.end());
  return all;
}
void fill_host(torch::Tensor x, float value) {
  auto own = x.accessor<float, 2>();
  for (int i = 0; i < own.size(0); i++)
    for (int j = 0; j < own.size(1); j++) own[i][j] = value + i * 10 + j;
}
torch::Tensor composed(torch::Tensor x, torch::Tensor w) {
  auto y = torch::sigmoid(at::mm(x, w.t())) * 2 - 1;
  y += x.sum(1, true);
  y[0] = torch::zeros({y.size(1)}, y.options());
  return y.index({torch::indexing::Slice(0, 2), torch::indexing::None, -1}).unsqueeze(0).contiguous();
}
torch::Tensor typed(torch::ScalarType type, torch::Device device) {
  return torch::arange(0, 4, 1, torch::dtype(type).device(device));
}
static torch::Tensor kept;
void keep(torch::Tensor x) { kept = x; }
torch::Tensor give_kept() { return kept; }
void drop() { kept = torch::Tensor(); }
torch::Tensor missing(torch::Tensor x) { return x.lgamma().erfinv().bitwise_not().trace(); }
__global__ void wild_kernel(float* x) { x[1 << 28] = 1; }
void wild(torch::Tensor x) { wild_kernel<<<1, 1>>>(x.data_ptr<float>()); }
int overloaded(int64_t x) { return 1; }
int overloaded_text(const std::string &x) { return 2; }
template <typename T> __global__ void gate_kernel(const T *x, const T *w, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = w[i] / (T(1) + exp(-x[i]));
}
template <typename T> __global__ void gate_back_kernel(const T *g, const T *x, const T *w, T *dx, T *dw, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T s = T(1) / (T(1) + exp(-x[i]));
  dx[i] = g[i] * w[i] * s * (T(1) - s);
  dw[i] = g[i] * s;
}
torch::Tensor gate(torch::Tensor x, torch::Tensor w) {
  auto y = torch::zeros_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.type(), "gate", ([&] {
    gate_kernel<scalar_t><<<1, 256>>>(x.data<scalar_t>(), w.data<scalar_t>(), y.data<scalar_t>(), x.numel());
  }));
  return y;
}
std::vector<torch::Tensor> gate_backward(torch::Tensor g, torch::Tensor x, torch::Tensor w) {
  auto dx = torch::empty_like(x), dw = torch::empty_like(w);
  AT_DISPATCH_FLOATING_TYPES(x.type(), "gate_backward", ([&] {
    gate_back_kernel<scalar_t><<<1, 256>>>(g.data<scalar_t>(), x.data<scalar_t>(), w.data<scalar_t>(),
                                           dx.data<scalar_t>(), dw.data<scalar_t>(), x.numel());
  }));
  return {dx, dw};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "many";
  m.def("scaled", &scaled, "scales", py::arg("x"), py::arg("factor") = 2.0);
  m.def("long_sum", &long_sum, py::call_guard<py::gil_scoped_release>());
  m.def("about", &about, py::arg("x"), py::arg("y") = py::none(), py::arg("flag") = false, py::arg("text") = "-",
        py::arg("list") = std::vector<int64_t>{1, 2});
  m.def("reversed", &reversed);
  m.def("fill_host", &fill_host);
  m.def("composed", &composed);
  m.def("typed", &typed);
  m.def("keep", &keep);
  m.def("give_kept", &give_kept);
  m.def("drop", &drop);
  m.def("missing", &missing);
  m.def("wild", &wild);
  m.def("overloaded", &overloaded);
  m.def("overloaded", &overloaded_text);
  m.def("gate", &gate);
  m.def("gate_backward", &gate_backward);
  m.def("lambda", [](double x) { return x / 2; });
}
TORCH_LIBRARY(many, m) {
  m.def("plus(Tensor a, Tensor b, *, float alpha=0.5) -> Tensor");
}
TORCH_LIBRARY_IMPL(many, CPU, m) {
  m.impl("plus", [](const at::Tensor &a, const at::Tensor &b, double alpha) { return a + b * alpha; });
}
TORCH_LIBRARY_IMPL(many, CUDA, m) {
  m.impl("plus", [](const at::Tensor &a, const at::Tensor &b, double alpha) { return a - b * alpha; });
}
`;

type Functions = Record<string, (...given: unknown[]) => Tensor>;
let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

test("the lecture's snippet", async () => {
  const options = {
    name: "square_matrix_extension",
    cppSources: "torch::Tensor square_matrix(torch::Tensor matrix);",
    cudaSources: LECTURE,
    functions: ["square_matrix"],
    withCuda: true,
    extraCudaCflags: ["-O2"],
    buildDirectory: "./load_inline_cuda",
    device: torch.device,
  };
  const extension = await loadInline<Functions>(options);
  const x = torch.tensor([[1, 2, 3], [4, 5, 6]]); // prettier-ignore
  expect(extension["square_matrix"]?.(x).tolist()).toEqual([[1, 4, 9], [16, 25, 36]]); // prettier-ignore
  expect(await loadInline(options)).toBe(extension);
  profiler.start();
  extension["square_matrix"]?.(x);
  const rows = (await profiler.stop()).operations({ by: "tensor" });
  expect(rows.map(({ name, calls }) => [name, calls])).toEqual([
    ["square_matrix [2, 3]", 1],
    ["square_matrix_kernel", 1],
  ]);
});

describe("one with everything", () => {
  let many: Functions;
  const call = (name: string, ...given: unknown[]): Tensor => (many[name] as (...all: unknown[]) => Tensor)(...given);
  const failure = (name: string, ...given: unknown[]): HeddleError => {
    try {
      call(name, ...given);
    } catch (error) {
      if (error instanceof HeddleError) return error;
      throw error;
    }
    throw new Error(`${name} did not fail`);
  };
  beforeAll(async () => {
    many = await loadInline<Functions>({ name: "many", cudaSources: MANY, device: torch.device });
  });

  test.each(["float32", "float64", "float16", "bfloat16"] as const)("dispatch: %s", (dtype) => {
    const x = torch.tensor([[1, 2], [3, 4], [5, 6]], { dtype }); // prettier-ignore
    expect(call("scaled", x.t(), 3).tolist()).toEqual([[3, 9, 15], [6, 12, 18]]); // prettier-ignore
    expect(call("scaled", x).tolist()).toEqual([[2, 4], [6, 8], [10, 12]]); // prettier-ignore
    expect(call("scaled", x, { factor: -1 }).tolist()).toEqual([[-1, -2], [-3, -4], [-5, -6]]); // prettier-ignore
  });

  test("long has 64 bits", () => {
    const x = torch.tensor([2 ** 40, 5, -1], { dtype: "int64" });
    expect(call("long_sum", x).tolist()).toEqual([2n ** 40n + 4n]);
  });

  test("arguments and results of all kinds, by position and by name", () => {
    const x = torch.ones(2, 3);
    const y = torch.zeros(1);
    expect(call("about", x)).toEqual([x, 3, ["-", "Float", "[2, 3]"]]);
    expect(call("about", x, y, true, "text", [10n, 20])).toEqual([y, 31, ["text", "Float", "[2, 3]"]]);
    expect(call("about", x, { list: [], text: "named" })).toEqual([x, 0, ["named", "Float", "[2, 3]"]]);
    expect(call("reversed", [x, y])).toEqual([y, x]);
    expect(call("lambda", 3)).toBe(1.5);
    expect([call("overloaded", 3), call("overloaded", "3")]).toEqual([1, 2]);
    expect(call("typed", "int32", "cuda").tolist()).toEqual([0, 1, 2, 3]);
    expect(call("typed", "float64", "cpu").place).toBeNull();
  });

  test("tensors of the host lie in the extension's memory during a call", () => {
    const x = torch.zeros(2, 3, { device: null });
    call("fill_host", x, 0.5);
    expect(x.tolist()).toEqual([[0.5, 1.5, 2.5], [10.5, 11.5, 12.5]]); // prettier-ignore
    call("fill_host", x.t(), 0);
    expect(x.tolist()).toEqual([[0, 10, 20], [1, 11, 21]]); // prettier-ignore
  });

  test("operations are those of tensors", () => {
    const [x, w] = [torch.rand(3, 4), torch.rand(5, 4)];
    const result = x
      .mm(w.t())
      .sigmoid()
      .mul(2)
      .sub(1)
      .add(x.sum(1, { keepdim: true }));
    const last = result.narrow(0, 1, 1).select(1, -1).item();
    expect(call("composed", x, w).shape).toEqual([1, 2, 1]);
    expect(call("composed", x, w).flatten().tolist()).toEqual([0, expect.closeTo(last, 5)]);
  });

  test("TORCH_LIBRARY: by the device of the tensors, with the schema's names and defaults", () => {
    const [a, b] = [torch.tensor([1, 2]), torch.tensor([10, 20])];
    expect(call("plus", a, b).tolist()).toEqual([-4, -8]);
    expect(call("plus", a.cpu(), b.cpu(), { alpha: 2 }).tolist()).toEqual([21, 42]);
  });

  test("tensors that C++ holds stay until it drops them", () => {
    const parts = partsOf(many);
    const before = parts?.heldTensors;
    const x = torch.tensor([7]);
    call("keep", x);
    expect(parts?.heldTensors).toBe((before ?? 0) + 1);
    expect(call("give_kept")).toBe(x);
    call("drop");
    expect(parts?.heldTensors).toBe(before);
    for (let i = 0; i < 50; i++) call("scaled", torch.rand(4, 4)).dispose();
    expect(parts?.heldTensors).toBe(before);
  });

  test("an operation whose forward and backward are the extension's, as LLTM's", () => {
    const gate = torch.defineOp({
      name: "gate",
      forward(context, x: Tensor, w: Tensor) {
        context.saveForBackward(x, w);
        return call("gate", x.contiguous(), w.contiguous());
      },
      backward: ({ savedTensors }, gradient) =>
        call("gate_backward", gradient.contiguous(), ...savedTensors) as unknown as Tensor[],
    });
    gradcheck(gate, [torch.rand(3, 4, { dtype: "float64" }), torch.rand(3, 4, { dtype: "float64" })]);
    const x = torch.zeros(2, 2, { requiresGrad: true });
    gate(x.add(0), torch.full([2, 2], 8))
      .sum()
      .backward();
    expect(x.grad?.tolist()).toEqual([[2, 2], [2, 2]]); // prettier-ignore
  });

  test("gradients of what an extension's operations record", () => {
    const x = torch.tensor([[1, 2]], { requiresGrad: true }); // prettier-ignore
    const y = torch.tensor([[3, 4]]); // prettier-ignore
    call("plus", x, y).sum().backward();
    expect(x.grad?.tolist()).toEqual([[1, 1]]);
  });

  test("errors", () => {
    expect(failure("scaled", torch.ones(2, 2, { device: null })).message).toBe("x must be a CUDA tensor, not cpu");
    expect(failure("scaled", torch.ones(2, 2, { dtype: "int32" })).message).toBe(
      "\"scaled\" not implemented for 'Int'",
    );
    expect(failure("scaled", 3).message).toBe(
      [
        "scaled(): incompatible function arguments. The following argument types are supported:",
        "      1. (x: torch.Tensor, factor: float = 2) -> torch.Tensor",
        "  Invoked with: 3",
      ].join("\n"),
    );
    expect(failure("scaled", torch.ones(2, 2), { wrong: 1 }).message).toContain("Invoked with: Tensor(float32, [2, 2]");
    expect(failure("fill_host", torch.ones(2, 2, { device: null, dtype: "float64" }), 1).message).toBe(
      "expected scalar type Float but found Double",
    );
    expect(failure("missing", torch.ones(2)).message).toMatch(/^at::trace is not supported yet|bitwise/);
    expect(failure("long_sum").message).toMatch(/Invoked with:\s*$/);
  });
});

test("a folder with a setup.py, its headers and its flags", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-extension-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "include"));
  writeFileSync(join(folder, "include", "own.h"), "#pragma once\n#include <torch/extension.h>\nlong twice(long x);\n");
  writeFileSync(join(folder, "twice.cu"), '#include "own.h"\nlong twice(long x) { return FACTOR * x; }\n');
  writeFileSync(
    join(folder, "bind.cpp"),
    '#include "own.h"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }\n',
  );
  writeFileSync(
    join(folder, "setup.py"),
    `import glob
from torch.utils.cpp_extension import CUDAExtension
CUDAExtension("own", glob.glob("*.cpp") + glob.glob("*.cu"), include_dirs=["include"],
              extra_compile_args={"nvcc": ["-DFACTOR=2", "-O3"]})
`,
  );
  const own = await loadExtension<Record<"twice", (x: number) => number>>(folder, { device: torch.device });
  expect(own.twice(2 ** 35)).toBe(2 ** 36);
  await expect(loadExtension(join(folder, "none"))).rejects.toThrow("there is no folder");
  await expect(loadExtension(join(folder, "include"))).rejects.toThrow("declares no extension");
});

test("compile errors name the user's lines, and what ATen lacks here", async () => {
  const load = (cudaSources: string): Promise<Extension> =>
    loadInline({ name: "wrong", cppSources: "void f(torch::Tensor x);", cudaSources, functions: "f" });
  await expect(load("\nvoid f(torch::Tensor x) { x.size(0) = y; }")).rejects.toThrow(/wrong\.cu:2:\d+: error/);
  await expect(load("void f(torch::Tensor x) { at::cdist(x, x); }")).rejects.toThrow(
    "at::cdist is not supported yet by heddle",
  );
});

test("a kernel's fault is an error, and a device that is reset loads anew", async () => {
  const { device } = await openTensors({ device: "emulated" });
  const own = await openTensors({ device });
  const load = (): Promise<Functions> =>
    loadInline<Functions>({
      name: "faulty",
      cppSources: "void wild(torch::Tensor x);",
      cudaSources:
        "__global__ void k(float* x) { x[1 << 28] = 1; }\n" +
        "void wild(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); }",
      functions: "wild",
      device,
    });
  const before = await load();
  expect(() => before["wild"]?.(own.ones(4))).toThrow(/write of 4 bytes/);
  device.reset();
  expect(await load()).not.toBe(before);
});
