import { describe, expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { prefetchLoads } from "./pass-prefetch-loads.ts";

const work = Array.from(
  { length: 20 },
  (_, i) => `  %w${i} = mul i32 %${i === 0 ? "read" : `v${i - 1}`}, ${2 * i + 3}\n  %v${i} = add i32 %w${i}, ${i}`,
).join("\n");

interface Parts {
  /** Where the next address is computed. */
  readonly next?: "early" | "late";
  /** Behind the second barrier. */
  readonly behind?: string;
  /** Of the loop. */
  readonly condition?: string;
  /** Before the first barrier. */
  readonly head?: string;
}

/** Tile after tile through shared memory. The address of tile i is the i-th number of `steps`. */
const tiles = (parts: Parts): IrModule => parseModule(tilesText(parts), "tiles.ll");

function tilesText({
  next = "early",
  behind = "",
  condition = "%go = icmp slt i32 %k1, %n",
  head = "",
}: Parts): string {
  const address = `  %step = getelementptr i32, ptr %steps, i32 %k1
  %to = load i32, ptr %step, align 4
  %q = getelementptr i8, ptr %in, i32 %to`;
  return `target triple = "nvptx-nvidia-cuda"
@tile = internal addrspace(3) global [8 x i32] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr %in, ptr %steps, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %t
  %t1 = xor i32 %t, 1
  %other = getelementptr [8 x i32], ptr addrspace(3) @tile, i32 0, i32 %t1
  %result = getelementptr i32, ptr %out, i32 %t
  br label %loop
loop:
  %p = phi ptr [ %in, %entry ], [ %q, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  ${head}
  %x0 = load i32, ptr %p, align 4
  %p4 = getelementptr i8, ptr %p, i32 4
  %x1 = load i32, ptr %p4, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x2 = mul i32 %x1, 77
  %x = add i32 %x0, %x2
  %xt = add i32 %x, %t
  store i32 %xt, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %k1 = add i32 %k, 1
${next === "early" ? address : ""}
  ${behind}
  %read = load i32, ptr addrspace(3) %other, align 4
${work}
  %sum1 = add i32 %sum, %v19
${next === "late" ? address : ""}
  ${condition}
  br i1 %go, label %loop, label %end
end:
  store i32 %sum1, ptr %result, align 4
  ret void
}`;
}

function loadsOf(module: IrModule): string[] {
  const changed = cloneModule(module);
  const fn = changed.functions.get("k") as IrFunction;
  prefetchLoads(fn);
  assertValid(changed, "prefetchLoads");
  const isGlobal = (name: string): boolean => name.startsWith("x");
  return fn.blocks.flatMap(({ name, instructions }) =>
    instructions.flatMap((i) => (i.op === "load" && isGlobal(i.name) ? [name.replace(/\W?\d+$/, "")] : [])),
  );
}

function run(module: IrModule, n: number): Uint8Array {
  const h = new Harness(1 << 20);
  const input = h.place(Uint8Array.from({ length: 8 * n }, (_, i) => (i * 37) % 251));
  // Nothing is where the tile after the last one would be.
  const steps = h.place(
    new Uint8Array(Int32Array.from({ length: n + 1 }, (_, i) => (i < n ? 8 * i : 0x7000_0000)).buffer),
  );
  const out = h.place(new Uint8Array(32));
  const { fault } = h.run(createInterpreter(), h.load(module), "k", { grid: 1, block: 8 }, [input, steps, out, n]);
  expect(fault).toBeNull();
  return h.read(out, 32);
}

describe("the next tile is loaded behind the barriers", () => {
  test.each([{}, { condition: "%c = xor i32 %k1, %n\n  %go = icmp ne i32 %c, 0" }])("if there is one (%o)", (parts) => {
    const module = tiles(parts);
    expect(loadsOf(module)).toEqual(["entry", "entry", "next", "next"]);
    const changed = cloneModule(module);
    prefetchLoads(changed.functions.get("k") as IrFunction);
    for (const n of [1, 2, 5]) expect(run(changed, n)).toEqual(run(module, n));
  });

  test("where the loop ends if the condition is true", () => {
    const module = tiles({ condition: "%stop = icmp eq i32 %k1, %n\n  %go = xor i1 %stop, true" });
    expect(loadsOf(module)).toEqual(["entry", "entry", "next", "next"]);
  });
});

test("an address that branches meet with, among others, is known behind all of them", () => {
  const twoWays = `%odd = and i32 %k1, 1
  %isOdd = icmp eq i32 %odd, 1
  br i1 %isOdd, label %one, label %other2
one:
  br label %both
other2:
  br label %both
both:
  %factor = phi i32 [ 4, %one ], [ 5, %other2 ]
  %unused = phi i32 [ 7, %one ], [ %k1, %other2 ]`;
  const text = tilesText({ behind: twoWays }).replaceAll(/, %loop \]/g, ", %both ]");
  // The address itself is a phi, in front of the others.
  const moved = text
    .replace("  %q = getelementptr i8, ptr %in, i32 %to", "  %q0 = getelementptr i8, ptr %in, i32 %to")
    .replace("  %factor = phi", "  %q = phi ptr [ %q0, %one ], [ %q0, %other2 ]\n  %factor = phi");
  const module = parseModule(moved, "tiles.ll");
  expect(loadsOf(module)).toEqual(["entry", "entry", "next", "next"]);
  const changed = cloneModule(module);
  prefetchLoads(changed.functions.get("k") as IrFunction);
  for (const n of [1, 2, 5]) expect(run(changed, n)).toEqual(run(module, n));
});

describe("a load stays where it is", () => {
  const stays = ["loop", "loop"];
  test("if the next address is known at the end only", () => {
    expect(loadsOf(tiles({ next: "late" }))).toEqual(stays);
  });
  test("if what comes before the next round writes to memory at its end", () => {
    const module = tiles({});
    const { blocks } = module.functions.get("k") as IrFunction;
    const { instructions } = blocks[1] as (typeof blocks)[number];
    const store = instructions.find(({ op }) => op === "store");
    instructions.splice(-1, 0, { ...store } as (typeof instructions)[number]);
    expect(loadsOf(module)).toEqual(stays);
  });
  test("if its value is needed before the barrier", () => {
    const early = "%e = load i32, ptr %p, align 4\n  %cell = getelementptr i32, ptr %out, i32 %e";
    expect(loadsOf(tiles({ head: early }))).toEqual(["entry", "entry", "next", "next"]);
    const module = tiles({ head: "%x9 = load i32, ptr %p, align 4\n  store i32 %x9, ptr %result, align 4" });
    expect(loadsOf(module)).toEqual(["loop", "loop", "loop"]);
  });
  test("if the condition needs what is loaded later", () => {
    expect(loadsOf(tiles({ condition: "%go = icmp slt i32 %v19, %n" }))).toEqual(stays);
  });
});
