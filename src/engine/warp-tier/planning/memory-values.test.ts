/** Sums that lie in the warp's context: to the bit what the interpreter has, and no barrier stores them. */
import { expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import { printModule } from "../../../wasm/disassemble.ts";
import { enableWasmFeatures } from "../../emit/v8-flags-node.ts";
import { Harness } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { compileWarp } from "../compile.ts";
import { createWarpExecutor } from "../warp-executor.ts";

enableWasmFeatures();
const features = { fusedMultiplyAdd: true, relaxedSimd: true };
const SUMS = 4;
const rows = Array.from({ length: SUMS }, (_, n) => n);
const lines = (line: (n: number) => string): string => rows.map((n) => `  ${line(n)}`).join("\n");

interface Case {
  readonly name: string;
  /** What the sums of the loop around become where the loop of products begins: %i0, %i1, … from %o0, %o1, … */
  readonly before: string;
  readonly initial?: string;
  /** Behind the products: %v0, … from %t0, … */
  readonly behind?: string;
  /** What the outer loop carries on; default: the sums. */
  readonly next?: (n: number) => string;
}

const CASES: Case[] = [
  { name: "carried as they are", before: "", initial: "o" },
  { name: "scaled first", before: lines((n) => `%i${n} = fmul float %o${n}, 0.5`) },
  {
    name: "the sums before are needed behind the products",
    before: lines((n) => `%i${n} = fmul float %o${n}, 0.5`),
    behind: lines((n) => `%v${n} = fadd float %t${n}, %o${n}`),
    next: (n) => `%v${n}`,
  },
  {
    name: "sums change places from one iteration to the next",
    before: "",
    initial: "o",
    next: (n) => `%t${(n + 1) % SUMS}`,
  },
  {
    name: "another operation uses what is overwritten",
    before: lines((n) => `%h${n} = fadd float %o${n}, 1.0`) + "\n" + lines((n) => `%i${n} = fmul float %o${n}, 0.25`),
    behind: lines((n) => `%v${n} = fadd float %t${n}, %h${n}`),
    next: (n) => `%v${n}`,
  },
];

/** Threads store to shared memory, wait, multiply, and wait again, `rounds` times. */
function kernel({ before, initial = "i", behind = "", next = (n) => `%t${n}` }: Case): string {
  return `
@tile = internal addrspace(3) global [512 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.fma.f32(float, float, float)
define ptx_kernel void @k(ptr %a, ptr %out, i32 %rounds) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %x, 31
  %x4 = mul i32 %x, 4
  %lane4 = mul i32 %lane, 4
  %own = getelementptr i8, ptr addrspace(3) @tile, i32 %x4
  %column = getelementptr i8, ptr addrspace(3) @tile, i32 %lane4
  %ax = getelementptr i8, ptr %a, i32 %x4
  br label %outer
outer:
  %r = phi i32 [ 0, %entry ], [ %r1, %products.end ]
${lines((n) => `%o${n} = phi float [ ${n}.0, %entry ], [ ${next(n)}, %products.end ]`)}
${before}
  %rb = mul i32 %r, 512
  %pa = getelementptr i8, ptr %ax, i32 %rb
  %value = load float, ptr %pa, align 4
  store float %value, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %products
products:
  %k = phi i32 [ 0, %outer ], [ %k1, %products ]
${lines((n) => `%s${n} = phi float [ %${initial}${n}, %outer ], [ %t${n}, %products ]`)}
  %k4 = mul i32 %k, 4
  %kb = mul i32 %k, 128
  %px = getelementptr i8, ptr addrspace(3) @tile, i32 %k4
  %py = getelementptr i8, ptr addrspace(3) %column, i32 %kb
  %y = load float, ptr addrspace(3) %py, align 4
${lines((n) => `%px${n} = getelementptr i8, ptr addrspace(3) %px, i32 ${128 * n}`)}
${lines((n) => `%x${n} = load float, ptr addrspace(3) %px${n}, align 4`)}
${lines((n) => `%t${n} = call float @llvm.fma.f32(float %x${n}, float %y, float %s${n})`)}
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, 4
  br i1 %more, label %products, label %products.end
products.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
${behind}
  %r1 = add i32 %r, 1
  %again = icmp slt i32 %r1, %rounds
  br i1 %again, label %outer, label %end
end:
  %o16 = mul i32 %x, ${4 * SUMS}
  %po = getelementptr i8, ptr %out, i32 %o16
${lines((n) => `%po${n} = getelementptr i8, ptr %po, i32 ${4 * n}\n  store float ${next(n)}, ptr %po${n}, align 4`)}
  ret void
}`;
}

function run(executor: ReturnType<typeof createInterpreter>, ir: string, block: number): number[] {
  const h = new Harness(64 * 1024);
  const program = h.load(ir);
  const a = h.place(Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i) * 2 ** (i % 3)));
  const out = h.place(new Int32Array(block * SUMS));
  const { fault } = h.run(executor, program, "k", { grid: 2, block }, [a, out, 3]);
  expect(fault ?? null).toBeNull();
  return [...h.readI32(out, block * SUMS)];
}

test.each(CASES)("$name", (c) => {
  const ir = kernel(c);
  for (const block of [32, 128])
    expect(run(createWarpExecutor({ features }), ir, block), `${block}`).toEqual(run(createInterpreter(), ir, block));
});

test("a barrier stores nothing of sums that are carried as they are", () => {
  const program = new Harness(64 * 1024).load(kernel(CASES[0]!));
  const options = { sharedMemory: true, features };
  const found = compileWarp(program, program.kernels.get("k")!, dim3(128), options);
  if (!("compiled" in found)) throw new Error(found.reason);
  // What there is: sums at the start, tiles, the loop as it stands, results and the tile in shared memory.
  const stores = printModule(found.compiled.wasm).match(/v128\.store/g)?.length ?? 0;
  expect(stores).toBeLessThanOrEqual(8 * (SUMS * 4 + 4));
});
