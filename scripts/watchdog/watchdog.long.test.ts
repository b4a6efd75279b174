/** Tests that hang, in a Vitest of their own: their process ends, and file and test are named. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const setup = new URL("./setup.ts", import.meta.url).pathname;

/** @param files tests by name */
function run(files: Readonly<Record<string, string>>): { status: number | null; output: string } {
  const directory = mkdtempSync(join(tmpdir(), "heddle-watchdog-"));
  try {
    mkdirSync(join(directory, "some"));
    for (const [name, source] of Object.entries(files)) writeFileSync(join(directory, `some/${name}.test.js`), source);
    writeFileSync(
      join(directory, "vitest.config.js"),
      `export default { test: { globals: true, setupFiles: [${JSON.stringify(setup)}], testTimeout: 60000 } };`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "--root", directory], {
      encoding: "utf8",
      env: {
        ...process.env,
        HEDDLE_TEST_HANG_SECONDS: "1",
        VITEST: undefined,
        NODE_ENV: undefined,
        NO_COLOR: "1",
        FORCE_COLOR: undefined,
      },
      timeout: 300_000,
    });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

// (module (func (export "run") (loop (br 0))))
const ENDLESS = "0061736d01000000010401600000030201000707010372756e00000a0901070003400c000b0b";

test("what hangs is named, in each of several files, and the others go on", () => {
  const { status, output } = run({
    endless: `const module = new WebAssembly.Module(Buffer.from("${ENDLESS}", "hex"));
const { run } = new WebAssembly.Instance(module).exports;
describe("a mask", () => test("is lost", () => run()));`,
    waiting: `test("waits", () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
    loading: "for (;;) ;",
    right: `test("ends", () => undefined);`,
  });
  // WebAssembly without an end, a thread that waits for one that never comes, a file that is never loaded.
  expect(output).toMatch(/some\/endless\.test\.js > a mask > is lost hangs: it computed for \d+ s/);
  expect(output).toMatch(/some\/waiting\.test\.js > waits hangs: it was blocked for \d+ s/);
  expect(output).toMatch(/some\/loading\.test\.js, while it is loaded, hangs/);
  expect(output).toMatch(/✓ some\/right\.test\.js/);
  expect(status).toBe(1);
});

test("what goes on with pauses is left alone, however long it takes", () => {
  const pauses = `
const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
test("pauses", async () => {
  for (let i = 0; i < 4; i++) {
    busy(500);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
});`;
  const { status, output } = run({ pauses });
  expect(output).not.toContain("hangs");
  expect(status).toBe(0);
});
