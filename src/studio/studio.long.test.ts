/** What a person does in the studio, and sees. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Locator, Page } from "playwright-core";
import { CHROMIUM } from "../browser/chromium.test-helper.ts";
import { accessibilityProblems, buildStudio, openStudio, type StudioBrowser } from "./studio-page.test-helper.ts";

const button = (page: Page, name: string | RegExp): Locator => page.getByRole("button", { name, exact: true }).first();
const status = (page: Page): Locator => page.locator(".status [role=status]");

async function openExample(page: Page, title: string | RegExp): Promise<void> {
  await button(page, /Examples…/).click();
  await page.getByRole("dialog").getByRole("button", { name: title }).first().click();
}

async function waitForStatus(page: Page, text: RegExp): Promise<void> {
  await status(page).filter({ hasText: text }).waitFor();
}

describe.skipIf(CHROMIUM === undefined)("the studio", () => {
  let studio: StudioBrowser;
  beforeAll(async () => {
    buildStudio();
    studio = await openStudio({ plain: false });
  });
  afterAll(() => studio?.close());

  it("runs the first example, with one click", async () => {
    const { page } = studio;
    expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(true);
    await button(page, /^Run/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, /^Run/).click();
    await waitForStatus(page, /Ended well/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("added 1000 elements, 0 wrong");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("shows the image that a program writes", async () => {
    const { page } = studio;
    await openExample(page, "Draw a fractal");
    await page.getByLabel("Arguments").fill("96");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /Ended well/);
    await page.getByRole("img", { name: "Image mandelbrot.ppm" }).waitFor();
    expect(await page.getByRole("tabpanel").innerText()).toContain("96 × 64");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("leads from a wrong result to both accesses of a race", async () => {
    const { page } = studio;
    await openExample(page, "Find the fault: a wrong sum");
    await button(page, /^Run/).click();
    await waitForStatus(page, /Ended with exit code 1/);
    await button(page, "Find the fault").click();
    await waitForStatus(page, /1 fault found/);
    const shown = await page.getByRole("tabpanel").innerText();
    expect(shown).toContain("race: read after write: read of 4 bytes of the shared array part");
    expect(shown.match(/sum-race\.cu:24/g)).toHaveLength(2);
    expect(shown).toContain("To fix it: put __syncthreads() between the two accesses");
    await page.locator(".cm-lintRange-error").waitFor();
    expect(await page.locator(".cm-lintRange-error, .cm-lintRange-warning").allInnerTexts()).toEqual(["+=", "part"]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, "Show both accesses on a time line").click();
    await waitForStatus(page, /Recorded/);
    const time = page.getByRole("tabpanel");
    await time.getByText("No barrier stands between the two.").waitFor();
    expect(await time.getByRole("img", { name: /^thread .* (reads|reads and writes), behind a barrier/ }).count()).toBe(
      2,
    );
    await button(page, "Go there").click();
    await time.getByText(/Step \d+ of \d+, warp \d+ at sum-race.cu:24 in sum/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("explains what makes a kernel slow, and shows its code", async () => {
    const { page } = studio;
    await openExample(page, "Fast and slow: transpose a matrix");
    await button(page, "Explain speed").click();
    await waitForStatus(page, /Profiled/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("touch 32 sectors a request");
    await page.locator(".heat").first().waitFor();
    const slider = page.getByRole("slider").first();
    await slider.fill("1024");
    await page.getByText("1024 threads a block:").first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, "GPU code").click();
    await waitForStatus(page, /Compiled/);
    expect(await page.getByRole("tabpanel").innerText()).toContain(".visible .entry");
    await button(page, "Line 11 of the source").click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, "LLVM IR").click();
    expect(await page.getByRole("tabpanel").innerText()).toContain("define ");
  });

  it("underlines an error where it was typed, and takes the mark away when it is mended", async () => {
    const { page } = studio;
    await openExample(page, "A new program");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("int x = y;");
    // Before anything is run: in a pause of typing.
    await page.getByRole("tab", { name: "Problems (1)" }).waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /Does not compile: 1 error/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("use of undeclared identifier 'y'");
    expect(await page.locator(".cm-lintRange-error").innerText()).toBe("y");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("1;");
    await page.getByRole("tab", { name: "Problems", exact: true }).waitFor();
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /Ended well/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("hello from thread 3");
    expect(await page.locator(".cm-lintRange-error").count()).toBe(0);
  });

  it("stops a program that never ends, and says in which loop it was", async () => {
    const { page } = studio;
    await openExample(page, "A new program");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(
      "__global__ void spin(volatile int* go) {\n  while (*go == 0) {\n  }\n}\n" +
        "int main() {\n  int* go;\n  cudaMalloc(&go, 8192);\n  cudaMemset(go, 0, 8192);\n  spin<<<1, 1>>>(go);\n" +
        "  return cudaDeviceSynchronize();\n}\n",
    );
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /Running|Ended|A kernel failed|Does not compile/);
    await page.waitForTimeout(1500);
    await page.keyboard.press("Escape");
    await waitForStatus(page, /Stopped|A kernel failed/);
    await page.getByRole("tab", { name: /Problems/ }).click();
    expect(await page.getByRole("tabpanel").innerText()).toContain("program.cu:2");
  });

  it("watches a block: step by step, forwards and backwards, by lane", async () => {
    const { page } = studio;
    await openExample(page, "Find the fault: a wrong sum");
    await button(page, "Watch").click();
    await waitForStatus(page, /Recorded/);
    const panel = page.getByRole("tabpanel");
    await panel.getByText(/Step 1 of \d+, warp 0 at/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.locator(".cm-line").filter({ hasText: "if (t < half)" }).click();
    await button(page, "To cursor").click();
    await panel.getByText(/warp 0 at sum-race.cu:24 in sum/).waitFor();
    expect(await page.locator(".cm-watched").innerText()).toContain("part[t] += part[t + half]");
    const half = page.getByRole("row", { name: /^half int/ });
    expect(await half.innerText()).toContain("128 in every lane");
    expect(await page.getByRole("img", { name: /^Lanes of warp 0: 32 lanes active$/ }).count()).toBe(1);
    expect(await panel.innerText()).toContain("shared load of 4 bytes by 32 lanes: 1 wavefront, ideally 1");
    expect(await page.getByRole("region", { name: "Shared memory: part" }).count()).toBe(1);
    await button(page, "Step").click();
    await panel.getByText(/warp 0 at sum-race.cu:25 in sum/).waitFor();
    await button(page, "Back").click();
    await panel.getByText(/warp 0 at sum-race.cu:24 in sum/).waitFor();
    await panel.getByRole("combobox", { name: "Warp" }).selectOption("3");
    await panel.getByText(/Step \d+ of \d+, warp 3/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("races the versions of a ladder", async () => {
    const { page } = studio;
    await openExample(page, /^sum/);
    await button(page, /^Race/).click();
    await page.getByRole("table").first().waitFor();
    await waitForStatus(page, /Raced/);
    const rows = await page.getByRole("table").first().getByRole("row").allInnerTexts();
    expect(rows.length).toBe(3);
    expect(rows.join("\n")).toContain("fastest");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("opens what a link holds, and has saved work when it is opened again", async () => {
    const { page, context, address } = studio;
    await openExample(page, "Find the fault: out of bounds");
    await button(page, "Share").click();
    const link = page.url();
    expect(link.length).toBeLessThan(3000);
    const other = await context.newPage();
    await other.goto(link);
    await button(other, /Find the fault: out of bounds/).waitFor();
    await other.goto(address);
    await button(other, /Find the fault: out of bounds/).waitFor();
    await other.close();
  });

  it("is clean to its last view, in the dark, and in a narrow window", async () => {
    const { page } = studio;
    await button(page, /Examples…/).click();
    await page.getByRole("dialog").getByRole("button", { name: "A new program" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await button(page, "Dark colours").click();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(studio.complaints).toEqual([]);
  });

  it("runs a Triton script, shows its error at the kernel's line, and steps through its tiles", async () => {
    const { page } = studio;
    await openExample(page, /^Add two vectors in Triton/);
    await button(page, /^Run/).click();
    await waitForStatus(page, /Ended well/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("97 programs added 98432 elements");
    await button(page, "Watch").click();
    await waitForStatus(page, /Recorded/);
    const panel = page.getByRole("tabpanel");
    expect(await panel.innerText()).toContain("add, program (0, 0, 0) of (97, 1, 1)");
    await button(page, "Step").click();
    await page.getByText(/Step 2 of/).waitFor();
    await page
      .getByRole("region", { name: /^Tile / })
      .first()
      .waitFor();
    await button(page, "Back").click();
    await page.getByText(/Step 1 of/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.locator(".cm-line").filter({ hasText: "y = tl.load" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(" + tl.nothing");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /The script failed/);
    const marked = page.locator(".cm-lintRange-error").first();
    await marked.waitFor();
    expect(await marked.evaluate((element) => element.closest(".cm-line")?.textContent)).toContain("tl.nothing");
  });

  it("races a copy of a version beside the others, Triton among them, and remembers the best times", async () => {
    const { page } = studio;
    await openExample(page, /^softmax softmax of each row/);
    await button(page, "Copy 3-warp-a-row").click();
    await button(page, /^Race/).click();
    await waitForStatus(page, /Raced/);
    const rows = await page.getByRole("row").allInnerTexts();
    for (const name of ["7-triton", "3-warp-a-row-mine"])
      expect(rows.find((row) => row.includes(name))).toContain("yes");
    await page.getByRole("heading", { name: "Best times in this browser" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("works when there is no network any more", async () => {
    const { page, context, address } = studio;
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.reload();
    await openExample(page, "Add two vectors");
    await button(page, /^Run/).click();
    await waitForStatus(page, /Ended well/);
    await studio.stopServer();
    await context.setOffline(true);
    const later = await context.newPage();
    await later.goto(address);
    await openExample(later, "Add two vectors");
    await button(later, /^Run/).click();
    await waitForStatus(later, /Ended well/);
    await context.setOffline(false);
  });
});

describe.skipIf(CHROMIUM === undefined)("the studio on a server that sends no headers", () => {
  it("isolates itself, and runs", async () => {
    const studio = await openStudio({ plain: true });
    try {
      await studio.page.waitForFunction(() => globalThis.crossOriginIsolated);
      await button(studio.page, /^Run/).click();
      await waitForStatus(studio.page, /Ended well/);
    } finally {
      await studio.close();
    }
  });
});
