// What docs/studio.md and docs/debugging.md measure: how soon the page answers, and what a recording costs. Needs
// Chromium and an idle machine. `npm run bench:studio`, after a build `node bench/studio/main.mjs [--runs N]`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { studioFolders } from "../../dist/cli/studio-page/studio-folders.js";
import { startStudioServer } from "../../dist/cli/studio-page/studio-server.js";
import { openCompiler } from "../../dist/session/compiler-node.js";
import { openNodeSession } from "../../dist/session/platform-node.js";
import { programRequest } from "../../dist/browser/program-options.js";
import { FIRST_BLOCK } from "../../dist/recording/recording-choice.js";
import { BlockDebugger } from "../../dist/recording/debugger.js";
import { CHROMIUM } from "../../scripts/chromium.mjs";

const at = process.argv.indexOf("--runs");
const runs = at < 0 ? 7 : Number(process.argv[at + 1]);
const WAIT_MS = 300_000;
/** What somebody takes who reads what they have typed, before they run it. */
const PAUSE_MS = 600;

/** Edits: a comment leaves the code as it was, a kernel more changes that of the GPU and that of the host. */
const EDITS = {
  comment: (number) => ` // ${number}`,
  code: (number) => `__global__ void edit${number}() {}`,
};

const sorted = (values) => values.toSorted((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];
/** The median, and from the least to the most. */
const show = (what, values, unit = "ms") =>
  console.log(
    `${what.padEnd(58)} ${median(values).toFixed(1)} ${unit}`,
    `(${sorted(values)[0].toFixed(1)} to ${sorted(values).at(-1).toFixed(1)})`,
  );

await recordings();
await pages();
process.exit(0);

// 256 threads, about 100,000 instructions each: a loop with shared memory, a product and a branch that lanes take by
// their number.
async function recordings() {
  const source = `__global__ void iterate(const float* x, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; i++) {
    part[t] = x[(i + t) % 256] * 0.5f + sum;
    if (t & 1) sum += part[t] * 0.25f;
    else sum = sum - part[t];
  }
  out[t] = sum;
}
int main() {
  float *x, *out;
  cudaMalloc(&x, 1024);
  cudaMalloc(&out, 1024);
  cudaMemset(x, 0, 1024);
  iterate<<<1, 256>>>(x, out, 3100);
  return cudaDeviceSynchronize();
}
`;
  await openCompiler();
  const times = [];
  let recording = null;
  for (let run = 0; run < runs; run++) {
    const request = programRequest(source, { clang: "" }, { record: FIRST_BLOCK });
    const session = openNodeSession();
    for await (const event of session.start(request)) if (event.kind === "recorded") recording = event.recording;
    times.push(recording.recordedMs);
  }
  const each = Math.round(recording.laneInstructions / 256);
  console.log(`a block of 256 threads × ${each} instructions, ${recording.stepCount} steps`);
  show("  recorded (limit 2000)", times);
  const bytes = recording.snapshots.reduce(
    (sum, { values, threads, pages }) =>
      sum + values.byteLength + threads.byteLength + pages.reduce((all, page) => all + page.bytes.byteLength, 0),
    0,
  );
  console.log(`  snapshots ${recording.snapshots.length}, ${(bytes / 1e6).toFixed(1)} MB (limit 256)`);
  const own = new BlockDebugger(recording);
  const middle = Math.floor(recording.stepCount / 2);
  const timed = (step) => {
    const start = performance.now();
    own.view(step);
    return performance.now() - start;
  };
  const walk = (stepOf) => Array.from({ length: 300 }, (_, i) => timed(stepOf(i)));
  own.view(middle);
  show(
    "  a step forwards (limit 16)",
    walk((i) => middle + i),
  );
  show(
    "  a step backwards (limit 16)",
    walk((i) => middle + 300 - i),
  );
  show(
    "  any step",
    walk((i) => (i * 7919) % recording.stepCount),
  );
}

async function pages() {
  const server = await startStudioServer(studioFolders(), 0);
  const address = `http://localhost:${server.address().port}/`;
  const results = { first: [], edited: [], later: [], laterEdited: [], warm: [], code: [], paused: [], watch: [] };
  for (let run = 0; run < Math.min(runs, 3); run++) {
    await inBrowser(async (open) => {
      const start = performance.now();
      const first = await open(address);
      await clickRun(first);
      results.first.push(performance.now() - start);
      await first.close();
      const again = performance.now();
      const page = await open(address);
      await clickRun(page);
      results.later.push(performance.now() - again);
      for (let edit = 0; edit < runs; edit++) {
        await page.waitForTimeout(4000);
        results.warm.push(await editAndRun(page, EDITS.comment(edit)));
        await page.waitForTimeout(4000);
        results.code.push(await editAndRun(page, EDITS.code(edit)));
        await page.waitForTimeout(4000);
        results.paused.push(await editAndRun(page, EDITS.code(1000 + edit), PAUSE_MS));
      }
      await page.waitForTimeout(1000);
      const watch = page.getByRole("button", { name: "Watch", exact: true }).first();
      results.watch.push(await timed(page, () => watch.click(), "Recorded"));
      await page.close();
      const edited = performance.now();
      await clickRun(await open(address));
      results.laterEdited.push(performance.now() - edited);
    });
    await inBrowser(async (open) => {
      const start = performance.now();
      await editAndRun(await open(address), EDITS.comment(0));
      results.edited.push(performance.now() - start);
    });
  }
  show("first visit to the first result (limit 4000)", results.first);
  show("first visit to the result of an edited program (limit 6000)", results.edited);
  show("later visit to a result (limit 1200)", results.later);
  show("later visit to the result of an edited program", results.laterEdited);
  // The first edit of each visit waits for the compiler.
  show("edit to result, warm: a comment, run at once (limit 500)", results.warm);
  show("edit to result, warm: a kernel more, run at once", results.code);
  show(`edit to result, warm: a kernel more, run after ${PAUSE_MS} ms`, results.paused);
  show("Watch to the first step, warm", results.watch);
  server.closeAllConnections();
  server.close();
}

async function inBrowser(work) {
  const profile = mkdtempSync(join(tmpdir(), "heddle-studio-"));
  writeFileSync(join(profile, "First Run"), "");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: WAIT_MS,
  });
  context.setDefaultTimeout(WAIT_MS);
  try {
    await work(async (address) => {
      const page = await context.newPage();
      await page.goto(address);
      return page;
    });
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** From the call to the first frame that shows the end of what `act` starts. */
async function timed(page, act, end = "Ended") {
  await page.evaluate(watchStatus, end);
  const start = performance.now();
  await act();
  await page.evaluate(() => window.shown);
  return performance.now() - start;
}

/**
 * In the page: `window.shown` resolves when the status has said that work is under way, then that it has ended, and a
 * frame with that was drawn. Playwright's own waitFor looks again after 20, 50, 100, 100 and then 500 ms each: it would
 * see an end up to half a second late.
 */
function watchStatus(end) {
  window.shown = new Promise((resolve) => {
    let isBusy = false;
    const look = () => {
      const text = document.querySelector(".status [role=status]")?.textContent ?? "";
      isBusy ||= /Compiling|Loading|Running/.test(text);
      if (!isBusy || !text.includes(end)) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(resolve));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

function clickRun(page) {
  return timed(page, () => page.getByRole("button", { name: /^Run/ }).first().click());
}

/** From the key that starts the program, pressed so long after the last key of an edit, to the result. */
async function editAndRun(page, text, pauseMs = 0) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  if (!text.startsWith(" //")) await page.keyboard.press("Enter");
  await page.keyboard.type(text);
  if (pauseMs > 0) await page.waitForTimeout(pauseMs);
  return timed(page, () => page.keyboard.press("Control+Enter"));
}
