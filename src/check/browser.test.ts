/** The page of a check in Chromium: it stands by itself, and is read at every width. */
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../browser/chromium.test-helper.ts";
import { check, checkPage } from "../check.ts";
import { compile } from "../index.ts";

const SOURCE = `
template <typename T> __global__ void reverse(T* x) {
  __shared__ T part[64];
  part[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = part[63 - threadIdx.x];
  if (threadIdx.x == 0 && x[64] < 0) x[0] = 0;
}`;

describe.skipIf(CHROMIUM === undefined)("the page of a check", () => {
  let browser: Browser;
  let text: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox", "--disable-gpu"] });
    const report = await check(async (device) => {
      const program = await compile(SOURCE, { device, path: "page.cu", kernels: ["reverse<float>"] });
      await (await program.kernel("reverse<float>")).launch({ grid: 1, block: 64 }, device.array(new Float32Array(64)));
    });
    text = checkPage(report, { title: "page <1>.cu", linesOf: () => SOURCE.split("\n") });
  });
  afterAll(() => browser?.close());

  it("shows each finding with its source, the other access and the cure, at every width", async () => {
    for (const width of [360, 1200]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: "dark" });
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("request", (request) => problems.push(`asks for ${request.url()}`));
      await page.setContent(text);
      expect(problems).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await page.title()).toBe("Check of page <1>.cu");
      const rows = await page.locator("#findings tbody tr td:first-child").allTextContents();
      expect(rows.map((row) => row.trim())).toEqual(["out of bounds", "race: read after write"]);
      const race = page.locator("#finding-2");
      expect(await race.locator("tr.mark .number").allTextContents()).toEqual(["5", "4"]);
      expect(await race.locator("mark").first().textContent()).toBe("part");
      expect(await race.locator(".cure").textContent()).toContain("__syncthreads()");
      expect(await page.locator("#finding-1").textContent()).toMatch(/x\[64\] < 0[\s\S]*reverse<float>/);
      expect(await page.locator("#leaked tbody tr").count()).toBe(1);
      await page.close();
    }
  });
});
