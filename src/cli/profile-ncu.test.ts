/** `heddle profile --ncu` with a table as Nsight Compute prints it. Needs dist/ (npm test builds it first). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { NcuReport } from "../profile/compare/compare-ncu.ts";
import { heddle } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-ncu-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const STORES = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const row = (id: number, kernel: string, metric: string, value: string): string =>
  `"${id}","1","${kernel}(float *, const float *, int)","${metric}","sector","${value}"`;

test("counters side by side, as text and as JSON", () => {
  const [csv, json] = [join(folder, "ncu.csv"), join(folder, "profile.json")];
  writeFileSync(
    csv,
    [
      "==PROF== Connected",
      '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"',
      row(0, "transpose_columns", LOADS, "131,072"),
      row(0, "transpose_columns", STORES, "1,048,500"),
      row(1, "transpose_tiles", STORES, "131,072"),
      row(2, "another", STORES, "1"),
    ].join("\n"),
  );
  const { status, stderr } = heddle(["profile", "--ncu", csv, "examples/transpose.cu"]);
  expect(status).toBe(0);
  expect(stderr).toMatch(/3 counters of both, 2 equal, 3 within 1 %\n {2}not launched in this run: another\(/);
  expect(stderr).toMatch(/1048576 +1048500 +\+0\.0072 % +l1tex__t_sectors_pipe_lsu_mem_global_op_st\.sum/);
  expect(heddle(["profile", `--ncu=${csv}`, `--json=${json}`, "examples/transpose.cu"])).toMatchObject({ stderr: "" });
  const { ncu } = JSON.parse(readFileSync(json, "utf8")) as { ncu: NcuReport & { file: string } };
  expect(ncu).toMatchObject({
    file: csv,
    kernels: [{ name: "transpose_columns" }, { name: "transpose_tiles", pairs: [{ heddle: 131_072, ncu: 131_072 }] }],
  });
});

test("a file without counters is said before the program runs", () => {
  const file = join(folder, "none.csv");
  writeFileSync(file, "==ERROR== ERR_NVGPUCTRPERM\n");
  expect(heddle(["profile", "--ncu", file, "examples/transpose.cu"])).toMatchObject({
    status: 64,
    stdout: "",
    stderr: expect.stringMatching(/none\.csv \(--ncu\) has no table[\s\S]*ncu --csv/),
  });
});
