/** Constant expressions of addresses: both compiled tiers against the interpreter. */
import { expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createThreadExecutor } from "../thread-tier/thread-executor.ts";
import { createWarpExecutor } from "../warp-tier/warp-executor.ts";

const ADDRESS = "ptrtoint (ptr addrspace(1) @g to i32)";
const EXPRESSIONS = [
  ...["add", "sub", "xor"].flatMap((word) => [`${word} (i32 ${ADDRESS}, i32 77)`, `${word} (i32 -5, i32 ${ADDRESS})`]),
  ADDRESS,
  `trunc (i32 ${ADDRESS} to i16)`,
  "getelementptr (i8, ptr addrspace(1) @g, i32 13)",
];
const typeOf = (text: string): string => {
  if (text.startsWith("getelementptr")) return "ptr addrspace(1)";
  return text.startsWith("trunc") ? "i16" : "i32";
};

test("what is computed of an address when the program is loaded", () => {
  const stores = EXPRESSIONS.map(
    (text, i) =>
      `  %p${i} = getelementptr i8, ptr %out, i32 ${8 * i}\n  store ${typeOf(text)} ${text}, ptr %p${i}, align 8`,
  );
  const ir = `target triple = "nvptx-nvidia-cuda"
@g = addrspace(1) global [64 x i8] zeroinitializer, align 16
define ptx_kernel void @k(ptr %out) {
${stores.join("\n")}
  ret void
}`;
  const [expected, ...found] = [createInterpreter(), createThreadExecutor(), createWarpExecutor()].map((executor) => {
    const harness = new Harness(1 << 20);
    const program = harness.load(ir);
    const out = harness.place(new Uint8Array(8 * EXPRESSIONS.length));
    expect(harness.run(executor, program, "k", { grid: 1, block: 1 }, [out]).fault).toBeNull();
    return [...new BigUint64Array(harness.read(out, 8 * EXPRESSIONS.length).buffer)];
  });
  const address = Number(expected?.[EXPRESSIONS.indexOf(ADDRESS)]);
  expect(address).toBeGreaterThan(0);
  expect(expected?.slice(0, 6).map(Number)).toEqual(
    [address + 77, -5 + address, address - 77, -5 - address, address ^ 77, -5 ^ address].map((value) => value >>> 0),
  );
  for (const words of found) expect(words).toEqual(expected);
});
