/** Compiled kernels of earlier runs: what an edit loses, and where places lie afterwards. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import { clangForTests } from "../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { cachedDeviceLibrary } from "../frontend/clang/device-library.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { openNodeDevice } from "../device/emulated/open-device-node.ts";
import type { ContentCache } from "../store/store.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { Gpu } from "./gpu.ts";
import { createOpenTriton } from "./load-triton.ts";
import type { TritonProgram } from "./triton.ts";

const SOURCE = `import triton
import triton.language as tl
from .helpers import twice

FACTOR = tl.constexpr(3)
OTHER = 5

@triton.jit
def scaled(x):
    return x * FACTOR

@triton.jit
def kernel(p, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(p + i * n, twice(scaled(i)))

@triton.jit
def unrelated(p):
    tl.store(p, OTHER)
`;
const HELPERS = `import triton

@triton.jit
def twice(x):
    return x + x

@triton.jit
def unused(x):
    return x
`;

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

interface Counted extends ContentCache {
  /** Keys of entries that were put, and how often one was found. */
  readonly puts: string[];
  found: number;
}

function countingCache(): Counted {
  const blobs = new Map<string, Uint8Array>();
  const cache: Counted = {
    puts: [],
    found: 0,
    hash,
    version: "1",
    store: {
      get: (key) => {
        const blob = blobs.get(key) ?? null;
        if (blob !== null) cache.found++;
        return blob;
      },
      put: (key, bytes) => {
        cache.puts.push(key);
        blobs.set(key, bytes);
      },
    },
  };
  return cache;
}

const library = createCompiler({ resources: clangForTests(), store: openNodeStore(), hash }).then((compiler) =>
  cachedDeviceLibrary(compiler, openNodeStore(), hash),
);

/** As a new process would: a device of its own. */
async function inNewProcess<T>(
  cache: ContentCache,
  { source = SOURCE, helpers = HELPERS },
  use: (program: TritonProgram) => Promise<T>,
): Promise<T> {
  const device = openNodeDevice({ workers: 1, library: await library, codeCache: cache });
  const open = createOpenTriton(() => Promise.reject(new Error("not asked for")), cache);
  const imports = (path: string): SourceText | null =>
    path === ".helpers" ? new SourceText("helpers.py", helpers) : null;
  try {
    return await use(await open(new SourceText("k.py", source), imports, { device: new Gpu(device, () => {}) }));
  } finally {
    device.close();
  }
}

async function results(program: TritonProgram): Promise<number[]> {
  const p = program.device.array(4, "int32");
  await program.kernel("kernel").launch({ grid: 1 }, p, 1, { BLOCK: 4 });
  return Array.from(await p.read(), Number);
}

describe("kernels of earlier runs", () => {
  it("are found by content, and their code too", async () => {
    const cache = countingCache();
    expect(await inNewProcess(cache, {}, results)).toEqual([0, 6, 12, 18]);
    expect(cache.puts).toHaveLength(2);
    expect(await inNewProcess(cache, {}, results)).toEqual([0, 6, 12, 18]);
    expect(cache.puts).toHaveLength(2);
    expect(cache.found).toBe(2);
  });

  it.each([
    ["a line above", { source: `# more\n\n${SOURCE}` }],
    ["another kernel", { source: SOURCE.replace("tl.store(p, OTHER)", "tl.store(p, OTHER + 1)") }],
    ["a constant of another kernel", { source: SOURCE.replace("OTHER = 5", "OTHER = 6") }],
    ["another helper of an imported file", { helpers: HELPERS.replace("return x\n", "return -x\n") }],
  ])("survive an edit elsewhere: %s", async (_, files) => {
    const cache = countingCache();
    await inNewProcess(cache, {}, results);
    expect(await inNewProcess(cache, files, results)).toEqual([0, 6, 12, 18]);
    expect(cache.puts).toHaveLength(2);
    expect(cache.found).toBe(2);
  });

  it.each([
    ["a constant", { source: SOURCE.replace("constexpr(3)", "constexpr(4)") }, [0, 8, 16, 24]],
    ["a helper", { source: SOURCE.replace("x * FACTOR", "x * FACTOR + 1") }, [2, 8, 14, 20]],
    ["an imported helper", { helpers: HELPERS.replace("x + x", "x - x") }, [0, 0, 0, 0]],
    ["a later binding of a name", { source: `${SOURCE}\nFACTOR = tl.constexpr(1)\n` }, [0, 2, 4, 6]],
    ["a condition", { source: SOURCE.replace("OTHER = 5", "if True:\n    FACTOR = tl.constexpr(1)") }, [0, 2, 4, 6]],
  ])("are not those of other code: %s", async (_, files, expected) => {
    const cache = countingCache();
    await inNewProcess(cache, {}, results);
    expect(await inNewProcess(cache, files, results)).toEqual(expected);
    expect(cache.puts.length).toBeGreaterThan(2);
  });

  it("have their places where the file has them now", async () => {
    const cache = countingCache();
    const fault = (files: { source?: string }): Promise<string> =>
      inNewProcess(cache, files, async (program) => {
        const p = program.device.array(2, "int32");
        const launched = program.kernel("kernel").launch({ grid: 1 }, p, 1 << 28, { BLOCK: 4 });
        const error = await launched.then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(HeddleError);
        const { location } = error as HeddleError;
        return `${location?.file}:${location?.line}`;
      });
    expect(await fault({})).toBe("k.py:15");
    expect(await fault({ source: `#\n#\n#\n${SOURCE}` })).toBe("k.py:18");
    expect(cache.puts).toHaveLength(2);
  });

  it("of a kernel with decorators survive an edit of the configurations", async () => {
    const tuned = SOURCE.replace(
      "@triton.jit\ndef kernel",
      '@triton.autotune(configs=[triton.Config({"BLOCK": 4})], key=["n"])\n@triton.jit\ndef kernel',
    );
    const cache = countingCache();
    const launch = (source: string): Promise<number[]> =>
      inNewProcess(cache, { source }, async (program) => {
        const p = program.device.array(4, "int32");
        await program.kernel("kernel").launch({ grid: 1 }, p, 1);
        return Array.from(await p.read(), Number);
      });
    expect(await launch(tuned)).toEqual([0, 6, 12, 18]);
    expect(await launch(tuned.replace("[triton.Config(", "[  triton.Config("))).toEqual([0, 6, 12, 18]);
    expect(cache.puts).toHaveLength(2);
  });
});
