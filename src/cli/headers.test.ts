/** The headers that are ours: programs that check themselves, through the built command line. Needs dist/ (npm test builds it first). */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

test.each(["half.cu", "fp8.cu", "cooperative-groups.cu", "matrix.cu", "thrust.cu", "cub.cu", "sobol.cu", "host-headers.cpp"])("%s", (name) => {
  const program = join(root, "src/cli/test-programs", name);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "dist/bin/main.js"), "run", program], { encoding: "utf8", cwd: root, env: { ...process.env, NO_COLOR: "1" } });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringMatching(/PASSED\n$/) });
});
