// Writes docs/support.md from the code: what is supported is what is in the tables. `--check` only reports whether the
// page is up to date.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { GPU_NAMES } from "../dist/device/emulated/gpus.js";
import { supportedIntrinsics } from "../dist/ir/intrinsics/table.js";
import { ARITHMETIC } from "../dist/ir/inline-ptx/arithmetic.js";
import { CONVERSIONS } from "../dist/ir/inline-ptx/convert.js";
import { MATRIX } from "../dist/ir/inline-ptx/matrix.js";
import { MEMORY } from "../dist/ir/inline-ptx/memory.js";
import { VIDEO } from "../dist/ir/inline-ptx/video.js";
import { WARP } from "../dist/ir/inline-ptx/warp.js";
import { CUBLAS } from "../dist/libraries/blas.js";
import { CUFFT } from "../dist/libraries/fft.js";
import { LIBRARIES, libraryNamed } from "../dist/libraries/libraries.js";
import { CURAND } from "../dist/libraries/rand.js";
import { describeApi } from "../dist/runtime/cuda/api-functions/api-table.js";
import { cudaApi } from "../dist/runtime/cuda/api-functions/functions.js";
import { codeNames, markdownTable, writeOrCheck } from "./docs-pages.mjs";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");
const code = (names) => names.map((name) => `\`${name}\``).join(" ");
const unique = (names) => [...new Set(names)].sort();
const matches = (path, pattern) => unique([...read(path).matchAll(pattern)].map((match) => match[1]));

/** Libraries that programs can use: headers, and what is knowingly left out. */
const present = LIBRARIES.filter(({ state, headers }) => state !== "absent" && headers.length > 0);

/** What people look for and do not find. */
const ABSENT = [
  [
    "`cudaDeviceSynchronize` in a kernel on a GPU",
    "CUDA 12 removed it from device code, and it is reported as `unsupported`. The emulated device " +
      "[runs it](device-launches.md). Other launches in kernels run on a GPU where a toolkit's `libcudadevrt.a` " +
      "is found.",
  ],
  [
    "Parts of TMA and wgmma; tcgen05",
    "Inline PTX of gather and scatter copies, the wide modes of im2col and tcgen05 is reported as `unsupported`, " +
      "by name. [hopper.md](hopper.md) has what is there.",
  ],
  [
    "Cubin, fat binaries and LTO-IR at run time",
    "`cuModuleLoad*` returns an error. PTX is loaded, and what [NVRTC](library-details.md#nvrtc-and-ptx) compiles.",
  ],
  [
    LIBRARIES.filter(({ state, isLinkAccepted }) => state === "absent" && !isLinkAccepted)
      .map(({ title }) => title)
      .join(", "),
    "The header is missing: a compile error names the library. So does the link error of `-l`.",
  ],
  [
    "More than 16 GiB of memory of an emulated GPU",
    "`cudaMalloc` returns `cudaErrorMemoryAllocation`, beyond 4 GiB unless " +
      "[more is asked for](run.md#memory-above-4-gib). A program has all memory of a real GPU, unless it has " +
      "[32 bits](data-models.md#programs-with-32-bits).",
  ],
  [
    "Concurrency of streams",
    "Everything completes in order inside the API call. Events measure the time it took here.",
  ],
  ["GPU timing", "Times are those of this machine. They do not predict a GPU's."],
  [
    "Starting processes, `dlopen` of the program's own libraries, sockets to other machines",
    "The host program is WebAssembly with files, clocks, arguments and streams.",
  ],
];

const INTERNAL_FOLDERS = ["detail", "heddle", "crt"];

/** Headers that programs include, with their path below a folder. */
function headers(directory, prefix = "") {
  const found = [];
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (!entry.isDirectory()) {
      if (!entry.name.endsWith(".inc")) found.push(path);
    } else if (!INTERNAL_FOLDERS.includes(entry.name)) found.push(...headers(`${directory}/${entry.name}`, `${path}/`));
  }
  return found.sort();
}

function groupBy(rows, keyOf) {
  const found = new Map();
  for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
  return found;
}

const api = describeApi(cudaApi).filter(({ name }) => !name.startsWith("__heddle"));
const groups = unique(api.map(({ group }) => group));
const KINDS = {
  pure: "computed from the arguments alone",
  thread: "the thread's indices, and the clock",
  collective: "computed by the threads of a warp together",
  sync: "barriers and fences",
  memory: "accesses to memory and their order",
  control: "the end of a thread or of a launch",
  ignored: "without effect here",
};
const PTX_GROUPS = [
  ["Arithmetic, logic, comparison, data movement", ARITHMETIC],
  ["Conversion", CONVERSIONS],
  ["Video", VIDEO],
  ["Memory, atomics, asynchronous copies", MEMORY],
  ["Warp, barriers, special registers", WARP],
  ["Matrices", MATRIX],
];
const driver = unique(
  ["driver.cpp", "driver_resources.cpp", "driver_modules.cpp", "driver_arrays.cpp", "driver_entry_points.cpp"].flatMap(
    (name) => matches(`hostlib/${name}`, /^\s*(?:extern "C" )?CUresult (cu[A-Z]\w*)\(/gm),
  ),
);
const sourcesOf = ({ sources }) =>
  readdirSync(join(root, sources.folder))
    .map((name) => `${sources.folder}/${name}`)
    .sort();
const inSources = (library, pattern) => unique(sourcesOf(library).flatMap((path) => matches(path, pattern)));
const curand = inSources(CURAND, /^\s*curandStatus_t (curand\w+)\(/gm);
// Those of one, two and three dimensions come from one macro.
const cufft = matches("include/cufft.h", /\b(cufft[A-Z]\w+)\(/g).concat(
  matches("include/cufftXt.h", /\b(cufft[A-Z]\w+)\(/g),
);
const CUSPARSE = libraryNamed("cusparse");
const CUSOLVER = libraryNamed("cusolver");
const cufftHandedOver = inSources(CUFFT, /"(cufft[A-Z]\w+)"/g);
/** Functions of a header, with those that its macros make for each type: `cusparse<t>gtsv2`. */
const declared = (header, prefix) =>
  unique(
    matches(header, new RegExp(`\\b(${prefix}[A-Z]\\w+)\\(`, "g")).concat(
      matches(header, new RegExp(`\\b(${prefix}(?:##\\w+)+)\\(`, "g")).map((name) =>
        name
          .replace(`${prefix}##P##`, `${prefix}<t>`)
          .replace("OR##", "or|un ".trim())
          .replace("SY##", "sy|he ".trim())
          .replaceAll("##NAME##", "{syevj|gesvdj}")
          .replaceAll("##", ""),
      ),
    ),
  );
const cusparse = declared("include/cusparse.h", "cusparse");
const cusolver = ["Dn", "Mg", "Sp"].flatMap((part) => declared(`include/cusolver${part}.h`, `cusolver${part}`));
const CUDNN = libraryNamed("cudnn");
const cudnn = unique(["graph", "ops", "cnn", "adv"].flatMap((part) => declared(`include/cudnn_${part}.h`, "cudnn")));
const cudnnHandedOver = inSources(CUDNN, /h->nvidia\("(cudnn[A-Z]\w+)"/g);
const cusparseHandedOver = inSources(CUSPARSE, /"(cusparse[A-Z]\w+)"/g);
const cusolverHandedOver = inSources(CUSOLVER, /"(cusolverDn[A-Z]\w+)"/g);
const isFunction = (name) => !name.startsWith("cublasContext");
const cublas = inSources(CUBLAS, /\b(cublas[A-Z]\w+)\(/g).filter(isFunction);
/** The names of functions that our code hands over to the vendor's library, where the device has it. */
const handedOver = inSources(CUBLAS, /"(cublas[A-Z]\w+)"/g).filter((name) => libraryNamed(name) === null);

/** Functions of one group of the runtime API, and notes on those that do less than CUDA's. */
function apiSection(group) {
  const rows = api.filter((row) => row.group === group);
  const notes = rows.filter(({ note }) => note !== "").map(({ name, note }) => [`\`${name}\``, note]);
  const parts = [`### ${group}`, codeNames(unique(rows.map(({ name }) => name)))];
  if (notes.length > 0) parts.push(markdownTable(["function", "note"], notes));
  return parts.join("\n\n");
}

/** Intrinsics of one kind. Rows of one line of the table in the code stand together. */
function intrinsicsOf([kind, meaning]) {
  const rows = supportedIntrinsics().filter((row) => row.kind === kind);
  const together = groupBy(rows, ({ signature, note }) => JSON.stringify([signature, note]));
  const lines = [...together.values()].map((same) => [
    code(same.map(({ name }) => name)),
    same[0].signature === "" ? "" : `\`${same[0].signature}\``,
    same[0].note,
  ]);
  const table = markdownTable(["names", "signature", "note"], lines);
  return `<details><summary>${kind}: ${meaning} (${rows.length})</summary>\n\n${table}\n\n</details>`;
}

const text = `# What is supported

On this page you look up whether Heddle has a CUDA function, a header or an instruction that your program uses.

Everything else fails with a message that names it: exit code 69, or \`HeddleError\` with the code "unsupported". Public
programs that were tried: [compatibility.md](compatibility.md). Options of nvcc: [cli.md](cli.md#options-of-nvcc). This
page is made from the code by \`npm run docs\`.

## Not here

${markdownTable(["what", "what happens"], ABSENT)}

## Libraries and headers

${markdownTable(
  ["library", "headers", "left out"],
  present.map(({ title, headers: list, lacks }) => [title, code(list), lacks || "–"]),
)}

<details><summary>All ${headers("include").length} headers beside those of the C and C++ standard libraries</summary>

${codeNames(headers("include"))}

</details>

## CUDA runtime API

${api.length} functions, and the templates of \`cuda_runtime.h\` over them. A note tells where a function does less than
CUDA's.

${groups.map(apiSection).join("\n\n")}

## CUDA driver API

${codeNames(driver)}

## cuBLAS and cuBLASLt

The kernels are Heddle's own. The engine runs them like any other kernel. These functions are written out one by one:

${codeNames(cublas)}

Macros make the routines of levels 1 to 3 for their types. \`include/cublas_api.h\` declares all of them.

On a GPU whose user has NVIDIA's libraries, these functions of theirs do the work, and so do those that the macros name:

${codeNames(handedOver)}

## cuFFT

The kernels are Heddle's own. \`libraries/fft\` has them.

${codeNames(unique(cufft))}

On a GPU whose user has NVIDIA's cuFFT, these functions of it do the work, for every plan:

${codeNames(cufftHandedOver)}

## cuSPARSE

The kernels are Heddle's own. \`libraries/sparse\` has them. \`<t>\` stands for S, D, C and Z.

${codeNames(cusparse)}

On a GPU whose user has NVIDIA's cuSPARSE, these functions of it do the work, and so do gtsv2 and gemvi:

${codeNames(cusparseHandedOver)}

## cuSOLVER

The kernels are Heddle's own. \`libraries/solver\` has them. \`<t>\` stands for S, D, C and Z. Names with \`or|un\` and
\`sy|he\` have the first form for real types, the second for complex ones. \`cusolverDn<t1><t2>gesv\` is there for all
pairs of types.

${codeNames(cusolver)}

On a GPU whose user has NVIDIA's cuSOLVER, these functions of it do the work, and so do factors, evd, gvd and gesvd of
one type:

${codeNames(cusolverHandedOver)}

## cuDNN

The kernels are Heddle's own. \`libraries/dnn\` has them. The version is that of cuDNN 9; the functions of earlier
versions that choose an algorithm are there, too.

${codeNames(cudnn)}

On a GPU whose user has NVIDIA's cuDNN 9, these functions of it do the work, and so do those that ask for the work space
of a convolution:

${codeNames(cudnnHandedOver)}

## cuRAND host API

${codeNames(curand)}

## Inline PTX

\`asm\` statements may use these instructions, with their types and modifiers as in PTX ISA 8.5. \`.reg\`, labels,
\`bra\`, predicates and \`{ }\` scopes are supported, too. Cache hints and eviction priorities are accepted without
effect.

${PTX_GROUPS.map(([title, table]) => `### ${title}\n\n${codeNames(Object.keys(table).sort())}`).join("\n\n")}

## Intrinsics of the device IR

Every engine implements these intrinsics. Other mathematical functions (\`__nv_*\`) are compiled from \`libdevice/\`;
their error bounds are in [libdevice/README.md](../libdevice/README.md).

${Object.entries(KINDS).map(intrinsicsOf).join("\n\n")}

## GPUs that the emulated device can follow

${codeNames(GPU_NAMES)}

\`heddle devices --list\` prints their properties and the sources of these numbers.
`;

writeOrCheck({ "docs/support.md": text });
