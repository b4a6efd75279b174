/** Wrong calls of libraries under `heddle check`: pairs in test-programs/library-misuse.cu. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

const path = program("library-misuse.cu");
const lines = readFileSync(path, "utf8").split("\n");
const names = lines.flatMap((line) => /^PAIR\((\w+)_wrong\)/.exec(line)?.[1] ?? []);

/** The mark inside of the wrong one, or the one elsewhere that names it. */
function expected(name: string): { line: number; kind: string; status: string } {
  const named = lines.findIndex((line) => line.endsWith(` in ${name}_wrong`));
  const start = lines.findIndex((line) => line.startsWith(`PAIR(${name}_wrong)`));
  const at = named >= 0 ? named : lines.findIndex((line, i) => i > start && line.includes("// ! "));
  const [, kind, status] = /\/\/ ! ([\w-]+): (\w+)/.exec(lines[at] as string) as unknown as [string, string, string];
  return { line: at + 1, kind, status };
}

interface Report {
  readonly findings: readonly {
    readonly kind: string;
    readonly message: string;
    readonly location: { readonly line: number } | null;
  }[];
}

function check(...cases: string[]): Report["findings"] {
  const { stderr } = heddle([
    "check",
    "--devices",
    "2",
    "--json",
    path,
    "-lcublas",
    "-lcufft",
    "-lnccl",
    "--",
    ...cases,
  ]);
  try {
    return (JSON.parse(stderr.slice(stderr.lastIndexOf('{"exitCode'))) as { checked: Report }).checked.findings;
  } catch (cause) {
    throw new Error(stderr, { cause });
  }
}

test("right calls", () => expect(check(...names.map((name) => `${name}_right`))).toEqual([]));

test.each(names)("%s", (name) => {
  const { line, kind, status } = expected(name);
  expect(check(`${name}_wrong`)).toEqual([
    expect.objectContaining({
      kind,
      location: expect.objectContaining({ line }) as unknown,
      message: expect.stringMatching(new RegExp(`returns ${status}$`)) as unknown,
    }),
  ]);
});
