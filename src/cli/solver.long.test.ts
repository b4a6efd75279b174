/** cuSOLVER for dense matrices: random descriptors, judged by what the factors, vectors and solutions must satisfy. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import fc from "fast-check";
import { heddle, program } from "./heddle-process.test-helper.ts";
import { solverDescriptors } from "./solver-descriptors.test-helper.ts";
import { solverFormDescriptors } from "./solver-forms-descriptors.test-helper.ts";
import { solverSparseDescriptors } from "./solver-sparse-descriptors.test-helper.ts";

test("statuses of both libraries", () => {
  expect(heddle(["run", program("matrix-statuses.cu"), "-lcusolver", "-lcusparse", "--", "misuse"])).toMatchObject({
    stdout: "PASSED\n",
    status: 0,
  });
});

test("matrices over two devices, sparse systems", () => {
  const options = ["run", "--devices", "2", program("solver-spread.cu"), "-lcusolverMg", "-lcusolver", "-lcusparse"];
  expect(heddle(options)).toMatchObject({ stdout: "PASSED\n", status: 0 });
});

test("eigenvalues of matrices that are not symmetric", () => {
  const { stdout, status } = heddle(["run", program("solver-geev.cu"), "-lcusolver"]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

test("statuses of condensed forms, sparse functions, refactorization", () => {
  const { stdout, status } = heddle(["run", program("solver-statuses.cu"), "-lcusolver", "-lcusparse", "--", "misuse"]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});

/** What a program prints for each descriptor: the status, the info, and the error in units of n eps |A|. */
function answers(file: string, cases: readonly string[]): readonly (readonly [string, string, readonly number[]])[] {
  const folder = mkdtempSync(join(tmpdir(), "heddle-solver-"));
  try {
    const path = join(folder, "descriptors");
    writeFileSync(path, `${cases.join("\n")}\n`);
    const { stdout, stderr } = heddle(["run", "-std=c++17", program(file), "-lcusolver", "-lcusparse", "--", path]);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(cases.length);
    return cases.map((c, i) => [c, lines[i] ?? "", (lines[i] ?? "").split(" ").map(Number)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
/** Backward stable methods stay at a few units. */
const isNear = (error: number | undefined): boolean => error !== undefined && error <= 10;

test("factors, eigenvalues and singular values of random matrices", () => {
  const all = answers("solver-descriptors.cu", fc.sample(solverDescriptors, 150));
  expect(all.filter(([, , [status, info, error]]) => status !== 0 || info !== 0 || !isNear(error))).toEqual([]);
});

/** NVIDIA's functions for sizes accept most wrong dimensions; those of gels have parameters of their own. */
function statusOfWrong(descriptor: string): number {
  const kind = Number(descriptor.split(" ").at(-1)) % 9;
  if (kind === 8) return 13;
  return kind === 1 || kind === 3 ? 3 : 0;
}

test("condensed forms, symmetric indefinite matrices, least squares", () => {
  const all = answers("solver-forms-descriptors.cu", fc.sample(solverFormDescriptors, 200));
  const wrong = all.filter(([descriptor, , [status, , error]]) =>
    descriptor.startsWith("wrong") ? status !== statusOfWrong(descriptor) : status !== 0 || !isNear(error),
  );
  expect(wrong).toEqual([]);
});

test("sparse systems, eigenvalues, orders and refactorization", () => {
  // the first: nothing of U is stored
  const cases = ["rf 3 17 3 3 1 0 665808", ...fc.sample(solverSparseDescriptors, 200)];
  const all = answers("solver-sparse-descriptors.cu", cases);
  const wrong = all.filter(([descriptor, , [status, singular, error]]) => {
    const [operation, ...numbers] = descriptor.split(" ");
    const isSystem = ["lu", "qr", "chol"].includes(operation ?? "");
    // every sixth matrix of a system has a column of zeros
    const isSingular = isSystem && Number(numbers.at(-1)) % 6 === 0;
    const isTold = isSystem ? singular !== undefined && singular >= 0 === isSingular : true;
    // a batch of refactorizations has rows
    if (operation === "rfbatch" && numbers[4] === "1") return status !== 3;
    return status !== 0 || !isTold || !isNear(error);
  });
  expect(wrong).toEqual([]);
});
