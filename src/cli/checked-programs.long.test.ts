/** `heddle check` of whole programs: what is reported, and in which forms. Needs dist/ (npm test builds it first). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { heddle, programs, type Ended } from "./heddle-process.test-helper.ts";

describe("heddle check", () => {
  const check = (...args: string[]): Ended => heddle(["check", ...args], { cwd: programs });

  test("reports what a kernel does wrong, once, and lets the program go on", () => {
    expect(check("check.cu", "wrong")).toEqual({
      status: 72,
      stdout: "no error\n",
      stderr: [
        "memcheck: out of bounds: read of 4 bytes",
        "  --> ./check.cu:9:12, in shift",
        "   |",
        "9  |   out[i] = tile[i + n];",
        "   |            ^",
        "   by thread (63, 0, 0) of block (0, 0, 0), and 1 more",
        "   0 bytes past the end of the shared array tile of 256 bytes",
        "   launch 1: shift<<<(2, 1, 1), (64, 1, 1)>>>, at ./check.cu:17:40",
        "   help: compare the index with the number of elements before the access, and the number of threads with " +
          "the size of the data",
        "",
        "heddle check: 1 error in 3 kernel launches; 1 allocation of 512 bytes in all never freed",
        "  never freed: 512 bytes, from ./check.cu:15:3",
        "",
      ].join("\n"),
    });
  });

  test("says so when nothing is wrong", () => {
    expect(check("check.cu")).toEqual({
      status: 0,
      stdout: "no error\n",
      stderr:
        "heddle check: no errors in 3 kernel launches; 1 allocation of 512 bytes in all never freed\n" +
        "  never freed: 512 bytes, from ./check.cu:15:3\n",
    });
  });

  test("is for the emulated device, and says so where a GPU is asked for", () => {
    expect(check("--device", "cuda", "check.cu")).toMatchObject({
      status: 64,
      stderr: expect.stringMatching(/watches the emulated device[^]*leave out --device cuda/),
    });
    expect(check("--device", "auto", "check.cu")).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^heddle: the device is emulated: a tool watches it \(memcheck, /),
    });
  });

  test("arithmetic on what nobody has set is an error also where nobody reads the result", () => {
    expect(check("half-set.cu")).toMatchObject({
      status: 72,
      stderr: expect.stringMatching(
        /^initcheck: uninitialized value: arithmetic uses it, and the result is stored[^]*1 error in 2 kernel launches/,
      ),
    });
  });

  test("names kernels that are instantiated with lambdas as people do", () => {
    expect(check("lambda-kernel.cu").stderr).toMatch(/launch 1: each<main::lambda><<<\(1, 1, 1\)/);
  });

  test("accuses no correct program", () => {
    // More of them: headers.long.test.ts.
    expect(check("half.cu").stderr).toMatch(/^heddle check: no errors in \d+ kernel launches/m);
  });

  test("exceptions are caught as without a check", () => {
    const { status, stdout, stderr } = check("caught.cpp");
    expect({ status, stdout }).toEqual({ status: 0, stdout: heddle(["run", "caught.cpp"], { cwd: programs }).stdout });
    expect(stdout).toContain("inner three 10\ndestroyed 1\n1\ndestroyed 1\nouter three 111\n111 1\n");
    expect(stderr).toMatch(/^heddle check: no errors/m);
  });

  test("findings as JSON", () => {
    const { status, stderr } = check("--json", "check.cu", "wrong");
    expect(status).toBe(72);
    const json = JSON.parse(stderr.trim().split("\n").at(-1) as string) as { checked: { findings: unknown[] } };
    expect(json.checked.findings).toMatchObject([
      {
        checker: "memcheck",
        kind: "out-of-bounds",
        details: { access: "read", bytes: 4 },
        count: 2,
        location: { line: 9 },
        launch: { ordinal: 1 },
      },
    ]);
  });

  test("findings for other tools: SARIF, annotations, JSON in a file, a page", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-check-"));
    const [sarif, json, page] = ["found.sarif", "found.json", "found.html"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const { status, stderr } = heddle(
      ["check", "--sarif", sarif, `--json=${json}`, "-o", page, "--annotations", "github", "check.cu", "wrong"],
      { cwd: programs, env: { GITHUB_WORKSPACE: join(programs, "..") } },
    );
    expect(status).toBe(72);
    expect(`\n${stderr}`).toContain(
      "\n::error file=test-programs/check.cu,line=9,col=12,title=memcheck%3A out of bounds::" +
        "read of 4 bytes, by thread",
    );
    expect(
      (JSON.parse(readFileSync(sarif, "utf8")) as { runs: { results: unknown[] }[] }).runs[0]?.results,
    ).toMatchObject([{ ruleId: "memcheck/out-of-bounds" }, { ruleId: "api/leak", level: "note" }]);
    expect(readFileSync(page, "utf8")).toMatch(
      /Check of check\.cu<\/h1>\s*<p class="muted">1 error in 3 kernel launches; 1 allocation of 512 bytes in all/,
    );
    expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
      checked: {
        findings: [{ kind: "out-of-bounds" }],
        leaked: [{ bytes: 512, count: 1, location: { line: 15 } }],
        suppressions: [],
      },
    });
    expect(
      heddle(["check", "--annotations", "none", "check.cu", "wrong"], {
        cwd: programs,
        env: { GITHUB_ACTIONS: "true" },
      }).stderr,
    ).not.toContain("::error");
    expect(heddle(["check", "check.cu", "wrong"], { cwd: programs, env: { GITHUB_ACTIONS: "true" } }).stderr).toContain(
      "::error",
    );
    rmSync(folder, { recursive: true });
  });

  test("what a file of suppressions takes out is counted, and entries without use are told", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-check-"));
    const file = join(folder, "known.txt");
    writeFileSync(
      file,
      "memcheck out-of-bounds in shift at check.cu:9   # the tile is padded\nracecheck *\napi leak at check.cu:15\n",
    );
    const { status, stderr } = check("--suppressions", file, "check.cu", "wrong");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        `heddle check: no errors in 3 kernel launches\n  suppressed by ${file}: 2\n` +
        `  ${file}:2: nothing was suppressed by "racecheck *"\n`,
    });
    writeFileSync(file, "memcheck\n");
    expect(check("--suppressions", file, "check.cu")).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringContaining(`${file}:1:1: "memcheck" suppresses nothing`),
    });
    expect(check("--suppressions", join(folder, "none"), "check.cu")).toMatchObject({ status: 66 });
    expect(check("--tool", "memcheck,nothing", "check.cu")).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('there is no checker "nothing"'),
    });
    expect(heddle(["run", "--sarif", file, "check.cu"], { cwd: programs })).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("--sarif is an option of heddle check"),
    });
    rmSync(folder, { recursive: true });
  });

  test("the same fault in 10,000 threads is one report, and all of them are counted", () => {
    const { stderr } = check("many-faults.cu", "threads");
    expect(stderr.match(/^memcheck:/gm)).toHaveLength(1);
    expect(stderr).toMatch(/, and 9999 more$/m);
  });

  test("very many faults: so many are shown, the others are counted", () => {
    const { stderr } = check("--max-reports", "3", "many-faults.cu", "places");
    expect(stderr.match(/^memcheck:/gm)).toHaveLength(3);
    expect(stderr).toMatch(/^and 5 more$/m);
    expect(stderr).toMatch(/^heddle check: 8 errors in 1 kernel launch/m);
  });
});
