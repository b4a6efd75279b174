// What the suites need of the compiler: IR of sources, the device library, built programs. From the compiler, or from a
// folder.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
export const HEDDLE = join(root, "dist/bin/main.js");

const keyOf = (...parts) => createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);

/** @param folder null: there is a compiler. @param fill whether what is asked for is put into the folder. */
export async function preparedFrom(folder, fill = false) {
  if (folder !== null && fill) mkdirSync(folder, { recursive: true });
  let opened = null;
  const compiler = () => (opened ??= openCompiler());
  const kept = async (name, make) => {
    const path = folder === null ? null : join(folder, name);
    if (path !== null && existsSync(path)) return readFileSync(path, "utf8");
    if (folder !== null && !fill) throw new Error(`${path} was not prepared: scripts/gpu-tests/prepare.mjs makes it`);
    const text = await make();
    if (path !== null) writeFileSync(path, text);
    return text;
  };
  return {
    folder,
    /** DeviceProgram of CUDA C++. */
    device: async (name, source, options = {}) =>
      JSON.parse(
        await kept(`${name}-${keyOf(source, options)}.json`, async () =>
          JSON.stringify(
            (await (await compiler()).compiler.compileDevice({ path: `${name}.cu`, text: source }, options, null))
              .program,
          ),
        ),
      ),
    library: () => kept("library.ll", async () => (await compiler()).library()),
    /** The path of a program that `heddle nvcc` built. */
    program(path, flags = []) {
      const name = `program-${keyOf(readFileSync(join(root, path), "utf8"), flags)}`;
      const target = join(folder ?? mkdtempSync(join(tmpdir(), "heddle-gpu-")), name);
      if (existsSync(target)) return target;
      if (folder !== null && !fill) throw new Error(`${target} (${path}) was not prepared`);
      const { status, stderr } = spawnSync(
        process.execPath,
        [HEDDLE, "nvcc", ...flags, "-o", target, join(root, path)],
        { encoding: "utf8" },
      );
      if (status !== 0) throw new Error(`${path} does not build: ${stderr}`);
      return target;
    },
  };
}

async function openCompiler() {
  const [{ createCompiler }, { nodeClangResources }, { openNodeStore }, { cachedDeviceLibrary }] = await Promise.all([
    import("../../dist/frontend/clang/compile.js"),
    import("../../dist/frontend/clang/clang-loader-node.js"),
    import("../../dist/frontend/clang/prebuilt-node.js"),
    import("../../dist/frontend/clang/device-library.js"),
  ]);
  const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
  const store = openNodeStore();
  const compiler = await createCompiler({ resources: nodeClangResources(), store, hash });
  return { compiler, library: () => cachedDeviceLibrary(compiler, store, hash) };
}
