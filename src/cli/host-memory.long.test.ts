/** Host memory above 4 GiB, which Node.js has from version 24 on. Needs dist/ (npm run test:long builds it). */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../frontend/clang/lp64/library-place-node.ts";
import { heddle, program } from "./heddle-process.test-helper.ts";

const isBuilt = builtLibrary(await nodeClangResources().libraryPlace()) !== null;
const hasLargeMemories = Number(process.versions.node.split(".")[0]) >= 24;
const file = join(mkdtempSync(join(tmpdir(), "heddle-host-memory-")), "file");
const run = (...command: string[]): ReturnType<typeof heddle> =>
  heddle([...command, "--model", "lp64", program("host-memory.cu"), file]);

test.runIf(isBuilt && hasLargeMemories)(
  "what the runtime reads and writes may lie above 4 GiB",
  () => {
    const { status, stdout, stderr } = run("run");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "a line, 42, 1.500\nPASSED\n", stderr: "" });
  },
  30_000,
);

test.runIf(isBuilt && hasLargeMemories)(
  "a check of such a program finds nothing",
  () => {
    const { status, stdout, stderr } = run("check");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "a line, 42, 1.500\nPASSED\n" });
    expect(stderr).toContain("no errors in 6 kernel launches");
  },
  60_000,
);

test.runIf(isBuilt && !hasLargeMemories)(
  "an engine without them gives NULL, and a line says why",
  () => {
    const { status, stdout, stderr } = run("run");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "malloc gives NULL\n" });
    expect(stderr).toContain("an allocation of 6442450944 bytes on the host fails");
    expect(stderr).toContain("a host program has at most 4 GiB before Node.js 24");
  },
  30_000,
);
