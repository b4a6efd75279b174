/** One program of a Triton kernel, step by step. */
import { afterAll, describe, expect, it } from "vitest";
import { DebugSession, recordingTitle, stepText } from "../cli/debug-session.ts";
import { loadTriton, type ProgramRecording, type TritonProgram } from "../triton.ts";

const SOURCE = `import triton
import triton.language as tl

@triton.jit
def half(x):
    y = x / 2
    return y

@triton.jit
def kernel(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(out + i, mask=inside, other=-1.0)
    total = 0.0
    for turn in range(2):
        total += tl.sum(x, axis=0)
    if n > 3:
        x = half(x)
    tl.store(out + i, x + total, mask=inside)

@triton.jit
def outside(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, i.to(tl.float32))

@triton.jit
def tile(out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(out + at)
    b = tl.trans(a)
    unsigned = at.to(tl.uint8) * 255
    tl.store(out + at, tl.dot(a, b))

@triton.jit
def endless(out, n):
    while tl.load(out) == n:
        tl.store(out + 1, n)
`;

let program: TritonProgram | undefined;
afterAll(() => program?.device.close());
const open = async (): Promise<TritonProgram> => (program ??= await loadTriton(SOURCE, { filename: "k.py" }));
const lines = (): readonly string[] => SOURCE.split("\n");

async function recorded(at = [1]): Promise<ProgramRecording> {
  const { kernels, device } = await open();
  const out = device.array(new Float32Array([1, 2, 3, 4, 5, 6]));
  const recording = await kernels["kernel"]?.record({ grid: [2], program: at }, out, 6, { BLOCK: 4 });
  expect(Array.from(await out.read(), Number)).toEqual([1, 2, 3, 4, 5, 6]);
  return recording as ProgramRecording;
}

describe("a recording", () => {
  it("has every statement's values, addresses, masks, shapes and types", async () => {
    const { steps, endedEarly, program: at, grid } = await recorded();
    expect({ endedEarly, at, grid }).toEqual({ endedEarly: null, at: [1, 0, 0], grid: [2, 1, 1] });
    expect(steps.map(({ line }) => line)).toEqual([11, 12, 13, 14, 15, 16, 15, 16, 15, 17, 6, 17, 19]);
    const load = steps.find(({ line }) => line === 13);
    expect(load?.accesses).toMatchObject([
      {
        kind: "load",
        parameter: "out",
        indices: [4, 5, 6, 7],
        mask: [true, true, false, false],
        outside: [],
        tile: { dtype: "fp32", shape: [4], values: [5, 6, -1, -1] },
      },
    ]);
    expect(load?.variables).toMatchObject([{ name: "x", dtype: "fp32", shape: [4], values: [5, 6, -1, -1] }]);
    const turns = steps.filter(({ line }) => line === 16).map(({ variables }) => variables[0]);
    expect(turns).toMatchObject([
      { name: "total", dtype: "fp32", shape: [], values: [9] },
      { name: "total", values: [18] },
    ]);
    expect(steps.flatMap(({ variables }) => variables.filter(({ name }) => name === "turn"))).toMatchObject([
      { dtype: "i32", values: [0] },
      { dtype: "i32", values: [1] },
    ]);
    const helper = steps.find(({ functionName }) => functionName === "half");
    expect(helper).toMatchObject({ line: 6, callers: [{ line: 18, functionName: "kernel" }] });
    expect(steps.find(({ line }) => line === 17)?.condition).toBe(true);
    const store = steps.at(-1)?.accesses[0];
    expect(store).toMatchObject({ kind: "store", indices: [4, 5, 6, 7], tile: { values: [20.5, 21, 17.5, 17.5] } });
    const again = await recorded();
    expect(JSON.parse(JSON.stringify(again))).toEqual(again);
  });

  it("says which elements lie in no array", async () => {
    const { kernels, device } = await open();
    const out = device.array(64, "float32");
    const recording = await kernels["outside"]?.record({ grid: 1 }, out, { BLOCK: 128 });
    const access = recording?.steps.at(-1)?.accesses[0];
    expect(access?.outside).toEqual(Array.from({ length: 64 }, (_, i) => 64 + i));
    const text = stepText(recording as ProgramRecording, (recording?.steps.length ?? 0) - 1, lines);
    expect(text).toContain("OUT OF BOUNDS: the element at [64], at 64, and 63 more");
  });

  it("shows tiles by rows, and whole numbers with their sign", async () => {
    const { kernels, device } = await open();
    const out = device.array(Float32Array.from({ length: 256 }, (_, i) => i % 7));
    const recording = (await kernels["tile"]?.record({ grid: 1 }, out, { M: 16, N: 16 })) as ProgramRecording;
    const unsigned = recording.steps.find(({ line }) => line === 31)?.variables[0];
    expect(unsigned).toMatchObject({ dtype: "u8", shape: [16, 16] });
    expect(unsigned?.values.slice(0, 3)).toEqual([0, 255, 254]);
    expect(stepText(recording, 1, lines)).toContain("    [0] 0 1 2 3 4 5 6 0 …\n");
    expect(stepText(recording, 1, lines)).toContain("    … 8 more rows\n");
  });

  it("ends at a limit of steps", async () => {
    const { kernels, device } = await open();
    const out = device.array(2, "int32");
    await out.fill(0);
    const recording = (await kernels["endless"]?.record({ grid: 1, steps: 20 }, out, 0)) as ProgramRecording;
    expect(recording.steps).toHaveLength(20);
    expect(recordingTitle(recording)).toContain("the recording ends early: it has more than 20 steps\n");
  });

  it("is of a program that the grid has", async () => {
    await expect(recorded([2])).rejects.toMatchObject({ code: "bad-arguments" });
  });
});

describe("a session", () => {
  it("goes forwards and backwards, to lines, and tells variables as they are then", async () => {
    const session = new DebugSession(await recorded(), lines);
    const type = (text: string): string => [...text].map((key) => session.key(key) ?? "the end").join("");
    expect(session.start).toMatch(/^kernel, program \(1, 0, 0\) of \(2, 1, 1\): \d+ steps\nn next .*\n\nstep 1 of/);
    expect(type("p")).toBe("this is the first step\n");
    expect(type("n")).toContain("  |     inside = i < n\n  inside: i1[4] = true true false false\n");
    expect(type("vx\r")).toContain("x has no value here\n");
    expect(type("g16\r")).toContain("total: fp32 = 9\n");
    expect(type("g16\r")).toContain("total: fp32 = 18\n");
    expect(type("vtotal\r")).toContain("total: fp32 = 18\n  since step");
    expect(type("pp")).toContain("total: fp32 = 9\n");
    expect(type("vtotal\r")).toContain("total: fp32 = 9\n");
    expect(type("vn\r")).toContain("n: i32 = 6\n");
    expect(type("g99\r")).toContain("no step is on line 99\n");
    expect(type("vxy\u007F\r")).toContain("x: fp32[4] = 5 6 -1 -1\n");
    expect(type("?")).toContain("q quit");
    expect(session.key("q")).toBeNull();
  });
});
