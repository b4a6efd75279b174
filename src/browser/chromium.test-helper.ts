/** Headless Chromium and a web server of this repository's files, for tests. No bundler: files go out as they are. */
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type BrowserContext } from "playwright-core";

const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));
const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** How long a busy machine may take to start a browser and to open a page. */
const START_MS = 300_000;

/** Path of the browser; undefined where there is none. */
export const CHROMIUM: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

if (CHROMIUM === undefined) {
  process.stderr.write("\nSKIPPED: no Chromium was found, so the tests that need a browser do not run (CHROMIUM=path says where one is; Debian: apt-get install chromium)\n\n");
}

export interface TestBrowser {
  /** Runs the body of an async function on a fresh, bare page and returns its result. */
  onPage(isolated: boolean, body: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  let isolatedNow = false;
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    // Scripts of workers get the headers too: each carries its own policy.
    if (isolatedNow) {
      response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
      response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    }
    if (path === "/") {
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Heddle</title><body></body>");
      return;
    }
    const file = join(ROOT, path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    // A copy kept from a page that was not isolated would lack the policy.
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "heddle-chromium-"));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM as string, headless: true, args: FLAGS, timeout: START_MS });
  context.setDefaultTimeout(START_MS);
  return {
    async onPage(isolated, body) {
      isolatedNow = isolated;
      const page = await context.newPage();
      try {
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        return await page.evaluate(`(async () => {${body}})()`);
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
