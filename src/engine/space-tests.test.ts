/** Which memory a pointer points at (`isspacep`), in all engines: the interpreter's answers. */
import { expect, test } from "vitest";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const SPACES = ["shared", "global", "local", "const"];
const POINTERS = ["%inShared", "%inGlobal", "%inLocal", "@table"];

/** Stores a bit for each space and pointer. @param generic a pointer of which is known only at run time what it is */
function program(generic: boolean): string {
  const pointers = generic ? ["%either"] : POINTERS;
  const tests = SPACES.flatMap((space) => pointers.map((pointer) => ({ space, pointer })));
  return `
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@table = internal addrspace(4) constant [4 x i32] zeroinitializer, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
${SPACES.map((space) => `declare i1 @llvm.nvvm.isspacep.${space}(ptr)`).join("\n")}
define ptx_kernel void @k(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = alloca [4 x i32], align 4
  %inShared = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %x
  %inGlobal = getelementptr i32, ptr %out, i32 %x
  %inLocal = getelementptr i32, ptr %own, i32 1
  %odd = and i32 %x, 1
  %isOdd = icmp eq i32 %odd, 1
  %either = select i1 %isOdd, ptr %inShared, ptr %inGlobal
  %before0 = add i32 0, 0
${tests
  .map(({ space, pointer }, n) => {
    const given = pointer === "@table" ? "addrspacecast (ptr addrspace(4) @table to ptr)" : pointer;
    return `  %is${n} = call i1 @llvm.nvvm.isspacep.${space}(ptr ${given})
  %wide${n} = zext i1 %is${n} to i32
  %bit${n} = shl i32 %wide${n}, ${n}
  %before${n + 1} = or i32 %before${n}, %bit${n}`;
  })
  .join("\n")}
  store i32 %before${tests.length}, ptr %inGlobal, align 4
  ret void
}`;
}

test.each([
  ["known when the kernel is compiled", false],
  ["known when it runs", true],
])("%s", (_, generic) => {
  const engines = [createInterpreter(), createThreadExecutor(), ...(generic ? [] : [createWarpExecutor()])];
  const results = engines.map((executor) => {
    const h = new Harness();
    const loaded = h.load(program(generic));
    const out = h.place(new Int32Array(40));
    expect(h.run(executor, loaded, "k", { grid: 1, block: 40 }, [out]).fault, executor.name).toBeNull();
    return h.readI32(out, 40);
  });
  for (const result of results.slice(1)) expect(result).toEqual(results[0]);
  expect([...(results[0] ?? [])].slice(0, 2)).toEqual(generic ? [0b0010, 0b0001] : [POINTERS_ANSWER, POINTERS_ANSWER]);
});

/** In rows of POINTERS: what is shared; global, as constants are; local; constant, which nothing is. */
const POINTERS_ANSWER = 0b0000_0100_1010_0001;
