/** Tensors in a page compute what they compute in Node.js: every element, every gradient, every random number. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { openTensors, type Tensors } from "../tensor.ts";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.test-helper.ts";
import { CLANG } from "./run-on-page.test-helper.ts";
import { tableOf } from "./tensor-cases.test-helper.ts";

type Train = (torch: Tensors, images: Uint8Array, labels: Uint8Array) => Iterable<{ loss?: number; accuracy?: number }>;

const SQUARE = `
__global__ void squares(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
torch::Tensor square(torch::Tensor x) {
  auto y = torch::empty_like(x);
  squares<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}`;

const CASES = join(import.meta.dirname, "tensor-cases.test-helper.ts");

/** The cases as a script of a page: their `tensor.ts` is the page's. */
async function casesForPage(): Promise<string> {
  const made = await rolldown({
    input: CASES,
    plugins: [
      {
        name: "the page's tensors",
        resolveId: (id) => (/\/tensor\.ts$/.test(id) ? { id: "/dist/page/tensor.js", external: "absolute" } : null),
      },
    ],
  });
  const { output } = await made.generate({ format: "esm" });
  return output[0].code;
}

/** Versions of JavaScript's Math differ by so much: the host computes with it. Kernels have functions of their own. */
const MATH = 2 ** -51;

function expectSame(found: readonly string[], expected: readonly string[], name: string): void {
  for (const [i, text] of expected.entries()) {
    if (found[i] === text) continue;
    const [other, own] = [found[i] as string, text].map((of) => of.split(/[ ,]/)) as [string[], string[]];
    const isClose = (a: string, b: string): boolean => a === b || Math.abs(Number(a) / Number(b) - 1) <= MATH;
    if (own[0] !== "float64" || !own.every((value, at) => isClose(value, other[at] as string)))
      expect(other, name).toEqual(own);
  }
}

/** The code of a dedicated worker that posts what `body` returns. */
const inWorker = (body: string): string => `
  return new Promise((resolve) => {
    const text = ${JSON.stringify(`
      const T = await import("/dist/page/tensor.js");
      const result = async () => { ${body} };
      postMessage(await result().catch(({ code, stack, notes }) => ({ error: code + ": " + stack, notes })));`)};
    const script = text.replaceAll('"/', '"' + location.origin + "/");
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(url, { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => resolve({ error: message });
  });`;

describe.skipIf(CHROMIUM === undefined)("tensors in a page", () => {
  let chromium: TestBrowser;
  let torch: Tensors;
  beforeAll(async () => {
    const cases = await casesForPage();
    [chromium, torch] = await Promise.all([
      startBrowser((path, _request, response) => {
        if (path !== "/cases.js") return false;
        response.setHeader("Content-Type", "text/javascript").end(cases);
        return true;
      }),
      openTensors({ device: "emulated" }),
    ]);
  });
  const folder = mkdtempSync(join(tmpdir(), "heddle-page-"));
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    torch.device.close();
    await chromium?.close();
  });

  it("have the values and gradients of Node.js, in a worker", async () => {
    const body = `const { tableOf } = await import("/cases.js"); return tableOf(await T.openTensors());`;
    const found = (await chromium.onPage(true, inWorker(body))) as Record<string, unknown>;
    const expected = tableOf(torch);
    expect(Object.keys(found)).toEqual(Object.keys(expected));
    for (const [name, values] of Object.entries(expected)) expectSame(found[name] as string[], values, name);
  });

  it("train the network of the example as Node.js does", async () => {
    // The example's code, over Node.js' tensors.
    const text = readFileSync(join(packageRoot(), "examples/page/network.js"), "utf8");
    const own = pathToFileURL(join(packageRoot(), "dist/lib/tensor.js")).href;
    const path = join(folder, "network.mjs");
    writeFileSync(path, text.replace("../../dist/page/tensor.js", own));
    const { train } = (await import(path)) as { train: Train };
    const { openTensors: openBuilt } = (await import(own)) as typeof import("../tensor.ts");
    const data = (name: string, head: number): Uint8Array =>
      gunzipSync(readFileSync(join(packageRoot(), "examples/mnist", `${name}.gz`))).subarray(head);
    const built = await openBuilt({ device: "emulated" });
    const expected = [...train(built, data("train-images-idx3-ubyte", 16), data("train-labels-idx1-ubyte", 8))];
    built.device.close();
    expect(expected.at(-1)?.accuracy).toBeGreaterThan(0.85);

    const found = await chromium.onPage(
      false,
      `
      const worker = new Worker("/examples/page/train.js", { type: "module" });
      const steps = [];
      return new Promise((resolve) => {
        worker.onerror = ({ message }) => resolve(message);
        worker.onmessage = ({ data }) => {
          steps.push(data);
          if (data.loss === undefined) resolve(steps);
        };
      });`,
    );
    expect(found).toEqual(expected);
  });

  it("compute on the page's own thread, with the threads of a pool", async () => {
    const sum = `
      const T = await import("/dist/page/tensor.js");
      const torch = await T.openTensors();
      torch.manualSeed(3);
      const x = torch.randn([512, 512]);
      return x.matmul(x).softmax(1).square().sum().item();`;
    torch.manualSeed(3);
    const x = torch.randn([512, 512]);
    const expected = x.matmul(x).softmax(1).square().sum().item();
    expect([await chromium.onPage(true, sum), await chromium.onPage(false, sum)]).toEqual([expected, expected]);
  });

  it("find their kernels compiled at the next visit, and forget those of other compilers", async () => {
    const body = `
      const open = () => new Promise((resolve, reject) => {
        const request = indexedDB.open("heddle", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("kernels");
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      const settled = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
      const store = (await open()).transaction("kernels", "readwrite").objectStore("kernels");
      await settled(store.put({ version: "another", bytes: new Uint8Array(8) }, "old"));
      const torch = await T.openTensors();
      const values = torch.linspace(-1, 1, 1 << 15).cosh().atan().sum().item();
      for (let before = -1; ;) {
        const keys = await settled((await open()).transaction("kernels").objectStore("kernels").getAllKeys());
        if (keys.length === before) return { keys, values };
        before = keys.length;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }`;
    const first = (await chromium.onPage(false, inWorker(body))) as { keys: string[]; values: number };
    const second = (await chromium.onPage(false, inWorker(body))) as typeof first;
    expect(first.keys.length).toBeGreaterThan(0);
    expect(first.keys).not.toContain("old");
    expect(second).toEqual(first);
  });

  it("take extensions from strings, and kernels in CUDA", async () => {
    const body = `
      const torch = await T.openTensors({ clang: ${JSON.stringify(CLANG)} });
      const { square } = await T.loadInline({
        name: "square",
        cppSources: "torch::Tensor square(torch::Tensor x);",
        cudaSources: ${JSON.stringify(SQUARE)},
        functions: ["square"],
        device: torch.device,
      });
      const { openHeddle } = await import("/dist/page/library.js");
      const program = await openHeddle({ clang: ${JSON.stringify(CLANG)} }).compile(
        "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }", { device: torch.device });
      const x = torch.tensor([1, 2, 3]);
      torch.launch(await program.kernel("twice"), { grid: 1, block: 3 }, x);
      return [square(torch.tensor([1, 2, 3])).tolist(), x.tolist()];`;
    expect(await chromium.onPage(true, inWorker(body))).toEqual([
      [1, 4, 9],
      [2, 4, 6],
    ]);
  });

  it("give memory back, and refuse by name what needs files, threads of Node.js or a GPU", async () => {
    const body = `
      const errorOf = async (work) => {
        try { await work(); return "nothing"; }
        catch ({ code, message }) {
          // Two files are asked for at once.
          const text = message.replaceAll(location.origin, "").replace("fingerprints.json", "fingerprint");
          return code + ": " + text;
        }
      };
      const own = await T.openTensors();
      own.tidy(() => void own.ones([1 << 16]).exp());
      const afterTidy = own.memoryStatistics().allocatedBytes;
      for (let i = 0; i < 10; i++) own.ones([1 << 16]);
      // Large buffers make the garbage collector look.
      const end = performance.now() + 20_000;
      while (own.memoryStatistics().allocatedBytes > 0 && performance.now() < end) {
        for (let i = 0; i < 20; i++) new ArrayBuffer(1 << 24);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return [
        await errorOf(() => T.save({}, "net.safetensors")),
        await errorOf(() => T.load("net.safetensors")),
        await errorOf(() => T.saveSafetensors({}, "net.safetensors")),
        await errorOf(() => T.loadSafetensors("net.safetensors")),
        await errorOf(() => T.workers("example.js")),
        await errorOf(() => T.loadExtension("folder")),
        await errorOf(() => T.openTensors({ device: "cuda" })),
        await errorOf(() => T.openTensors({ heddle: "/nowhere/" })),
        [afterTidy, own.memoryStatistics().allocatedBytes],
      ];`;
    expect(await chromium.onPage(false, inWorker(body))).toMatchInlineSnapshot(`
      [
        "unsupported: save writes a file, and a page has none
        keep the bytes of encodeSafetensors, for example in IndexedDB",
        "unsupported: load reads a file, and a page has none
        decodeSafetensors takes the bytes that fetch has got",
        "unsupported: saveSafetensors writes a file, and a page has none
        keep the bytes of encodeSafetensors, for example in IndexedDB",
        "unsupported: loadSafetensors reads a file, and a page has none
        decodeSafetensors takes the bytes that fetch has got",
        "unsupported: workers starts threads of Node.js
        a DataLoader without workers makes examples itself",
        "unsupported: loadExtension reads folders, and a page has none
        loadInline takes the sources as strings",
        "no-device: a browser has no way to the NVIDIA driver: there are only emulated devices",
        "file-not-found: /nowhere/fingerprint cannot be fetched: 404 Not Found",
        [
          0,
          0,
        ],
      ]
    `);
  });
});
