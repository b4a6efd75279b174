/** The page of a profile in Chromium: it stands by itself, is read at every width, and is used by keyboard. */
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../browser/chromium.test-helper.ts";
import { compile } from "../index.ts";
import { profile, profilePage } from "../profile.ts";

const SOURCE = `
__global__ void strided(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 8) out[i * 8] = in[i * 8] * 2.0f + 1.0f;
}
__global__ void dense_by_a_name_that_is_longer_than_a_phone_is_wide(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f + 1.0f;
}`;
const DENSE = "dense_by_a_name_that_is_longer_than_a_phone_is_wide";
const N = 1 << 17;

describe.skipIf(CHROMIUM === undefined)("the page of a profile", () => {
  let browser: Browser;
  let text: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox", "--disable-gpu"] });
    const result = await profile(async (device) => {
      const program = await compile(SOURCE, { device, path: "page.cu" });
      const [out, input] = [device.array(N, "float32"), device.array(N, "float32")];
      for (const name of ["strided", DENSE]) {
        const kernel = await program.kernel(name);
        await kernel.launch({ grid: [N / 256], block: [256] }, out, input, N);
      }
    });
    text = profilePage(result, { title: "page.cu", linesOf: () => SOURCE.split("\n") });
  });
  afterAll(() => browser?.close());

  async function open(width: number, colorScheme: "light" | "dark" = "light"): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => problems.push(`asks for ${request.url()}`));
    await page.setContent(text);
    expect(problems).toEqual([]);
    return page;
  }

  it("needs nothing else, and fits on a phone, on a screen and on paper", async () => {
    for (const width of [360, 1200]) {
      const page = await open(width);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await page.close();
    }
    const page = await open(800);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(800);
    expect(await page.locator(".top").isVisible()).toBe(false);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
    await page.close();
  });

  it("is light or dark as the system is, and as the button says", async () => {
    const page = await open(1000, "dark");
    const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.locator("#theme").press("Enter");
    const light = await background();
    expect([dark, light]).toEqual(["rgb(20, 23, 27)", "rgb(255, 255, 255)"]);
    await page.close();
  });

  it("sorts its table by keyboard", async () => {
    const page = await open(1200);
    const names = (): Promise<string[]> => page.locator("#kernels tbody tr td:first-child").allTextContents();
    expect(await names()).toEqual(["strided", DENSE]);
    const heading = page.locator("#kernels th button").first();
    await heading.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(await names()).toEqual([DENSE, "strided"]);
    expect(await page.locator("#kernels th").first().getAttribute("aria-sort")).toBe("ascending");
    await page.close();
  });

  it("shows hints at their lines, and heat of what is chosen", async () => {
    const page = await open(1200);
    const strided = page.locator("#kernel-1");
    expect(await strided.locator("ol.hints a").first().textContent()).toBe("page.cu:4");
    const href = (await strided.locator("ol.hints a").first().getAttribute("href")) ?? "";
    const line = page.locator(`[id="${href.slice(1)}"]`);
    expect(await line.locator("td.text").textContent()).toContain("out[i * 8] = in[i * 8]");
    const heat = (): Promise<number> => line.evaluate((row) => Number(row.style.getPropertyValue("--h")));
    expect(await heat()).toBeGreaterThan(0.5);
    await strided.locator(".choice button", { hasText: "sectors" }).press("Enter");
    expect(await heat()).toBe(1);
    await strided.locator(".choice button", { hasText: "wavefronts" }).press("Enter");
    expect(await heat()).toBe(0);
    // 32 threads, each in a sector of its own of which it uses an eighth.
    const picture = strided.locator('svg[aria-label^="page.cu:4, load of 4 bytes, 32 sectors"]');
    expect(await picture.locator("rect.untouched").count()).toBe(32);
    expect(await picture.locator("title", { hasText: "4 of 32 used" }).count()).toBe(32);
    expect(await page.locator("#kernel-2 .none").textContent()).toBe("Nothing stands out.");
    expect(await page.locator("#kernels svg a").count()).toBe(2);
    await page.close();
  });
});
