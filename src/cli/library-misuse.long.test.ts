/** Wrong calls of libraries under `heddle check`: pairs in test-programs/{library,solver,sparse}-misuse.cu. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

interface Pairs {
  readonly path: string;
  readonly options: readonly string[];
  readonly lines: readonly string[];
  readonly names: readonly string[];
}
function pairs(file: string, ...options: string[]): Pairs {
  const path = program(file);
  const lines = readFileSync(path, "utf8").split("\n");
  return { path, options, lines, names: lines.flatMap((line) => /^PAIR\((\w+)_wrong\)/.exec(line)?.[1] ?? []) };
}
const libraries = pairs("library-misuse.cu", "--devices", "2", "-lcublas", "-lcufft", "-lnccl", "-lnvrtc");
const solver = pairs("solver-misuse.cu", "-lcublas", "-lcusolver", "-lcusparse");

/** The mark inside of the wrong one, or the one elsewhere that names it. */
function expected({ lines }: Pairs, name: string): unknown {
  const named = lines.findIndex((line) => line.endsWith(` in ${name}_wrong`));
  const start = lines.findIndex((line) => line.startsWith(`PAIR(${name}_wrong)`));
  const at = named >= 0 ? named : lines.findIndex((line, i) => i > start && line.includes("// ! "));
  const [, kind, status] = /\/\/ ! ([\w-]+): (\w+)/.exec(lines[at] as string) as unknown as [string, string, string];
  return expect.objectContaining({
    kind,
    count: 1,
    location: expect.objectContaining({ line: at + 1 }) as unknown,
    message: expect.stringMatching(new RegExp(`(returns|calls) ${status}\\b`)) as unknown,
  });
}

interface Found {
  readonly kind: string;
  readonly count: number;
  readonly location: { readonly line: number } | null;
}
function check({ path, options }: Pairs, cases: readonly string[]): readonly Found[] {
  const { stderr } = heddle(["check", "--json", ...options, path, "--", ...cases]);
  try {
    const report = JSON.parse(stderr.slice(stderr.lastIndexOf('{"exitCode'))) as {
      readonly checked: { readonly findings: readonly Found[] };
    };
    return report.checked.findings;
  } catch (cause) {
    throw new Error(stderr, { cause });
  }
}

/**
 * All right calls, then all wrong ones, in one run: to compile and to prepare the libraries takes long. A report of a
 * right call would stand in a line of its own, or its count would be 2.
 */
function expectWrongOnes(pairs: Pairs): void {
  const cases = ["right", "wrong"].flatMap((which) => pairs.names.map((name) => `${name}_${which}`));
  const found = check(pairs, cases);
  expect(found.filter(({ kind }) => kind.startsWith("library-"))).toEqual(
    pairs.names.map((name) => expected(pairs, name)),
  );
  // What a right one does on purpose is in no library.
  const own = pairs.lines.flatMap((text, i) => (text.endsWith("// ! call-in-capture") ? [i + 1] : []));
  expect(
    found
      .filter(({ kind }) => !kind.startsWith("library-"))
      .map(({ kind, count, location }) => `${kind} ${count} ${location?.line}`),
  ).toEqual(own.map((line) => `call-in-capture 1 ${line}`));
}

test("calls of cuBLAS, cuFFT, cuRAND, NCCL and NVRTC", () => expectWrongOnes(libraries));

test("calls of cuSOLVER, and in captures", () => expectWrongOnes(solver));

/** Graphs that were made through one handle run beside one another: each has work memory of its own. */
test("captured calls share no memory, but for what the program gives them", () => {
  const captures = program("library-captures.cu");
  const found = (...cases: string[]): readonly Found[] =>
    check({ path: captures, options: ["-lcublas", "-lcusparse"], lines: [], names: [] }, cases);
  expect(found()).toEqual([]);
  expect(found("shared")).toContainEqual(expect.objectContaining({ checker: "racecheck" }));
});

test("calls of cuSPARSE", () => {
  const sparse: Pairs = pairs("sparse-misuse.cu", "-lcusparse");
  const marks = sparse.lines.flatMap((text, i) => {
    const [, kind, end] = /\/\/ ! (library-\w+): (.+)$/.exec(text) ?? [];
    return kind === undefined || end === undefined ? [] : [{ line: i + 1, kind, end }];
  });
  expect(check(sparse, [])).toEqual(
    marks.map(({ line, kind, end }) =>
      expect.objectContaining({
        kind,
        count: 1,
        location: expect.objectContaining({ line }) as unknown,
        message: expect.stringMatching(new RegExp(`${end}$`)) as unknown,
      }),
    ),
  );
});
