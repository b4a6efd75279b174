/**
 * Random kernels as jump threading leaves them: a branch parts the lanes of a warp, and each side asks the same
 * condition again, with other work on the ways to its two targets. All lanes meet in shuffles there. Where the sides
 * ask different conditions, some lanes are missing; then the warp tier must leave the kernel to the thread tier.
 */
import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { Random } from "../fuzz/random.ts";
import { run, runWith } from "../thread-tier/compared-runs.test-helper.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const SEEDS = Array.from({ length: 24 }, (_, n) => 300 + n);
const LAUNCH = { grid: 2, block: 32 };

/** `isSame`: both sides ask the same condition. `leaves`: one of the targets is behind the loop. */
function kernelOf(seed: number): { readonly ir: string; readonly isSame: boolean } {
  const random = new Random(seed);
  const isSame = random.below(4) > 0;
  const leaves = random.below(3) === 0;
  const predicate = random.pick(["ugt", "ult", "eq", "ne"]);
  const [factor, bound] = [1 + random.below(4), random.below(6)];
  const constant = (): number => random.below(50);
  const work = (name: string, of: string): string =>
    `  %${name} = ${random.pick(["add", "mul", "xor", "sub"])} i32 ${of}, ${1 + constant()}`;
  const parts = random.pick([
    "icmp eq i32 %lane, 3",
    "icmp ult i32 %lane, 9",
    "icmp eq i32 %odd, 0",
    "icmp sgt i32 %sum, 100",
  ]);
  const blocks: string[] = [];
  const phis = { a: [] as string[], b: [] as string[] };
  for (const side of ["x", "y"]) {
    const ways = (["a", "b"] as const).map((target) => {
      const extra = random.below(2) === 0;
      const name = extra ? `${side}.${target}` : `${side}`;
      const value = extra
        ? `%${side}.${target}.v`
        : random.pick([`%${side}.w`, "%lane", `${constant()}`, `%${side}.m`]);
      phis[target].push(`[ ${value}, %${name} ]`);
      if (extra)
        blocks.push(`${name}:
${work(`${side}.${target}.v`, "%sum")}
  %${side}.${target}.old = load i32, ptr %mine
  %${side}.${target}.new = add i32 %${side}.${target}.old, %${side}.${target}.v
  store i32 %${side}.${target}.new, ptr %mine
  br label %${target}`);
      return extra ? name : target;
    });
    const other = isSame || side === "x" ? bound : bound + 1 + random.below(3);
    blocks.unshift(`${side}:
${work(`${side}.w`, "%sum")}
  %${side}.n = mul i32 %i, ${factor}
  %${side}.m = add i32 %${side}.n, %block
  %${side}.c = icmp ${predicate} i32 %${side}.m, ${other}
  br i1 %${side}.c, label %${ways[0]}, label %${ways[1]}`);
  }
  const shuffled = (name: string): string => `  %${name}.p = phi i32 ${phis[name as "a" | "b"].join(", ")}
  %${name}.from = xor i32 %lane, ${1 + random.below(31)}
  %${name}.v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %${name}.p, i32 %${name}.from, i32 31)`;
  const ir = `
define ptx_kernel void @k(ptr %out) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %odd = and i32 %lane, 1
  %row = mul i32 %block, 32
  %place = add i32 %row, %lane
  %mine = getelementptr i32, ptr %out, i32 %place
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %sum = phi i32 [ %lane, %entry ], [ %total, %end ]
  %parts = ${parts}
  br i1 %parts, label %x, label %y
${blocks.join("\n")}
a:
${shuffled("a")}
  br label %${leaves ? "over" : "end"}
b:
${shuffled("b")}
  br label %end
end:
  %v = phi i32 [ %b.v, %b ]${leaves ? "" : ", [ %a.v, %a ]"}
  %total = add i32 %sum, %v
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 6
  br i1 %again, label %loop, label %over
over:
  %last = phi i32 [ %total, %end ]${leaves ? ", [ %a.v, %a ]" : ""}
  %before = load i32, ptr %mine
  %after = add i32 %before, %last
  store i32 %after, ptr %mine
  ret void
}`;
  return { ir, isSame };
}

let rejoined = 0;
test.each(SEEDS)("lanes meet again in the kernel of seed %i", (seed) => {
  const { ir, isSame } = kernelOf(seed);
  if (isSame) {
    const expected = run(ir, LAUNCH, 64);
    expect(expected.fault).toBeNull();
    expect(runWith(createWarpExecutor(), ir, LAUNCH, 64)).toEqual(expected);
    rejoined++;
    return;
  }
  try {
    // It may be that all sides go the same way after all.
    expect(runWith(createWarpExecutor(), ir, LAUNCH, 64)).toEqual(run(ir, LAUNCH, 64));
  } catch (error) {
    if (!(error instanceof HeddleError) || error.code !== "unsupported") throw error;
  }
});

test("and there are such kernels", () => expect(rejoined).toBeGreaterThan(SEEDS.length / 2));
