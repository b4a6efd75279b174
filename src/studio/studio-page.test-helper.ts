/** The studio in headless Chromium, as a person has it: served by `heddle studio`'s server, or by any other. */
import { execFileSync } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { CHROMIUM } from "../browser/chromium.test-helper.ts";
import { studioFolders } from "../cli/studio-page/studio-folders.ts";
import { startStudioServer } from "../cli/studio-page/studio-server.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SITE = join(ROOT, "dist/studio");
const WAIT_MS = 300_000;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];

export interface StudioBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly address: string;
  /** What the console said that is not right, and requests to other origins. */
  readonly complaints: readonly string[];
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

/** The page is built anew; the engine only when it has changed. */
export function buildStudio(): void {
  execFileSync(process.execPath, [join(ROOT, "scripts/studio/build.mjs"), "--without-clang"], { stdio: "pipe" });
}

export interface StudioChoice {
  /** A server that knows nothing of us and sends no headers. */
  readonly plain: boolean;
  /** Lets the server run programs. @returns the token of the page */
  readonly serve?: (server: Server) => string;
}

export async function openStudio({ plain, serve }: StudioChoice): Promise<StudioBrowser> {
  const server = plain ? await startPlainServer() : await startStudioServer(studioFolders(), 0);
  const address = `http://localhost:${(server.address() as AddressInfo).port}/`;
  const profile = mkdtempSync(join(tmpdir(), "heddle-studio-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM as string,
    headless: true,
    args: FLAGS,
    viewport: { width: 1280, height: 800 },
    timeout: WAIT_MS,
  });
  context.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  const isOwn = (url: string): boolean => url.replace(/^ws/, "http").startsWith(address);
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("request", (request) => {
    if (/^(?:https?|wss?):/.test(request.url()) && !isOwn(request.url())) complaints.push(request.url());
  });
  const page = await context.newPage();
  await page.goto(serve === undefined ? address : `${address}#server=${serve(server)}`);
  const stopServer = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    page,
    context,
    address,
    complaints,
    stopServer,
    async close() {
      await context.close();
      await stopServer();
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

const TYPES: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };

function startPlainServer(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname.replace(/\/$/, "/index.html");
    const file = join(SITE, path);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return void response.writeHead(404).end();
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const AXE: string = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with the page as it is now: rule, and where. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Axe {
      run(): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
    }
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
  });
}
