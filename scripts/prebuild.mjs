// Fills dist/prebuilt with what every first compilation needs, so that the first `heddle run` after an installation is a fast one: the
// precompiled headers of the default options, the device library, the host library's objects, cuBLAS. Keeps what is still right and
// removes what is not. See src/frontend/clang/prebuilt.ts.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptDeviceLibrary } from "../dist/device/common/device-library.js";
import { nodeStore } from "../dist/frontend/clang/cache-node.js";
import { nodeClangResources } from "../dist/frontend/clang/clang-loader-node.js";
import { createCompiler } from "../dist/frontend/clang/compile.js";
import { memoryStore } from "../dist/frontend/clang/compile-cache.js";
import { entryPath } from "../dist/frontend/clang/prebuilt.js";
import { prebuiltDirectory } from "../dist/frontend/clang/prebuilt-node.js";

const started = performance.now();
const directory = prebuiltDirectory();
mkdirSync(directory, { recursive: true });
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const kept = nodeStore(directory, { warn: (message) => { throw new Error(message); } });
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

const resources = nodeClangResources();
const everything = recording(() => true);
await keptDeviceLibrary(await createCompiler({ resources, store: everything, hash: sha256 }), everything, sha256);

// A program that no cache has seen makes the compiler ask for all the rest. Its name is in everything that is made of it alone.
const path = `${randomUUID()}.cu`;
const text = `#include <iostream>
#include <cublas_v2.h>
__global__ void kernel() {}
int main() { cublasHandle_t handle; kernel<<<1, 1>>>(); return cublasCreate(&handle); }
`;
const shared = recording((bytes) => bytes.length > 0 && !Buffer.from(bytes).includes(path));
const compiler = await createCompiler({ resources, store: shared, hash: sha256 });
await compiler.compileProgram([{ path, text }], {}, null);
// The layers of the C++ library, up to <iostream>, are made for the second program that asks for them.
await compiler.compileProgram([{ path, text: `${text}\n` }], {}, null);

const paths = new Set([...used].map(entryPath));
for (const entry of readdirSync(directory, { withFileTypes: true })) {
  if (!entry.isDirectory()) { rmSync(join(directory, entry.name)); continue; }
  const names = readdirSync(join(directory, entry.name));
  for (const name of names) if (!paths.has(`${entry.name}/${name}`)) rmSync(join(directory, entry.name, name));
  if (readdirSync(join(directory, entry.name)).length === 0) rmSync(join(directory, entry.name), { recursive: true });
}
writeFileSync(join(directory, "index.json"), JSON.stringify([...used].sort()));
const bytes = [...paths].reduce((sum, path) => sum + statSync(join(directory, path)).size, 0);
console.log(`prebuilt: ${used.size} results, ${(bytes / 1e6).toFixed(1)} MB, ${((performance.now() - started) / 1000).toFixed(1)} s`);
