/** The package as a project has it: its declarations without the DOM, and the test of the docs in two runners. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";

const root = packageRoot();
let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "heddle-project-"));
  mkdirSync(join(project, "node_modules", "@types"), { recursive: true });
  symlinkSync(root, join(project, "node_modules", "heddle"));
  for (const name of ["vitest", "@types/node"])
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const entries = ["heddle", "heddle/check", "heddle/ladder", "heddle/browser", "heddle/browser/library"];
  const module = (names: readonly string[]): string =>
    names.map((name, i) => `import * as m${i} from "${name}";\nexport { m${i} };`).join("\n");
  writeFileSync(join(project, "node.ts"), module(entries.slice(0, 3)));
  writeFileSync(join(project, "all.ts"), module(entries));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

it.each([
  ["node.ts", "ES2022", ""],
  ["all.ts", "ES2022", "node"],
  ["all.ts", "ES2022,DOM", "node"],
])("the declarations of %s check with lib %s and types '%s'", (file, lib, types) => {
  const options = ["--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext", "--target", "es2022"];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const { stdout, status } = spawnSync(tsc, [...options, "--lib", lib, "--types", types, file], {
    cwd: project,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

it("the test of docs/typescript.md runs in node:test and, with its imports, in Vitest", () => {
  const page = readFileSync(join(root, "docs", "typescript.md"), "utf8");
  const snippet = [...page.matchAll(/```ts\n([^]*?)```/g)]
    .map(([, text = ""]) => text)
    .find((t) => t.includes("node:test"));
  // No annotation of types is in it: it is JavaScript as well.
  writeFileSync(join(project, "docs.test.mjs"), snippet ?? "");
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, VITEST: undefined, NODE_OPTIONS: undefined };
  const nodeTest = execFileSync(process.execPath, ["--test", "docs.test.mjs"], { cwd: project, encoding: "utf8", env });
  expect(nodeTest).toMatch(/pass 1\n/);
  const forVitest = (snippet ?? "")
    .replace('import { test } from "node:test";', 'import { expect, test } from "vitest";')
    .replace(/^import .*node:assert.*\n/m, "")
    .replace(/deepEqual\(found, (.*)\);/, "expect(found).toEqual($1);");
  writeFileSync(join(project, "docs.test.mjs"), forVitest);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const inVitest = execFileSync(process.execPath, [vitest, "run", "--root", project], {
    cwd: project,
    encoding: "utf8",
    env,
  });
  expect(inVitest).toMatch(/1 passed/);
});
