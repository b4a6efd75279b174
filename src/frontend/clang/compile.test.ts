import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { nodeStore } from "../../store/disk-store-node.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import type { ClangResources } from "./clang.ts";
import { memoryStore } from "../../store/store.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler } from "./compiler.ts";
import { fatBinariesOf, readReference } from "../../program/fat-binary.ts";
import { prebuiltDirectory } from "./prebuilt-node.ts";
import { storeOver } from "./prebuilt.ts";
import type { SourceFile } from "../../program/compiled-program.ts";
import { undefinedFunctions } from "./host-module.test-helper.ts";
import { reader } from "./source-reader.test-helper.ts";

const fixture = (name: string): SourceFile => {
  const path = fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
  return { path: name, text: readFileSync(path, "utf8") };
};

/** Headers and libraries as `npm ci` has made them; nothing of earlier runs. */
const store = storeOver(nodeStore(prebuiltDirectory()), memoryStore());
const resources = clangForTests();
let compiler: Compiler;
beforeAll(async () => {
  compiler = await createCompiler({ resources, store });
});

async function failure(promise: Promise<unknown>): Promise<HeddleError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HeddleError);
  return error as HeddleError;
}

describe("device code", () => {
  test("all intrinsics compile to IR without inline assembly, except for hints of __ldcg and __stcg", async () => {
    const { program } = await compiler.compileDevice(fixture("intrinsics.cu"), {}, null);
    expect(program.ir).toContain('target triple = "nvptx-nvidia-cuda"');
    const statements = [...program.ir.matchAll(/ asm (?:sideeffect )?"([^"]*)"/g)].map(
      ([, statement]) => statement as string,
    );
    expect(statements.filter((statement) => !/^(?:ld|st)\.cg\./.test(statement))).toEqual([]);
    expect(program.ir.split(" asm ").length - 1).toBe(statements.length);
    expect(program.ir).toMatch(/atomicrmw volatile fadd ptr/);
    expect(program.ir).toContain("@llvm.nvvm.shfl.sync.bfly.f32");
    expect(program.ir).toContain("@__nv_fast_expf");
  });

  test("mathematical functions touch no memory: a value is loaded once for several of them", async () => {
    const text = `__global__ void k(const float *x, float *low, float *high) {
      *low = fminf(*low, *x) + sqrtf(fmaxf(*high, *x)) * expf(*x);
    }`;
    const { ir } = (await compiler.compileDevice({ path: "pure.cu", text }, {}, null)).program;
    expect(ir.match(/load float/g)).toHaveLength(3);
  });

  test("a*b+c may be fused, and not under -fmad=false", async () => {
    const source = { path: "f.cu", text: "__global__ void k(float *x) { x[0] = x[0] * x[1] + x[2]; }" };
    expect((await compiler.compileDevice(source, {}, null)).program.ir).toMatch(/fmul contract/);
    const plain = (await compiler.compileDevice(source, { fmad: false }, null)).program;
    expect(plain.ir).not.toContain("contract");
    expect(plain.options.fmad).toBe(false);
  });

  test("--use_fast_math chooses the fast functions", async () => {
    const source = { path: "f.cu", text: "__global__ void k(float *x) { x[0] = sinf(x[0]); }" };
    expect((await compiler.compileDevice(source, { fastMath: true }, null)).program.ir).toContain("@__nv_fast_sinf");
    expect((await compiler.compileDevice(source, {}, null)).program.ir).toContain("@__nv_sinf");
  });

  test("templates are instantiated by name", async () => {
    const source = {
      path: "t.cu",
      text:
        "namespace n { template <class T, int N> __global__ void reduce(T *x) { x[0] = N; } }\n" +
        "__global__ void plain(int *x) { *x = 1; }",
    };
    const { program, names } = await compiler.compileDevice(source, {}, null, [
      "n::reduce<float, 256>",
      "n::reduce<double, 1>",
      "plain",
    ]);
    expect(names).toEqual(
      new Map([
        ["n::reduce<float, 256>", "_ZN1n6reduceIfLi256EEEvPT_"],
        ["n::reduce<double, 1>", "_ZN1n6reduceIdLi1EEEvPT_"],
        ["plain", "_Z5plainPi"],
      ]),
    );
    for (const name of names.values()) expect(program.ir).toContain(`ptx_kernel void @${name}(`);
    expect(program.ir).not.toContain("__heddle_name_");
  });

  test("__CUDA_ARCH__ follows the architecture", async () => {
    const source = { path: "a.cu", text: "__device__ int arch = __CUDA_ARCH__;" };
    expect((await compiler.compileDevice(source, { arch: "sm_90" }, null)).program.ir).toContain("i32 900");
    expect((await failure(compiler.compileDevice(source, { arch: "sm_x" }, null))).code).toBe("bad-arguments");
  });

  test("an architecture that stands alone has nvcc's macro for it", async () => {
    const text = "__global__ void k(int *p) {\n#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n *p = 77;\n#endif\n}";
    const source = { path: "alone.cu", text };
    expect((await compiler.compileDevice(source, { arch: "sm_90a" }, null)).program.ir).toContain("i32 77");
    expect((await compiler.compileDevice(source, { arch: "sm_90" }, null)).program.ir).not.toContain("i32 77");
  });
});

describe("programs", () => {
  test("device IR, host module and the embedded fat binary belong together", async () => {
    const program = await compiler.compileProgram([fixture("language.cu")], {}, null);
    const wasm = program.host?.wasm as Uint8Array;
    const names = undefinedFunctions(wasm);
    expect(names).toContain("cudaLaunchKernel");
    expect(names.filter((name) => !/^(_*cuda|__heddle)/.test(name))).toEqual([]);
    expect(WebAssembly.Module.exports(new WebAssembly.Module(wasm as BufferSource)).map((entry) => entry.name)).toEqual(
      expect.arrayContaining([
        "memory",
        "_start",
        "__heddle_malloc",
        "__heddle_free",
        "__indirect_function_table",
        "__heddle_managed_start",
        "__heddle_managed_end",
      ]),
    );
    const carried = fatBinariesOf(new WebAssembly.Module(wasm as BufferSource));
    expect([...carried.values()]).toEqual(program.device);
    const reference = Buffer.from(wasm.buffer, wasm.byteOffset, wasm.length).indexOf("HEDDLE02");
    expect(carried.has(readReference(wasm, reference))).toBe(true);
  });

  test("several files, in C++ and C too", async () => {
    const sources = [
      {
        path: "main.cu",
        text:
          '#include "part.h"\nextern "C" int inC(int); ' +
          "__global__ void k() {} int main() { k<<<1, 1>>>(); return part(inC(1)); }",
      },
      {
        path: "part.cpp",
        text: '#include "part.h"\n#include <cuda_runtime.h>\nint part(int x) { cudaDeviceSynchronize(); return x; }',
      },
      {
        path: "c.c",
        text: '#include <stdio.h>\nint inC(int x) { printf("%d\\n", x); srand(time(NULL)); return x; }',
      }, // time.h, stdlib.h left out, as old C does
    ];
    const program = await compiler.compileProgram(sources, {}, reader({ "part.h": "int part(int);" }));
    expect(program.device).toHaveLength(1);
    expect(program.warnings).not.toContain("signature mismatch");
  });
});

describe("diagnostics", () => {
  test("Clang's report on the user's path, with a caret", async () => {
    const error = await failure(
      compiler.compileProgram([{ path: "sub/bad.cu", text: "int main() {\n  return undefinedName;\n}\n" }], {}, null),
    );
    expect(error.code).toBe("compile-error");
    expect(error.summary).toBe("sub/bad.cu does not compile: use of undeclared identifier 'undefinedName'");
    expect(error.notes[0]).toContain("sub/bad.cu:2:10: error:");
    expect(error.notes[0]).toMatch(/\^~+/);
    expect(error.notes[0]).not.toContain("\x1b[");
  });

  test("colour when asked for", async () => {
    const error = await failure(compiler.compileDevice({ path: "bad.cu", text: "x" }, { color: true }, null));
    expect(error.notes[0]).toContain("\x1b[");
  });

  test("a kernel that launches a kernel", async () => {
    const text =
      "static __global__ void a(int) {}\n__global__ void b() { a<<<1, 1>>>(1); }\nint main() { b<<<1, 1>>>(); }";
    const { device } = await compiler.compileProgram([{ path: "cdp.cu", text }], {}, null);
    expect(device[0]?.ir).toContain("call i32 @cudaLaunchDevice(ptr noundef nonnull @_ZL1ai,");
  });

  test("an undefined function of the user does not link, and the file that calls it is named", async () => {
    const source: SourceFile = {
      path: "m.cu",
      text: 'int twice(int x);\nextern "C" void *other;\nint main() { return twice(3) + (other != nullptr); }',
    };
    const error = await failure(
      compiler.compileProgram([{ path: "a.cu", text: "int once() { return 1; }" }, source], {}, null),
    );
    expect(error.code).toBe("link-error");
    expect(error.message).toContain("undefined reference to `twice(int)' (in m.cu)");
    expect(error.notes[0]).toContain("m.cu: undefined reference to `other'");
    expect(error.notes[1]).toContain("heddle run a.cu b.cu -- ");
  });

  test("an undefined function of the platform becomes an import", async () => {
    const text = 'extern "C" int nvmlOfTomorrow(int x);\nint main() { return nvmlOfTomorrow(1); }';
    const { host } = await compiler.compileProgram([{ path: "m.cu", text }], {}, null);
    const imports = WebAssembly.Module.imports(
      await WebAssembly.compile((host?.wasm ?? new Uint8Array()) as BufferSource),
    ).map(({ name }) => name);
    expect(imports).toContain("nvmlOfTomorrow");
  });

  test("functions that are defined twice do not link", async () => {
    const source = (path: string): SourceFile => ({ path, text: "int twice() { return 2; }\n" });
    const error = await failure(
      compiler.compileProgram([source("a.cu"), source("b.cu"), { path: "m.cu", text: "int main() {}" }], {}, null),
    );
    expect(error.code).toBe("link-error");
    expect(error.notes[0]).toContain("b.cu");
  });
});

describe("the cache", () => {
  test("a hit does not load the compiler", async () => {
    const source = { path: "hit.cu", text: "__global__ void k() {} int main() { k<<<1, 1>>>(); }" };
    const first = await compiler.compileProgram([source], {}, null);
    const unloadable: ClangResources = {
      ...resources,
      module: () => Promise.reject(new Error("the compiler was loaded")),
    };
    const second = await (await createCompiler({ resources: unloadable, store })).compileProgram([source], {}, null);
    expect(second).toEqual(first);
  });

  test("a changed, removed or newly found header is seen", async () => {
    const source = { path: "dir/dep.cu", text: '#include "value.h"\n__device__ int value = VALUE;' };
    const compile = async (files: Record<string, string>): Promise<string> =>
      (await compiler.compileDevice(source, { includePaths: ["inc"] }, reader(files))).program.ir;
    expect(await compile({ "inc/value.h": "#define VALUE 1111" })).toContain("i32 1111");
    expect(await compile({ "inc/value.h": "#define VALUE 2222" })).toContain("i32 2222");
    expect(await compile({ "inc/value.h": "#define VALUE 2222", "dir/value.h": "#define VALUE 3333" })).toContain(
      "i32 3333",
    );
    expect((await failure(compile({}))).notes[0]).toContain("'value.h' file not found");
    const missing = { path: "fft.cu", text: "#include <cutensor.h>" };
    expect((await failure(compiler.compileDevice(missing, {}, null))).notes[1]).toMatch(
      /^Heddle does not have cuTENSOR; write what the program needs of it as kernels/,
    );
  });

  test("options that matter make different entries", async () => {
    const source = { path: "d.cu", text: "__device__ int value = N;" };
    expect((await compiler.compileDevice(source, { defines: ["N=41"] }, null)).program.ir).toContain("i32 41");
    expect((await compiler.compileDevice(source, { defines: ["N=42"] }, null)).program.ir).toContain("i32 42");
  });
});

test("a program without main() says so, and what can be done with its kernels", async () => {
  const kernel = { path: "only.cu", text: "__global__ void k(int *p) { *p = 1; }\n" };
  const error = await failure(compiler.compileProgram([kernel], {}, null));
  expect([error.code, error.summary]).toEqual(["link-error", "there is no main() in only.cu"]);
  expect(error.notes.join("\n")).toMatch(/docs\/typescript.*docs\/checking.*docs\/ladders/s);
  const host = { path: "b.c", text: "int f(void) { return 1; }\n" };
  expect((await failure(compiler.compileProgram([host], {}, null))).notes.join()).not.toContain("Kernels");
  for (const main of ["int main(void)", "int main(int argc, char **argv)", "main()"])
    await compiler.compileProgram([host, { path: "main.c", text: `${main} { return 0; }\n` }], {}, null);
});
