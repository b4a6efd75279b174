// Kernels of the bench in headless Chromium, checked, with the time each takes beside Node.js's. Figures are printed,
// not judged: a busy machine may not fail a test. `npm run bench:engine -- --browser` measures properly.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../src/browser/chromium.test-helper.ts";
import { browserEngines } from "./browsers.mjs";
import { Contestant } from "./contestant.mjs";
import { engineCommand } from "./engines.mjs";
import { writePlan } from "./plan.mjs";
import { IN_BROWSER, IN_BROWSER_TWO_WORKERS, IN_PLAIN_PAGE } from "./report.mjs";
import { makeCase, ROWS } from "./rows.mjs";
import { median } from "./statistics.mjs";

describe.skipIf(CHROMIUM === undefined)("the bench in a browser", () => {
  let folder;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "heddle-browser-bench-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const inNode = {
    path: process.execPath,
    dist: resolve(import.meta.dirname, "../../dist"),
    workers: 1,
    engine: "auto",
  };

  // Every kind of page, and both ways of running a kernel there: a page needs seconds to begin.
  it.each([
    { name: "tiled-32", labels: [IN_BROWSER, IN_PLAIN_PAGE] },
    { name: "hash", labels: [IN_BROWSER_TWO_WORKERS] },
  ])("$name is right on every kind of page, and takes so long", async ({ name, labels }) => {
    const row = ROWS.find((candidate) => candidate.name === name);
    const case_ = makeCase(row);
    const expected = case_.expected();
    writePlan(folder, case_);
    const pages = browserEngines(row, { engine: "auto", twoWorkers: true, folder });
    expect(pages.map(({ label }) => label)).toEqual([IN_BROWSER, IN_PLAIN_PAGE, IN_BROWSER_TWO_WORKERS]);
    const contestants = [
      { label: `Node.js ${process.versions.node}`, command: engineCommand(inNode, row.kernel, folder) },
      ...pages.filter(({ label }) => labels.includes(label)),
    ];
    const figures = [];
    const started = await Promise.all(
      contestants.map(async ({ label, command }) => ({ label, contestant: await Contestant.start(command) })),
    );
    for (const { label, contestant } of started) {
      expect(contestant.description, label).toBe("warp");
      expect(await contestant.mistake(case_, expected), label).toBeNull();
      await contestant.run(20);
      figures.push(`${label} ${median(await contestant.run(20)).toFixed(2)} ms`);
      await contestant.close();
    }
    console.log(`${row.title}: ${figures.join(", ")}`);
  });
});
