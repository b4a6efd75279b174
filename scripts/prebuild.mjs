// Fills dist/prebuilt with what every first compilation needs, so that the first `heddle run` after an installation is
// a fast one: the precompiled headers of the default options, the device library, the host library's objects, cuBLAS,
// for 64-bit programs, too, if their C library is built.
// Keeps what is still right and removes what is not. See src/frontend/clang/prebuilt.ts. And dist/code with what V8 has
// learned of the compiler meanwhile (src/frontend/clang/code-cache-node.ts).
import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { cachedDeviceLibrary } from "../dist/frontend/clang/device-library.js";
import { nodeStore } from "../dist/store/disk-store-node.js";
import { nodeClangResources, packageRoot } from "../dist/frontend/clang/clang-loader-node.js";
import { enableWasmFeatures } from "../dist/engine/emit/v8-flags-node.js";
import { createCompiler } from "../dist/frontend/clang/compile.js";
import { FIRST_LESSON, compileFirstPrograms } from "../dist/frontend/clang/first-programs.js";
import { builtLibrary } from "../dist/frontend/clang/lp64/library-place-node.js";
import { compileExtension } from "../dist/extension/compile-extension.js";
import { inlineSources } from "../dist/extension/load-inline.js";
import { memoryStore } from "../dist/store/store.js";
import { entryPath } from "../dist/frontend/clang/prebuilt.js";
import { codeDirectory, prebuiltDirectory } from "../dist/frontend/clang/prebuilt-node.js";

const started = performance.now();
const directory = prebuiltDirectory();
for (const needed of [directory, codeDirectory()]) mkdirSync(needed, { recursive: true });
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const kept = nodeStore(directory, {
  warn: (message) => {
    throw new Error(message);
  },
});
const aside = memoryStore();
const used = new Set();
/** @param belongs which results belong to the package; the others are the little program's own. */
const recording = (belongs) => ({
  get: async (key) => {
    const found = await kept.get(key);
    if (found !== null) used.add(key);
    return found ?? aside.get(key);
  },
  put: async (key, bytes) => {
    if (!belongs(bytes)) return aside.put(key, bytes);
    used.add(key);
    return kept.put(key, bytes);
  },
});

enableWasmFeatures(); // as in the processes that will read the code
// V8 shall optimize what it sees here earlier than it does by itself; code is good for its own budget only, which is
// set again in the end.
const [, budget] =
  /default: --wasm-tiering-budget=(\d+)/.exec(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })) ??
  [];
const setBudget = (value) => budget !== undefined && setFlagsFromString(`--wasm-tiering-budget=${value}`);
setBudget(150_000);
const codeKeys = new Set();
let code = null;
const codeStore = nodeStore(codeDirectory(), {
  warn: (message) => {
    throw new Error(message);
  },
});
const resources = nodeClangResources({
  get: async (key) => {
    codeKeys.add(key);
    return (code = await codeStore.get(key));
  },
  put: (key, bytes) => codeStore.put(key, bytes),
});
let foundEverything = true;
const everything = recording(() => {
  foundEverything = false;
  return true;
});
await cachedDeviceLibrary(await createCompiler({ resources, store: everything, hash: sha256 }), everything, sha256);

// Programs that no cache has seen make the compiler ask for all the rest, of each data model that has its C library
// here. Their name is in everything that is made of them alone.
const path = `${randomUUID()}.cu`;
const shared = recording((bytes) => bytes.length > 0 && !Buffer.from(bytes).includes(path));
const compiler = await createCompiler({ resources, store: shared, hash: sha256 });
const models = builtLibrary(await resources.libraryPlace()) === null ? ["ilp32"] : ["ilp32", "lp64"];
for (const model of models) await compileFirstPrograms(compiler, path, model);

// Extensions of PyTorch begin with headers of their own, and are linked with a library of ours.
const inline = {
  name: randomUUID(),
  cppSources: "at::Tensor same(at::Tensor x);",
  cudaSources: "__global__ void kernel() {}\nat::Tensor same(at::Tensor x) { kernel<<<1, 1>>>(); return x; }",
  functions: "same",
};
const libraryText = async (path) => readFileSync(join(packageRoot(), path), "utf8");
const extensions = recording((bytes) => bytes.length > 0 && !Buffer.from(bytes).includes(inline.name));
const extensionCompiler = await createCompiler({ resources, store: extensions, hash: sha256 });
for (const cudaSources of [inline.cudaSources, `${inline.cudaSources}\n`])
  await compileExtension(extensionCompiler, inlineSources({ ...inline, cudaSources }, null), libraryText, {});

// V8 has seen little of the compiler yet, least of all where another version of Node.js has made all the rest. The
// little program asks for all headers and libraries, the example for what programs of the usual size do: containers,
// loops, kernels with shared memory. Both in turn, or what only one of them needs stays slow.
const LESSONS = [FIRST_LESSON, readFileSync(join(packageRoot(), "examples/softmax.cu"), "utf8")];
const neededLessons = foundEverything ? 16 : 8;
const lessonCount = code === null ? neededLessons : 0;
for (let i = 0; i < lessonCount; i++)
  await compiler.compileProgram([{ path, text: `${LESSONS[i % LESSONS.length]}// ${i}\n` }], {}, null);
setBudget(budget);
await resources.keepCode();

/** Removes everything but the entries of these keys; returns their size in MB. */
function keepOnly(keys, root) {
  const paths = new Set([...keys].map(entryPath));
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      rmSync(join(root, entry.name));
      continue;
    }
    const names = readdirSync(join(root, entry.name));
    for (const name of names) if (!paths.has(`${entry.name}/${name}`)) rmSync(join(root, entry.name, name));
    if (readdirSync(join(root, entry.name)).length === 0) rmSync(join(root, entry.name), { recursive: true });
  }
  return (
    [...paths].reduce((sum, path) => sum + (statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0), 0) / 1e6
  ).toFixed(1);
}

const megabytes = keepOnly(used, directory);
writeFileSync(join(directory, "index.json"), JSON.stringify([...used].sort()));
console.log(
  `prebuilt: ${used.size} results, ${megabytes} MB, and ${keepOnly(codeKeys, codeDirectory())} MB of the ` +
    `compiler's code, ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
