/** The manifests are the only list of libraries: what stands in the tree is what they say. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";
import {
  LIBRARIES,
  describeLibrary,
  isBuiltIn,
  isLibrarySymbol,
  libraryNamed,
  libraryOfHeader,
  libraryOfLinkName,
  libraryOfSymbol,
  unitsLinkedAlways,
  unitsLinkedWhenCalled,
} from "./libraries.ts";

const root = resolve(import.meta.dirname, "../..");

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const code = [...filesBelow("src", /(?<!\.test)\.ts$/), ...filesBelow("scripts", /\.mjs$/)].filter(
  (path) => !path.startsWith("src/libraries/"),
);

function found(paths: readonly string[], pattern: RegExp): string[] {
  return [...new Set(paths.flatMap((path) => [...read(path).matchAll(pattern)].map((match) => match[1] as string)))];
}

describe("manifests", () => {
  test("names, link names and headers are those of one library", () => {
    for (const list of [
      LIBRARIES.map(({ name }) => name),
      LIBRARIES.flatMap(({ linkNames }) => linkNames),
      LIBRARIES.flatMap(({ headers, innerHeaders }) => [...headers, ...innerHeaders]),
    ])
      expect(list.filter((entry, i) => list.indexOf(entry) !== i)).toEqual([]);
  });

  test("every header of include/ belongs to a library, and every header that is named is there", () => {
    // heddle/ holds what Heddle's own headers include; no program names it
    const there = filesBelow("include", /(?<!\.inc)$/)
      .map((path) => path.slice("include/".length))
      .filter((header) => !header.startsWith("heddle/"));
    expect(there.filter((header) => libraryOfHeader(header) === null)).toEqual([]);
    const named = LIBRARIES.filter(({ state }) => state !== "absent").flatMap((library) => [
      ...library.headers,
      ...library.innerHeaders,
    ]);
    const isThere = (header: string): boolean => existsSync(join(root, "include", header.replace(/\/…$/, "")));
    // pthread.h comes with the C library
    expect(named.filter((header) => !isThere(header) && header !== "pthread.h")).toEqual([]);
    const absent = LIBRARIES.filter(({ state }) => state === "absent").flatMap(({ headers }) => headers);
    expect(absent.filter(isThere)).toEqual([]);
  });

  test("every source of libraries/ belongs to a library and is in the package", () => {
    const folders = ["libraries/common", ...LIBRARIES.flatMap(({ sources }) => sources?.folder ?? [])];
    const sources = filesBelow("libraries", /\.(cu|cuh|cpp|h|inl)$/);
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
    const units = [...unitsLinkedAlways(), ...unitsLinkedWhenCalled(() => true)];
    expect(units).toContain("libraries/dnn/pooling.cu");
    expect(units.filter((unit) => !existsSync(join(root, unit)))).toEqual([]);
    expect((JSON.parse(read("package.json")) as { files: string[] }).files).toContain("libraries");
  });

  test("every -l of CUDA's in the code is a link name", () => {
    const linked = found(code, /"-l((?:cu|nv|nccl|gomp|omp)\w*)"/g);
    expect(linked).toContain("cublasLt");
    expect(linked.filter((name) => libraryOfLinkName(name) === null)).toEqual([]);
  });

  test("every library that the code asks a device for has a manifest with the vendor's files", () => {
    const asked = [
      ...found(code, /\blibrary\?*\.?\("(\w+)"\)/g),
      ...found(filesBelow("libraries", /./), /call_nvidia\(\w+, "(\w+)"/g),
    ];
    expect(asked).toContain("cublas");
    for (const name of asked) expect(libraryNamed(name)?.vendor?.handles.length).toBeGreaterThan(0);
  });

  test("every function that is handed over begins with a prefix of the library", () => {
    for (const [folder, prefix, one] of [
      ["blas", "cublas", "cublasGemmEx"],
      ["sparse", "cusparse", "cusparseSpMV"],
      ["solver", "cusolver", "cusolverDnXgetrf"],
      ["dnn", "cudnn", "cudnnConvolutionForward"],
    ] as const) {
      const strings = found(filesBelow(`libraries/${folder}`, /./), /"(\w+[A-Z]\w*)"/g);
      const functions = strings.filter((name) => /^cu[a-z]+[A-Z]/.test(name));
      expect(functions).toContain(one);
      expect(functions.filter((name) => !name.startsWith(prefix))).toEqual([]);
    }
  });

  test("no other file lists the vendor's files or link names", () => {
    const hints = LIBRARIES.flatMap(({ vendor, linkNames }) => [
      ...(vendor === null ? [] : Object.values(vendor.files).flat()),
      ...linkNames.filter((name) => name.endsWith("_static")),
    ]);
    const copies = code.filter((path) => hints.some((hint) => read(path).includes(`"${hint}"`)));
    expect(copies).toEqual([]);
  });
});

describe("questions", () => {
  test("link names", () => {
    expect(
      ["cudart", "cublas_static", "cusparse", "cusolver", "cudnn", "curand", "nvrtc", "m", "stdc++", "gomp"].every(
        isBuiltIn,
      ),
    ).toBe(true);
    expect(["cutensor", "nvshmem", "mine"].some(isBuiltIn)).toBe(false);
    expect(libraryOfLinkName("cublas_static")?.title).toBe("cuBLAS");
  });

  test("headers: by name before folder", () => {
    expect(libraryOfHeader("curand_kernel.h")?.name).toBe("curand");
    expect(libraryOfHeader("thrust/device_vector.h")?.name).toBe("thrust");
    expect(libraryOfHeader("cute/tensor.hpp")?.name).toBe("cutlass");
    expect(libraryOfHeader("mine.h")).toBe(null);
  });

  test("symbols", () => {
    const platform = [
      "cudaMalloc",
      "__cudaRegisterVar",
      "cuInit",
      "cublasSgemm_v2",
      "curandGenerate",
      "cufftExecC2C",
      "ncclAllReduce",
      "nppiAdd_8u",
      "MPI_Init",
      "PMPI_Init",
      "MPIX_Query_cuda_support",
      "omp_get_num_threads",
      "pthread_create",
      "glutInit",
      "_ZN3cub5DebugE",
      "_ZNK6thrust4pairE",
      "_ZN4cuda3std3addE",
    ];
    expect(platform.filter((name) => !isLibrarySymbol(name))).toEqual([]);
    expect(["cumulate", "culling", "gloss", "npp", "mine", "_Z3addff", "_ZN4cuda3addE"].some(isLibrarySymbol)).toBe(
      false,
    );
  });

  test("the library of a symbol", () => {
    const titles = ["cublasLtMatmul", "cublasSgemm_v2", "cuInit", "cufftExecC2C", "MPI_Init", "mine"].map(
      (name) => libraryOfSymbol(name)?.title ?? null,
    );
    expect(titles).toEqual(["cuBLASLt", "cuBLAS", "Driver API", "cuFFT", "MPI", null]);
  });

  test("units by what objects name", () => {
    expect(unitsLinkedWhenCalled((prefix) => prefix === "cublas")).toEqual(["libraries/blas/cublas.cu"]);
    expect(unitsLinkedWhenCalled(() => false)).toEqual([]);
    // Of two libraries with the same sources.
    const rotations = ["cublasSrotg_v2\0", "cublasLtMatmul\0"];
    expect(unitsLinkedWhenCalled((beginning) => rotations.some((name) => name.startsWith(beginning)))).toEqual([
      "libraries/blas/cublas.cu",
      "libraries/blas/rotations.cu",
    ]);
    // A whole name is followed by a zero in an object.
    const calling = (name: string) => (beginning: string) => `${name}\0`.startsWith(beginning);
    const [core, convolution, pointwise] = ["core.cpp", "convolution.cu", "pointwise.cu"].map(
      (n) => `libraries/dnn/${n}`,
    );
    expect(unitsLinkedWhenCalled(calling("cudnnSetTensor4dDescriptor"))).toEqual([core]);
    expect(unitsLinkedWhenCalled(calling("cudnnSetTensor"))).toEqual([core, pointwise]);
    expect(unitsLinkedWhenCalled(calling("cudnnGetConvolutionBackwardDataWorkspaceSize"))).toEqual([core, convolution]);
    const blas = (name: string): string[] => unitsLinkedWhenCalled(calling(name)).map((unit) => unit.slice(15));
    expect(blas("cublasSgemm_v2")).toEqual(["cublas.cu"]);
    expect(blas("cublasSgbmv_v2")).toEqual(["cublas.cu", "level2.cu"]);
    expect(blas("cublasZher2k_v2")).toEqual(["cublas.cu", "level3.cu"]);
    expect(blas("cublasCsrot_v2")).toEqual(["cublas.cu", "rotations.cu"]);
    expect(blas("cublasXtCreate")).toEqual(["cublas.cu", "xt.cpp"]);
    expect(unitsLinkedAlways()).toEqual([
      "libraries/rand/curand.cpp",
      "libraries/rand/sobol.cpp",
      "libraries/rand/mtgp.cpp",
    ]);
  });

  test("what an error says", () => {
    const said = (name: string): string => describeLibrary(libraryNamed(name) ?? expect.fail(name));
    expect(said("nvblas")).toBe("Heddle does not have NVBLAS; call cuBLAS (cublas_v2.h)");
    expect(said("curand")).toMatch(/^cuRAND is a part of Heddle: it has all.*; it leaves out: NVIDIA's scrambled/);
  });

  test("a library that is absent says what to do instead", () => {
    const absent = LIBRARIES.filter(({ state, isLinkAccepted }) => state === "absent" && !isLinkAccepted);
    expect(absent.length).toBeGreaterThan(20);
    expect(absent.filter(({ instead }) => instead.length < 20).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ["cudnn.h", "cuDNN"],
    ["cudnn_ops_infer.h", "cuDNN"],
    ["cufft.h", "cuFFT"],
    ["cublasXt.h", "cuBLAS"],
    ["nppi_geometry_transforms.h", "NPP"],
    ["cutlass/gemm/device/gemm.h", "CUTLASS"],
    ["cuda_d3d11_interop.h", "interoperability with EGL, VDPAU and Direct3D"],
    ["cuda/annotated_ptr", "libcu++"],
    ["cooperative_groups/details/partitioning.h", "Cooperative groups"],
  ])("%s is a header of %s", (header, title) => {
    expect(libraryOfHeader(header)?.title).toBe(title);
  });
});
