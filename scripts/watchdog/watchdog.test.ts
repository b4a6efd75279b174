/** Tests that hang, in a Vitest of their own: their process ends, and file and test are named. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const setup = new URL("./setup.ts", import.meta.url).pathname;

function run(source: string): { status: number | null; output: string } {
  const directory = mkdtempSync(join(tmpdir(), "heddle-watchdog-"));
  try {
    mkdirSync(join(directory, "some"));
    writeFileSync(join(directory, "some/planted.test.js"), source);
    writeFileSync(
      join(directory, "vitest.config.js"),
      `export default { test: { globals: true, setupFiles: [${JSON.stringify(setup)}], testTimeout: 60000 } };`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "--root", directory], {
      encoding: "utf8",
      env: { ...process.env, HEDDLE_TEST_HANG_SECONDS: "1", VITEST: undefined, NODE_ENV: undefined },
      timeout: 300_000,
    });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// (module (func (export "run") (loop (br 0))))
const ENDLESS = "0061736d01000000010401600000030201000707010372756e00000a0901070003400c000b0b";

test.each([
  [
    "WebAssembly without an end",
    `const { run } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from("${ENDLESS}", "hex"))).exports;
describe("a mask", () => test("is lost", () => run()));`,
    /some\/planted\.test\.js > a mask > is lost hangs: it computed for \d+ s without a pause/,
  ],
  [
    "a thread that waits for one that never comes",
    `test("waits", () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
    /some\/planted\.test\.js > waits hangs: it was blocked for \d+ s/,
  ],
  ["a file that is never loaded", "for (;;) ;", /some\/planted\.test\.js, while it is loaded, hangs/],
])("%s", (_, source, expected) => {
  const { status, output } = run(source);
  expect(output).toMatch(expected);
  expect(status).toBe(1);
});

test("what goes on with pauses is left alone, however long it takes", () => {
  const { status, output } = run(`
const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
test("pauses", async () => {
  for (let i = 0; i < 8; i++) {
    busy(500);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
});`);
  expect(output).not.toContain("hangs");
  expect(status).toBe(0);
});
