// Makes the pictures of docs/studio.md: every view of the studio, as a person reaches it. Needs Chromium.
//
//   node scripts/studio/screenshots.mjs [FOLDER]
//
// With FOLDER the pictures go there, each with its accessibility tree: for readers who shall say what a view shows.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { studioFolders } from "../../dist/cli/studio-page/studio-folders.js";
import { startStudioServer } from "../../dist/cli/studio-page/studio-server.js";
import { CHROMIUM } from "../chromium.mjs";

const root = join(import.meta.dirname, "../..");
const folder = process.argv[2];
const images = folder ?? join(root, "docs/images");
const WAIT_MS = 300_000;

mkdirSync(images, { recursive: true });
const server = await startStudioServer(studioFolders(), 0);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
page.setDefaultTimeout(WAIT_MS);
await page.goto(`http://localhost:${server.address().port}/`);

const button = (name) => page.getByRole("button", { name, exact: true }).first();
const ended = (text) => page.locator(".status [role=status]").filter({ hasText: text }).waitFor();
async function open(title) {
  await button(/Examples…/).click();
  await page.getByRole("dialog").getByRole("button", { name: title }).click();
}
async function picture(name) {
  // Nothing blinks, and no button looks pressed.
  await page.mouse.move(5, 700);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(images, `studio-${name}.png`) });
  if (folder !== undefined)
    writeFileSync(join(folder, `studio-${name}.txt`), `${await page.locator("body").ariaSnapshot()}\n`);
  console.log(`studio-${name}.png`);
}

await button(/^Run/).waitFor();
await page.getByRole("button", { name: "Draw a fractal" }).first().waitFor();
await picture("first-visit");
await open("Draw a fractal");
await button(/^Run/).click();
await ended(/Ended well/);
await page.getByRole("img", { name: "Image mandelbrot.ppm" }).waitFor();
await picture("run");
await open("Find the fault: a wrong sum");
await button("Find faults").click();
await ended(/fault found/);
await picture("check");
await button("Show both accesses on a time line").click();
await ended(/Recorded/);
await page.getByRole("heading", { name: "The race" }).waitFor();
await picture("race-time");
await button("Watch").click();
await ended(/Recorded/);
await page.locator(".cm-line").filter({ hasText: "if (t < half)" }).click();
for (let i = 0; i < 9; i++) await button("To cursor").click();
await page.getByText(/sum-race.cu:24 in sum/).waitFor();
await picture("watch");
await page.locator("#panel").evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
await picture("watch-time");
await open("Fast and slow: transpose a matrix");
await button("Explain speed").click();
await ended(/Profiled/);
await picture("speed");
await button("GPU code").click();
await ended(/Compiled/);
await button("Line 11 of the source").click();
await button("Line 11 of the source").scrollIntoViewIfNeeded();
await picture("code");
await open(/^Multiply matrices by tiles/);
await button("Watch").click();
await ended(/Recorded/);
await page.locator(".cm-line").filter({ hasText: "a = tl.load" }).click();
await button("To cursor").click();
await picture("tiles");
await open("Softmax, three ways");
await button("Explain speed").click();
await ended(/Profiled/);
await page.locator("#panel").evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
await picture("roofline");
await button(/Examples…/).click();
await page.getByRole("dialog").getByRole("button", { name: "A new program" }).waitFor();
await picture("examples");
await page.getByRole("dialog").getByRole("button", { name: /^sum/ }).click();
await page.getByLabel(/^Try all block and tile sizes/).check();
await button(/^Race/).click();
await page.getByRole("table").first().waitFor();
await ended(/Raced/);
await picture("race");
await open("A new program");
await page.locator(".cm-content").click();
await page.keyboard.press("Control+End");
await page.keyboard.type("int x = y;");
await page.keyboard.press("Control+Enter");
await ended(/Does not compile/);
await button("Dark colours").click();
await picture("error-dark");
await page.setViewportSize({ width: 390, height: 720 });
await picture("narrow");
await browser.close();
server.closeAllConnections();
server.close();
