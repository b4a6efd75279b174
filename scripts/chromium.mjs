// Headless Chromium and a web server of this repository's files, for tests and benchmarks. No bundler: files go out as
// they are.
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How long a busy machine may take to start a browser and to open a page. */
const START_MS = 300_000;

export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path));

export async function startBrowser(handle = () => false) {
  let isolatedNow = false;
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    // Scripts of workers get the headers too: each carries its own policy.
    if (isolatedNow) {
      response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
      response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    }
    // A script kept from a page that was not isolated would lack the policy. Chromium keeps its code of a module that
    // it may keep: the next page waits less for Clang.
    response.setHeader("Cache-Control", path.endsWith(".wasm") ? "max-age=3600" : "no-store");
    if (path === "/") {
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Heddle</title><body></body>");
      return;
    }
    if (handle(path, request, response)) return;
    const file = join(ROOT, path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "heddle-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    timeout: START_MS,
  });
  context.setDefaultTimeout(START_MS);
  const openPage = async (isolated) => {
    isolatedNow = isolated;
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return { run: (body) => page.evaluate(`(async () => {${body}})()`), close: () => page.close() };
  };
  return {
    version: context.browser()?.version() ?? "",
    openPage,
    async onPage(isolated, body) {
      const page = await openPage(isolated);
      try {
        return await page.run(body);
      } finally {
        await page.close();
      }
    },
    async close() {
      await context.close();
      server.closeAllConnections();
      server.close();
      // The browser's last process may still be writing.
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
