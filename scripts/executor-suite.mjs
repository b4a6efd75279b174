// Makes the files of the executor suite (src/engine/suite) from suite.cu. Needs `npm run build` first.
//
//   node scripts/executor-suite.mjs ir            suite.ll: compiled by Clang, linked with the device library's units
//   node scripts/executor-suite.mjs gpu FILE.cu   a program for nvcc that runs every kernel and prints
//                                                 suite.expected.json:
//       nvcc -fmad=false -arch=native -std=c++17 FILE.cu && ./a.out > suite.expected.json
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const suite = `${root}/src/engine/suite`;
const dist = (path) => import(pathToFileURL(resolve(process.env.HEDDLE_DIST ?? `${root}/dist`, path)).href);

async function makeIr() {
  const { createCompiler } = await dist("frontend/clang/compile.js");
  const { nodeClangResources, nodeSourceReader } = await dist("frontend/clang/clang-loader-node.js");
  const { parseModule, parseModuleLazily } = await dist("ir/text/parse.js");
  const { linkModules } = await dist("ir/link.js");
  const { lowerInlinePtx } = await dist("ir/inline-ptx/pass-inline-ptx.js");
  const { printModule } = await dist("ir/text/print.js");
  const compiler = await createCompiler({ resources: nodeClangResources() });
  const source = { path: `${suite}/suite.cu`, text: readFileSync(`${suite}/suite.cu`, "utf8") };
  const main = parseModule(
    (await compiler.compileDevice(source, { fmad: false }, nodeSourceReader)).program.ir,
    "suite.cu",
  );
  const library = (await compiler.compileDeviceLibrary()).map((unit) => parseModule(unit.ir, unit.name));
  const linked = linkModules([main], parseModuleLazily(printModule(linkModules(library, null)), "libdevice"));
  lowerInlinePtx(linked);
  // Where lines come from does not matter here, and the metadata would double the file.
  for (const fn of linked.functions.values()) {
    fn.location = null;
    for (const block of fn.blocks) for (const instruction of block.instructions) instruction.location = null;
  }
  writeFileSync(`${suite}/suite.ll`, printModule(linked).replaceAll(`${root}/`, ""));
}

/** The kernels and their launches, from the comments in suite.cu. */
export function readCases(source) {
  return [...source.matchAll(/^\/\/ @launch (.*)\nKERNEL (\w+)\(/gm)].map(([, launch, name]) => {
    const [grid, block, shared = "0", cooperative] = launch.match(/\([^)]*\)|\S+/g);
    const dim = (text) => text.replace(/[()]/g, "").split(",").map(Number);
    return {
      name,
      grid: dim(grid),
      block: dim(block),
      sharedBytes: Number(shared),
      cooperative: cooperative !== undefined,
    };
  });
}

function makeGpuProgram(target) {
  const cases = readCases(readFileSync(`${suite}/suite.cu`, "utf8"));
  const lines = cases.map(
    ({ name, grid, block, sharedBytes, cooperative }) =>
      `  run("${name}", (const void *)${name}, dim3(${grid}), dim3(${block}), ${sharedBytes}, ${cooperative});`,
  );
  writeFileSync(
    target,
    `#include "${suite}/suite.cu"
#include <cstdio>
static int input[4096], output[8192], *in, *out;
static const char *separator = "";
static void run(const char *name, const void *kernel, dim3 grid, dim3 block, int shared, bool cooperative) {
  cudaMemset(out, 0, sizeof output);
  void *args[2] = {&out, &in};
  cudaError_t e = cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, args, shared, 0)
                              : cudaLaunchKernel(kernel, grid, block, args, shared, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e != cudaSuccess) fprintf(stderr, "%s: %s\\n", name, cudaGetErrorString(e));
  cudaMemcpy(output, out, sizeof output, cudaMemcpyDeviceToHost);
  int n = 8192;
  while (n > 0 && output[n - 1] == 0) n--;
  printf("%s\\"%s\\": [", separator, name);
  for (int i = 0; i < n; i++) printf("%s%d", i ? "," : "", output[i]);
  printf("]");
  separator = ",\\n";
}
int main() {
  unsigned s = 2463534242u;
  for (int &value : input) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; value = (int)s; }
  cudaMalloc(&in, sizeof input); cudaMalloc(&out, sizeof output);
  cudaMemcpy(in, input, sizeof input, cudaMemcpyHostToDevice);
  printf("{\\n");
${lines.join("\n")}
  printf("\\n}\\n");
}
`,
  );
}

const [, , command, target] = process.argv;
if (command === "ir") await makeIr();
else if (command === "gpu" && target) makeGpuProgram(target);
else {
  console.error("usage: node scripts/executor-suite.mjs ir | gpu FILE.cu");
  process.exitCode = 2;
}
