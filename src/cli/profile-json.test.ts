/** What `heddle profile --json` writes is what docs/profile.schema.json says, and hit rates are there on request. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { afterAll, expect, it } from "vitest";
import { L1_HIT_RATE, L2_HIT_RATE } from "../profile/caches/hit-rates.ts";
import { heddle } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-profile-json-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Written {
  readonly launches: readonly {
    readonly name: string;
    readonly source: { readonly file: string; readonly line: number };
    readonly metrics: Readonly<Record<string, number>>;
    readonly engine: string;
  }[];
}

function profiled(...args: readonly string[]): Written {
  const file = join(folder, "profile.json");
  expect(heddle(["profile", `--json=${file}`, ...args])).toMatchObject({ status: 0 });
  return JSON.parse(readFileSync(file, "utf8")) as Written;
}

const validate = new Ajv().compile(JSON.parse(readFileSync("docs/profile.schema.json", "utf8")) as object);

it.each([
  [["examples/transpose.cu"]],
  [["--caches", "--gpu", "h200", "examples/sum.cu"]],
  [["examples/vector-add.cu"]],
])("%s", (args) => {
  const written = profiled(...args);
  validate(written);
  expect(validate.errors).toBeNull();
  const [{ source } = { source: null }] = written.launches;
  const line = readFileSync(source?.file ?? "", "utf8").split("\n")[(source?.line ?? 0) - 1];
  expect(line).toMatch(/__global__/);
});

it("the schema refuses what the JSON does not have", () => {
  const written = profiled("examples/transpose.cu");
  validate({ ...written, launches: written.launches.map((launch) => ({ ...launch, more: 1 })) });
  expect(validate.errors).not.toBeNull();
});

it("--caches gives hit rates, near what an H200 has", () => {
  const { launches } = profiled("--caches", "--gpu", "h200", "examples/transpose.cu");
  const rates = launches.map(({ metrics }) => [metrics[L1_HIT_RATE], metrics[L2_HIT_RATE]] as [number, number]);
  // Nsight Compute: 68.9 and 89.0 %, 0 and 55.4 %.
  expect(rates[0]?.[0]).toBeGreaterThan(60);
  expect(Math.abs((rates[0]?.[1] ?? 0) - 89)).toBeLessThan(5);
  expect(rates[1]?.[0]).toBe(0);
  expect(Math.abs((rates[1]?.[1] ?? 0) - 55.4)).toBeLessThan(5);
  expect(launches.map(({ engine }) => engine)).toEqual(["warp", "warp"]);
  const { status, stderr } = heddle(["profile", "--caches", "examples/transpose.cu"]);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /caches \(model\) +L1 has [\d.]+ % of the sectors, L2 [\d.]+ % of what it is asked for; DRAM:/,
  );
});
