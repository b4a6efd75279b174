import { expect, test } from "vitest";
import { declaredExtensions } from "./setup-py.ts";

const FILES = ["csrc/a.cpp", "csrc/b.cpp", "csrc/cuda/k.cu", "src/x.cu"];
const declared = (text: string): ReturnType<typeof declaredExtensions> =>
  declaredExtensions(text, "/project", {
    glob: (pattern) => {
      const test = new RegExp(`^(?:/project/)?${pattern.replace("/project/", "").replaceAll("*", "[^/]*")}$`);
      return FILES.filter((path) => test.test(path));
    },
    exists: (path) => FILES.includes(path.replace("/project/", "")),
    read: () => null,
  });

test("the tutorial's", () => {
  expect(
    declared(`
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name='lltm_cuda',
    ext_modules=[
        CUDAExtension('lltm_cuda', [
            'lltm_cuda.cpp',
            'lltm_cuda_kernel.cu',
        ])
    ],
    cmdclass={
        'build_ext': BuildExtension
    })
`),
  ).toEqual([
    {
      name: "lltm_cuda",
      sources: ["lltm_cuda.cpp", "lltm_cuda_kernel.cu"],
      includeFolders: [],
      flags: { cxx: [], nvcc: [] },
      defines: [],
    },
  ]);
});

test("lists that functions, conditions, globs and loops make", () => {
  const [extension] = declared(`
import os, glob
import torch
from setuptools import setup, find_packages
from torch.utils.cpp_extension import CppExtension, CUDAExtension, BuildExtension, CUDA_HOME

library = "own"

def get_extensions(debug=False):
    use_cuda = os.getenv("USE_CUDA", "1") == "1"
    use_cuda = use_cuda and torch.cuda.is_available() and CUDA_HOME is not None
    extension = CUDAExtension if use_cuda else CppExtension
    flags = {"cxx": ["-O3" if not debug else "-O0", f"-DNAME={library}"], "nvcc": ["-O3"]}
    if debug:
        flags["cxx"].append("-g")
    flags["nvcc"] += ["--use_fast_math"]
    this_dir = os.path.dirname(os.path.curdir)
    sources = list(glob.glob(os.path.join(this_dir, "csrc", "*.cpp")))
    if use_cuda:
        sources += glob.glob(os.path.join(this_dir, "csrc", "cuda", "*.cu"))
    try:
        something_unknown()
    except ImportError:
        sources = []
    return [extension(library + "._C", sources, extra_compile_args=flags, define_macros=[("WITH_CUDA", None)])]

if __name__ == "__main__":
    setup(name=library, include_dirs=["include"], packages=find_packages(), ext_modules=get_extensions())
`);
  expect(extension).toEqual({
    name: "own._C",
    sources: ["csrc/a.cpp", "csrc/b.cpp", "csrc/cuda/k.cu"],
    includeFolders: ["include"],
    flags: { cxx: ["-O3", "-DNAME=own"], nvcc: ["-O3", "--use_fast_math"] },
    defines: ["WITH_CUDA"],
  });
});

test("paths of pathlib, comprehensions, several extensions", () => {
  const all = declared(`
from pathlib import Path
from torch.utils import cpp_extension
root = Path(__file__).resolve().parent
names = ["x", "y"]
modules = [
    cpp_extension.CUDAExtension(
        name=name,
        sources=[str(root / "src" / (name + ".cu")), *["%s.cpp" % name]],
        include_dirs=[root / "include"],
        extra_compile_args=["-O2"],
    )
    for name in names if name != "z"
]
`);
  expect(all.map(({ name, sources }) => [name, sources])).toEqual([
    ["x", ["/project/src/x.cu", "x.cpp"]],
    ["y", ["/project/src/y.cu", "y.cpp"]],
  ]);
  expect(all[0]?.includeFolders).toEqual(["/project/include"]);
  expect(all[0]?.flags).toEqual({ cxx: ["-O2"], nvcc: ["-O2"] });
});

test("a text that is no Python is an error with its place", () => {
  expect(() => declared("setup(name=")).toThrow(/SyntaxError/);
});
