/** The snippets of docs/browser.md work as they stand there. */
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.mjs";
import { pageText } from "./docs-commands.mjs";

const ROOT = join(import.meta.dirname, "..");

/** After it a page has failed, on the busiest machine. */
const PATIENCE_MS = 120_000;

const blocks = (language: string): string[] =>
  [...pageText("docs/browser.md").matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => match[1] ?? "",
  );
/** The one snippet that names `what`. */
function snippet(language: string, what: string): string {
  const found = blocks(language).filter((text) => text.includes(what));
  if (found.length !== 1) throw new Error(`${found.length} snippets of docs/browser.md name ${what}`);
  return found[0] as string;
}

const programPage = snippet("html", "runProgram");
const importMap = /<script type="importmap">[\s\S]*?<\/script>/.exec(programPage)?.[0] ?? "";

/** The page prints the worker's answer on the console; a test reads it from the document. */
const workerPage = snippet("html", "new Worker").replace("console.log(data)", "output.textContent = data.join()");

/** A page with a script around a snippet. */
const page = (script: string): string => `<!doctype html>
<body><pre id="output"></pre></body>
${importMap}
<script>
  addEventListener("unhandledrejection", ({ reason }) => { output.textContent = "failed: " + reason; });
  addEventListener("error", ({ message }) => { output.textContent = "failed: " + message; });
</script>
${script}`;

/** What the reader of the page brings along. */
const CHECKED = `__global__ void last(int* x, int n) { x[n] = 1; }
int main() {
  int* x;
  cudaMalloc(&x, 40);
  last<<<1, 1>>>(x, 10);
  return cudaDeviceSynchronize();
}`;
const DECLARATION = `import { defineLadder, uniform } from "heddle/ladder";
export default defineLadder({
  summary: "y = 2 x",
  inputs: { x: { dtype: "float32", length: ({ n }) => n, values: uniform(1, 2) } },
  outputs: {
    y: { dtype: "float32", length: ({ n }) => n, tolerance: { absolute: 0, relative: 0, reason: "a power of 2" } },
  },
  reference: ({ x }) => ({ y: x.map((value) => 2 * value) }),
  work: ({ n }) => ({ bytes: 8 * n, operations: n }),
  shapes: { check: [{ n: 33 }], time: { emulated: [{ n: 20000 }], cuda: [] } },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [64] },
      launch: ({ n }, { BLOCK }) => [
        { kernel: "scale", grid: Math.ceil(n / BLOCK), block: BLOCK, args: ["x", "y", n] },
      ],
    },
  },
});`;
const BENCHED = `// One thread an element.
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}`;

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/program.html": ["text/html", `<!doctype html>${programPage}`],
  "/worker.html": ["text/html", page(workerPage)],
  "/tensors.html": ["text/html", `<!doctype html>${snippet("html", "openTensors")}`],
  "/check.html": [
    "text/html",
    page(`<script type="module">const source = ${JSON.stringify(CHECKED)};\n${snippet("js", "checkProgram")}</script>`),
  ],
  "/bench.html": [
    "text/html",
    page(`<script type="module">
      const [declaration, source] = ${JSON.stringify([DECLARATION, BENCHED])};
      ${snippet("js", "benchLadder")
        .replace("console.log(versions", "output.append(versions")
        .replace(".verdict, ", '.verdict, " ", ')}</script>`),
  ],
  "/kernels.js": ["text/javascript", snippet("js", "openHeddle")],
  "/vector-add.cu": ["text/plain", readFileSync(join(ROOT, "examples", "vector-add.cu"), "utf8")],
};

/** Serves the files above, and the package's own folder as node_modules/heddle. */
function handle(path: string, response: ServerResponse): boolean {
  const file = FILES[path];
  if (file !== undefined) {
    response.setHeader("Content-Type", file[0]).end(file[1]);
    return true;
  }
  const module = /^\/node_modules\/heddle\/(dist\/.*)$/.exec(path)?.[1];
  if (module === undefined) return false;
  response.setHeader("Content-Type", module.endsWith(".js") ? "text/javascript" : "application/octet-stream");
  response.end(readFileSync(join(ROOT, module)));
  return true;
}

describe.skipIf(CHROMIUM === undefined)("the snippets of docs/browser.md", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser((path, _request, response) => handle(path, response));
  });
  afterAll(() => chromium?.close());

  /** Opens one of the pages in a frame. @returns its text, once it matches or the page has failed or hangs. */
  const textOf = (page: string, pattern: RegExp): Promise<unknown> =>
    chromium.onPage(
      true,
      `
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.src = ${JSON.stringify(page)};
      const text = () => frame.contentDocument?.body?.innerText?.trim() ?? "";
      const end = performance.now() + ${PATIENCE_MS};
      const shown = () => ${String(pattern)}.test(text()) || text().startsWith("failed");
      while (!shown() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
      return text();`,
    );

  it("runs a whole program", async () => {
    expect(await textOf("/program.html", /wrong/)).toBe("20 blocks of 256 threads added 5000 elements, 0 wrong");
  });

  it("checks a program", async () => {
    expect(await textOf("/check.html", /error/)).toMatch(/last.*\n[^]*1 error/);
  });

  it("benches a ladder", async () => {
    expect(await textOf("/bench.html", /\d/)).toMatch(/^ok \d+(\.\d+)?(e-\d+)?$/);
  });

  it("trains a network on the page's own thread", async () => {
    expect(await textOf("/tensors.html", /^0\.000\d$/)).toMatch(/^0\.000\d$/);
  });

  it("calls a kernel in a worker", async () => {
    expect(await textOf("/worker.html", /,/)).toBe("2,4,6");
  });
});
