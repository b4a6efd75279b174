import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { check } from "../check.ts";
import { compile } from "../index.ts";

const SOURCE = `__global__ void fill(int* out, int n) {
  int i = threadIdx.x;
  if (i <= n) out[i] = i;
}
__global__ void wild(int* out) { out[1 << 28] = 1; }`;

/** The line of this file that holds a text. */
function lineOf(text: string): number {
  return (
    readFileSync(import.meta.filename, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text) && !line.includes("lineOf(")) + 1
  );
}

it("says what kernels do wrong, and nothing of right ones", async () => {
  const run = (n: number): ReturnType<typeof check> =>
    check(async (device) => {
      const program = await compile(SOURCE, { device, path: "fill.cu" });
      using out = device.array(10, "int32");
      await (await program.kernel("fill")).launch({ grid: 1, block: 32 }, out, n);
      expect([...(await out.read())].slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    });
  expect(await run(9)).toEqual({ findings: [], leaked: [], steppedAside: null, text: "" });
  const { findings, text } = await run(10);
  expect(findings).toMatchObject([
    {
      kind: "out-of-bounds",
      details: { access: "write", bytes: 4 },
      count: 1,
      location: { file: "./fill.cu", line: 3 },
      example: { thread: { x: 10, y: 0, z: 0 } },
    },
  ]);
  const notes = findings[0]?.notes ?? [];
  expect(notes.find(({ text: note }) => note === "the allocation was made here")?.location).toMatchObject({
    file: import.meta.filename,
    line: lineOf("using out = device.array"),
  });
  expect(findings[0]?.launch?.location ?? null).toSatisfy(
    (at: { file: string; line: number } | null) => at === null || at.line === lineOf(".launch({ grid: 1, block: 32 }"),
  );
  expect(text).toMatch(/^memcheck: out of bounds: write of 4 bytes\n {2}--> .*fill\.cu:3:\d+, in fill\n/);
});

it("tells of what was not freed, and of kernels that were stopped", async () => {
  const { leaked } = await check((device) => void device.array(100, "float32"));
  expect(leaked).toMatchObject([
    { bytes: 400, location: { file: import.meta.filename, line: lineOf("=> void device.array(100") } },
  ]);
  const { findings } = await check(async (device) => {
    const program = await compile(SOURCE, { device });
    await (await program.kernel("wild")).launch({ grid: 1, block: 1 }, device.array(10, "int32"));
  });
  expect(findings).toMatchObject([{ kind: "out-of-bounds", details: { access: "write" }, location: { line: 5 } }]);
});

it("passes on what is no fault of a kernel", async () => {
  await expect(
    check(() => {
      throw new RangeError("mine");
    }),
  ).rejects.toThrow("mine");
  await expect(check(async (device) => void (await compile("__global__ void k( {", { device })))).rejects.toMatchObject(
    { code: "compile-error" },
  );
});

it("leaves out what is suppressed", async () => {
  const wrong = (suppressions: string): ReturnType<typeof check> =>
    check(
      async (device) => {
        using out = device.array(10, "int32");
        await (
          await (await compile(SOURCE, { device, path: "kernels/fill.cu" })).kernel("fill")
        ).launch({ grid: 1, block: 32 }, out, 10);
      },
      { suppressions },
    );
  expect((await wrong("memcheck out-of-bounds in fill at kernels/*.cu:3   # padded by the caller")).findings).toEqual(
    [],
  );
  expect((await wrong("memcheck out-of-bounds in fill at kernels/*.cu:4\nracecheck *")).findings).toHaveLength(1);
  await expect(wrong("out-of-bounds")).rejects.toMatchObject({ code: "bad-arguments" });
});

it("finds races between launches on two streams", async () => {
  const run = (waits: "event" | "host" | "not"): ReturnType<typeof check> =>
    check(
      async (device) => {
        const program = await compile(
          "__global__ void add(int* out, const int* in, int n) { int i = threadIdx.x; if (i < n) out[i] += in[i]; }",
          { device, path: "add.cu" },
        );
        using x = device.array(new Int32Array(64));
        using y = device.array(new Int32Array(64));
        const [a, b, event] = [
          device.stream({ nonBlocking: true }),
          device.stream({ nonBlocking: true }),
          device.event(),
        ];
        const add = await program.kernel("add");
        add.configure({ grid: 1, block: 64, stream: a.id })(x, y, 64);
        event.record(a);
        if (waits === "event") b.waitFor(event);
        if (waits === "host") await device.synchronize();
        add.configure({ grid: 1, block: 64, stream: b.id })(y, x, 64); // the second
        await device.synchronize();
      },
      { streams: true },
    );
  expect((await run("event")).text).toBe("");
  expect((await run("host")).text).toBe("");
  const { findings, text } = await run("not");
  expect(findings.map(({ kind }) => kind).sort()).toEqual(["read-after-write", "write-after-read"]);
  expect(findings[0]?.launch).toMatchObject({ ordinal: 2 });
  expect(text).toContain("by the kernel add, on another stream:");
});

it("launches on one stream, and what the host has read in between, do not race", async () => {
  const { text } = await check(
    async (device) => {
      const program = await compile(
        "__global__ void twice(int* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }",
        { device, path: "twice.cu" },
      );
      using x = device.array(new Int32Array(64).fill(1));
      const [a, b] = [device.stream({ nonBlocking: true }), device.stream({ nonBlocking: true })];
      const twice = await program.kernel("twice");
      const onA = twice.configure({ grid: 1, block: 64, stream: a.id });
      for (let turn = 0; turn < 3; turn++) onA(x, 64);
      expect((await x.read())[5]).toBe(8);
      twice.configure({ grid: 1, block: 64, stream: b.id })(x, 64);
      await x.write(new Int32Array(64));
      const graph = device.graph(a, () => onA(x, 64));
      for (let turn = 0; turn < 2; turn++) graph.launch(a);
      await device.synchronize();
      await twice.launch({ grid: 1, block: 64 }, x, 64);
    },
    { streams: true },
  );
  expect(text).toBe("");
});

it("refuses a GPU, which does not report its accesses", async () => {
  await expect(check(() => undefined, { device: "cuda" })).rejects.toMatchObject({
    code: "bad-arguments",
    message: expect.stringMatching(/watches the emulated device/),
  });
});
