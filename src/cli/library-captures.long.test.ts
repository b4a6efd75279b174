/** What libraries' calls do while a stream is captured, in each mode; each that a capture refuses is a finding. */
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

const LIBRARIES = ["cublas", "cublasLt", "cudnn", "cufft", "curand", "cusparse", "cusolver", "nccl"];

interface Finding {
  readonly kind: string;
  readonly count: number;
}

test("calls of all libraries in captures, and their findings", () => {
  const path = program("library-captures-statuses.cu");
  // Only calls count here: kernels need no checks.
  const options = ["--tool", "api", "--json", "--gpu", "h200", ...LIBRARIES.map((name) => `-l${name}`)];
  const { stdout, stderr } = heddle(["check", ...options, path]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(lines.at(-1), stderr).toBe("DONE");
  const outcomes = lines.filter((line) => line.includes(", capture "));
  expect(outcomes.length).toBe(lines.length - 1);
  expect(new Set(outcomes.map((line) => line.split(" ")[0]))).toEqual(new Set(LIBRARIES));

  // A capture is invalid where a call was refused, and so is its end.
  const refused = outcomes.filter((line) => line.includes(", capture invalidated"));
  expect(refused.length).toBeGreaterThan(100);
  expect(outcomes.filter((line) => !line.includes(", end cudaSuccess"))).toEqual(refused);
  const report = JSON.parse(stderr.slice(stderr.lastIndexOf('{"exitCode'))) as {
    readonly checked: { readonly findings: readonly Finding[] };
  };
  const { findings } = report.checked;
  const inCapture = findings.filter(({ kind }) => kind === "library-capture" || kind === "call-in-capture");
  expect(inCapture.reduce((sum, { count }) => sum + count, 0)).toBe(refused.length);
  expect(inCapture.map(({ kind }) => kind)).not.toContain("call-in-capture");
  expect(findings.filter((finding) => !inCapture.includes(finding))).toEqual([]);
});
