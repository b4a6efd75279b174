/** Values that live across barriers: to the bit what the interpreter has, wherever they are read behind it. */
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
const VALUES = 4;
const rows = Array.from({ length: VALUES }, (_, n) => n);
const lines = (line: (n: number) => string): string => rows.map((n) => line(n)).join("\n");
const barrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

/** A softmax without its exponential: masked loads, and two values of the block behind barriers. */
const ROWS = `
  br label %load.0
${lines(
  (n) => `load.${n}:
  %inside.${n} = icmp slt i32 %x, %p${n}
  br i1 %inside.${n}, label %masked.${n}, label %joined.${n}
masked.${n}:
  %at.${n} = getelementptr i8, ptr %ax, i32 ${512 * n}
  %loaded.${n} = load float, ptr %at.${n}, align 4
  br label %joined.${n}
joined.${n}:
  %x.${n} = phi float [ %loaded.${n}, %masked.${n} ], [ -${n}.5, %load.${n} ]
  br label %load.${n + 1}`,
)}
load.${VALUES}:
  store float %x.0, ptr addrspace(3) %own, align 4
  ${barrier}
  %first = load float, ptr addrspace(3) @tile, align 4
${lines((n) => `  %e.${n} = fsub float %x.${n}, %first`)}
  %sum.1 = fadd float %e.0, %e.1
  %sum.2 = fadd float %sum.1, %e.2
  %sum.3 = fadd float %sum.2, %e.3
  ${barrier}
  store float %sum.3, ptr addrspace(3) %own, align 4
  ${barrier}
  %second = load float, ptr addrspace(3) @tile, align 4
${lines((n) => `  %y.${n} = fmul float %e.${n}, %second\n  %r.${n} = fadd float %y.${n}, %x.${n}`)}
  br label %end`;

/** Every second iteration has a barrier on its way, so that values are read from both places. */
const SOME_WAYS = `
${lines((n) => `  %at.${n} = getelementptr i8, ptr %ax, i32 ${512 * n}\n  %x.${n} = load float, ptr %at.${n}, align 4`)}
${lines((n) => `  %e.${n} = fmul float %x.${n}, 0.5`)}
  %odd = icmp eq i32 %p0, 100
  br i1 %odd, label %wait, label %meet
wait:
  store float %e.1, ptr addrspace(3) %own, align 4
  ${barrier}
  %other = load float, ptr addrspace(3) @tile, align 4
  %w = fadd float %other, %e.2
  br label %meet
meet:
  %m = phi float [ %w, %wait ], [ %e.3, %entry ]
${lines((n) => `  %f.${n} = fadd float %e.${n}, %m`)}
  ${barrier}
${lines((n) => `  %r.${n} = fadd float %f.${n}, %x.${n}`)}
  br label %end`;

/** The values of a loop with a barrier in it. */
const LOOP = `
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop.end ]
${lines((n) => `  %s.${n} = phi float [ ${n}.0, %entry ], [ %r.${n}, %loop.end ]`)}
${lines((n) => `  %at.${n} = getelementptr i8, ptr %ax, i32 ${512 * n}\n  %x.${n} = load float, ptr %at.${n}, align 4`)}
${lines((n) => `  %e.${n} = fadd float %x.${n}, %s.${(n + 1) % VALUES}`)}
  store float %e.0, ptr addrspace(3) %own, align 4
  ${barrier}
  %other = load float, ptr addrspace(3) @tile, align 4
${lines((n) => `  %f.${n} = fmul float %e.${n}, %other`)}
  ${barrier}
  br label %loop.end
loop.end:
${lines((n) => `  %r.${n} = fsub float %f.${n}, %s.${n}`)}
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 3
  br i1 %more, label %loop, label %end`;

const kernel = (body: string): string => `
@tile = internal addrspace(3) global [512 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr %a, ptr %out, i32 %p0, i32 %p1, i32 %p2, i32 %p3) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x4 = mul i32 %x, 4
  %own = getelementptr i8, ptr addrspace(3) @tile, i32 %x4
  %ax = getelementptr i8, ptr %a, i32 %x4
${body}
end:
  %o16 = mul i32 %x, ${4 * VALUES}
  %po = getelementptr i8, ptr %out, i32 %o16
${lines((n) => `  %po${n} = getelementptr i8, ptr %po, i32 ${4 * n}\n  store float %r.${n}, ptr %po${n}, align 4`)}
  ret void
}`;

function run(executor: ReturnType<typeof createInterpreter>, ir: string, block: number, first: number): number[] {
  const h = new Harness(64 * 1024);
  const program = h.load(ir);
  const a = h.place(Float32Array.from({ length: 1024 }, (_, i) => Math.sin(i) * 2 ** (i % 3)));
  const out = h.place(new Int32Array(block * VALUES));
  const { fault } = h.run(executor, program, "k", { grid: 2, block }, [a, out, first, 128, 0, 77]);
  expect(fault ?? null).toBeNull();
  return [...h.readI32(out, block * VALUES)];
}

test.each([
  ["masked loads", ROWS],
  ["a barrier on some ways", SOME_WAYS],
  ["a loop", LOOP],
])("%s", (_, body) => {
  const ir = kernel(body);
  for (const block of [32, 128])
    for (const first of [100, 7])
      expect(run(createWarpExecutor({ features }), ir, block, first), `${block}, ${first}`).toEqual(
        run(createInterpreter(), ir, block, first),
      );
});

test("a barrier loads no vectors that are read in its place", () => {
  const program = new Harness(64 * 1024).load(kernel(ROWS));
  const options = { sharedMemory: true, features };
  const found = compileWarp(program, program.kernels.get("k")!, dim3(128), options);
  if (!("compiled" in found)) throw new Error(found.reason);
  const loads = printModule(found.compiled.wasm).match(/v128\.load/g)?.length ?? 0;
  // The masked loads and what they are stored from; e: x; the sum: e, and itself behind a barrier; r: e and x.
  expect(loads).toBeLessThanOrEqual(8 * (2 * VALUES + VALUES + VALUES + 2 + 2 * VALUES + 4));
});
