/** Needs dist/ (npm test builds it first). */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("a process waits for a launch, however late the system says that a word has changed", () => {
  const built = new URL("../../../dist/device/emulated/pool-launch.js", import.meta.url).href;
  // The answer comes after half a second, and nothing else keeps the process alive.
  const script = `
    Atomics.waitAsync = () => ({
      async: true,
      value: new Promise((resolve) => setTimeout(() => resolve("timed-out"), 500).unref()),
    });
    const { signalChange } = await import(${JSON.stringify(built)});
    await signalChange(new Int32Array(new SharedArrayBuffer(64)), 0);
    console.log("it has changed");`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(output).toBe("it has changed\n");
});
