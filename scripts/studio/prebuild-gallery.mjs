// Compiles the gallery's programs as the studio will ask for it, and writes every result that the compiler took or made
// under its key (src/frontend/clang/prebuilt.ts): an unchanged example runs before Clang is there.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { programRequest } from "../../dist/browser/program-options.js";
import { DEFAULT_CHECKERS } from "../../dist/check/checkers.js";
import { nodeClangResources } from "../../dist/frontend/clang/clang-loader-node.js";
import { createCompiler } from "../../dist/frontend/clang/compile.js";
import { cachedDeviceLibrary } from "../../dist/frontend/clang/device-library.js";
import { entryPath } from "../../dist/frontend/clang/prebuilt.js";
import { prebuiltDirectory } from "../../dist/frontend/clang/prebuilt-node.js";
import { memorySourceReader } from "../../dist/frontend/clang/memory-source-reader.js";
import { nodeStore } from "../../dist/store/disk-store-node.js";

const WATCHERS = [{}, { check: DEFAULT_CHECKERS }, { profile: true }];

export async function prebuildGallery(programs, directory) {
  const found = nodeStore(prebuiltDirectory(), { warn: () => {} });
  const cached = nodeStore();
  const used = new Map();
  const store = {
    get: async (key) => {
      const bytes = (await found.get(key)) ?? (await cached.get(key));
      if (bytes !== null) used.set(key, bytes);
      return bytes;
    },
    put: async (key, bytes) => {
      used.set(key, bytes);
      await cached.put(key, bytes);
    },
  };
  const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
  const compiler = await createCompiler({ resources: nodeClangResources(), store, hash: sha256 });
  await cachedDeviceLibrary(compiler, store, sha256);
  // What an edited program needs, too: the same with a line more, whose own results are left out again.
  for (const { files } of programs) await compileAll(compiler, files);
  const own = new Map(used);
  const [first] = programs;
  await compileAll(compiler, [{ ...first.files[0], text: `${first.files[0].text}\n// ${Math.random()}\n` }]);
  const written = [];
  for (const [key, bytes] of used) {
    const isOwnResult = !own.has(key) && (await found.get(key)) === null;
    if (isOwnResult) continue;
    written.push(key);
    const path = join(directory, entryPath(key));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.concat([Buffer.from(sha256(bytes), "hex"), bytes]));
  }
  writeFileSync(join(directory, "index.json"), JSON.stringify(written.sort()));
}

async function compileAll(compiler, [{ path, text }]) {
  for (const watchers of WATCHERS) {
    const { program } = programRequest(text, { path, clang: "" }, watchers);
    await compiler.compileProgram(program.sources, program.compile, memorySourceReader({}));
  }
}
