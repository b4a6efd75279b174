/** Machine code as text: who has not NVIDIA's programs learns which, and what they refuse is passed on. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sassText } from "./sass.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "heddle-sass-test-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function tool(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

it("says which program is missing", () => {
  expect(() => sassText("", "sm_90", { HEDDLE_PTXAS: "none" })).toThrow("NVIDIA's ptxas, which this machine");
});

it("is what nvdisasm prints of what ptxas makes, for the GPU that was named", () => {
  const HEDDLE_PTXAS = tool("ptxas", 'echo "$1" > "$5"');
  tool("nvdisasm", 'echo "disassembled $1 $2:"; cat "$3"');
  const env = { HEDDLE_PTXAS, PATH: `${folder}:${process.env["PATH"]}` };
  expect(sassText("text", "sm_90", env)).toBe("disassembled -g -c:\n-arch=sm_90\n");
});

it("passes on what they say against the code", () => {
  const HEDDLE_PTXAS = tool("ptxas", "echo 'line 7: bad' >&2; exit 1");
  expect(() => sassText("text", "sm_90", { HEDDLE_PTXAS })).toThrow(
    expect.objectContaining({ code: "unsupported", notes: ["line 7: bad"] }),
  );
});
