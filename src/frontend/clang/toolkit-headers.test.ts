import { beforeAll, describe, expect, test } from "vitest";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import type { Compiler } from "./compiler.ts";
import { openNodeStore } from "./prebuilt-node.ts";
import { reader } from "./source-reader.test-helper.ts";
import { includeFolders, toolkitOverlay } from "./toolkit-headers.ts";

const files = {
  "tk/include/cuda_runtime.h": "#error the toolkit's runtime\n",
  "tk/include/cuda_fp16.h": "#error the toolkit's half precision\n",
  "tk/include/cooperative_groups/reduce.h": "#error the toolkit's cooperative groups\n",
  "tk/include/cub/cub.cuh": '#include "detail/answer.cuh"\n#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n',
  "tk/include/cub/detail/answer.cuh": "#include <nv/target>\n#define ANSWER (PART + 40)\n",
  "tk/include/nv/target": "#define PART 2\n",
  "tk/include/thrust/wrong.h": "\n\nint wrong() { return missing; }\n",
  "own/cub/cub.cuh": "#define ANSWER 7\n",
  "checkout/cub/cub/cub.cuh": "#define ANSWER 8\n",
  "checkout/libcudacxx/include/nv/target": "\n",
  "new/cuda_runtime.h": "",
  "new/cccl/cub/cub.cuh": "#define ANSWER 9\n",
};
const link = "/heddle/libraries-of/tk%2Finclude";

describe("folders to search", () => {
  test("a toolkit's is seen through links, the system's are left out, others stay, in order", () => {
    const folders = ["own", "/usr/include", "tk/include", "/usr/local/include/", "other"];
    expect(includeFolders(folders, [], reader(files))).toEqual(["own", link, "other"]);
    expect(includeFolders(folders, ["more"], reader(files))).toEqual(["own", link, "other", linkTo("more")]);
    expect(includeFolders(["own"], ["more"], null)).toEqual(["own"]);
  });

  test("from CUDA 13 on the libraries are in a folder of their own", () =>
    expect(includeFolders(["new"], [], reader(files))).toEqual([linkTo("new"), "new/cccl"]));

  test("a checkout of the libraries' repository has three", () =>
    expect(includeFolders([], ["checkout"], reader(files))).toEqual([
      "checkout/cub",
      "checkout/thrust",
      "checkout/libcudacxx/include",
    ]));

  test("without a toolkit there is no overlay", () =>
    expect(toolkitOverlay(["-I", "own"])).toEqual({ args: [], files: new Map() }));
});

function linkTo(folder: string): string {
  return `/heddle/libraries-of/${encodeURIComponent(folder)}`;
}

describe("compiled programs", () => {
  const source = {
    path: "k.cu",
    text: "#include <cub/cub.cuh>\n#include <cooperative_groups/reduce.h>\n__device__ int answer = ANSWER;\n",
  };
  let compiler: Compiler;
  let withFolder: (folder: string) => Promise<Compiler>;
  beforeAll(async () => {
    const resources = clangForTests();
    const store = openNodeStore();
    compiler = await createCompiler({ resources, store });
    withFolder = (folder) =>
      createCompiler({ resources: { ...resources, toolkitIncludeFolders: () => [folder] }, store });
  });
  const answer = async (from: Compiler, includePaths: readonly string[]): Promise<number> => {
    const { program } = await from.compileDevice(source, { includePaths }, reader(files));
    return Number(/@answer = .*global i32 (\d+)/.exec(program.ir)?.[1]);
  };

  test("take a toolkit's libraries, and nothing else of it", async () =>
    expect(await answer(compiler, ["tk/include"])).toBe(42));

  test("take those of HEDDLE_CUDA_INCLUDE after their own", async () => {
    expect(await answer(await withFolder("tk/include"), [])).toBe(42);
    expect(await answer(await withFolder("tk/include"), ["own"])).toBe(7);
    expect(await answer(await withFolder("checkout"), [])).toBe(8);
    expect(await answer(await withFolder("new"), [])).toBe(9);
  });

  test("errors in a toolkit's library name its file", async () => {
    const wrong = { path: "w.cu", text: "#include <thrust/wrong.h>\n" };
    const error = await compiler
      .compileDevice(wrong, { includePaths: ["tk/include"] }, reader(files))
      .catch((reason: { notes: string[] }) => reason.notes.join("\n"));
    expect(error).toContain("tk/include/thrust/wrong.h:3:");
    expect(error).not.toContain("libraries-of");
  });
});
