/**
 * Stores whose value is loaded and computed slice by slice (memory.ts). A warp's lanes load before any of them
 * stores, wherever the two arrays lie: what alternates by slices must not be seen. The interpreter is no reference
 * here, as its threads take turns; lockstep is.
 */
import { describe, expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const HEADER = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
const WORDS = 256;
const START = 100;
const LANES = 32;

/** y[i] = 3 * x[i] + y[i], by one warp, where x and y are pointers to one array. */
function run(
  type: "i32" | "i64",
  from: number,
  to: number,
  threads: number,
  n: number,
): { found: number[]; expected: number[] } {
  const ir = `${HEADER}define ptx_kernel void @k(ptr %x, ptr %y, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %done
body:
  %p = getelementptr ${type}, ptr %x, i32 %i
  %q = getelementptr ${type}, ptr %y, i32 %i
  %a = load ${type}, ptr %p, align ${type === "i32" ? 4 : 8}
  %b = load ${type}, ptr %q, align ${type === "i32" ? 4 : 8}
  %m = mul ${type} %a, 3
  %s = add ${type} %m, %b
  store ${type} %s, ptr %q, align ${type === "i32" ? 4 : 8}
  br label %done
done:
  ret void
}`;
  const step = type === "i32" ? 1 : 2;
  const h = new Harness();
  const program = h.load(ir);
  const words = Int32Array.from({ length: WORDS }, (_, i) => (i % step === 0 ? i : 0));
  const data = h.place(words);
  const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block: threads }, [
    data + 4 * from,
    data + 4 * to,
    n,
  ]);
  expect(fault).toBeNull();
  const expected = [...words];
  for (let i = 0; i < Math.min(n, threads); i++)
    expected[to + step * i] = 3 * words[from + step * i]! + words[to + step * i]!;
  return { found: [...h.readI32(data, WORDS)], expected };
}

describe.each([LANES, 9])("of %i lanes", (n) => {
  test.each([-40, -33, -32, -31, -16, -5, -4, -1, 0, 1, 3, 4, 7, 16, 31, 32, 33, 40])(
    "a load %i elements away",
    (distance) => {
      const { found, expected } = run("i32", START + distance, START, LANES, n);
      expect(found).toEqual(expected);
    },
  );

  test.each([-34, -32, -30, -2, 0, 2, 30, 32, 34].map((d) => 2 * d))(
    "elements of 64 bits, %i words away",
    (distance) => {
      const { found, expected } = run("i64", START + distance, START, LANES, n);
      expect(found).toEqual(expected);
    },
  );
});

test("several stores of a block, whose loads lie where others store", () => {
  const h = new Harness();
  const program = h.load(`${HEADER}define ptx_kernel void @k(ptr %x) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %i
  %q = getelementptr i32, ptr %p, i32 40
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr %q, align 4
  %s = add i32 %a, %b
  store i32 %s, ptr %q, align 4
  %c = load i32, ptr %q, align 4
  %d = mul i32 %c, 2
  store i32 %d, ptr %p, align 4
  store i32 %a, ptr %q, align 4
  ret void
}`);
  const words = Int32Array.from({ length: 80 }, (_, i) => i);
  const data = h.place(words);
  expect(h.run(createWarpExecutor(), program, "k", { grid: 1, block: LANES }, [data]).fault).toBeNull();
  const expected = [...words];
  for (let i = 0; i < LANES; i++) [expected[i], expected[40 + i]] = [2 * (i + 40 + i), i];
  expect([...h.readI32(data, 80)]).toEqual(expected);
});

test("a lane that may not store where it has loaded is found", () => {
  const h = new Harness();
  const program = h.load(`${HEADER}define ptx_kernel void @k(ptr %x) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %i
  %a = load i32, ptr %p, align 4
  %w = getelementptr i64, ptr %x, i32 %i
  %z = zext i32 %a to i64
  store i64 %z, ptr %w, align 8
  ret void
}`);
  const data = h.place(new Int32Array(48));
  const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block: LANES }, [data + 4]);
  expect(fault?.kind).toBe("misaligned-address");
});
