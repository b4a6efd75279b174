/** The page of `heddle studio --device emulated`: what it runs on its server, and what it asks of it. Needs dist/. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../browser/chromium.test-helper.ts";
import { accessibilityProblems, buildStudio, openStudio, type StudioBrowser } from "./studio-page.test-helper.ts";

// The built one: not every Node.js starts threads from TypeScript.
const BUILT = new URL("../../dist/cli/studio-page/studio-session.js", import.meta.url).href;

const waitForStatus = (page: Page, text: RegExp): Promise<void> =>
  page.locator(".status [role=status]").filter({ hasText: text }).waitFor();
const click = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name, exact: true }).first().click();

describe.skipIf(CHROMIUM === undefined)("the studio, with a server that runs programs", () => {
  let studio: StudioBrowser;
  const ptxas = process.env["HEDDLE_PTXAS"];
  beforeAll(async () => {
    buildStudio();
    const { serveSessions } = (await import(BUILT)) as typeof import("../cli/studio-page/studio-session.ts");
    process.env["HEDDLE_PTXAS"] = "none";
    studio = await openStudio({
      plain: false,
      serve: (server) => serveSessions(server, { device: "emulated", model: "ilp32", elsewhere: null }),
    });
  });
  afterAll(async () => {
    if (ptxas === undefined) delete process.env["HEDDLE_PTXAS"];
    else process.env["HEDDLE_PTXAS"] = ptxas;
    await studio?.close();
  });

  it("runs in the browser until the person chooses the server; the token leaves the address", async () => {
    const { page } = studio;
    expect(page.url()).toBe(studio.address);
    const place = page.getByLabel("Run on");
    await place.waitFor();
    expect(await place.inputValue()).toBe("browser");
    await place.selectOption("the server’s processor");
    await click(page, /^Run/);
    await waitForStatus(page, /Ended well/);
    expect(await page.getByRole("tabpanel").innerText()).toContain("added 1000 elements, 0 wrong");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("is let in again when it is loaded again, and another program begins in the browser", async () => {
    const { page } = studio;
    await page.reload();
    const place = page.getByLabel("Run on");
    await place.selectOption("the server’s processor");
    await click(page, /Examples…/);
    await page.getByRole("dialog").getByRole("button", { name: "Fast and slow: transpose a matrix" }).click();
    expect(await place.inputValue()).toBe("browser");
  });

  it("says which of NVIDIA's programs the server lacks for SASS", async () => {
    const { page } = studio;
    await click(page, "GPU code");
    await waitForStatus(page, /Compiled/);
    await click(page, "SASS");
    await page.getByText("SASS needs NVIDIA's ptxas, which this machine does not have").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("tries all sizes of a ladder's versions, and shows them as heat maps", async () => {
    const { page } = studio;
    await click(page, /Examples…/);
    await page.getByRole("dialog").getByRole("button", { name: /^sum/ }).click();
    await page.getByLabel(/^Try all block and tile sizes/).check();
    await click(page, /^Race/);
    await waitForStatus(page, /Raced/);
    const table = page.getByRole("table", { name: "Best time by PER_THREAD; the darker, the faster" });
    expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(["4", "16", "64"]);
    const cells = await table.getByRole("cell").allInnerTexts();
    expect(cells.filter((text) => /^[\d.]+ (?:µs|ms)$/.test(text))).toHaveLength(3);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(studio.complaints).toEqual([]);
  });
});
