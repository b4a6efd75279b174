// The studio in a headless browser, for scripts: it opens programs by their link, and clicks as a person does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, strToU8 } from "fflate";
import { chromium } from "playwright-core";
import { studioFolders } from "../../dist/cli/studio-page/studio-folders.js";
import { startStudioServer } from "../../dist/cli/studio-page/studio-server.js";
import { CHROMIUM } from "../chromium.mjs";

const WAIT_MS = 300_000;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];

/** As src/studio/model/share-link.ts reads it. */
export function linkOf({ title = "program", files, args = "", stdin = "", gpu, ladder = null }) {
  const isPython = files[0].path.endsWith(".py");
  const workspace = {
    v: 1,
    title,
    files,
    active: files[0].path,
    args,
    stdin,
    gpu: gpu ?? (isPython ? "h100" : "a100"),
  };
  const bytes = deflateSync(strToU8(JSON.stringify({ ...workspace, ladder })), { level: 6 });
  return `#program=${Buffer.from(bytes).toString("base64url")}`;
}

export async function openStudio({ width = 1200, height = 720 } = {}) {
  const server = await startStudioServer(studioFolders(), 0);
  const address = `http://localhost:${server.address().port}/`;
  const profile = mkdtempSync(join(tmpdir(), "heddle-studio-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: FLAGS,
    viewport: { width, height },
    timeout: WAIT_MS,
  });
  context.setDefaultTimeout(WAIT_MS);
  const complaints = [];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  const page = await context.newPage();
  await page.goto(address);
  await page
    .getByRole("button", { name: /^(?:Run|Race)/ })
    .first()
    .waitFor();
  return {
    page,
    context,
    address,
    complaints,
    async open(workspace) {
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, linkOf(workspace));
      await page.waitForFunction(() => location.hash === "");
    },
    /** Clicks, and waits for the end; the text of the verdict. */
    async act(name, timeout = WAIT_MS) {
      await page.getByRole("button", { name }).first().click();
      await page
        .getByRole("button", { name: /^Stop/ })
        .waitFor({ timeout: 5000 })
        .catch(() => {});
      await page.locator(".status:not(.busy)").waitFor({ timeout });
      return (await page.locator(".status [role=status]").innerText()).trim();
    },
    /** What the program wrote. */
    async output() {
      const texts = await page
        .locator("pre.output span")
        .evaluateAll((spans) => spans.map(({ className, textContent }) => [className, textContent ?? ""]));
      const of = (stream) =>
        texts
          .filter(([name]) => name === stream)
          .map(([, text]) => text)
          .join("");
      return { stdout: of("stdout"), stderr: of("stderr") };
    },
    async close() {
      await context.close();
      server.closeAllConnections();
      server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
