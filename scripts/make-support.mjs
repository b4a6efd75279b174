// Writes docs/support.md from the code: what is supported is what is in the tables. `--check` only says whether the
// file is up to date.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { helpText } from "../dist/cli/help.js";
import { nvccFlagNames } from "../dist/cli/options/nvcc-flags.js";
import { GPU_NAMES } from "../dist/device/emulated/gpus.js";
import { INTRINSICS } from "../dist/ir/intrinsics.js";
import { ARITHMETIC } from "../dist/ir/inline-ptx/arithmetic.js";
import { CONVERSIONS } from "../dist/ir/inline-ptx/convert.js";
import { MATRIX } from "../dist/ir/inline-ptx/matrix.js";
import { MEMORY } from "../dist/ir/inline-ptx/memory.js";
import { VIDEO } from "../dist/ir/inline-ptx/video.js";
import { WARP } from "../dist/ir/inline-ptx/warp.js";
import { describeApi } from "../dist/runtime/cuda/api/api-table.js";
import { cudaApi } from "../dist/runtime/cuda/api/functions.js";

const root = join(import.meta.dirname, "..");
const target = join(root, "docs", "support.md");
const read = (path) => readFileSync(join(root, path), "utf8");
const cell = (text) => text.replaceAll("|", "\\|");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
const code = (names) => names.map((name) => `\`${name}\``).join(" ");
const unique = (names) => [...new Set(names)].sort();
const matches = (path, pattern) => unique([...read(path).matchAll(pattern)].map((match) => match[1]));

/** Header-only and linked libraries: what they are, and what is knowingly left out. */
const LIBRARIES = [
  ["Half precision, bfloat16, 8-bit floats", "cuda_fp16.h cuda_bf16.h cuda_fp8.h", "matrix products of 8-bit floats"],
  [
    "Cooperative groups",
    "cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h cooperative_groups/memcpy_async.h",
    "`thread_block_tile` of more than 32 threads, clusters of several blocks but on a real GPU, multi-device grids",
  ],
  ["Warp matrices", "mma.h", "wgmma and tcgen05"],
  [
    "cuBLAS, cuBLASLt",
    "cublas_v2.h cublasLt.h cublas.h",
    "gbmv, batched LU, complex rotations, `cublasLtMatrixTransform`, interleaved layouts, fp8; the interface without a handle",
  ],
  [
    "cuRAND",
    "curand.h curand_kernel.h",
    "MTGP32, discrete distributions; NVIDIA's scrambled direction vectors (there are others)",
  ],
  [
    "libcu++",
    "cuda/atomic cuda/barrier cuda/pipeline cuda/latch cuda/semaphore cuda/std/…",
    "memory resources, annotated pointers, TMA",
  ],
  ["Thrust", "thrust/…", "asynchronous algorithms, execution policies other than the device's and the host's"],
  [
    "CUB",
    "cub/cub.cuh",
    "what its headers do not declare: block, warp and device collectives of everyday use are there",
  ],
  ["Driver API", "cuda.h", "loading PTX or cubin at run time"],
  ["NVTX, profiler control", "nvtx3/nvToolsExt.h cuda_profiler_api.h", "accepted; marks nothing"],
  [
    "OpenMP, POSIX threads",
    "omp.h pthread.h",
    "host code has one thread: parallel regions run sequentially, a thread runs to its end when it is created",
  ],
  [
    "Helpers of the CUDA samples",
    "helper_cuda.h helper_functions.h helper_math.h helper_image.h helper_string.h helper_timer.h exception.h",
    "",
  ],
];

/** What people look for and do not find. */
const ABSENT = [
  ["Dynamic parallelism", "a kernel cannot launch kernels"],
  [
    "Thread block clusters, distributed shared memory, TMA, wgmma, tcgen05",
    "clusters and their shared memory on a real GPU only; inline PTX of the other families is `unsupported` by name",
  ],
  [
    "NVRTC, PTX and cubin at run time",
    "`cuModuleLoad*` says so; the TypeScript library compiles CUDA C++ at run time instead",
  ],
  [
    "cuDNN, cuFFT, cuSPARSE, cuSOLVER, NCCL, CUTLASS, MPI, OpenGL interoperability",
    "a missing header is a compile error that names it",
  ],
  [
    "More than 4 GiB of device memory",
    "device and host are 32-bit machines (`docs/rationale.md` says why); `cudaMalloc` returns `cudaErrorMemoryAllocation`",
  ],
  [
    "Concurrency of streams and of host threads",
    "everything completes in order inside the API call; events measure the time it took here",
  ],
  ["GPU timing", "times are this machine's; they say nothing about a GPU"],
  ["Sockets, processes, `dlopen`", "the host program is WebAssembly with files, clocks, arguments and streams"],
];

function headers(directory, prefix = "") {
  return readdirSync(join(root, directory), { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? ["detail", "heddle", "crt"].includes(entry.name)
          ? []
          : headers(`${directory}/${entry.name}`, `${prefix}${entry.name}/`)
        : /\.inc$/.test(entry.name)
          ? []
          : [prefix + entry.name],
    )
    .sort();
}

function groupBy(rows, keyOf) {
  const found = new Map();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
  return found;
}

const api = describeApi(cudaApi).filter(({ name }) => !name.startsWith("__heddle"));
const groups = unique(api.map(({ group }) => group));
const kinds = {
  pure: "from the arguments alone",
  thread: "who and when the thread is",
  collective: "threads of a warp together",
  sync: "waiting and telling",
  memory: "memory and its order",
  control: "the end of a thread or launch",
  ignored: "without effect here",
};
const flags = nvccFlagNames();
const driver = matches("hostlib/driver.cpp", /^\s*(?:extern "C" )?CUresult (cu[A-Z]\w*)\(/gm);
const curand = ["hostlib/curand.cpp", "hostlib/sobol.cpp"]
  .flatMap((path) => matches(path, /^\s*curandStatus_t (curand\w+)\(/gm))
  .sort();
const cublas = unique(
  [
    ...matches("kernels/blas/cublas.cu", /\b(cublas[A-Z]\w+)\(/g),
    ...matches("kernels/blas/cublas-lt.inl", /\b(cublas[A-Z]\w+)\(/g),
  ].filter((name) => !name.startsWith("cublasContext")),
);

const text = `# What is supported

Made from the code by \`npm run docs\`; a test says when it is out of date. What does not stand here fails with a message
that names it (exit code 69, or \`HeddleError\` "unsupported"). Programs that were tried: [compatibility.md](compatibility.md).

## Not here

${table(["what", "what happens"], ABSENT)}

## Libraries and headers

${table(
  ["library", "headers", "left out"],
  LIBRARIES.map(([name, list, out]) => [name, code(list.split(" ")), out || "–"]),
)}

<details><summary>All ${headers("include").length} headers beside those of the C and C++ standard libraries</summary>

${code(headers("include"))}

</details>

## CUDA runtime API

${api.length} functions, and the templates of \`cuda_runtime.h\` over them. A note says what a function does less than CUDA's.

${groups
  .map((group) => {
    const rows = api.filter((row) => row.group === group);
    const noted = rows.filter(({ note }) => note !== "");
    return `### ${group}\n\n${code(unique(rows.map(({ name }) => name)))}${
      noted.length === 0
        ? ""
        : `\n\n${table(
            ["function", "note"],
            noted.map(({ name, note }) => [`\`${name}\``, note]),
          )}`
    }`;
  })
  .join("\n\n")}

## CUDA driver API

${code(driver)}

## cuBLAS and cuBLASLt

Kernels of ours, run by the engine like any other. Beside the functions below, which are written out one by one, macros make the
routines of levels 1 to 3 for their types: \`include/cublas_api.h\` declares what there is.

${code(cublas)}

## cuRAND host API

${code(curand)}

## Inline PTX

Instructions that \`asm\` statements may use, with their types and modifiers as PTX ISA 8.5 has them; also \`.reg\`, labels, \`bra\`, predicates and
\`{ }\` scopes. Cache hints and eviction priorities are accepted without effect.

${table(
  ["group", "instructions"],
  [
    ["arithmetic, logic, comparison, data movement", code(Object.keys(ARITHMETIC).sort())],
    ["conversion", code(Object.keys(CONVERSIONS).sort())],
    ["video", code(Object.keys(VIDEO).sort())],
    ["memory, atomics, asynchronous copies", code(Object.keys(MEMORY).sort())],
    ["warp, barriers, special registers", code(Object.keys(WARP).sort())],
    ["matrices", code(Object.keys(MATRIX).sort())],
  ],
)}

## Intrinsics of the device IR

What every engine knows by itself. Mathematics beyond it (\`__nv_*\`) is compiled from \`libdevice/\`; its error bounds are in
[libdevice/README.md](../libdevice/README.md).

${Object.entries(kinds)
  .map(([kind, meaning]) => {
    const rows = INTRINSICS.filter((row) => row.kind === kind);
    // Rows of one line of the table in the code stand together.
    const together = groupBy(rows, ({ signature, note }) => JSON.stringify([signature, note]));
    const lines = [...together.values()].map((same) => [
      code(same.map(({ name }) => name)),
      same[0].signature === "" ? "" : `\`${same[0].signature}\``,
      same[0].note,
    ]);
    return `<details><summary>${kind}: ${meaning} (${rows.length})</summary>\n\n${table(["names", "signature", "note"], lines)}\n\n</details>`;
  })
  .join("\n\n")}

## GPUs that the emulated device can follow

${code(GPU_NAMES)}; \`heddle devices --list\` shows their numbers and where they are from.

## Command lines

${["run", "nvcc", "compile", "devices"].map((topic) => `\`\`\`text\n${helpText(topic).trimEnd()}\n\`\`\``).join("\n\n")}

nvcc's options with an effect or a check: ${code([...flags.valued, ...flags.switches])}

Accepted, since they have no meaning here: ${code(flags.silent)}
`;

if (process.argv.includes("--check")) {
  if (text !== read("docs/support.md")) {
    console.error("docs/support.md is out of date: npm run docs");
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
  console.log(`docs/support.md: ${api.length} functions of the runtime API, ${INTRINSICS.length} intrinsics`);
}
