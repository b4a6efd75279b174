import { expect, test } from "vitest";
import { compilerOptions, mergeOptions } from "./compiler-flags.ts";
import { inlineSources } from "./load-inline.ts";

test("declarations and a CUDA source make one file; functions become a module", () => {
  const { joined, sources } = inlineSources(
    { name: "own", cppSources: "at::Tensor f(at::Tensor x);", cudaSources: "CUDA", functions: ["f"] },
    null,
  );
  expect(sources.map(({ path }) => path)).toEqual(["own.cpp", "own.cu"]);
  expect(joined?.text).toContain('#line 1 "own.cu"\nCUDA\n');
  expect(joined?.text).toContain('m.def("f", torch::wrap_pybind_function(f), "f");');
  expect(joined?.path).toBe("own.cu");
});

test("C++ code is compiled by itself; kernels in it make it CUDA", () => {
  const own = { name: "own", functions: { f: 'says "f"' } };
  const plain = inlineSources({ ...own, cppSources: "int f() { return 1; }" }, null);
  expect([plain.joined, plain.sources.length]).toEqual([null, 1]);
  expect(plain.sources[0]?.text).toContain('wrap_pybind_function(f), "says \\"f\\"");');
  const both = inlineSources({ ...own, cppSources: ["void f() { k<<<1, 1>>>(); }", "// b"] }, null);
  expect(both.sources[0]?.path).toBe("own.cu");
  expect(both.sources[0]?.text).toContain('#line 1 "own[1].cu"\n// b\n');
});

test("PyTorch's names are refused with ours", () => {
  expect(() => inlineSources({ name: "x", cuda_sources: "" } as never, null)).toThrow(/did you mean "cudaSources"/);
  expect(() => inlineSources({ name: "x" }, null)).toThrow("loadInline needs cppSources or cudaSources");
  expect(() => inlineSources({ cppSources: "" } as never, null)).toThrow("loadInline needs a name, not undefined");
});

test("flags of nvcc and g++", () => {
  expect(
    compilerOptions(["-O3", "-DA", "-D", "B=1", "-U__CUDA_NO_HALF_OPERATORS__", "--use_fast_math", "-Iown"]),
  ).toEqual({ defines: ["A", "B=1"], includePaths: ["own"], fastMath: true });
  expect(compilerOptions(["-std=c++14", "-Xptxas -O3", "--expt-relaxed-constexpr", "-O0"])).toEqual({ optimize: 0 });
  expect(compilerOptions(["-std=c++20"])).toEqual({ standard: "c++20" });
  expect(mergeOptions({ defines: ["A"] }, { defines: ["B"], fastMath: true })).toEqual({
    defines: ["A", "B"],
    undefines: [],
    includePaths: [],
    fastMath: true,
  });
});
