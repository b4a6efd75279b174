/** Files of a workspace, its link, and what comes of links that are damaged. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharedWorkspace, shareFragment, workspaceOf } from "./share-link.ts";
import {
  edited,
  freePath,
  ladderWorkspace,
  mainFile,
  programWorkspace,
  renamed,
  runsPython,
  splitArguments,
  withFile,
  withoutFile,
} from "./workspace.ts";

const MAIN = { path: "a.cu", text: "int main() {}" };
const HEADER = { path: "a.h", text: "#define N 1" };
const TWO = programWorkspace("two", [MAIN, HEADER]);

describe("files", () => {
  it("runs the script that is shown, and a script where nothing can be compiled", () => {
    const script = { path: "a.py", text: "print(1)" };
    const both = programWorkspace("", [MAIN, script]);
    expect(runsPython(both)).toBe(false);
    expect(runsPython({ ...both, active: "a.py" })).toBe(true);
    const alone = programWorkspace("", [script, { path: "b.txt", text: "" }]);
    expect(mainFile({ ...alone, active: "b.txt" })).toBe(script);
    expect(alone.gpu).toBe("h100");
  });

  it("compiles the file with main(), whichever is shown", () => {
    const kernels = { path: "kernels.cu", text: "__global__ void f() {}" };
    const both = { ...programWorkspace("", [kernels, MAIN]), active: "kernels.cu" };
    expect(mainFile(both)).toBe(MAIN);
    expect(mainFile({ ...TWO, active: "a.h" })).toBe(MAIN);
    expect(mainFile(programWorkspace("", [HEADER]))).toBe(null);
  });

  it("adds, edits, renames and removes files", () => {
    const added = withFile(TWO, { path: freePath(TWO, "a.h"), text: "new" });
    expect(added).toMatchObject({ active: "a-2.h", files: [MAIN, HEADER, { path: "a-2.h", text: "new" }] });
    expect(edited(TWO, "a.h", "x").files[1]).toEqual({ path: "a.h", text: "x" });
    expect(renamed(TWO, "a.cu", "b.cu")).toMatchObject({ active: "b.cu", files: [{ path: "b.cu" }, HEADER] });
    expect(renamed(TWO, "a.cu", "a.h")).toBe(TWO);
    expect(withoutFile(TWO, "a.cu")).toMatchObject({ active: "a.h", files: [HEADER] });
    expect(withoutFile(programWorkspace("", [MAIN]), "a.cu").files).toEqual([MAIN]);
  });

  it("splits arguments as a shell does", () => {
    expect(splitArguments(` 5  "two words" --name='x y' `)).toEqual(["5", "two words", "--name=x y"]);
  });
});

describe("links", () => {
  it("give back every workspace", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, fc.array(fc.record({ path: text, text }), { minLength: 1, maxLength: 3 }), (title, files) => {
        const workspace = { ...programWorkspace(title, files), args: title, stdin: "x\n" };
        expect(sharedWorkspace(shareFragment(workspace))).toEqual(workspace);
      }),
      { numRuns: 50 },
    );
    const ladder = ladderWorkspace("l", [MAIN], { id: "l", declaration: "export default 1", headers: [HEADER] });
    expect(sharedWorkspace(shareFragment(ladder))).toEqual(ladder);
  });

  it("that are damaged give nothing", () => {
    const whole = shareFragment(TWO);
    expect(sharedWorkspace("")).toBe(null);
    expect(sharedWorkspace(whole.slice(0, -9))).toBe(null);
    expect(sharedWorkspace("#program=%%%")).toBe(null);
    expect(workspaceOf({ files: [{ path: 1, text: "" }] })).toBe(null);
    expect(workspaceOf({ files: [] })).toBe(null);
  });

  it("are short: an example takes less than two thousand characters", () => {
    const text = Array.from({ length: 60 }, (_, i) => `  CHECK(cudaMalloc(&d_${i}, n * sizeof(float)));`).join("\n");
    expect(shareFragment(programWorkspace("x", [{ path: "x.cu", text }])).length).toBeLessThan(2000);
  });
});
