/** Functions of integers that are vector instructions give what they give one by one. */
import { expect, test } from "vitest";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { createWarpExecutor } from "../warp-executor.ts";

const values = Int32Array.from({ length: 32 }, (_, i) => Math.imul(i * i + 3, i % 2 === 0 ? 2654435761 : -1640531535));

test.each([
  ["abs", "i32 %x, i1 false"],
  ["ctpop", "i32 %x"],
  ["bswap", "i32 %x"],
  ["smin", "i32 %x, i32 -5"],
  ["umax", "i32 %x, i32 77"],
  ["fshl", "i32 %x, i32 %x, i32 9"],
])("%s", (name, args) => {
  const types = args.replace(/ (?:%x|false|-?\d+)/g, "");
  const results = [createInterpreter, createWarpExecutor].map((create) => {
    const harness = new Harness(1 << 20);
    const program = harness.load(`target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.${name}.i32(${types})
define ptx_kernel void @k(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %x = load i32, ptr %p, align 4
  %y = call i32 @llvm.${name}.i32(${args})
  %z = xor i32 %y, %t
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %z, ptr %q, align 4
  ret void
}`);
    const [input, out] = [harness.place(values), harness.place(new Int32Array(32))];
    expect(harness.run(create(), program, "k", { grid: 1, block: 32 }, [out, input]).fault).toBeNull();
    return [...harness.readI32(out, 32)];
  });
  expect(results[1]).toEqual(results[0]);
});
