/** Products of matrices, several sums of a thread in one loop: to the bit what the interpreter has. */
import { expect, test } from "vitest";
import { dim3 } from "../../../base/dim3.ts";
import { printModule } from "../../../wasm/disassemble.ts";
import { enableWasmFeatures } from "../../emit/v8-flags-node.ts";
import { Harness, type HarnessLaunch } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { compileWarp } from "../compile.ts";
import { createWarpExecutor } from "../warp-executor.ts";

enableWasmFeatures();
/** Given here: another test of this process may have asked for the host's before. */
const features = { fusedMultiplyAdd: true, relaxedSimd: true };

interface Case {
  /** Sums of a thread. */
  readonly rows: number;
  readonly columns: number;
  readonly block: HarnessLaunch["block"];
  /** Bytes from one row of b to the next. */
  readonly pitch: number;
  readonly type?: "double";
  /** A sum that takes its factors the other way round, and an earlier step of the loop is used behind it. */
  readonly more?: boolean;
}

const K = 7;

/** Threads of a row of lanes have neighbouring columns; those of a block's row have rows of their own. */
function kernel({ rows, columns, pitch, type: given, more = false }: Case): string {
  const type = given ?? "float";
  const [bytes, fma] = type === "float" ? [4, "llvm.fma.f32"] : [8, "llvm.fma.f64"];
  const lines: string[] = [];
  const phis: string[] = [];
  const stores: string[] = [];
  const x: string[] = [];
  for (let r = 0; r < rows; r++)
    x.push(
      `  %pa${r} = getelementptr i8, ptr %pa, i32 ${r * bytes * K}`,
      `  %a${r} = load ${type}, ptr %pa${r}, align ${bytes}`,
    );
  for (let c = 0; c < columns; c++)
    x.push(
      `  %pb${c} = getelementptr i8, ptr %pb, i32 ${c * 32 * bytes}`,
      `  %b${c} = load ${type}, ptr %pb${c}, align ${bytes}`,
    );
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const n = r * columns + c;
      phis.push(`  %s${n} = phi ${type} [ ${n}.0, %entry ], [ %t${n}, %loop ]`);
      const factors = more && n === 0 ? `${type} %b${c}, ${type} %a${r}` : `${type} %a${r}, ${type} %b${c}`;
      lines.push(`  %t${n} = call ${type} @${fma}(${factors}, ${type} %s${n})`);
      stores.push(
        `  %po${n} = getelementptr i8, ptr %po, i32 ${n * bytes}`,
        `  store ${type} %t${n}, ptr %po${n}, align ${bytes}`,
      );
    }
  return `
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare ${type} @${fma}(${type}, ${type}, ${type})
define ptx_kernel void @k(ptr %a, ptr %b, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %y0 = mul i32 %y, ${rows * K * bytes}
  %ay = getelementptr i8, ptr %a, i32 %y0
  %x4 = mul i32 %x, ${bytes}
  %bx = getelementptr i8, ptr %b, i32 %x4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
${phis.join("\n")}
  %k4 = mul i32 %k, ${bytes}
  %pa = getelementptr i8, ptr %ay, i32 %k4
  %kb = mul i32 %k, ${pitch}
  %pb = getelementptr i8, ptr %bx, i32 %kb
${x.join("\n")}
${lines.join("\n")}
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, ${K}
  br i1 %more, label %loop, label %end
end:
  %yw = mul i32 %y, %w
  %thread = add i32 %yw, %x
  %o = mul i32 %thread, ${(rows * columns + 1) * bytes}
  %po = getelementptr i8, ptr %out, i32 %o
${stores.join("\n")}
  %last = add i32 %next, ${more ? "%kb" : 0}
  %pl = getelementptr i8, ptr %po, i32 ${rows * columns * bytes}
  store i32 %last, ptr %pl, align 4
  ret void
}`;
}

function run(executor: ReturnType<typeof createInterpreter>, ir: string, c: Case, beyond: number) {
  const h = new Harness(128 * 1024);
  const program = h.load(ir);
  const Numbers = c.type === "double" ? Float64Array : Float32Array;
  const a = new Numbers(4096).map((_, i) => Math.sin(i) * 2 ** (i % 9));
  const b = new Numbers(4096).map((_, i) => Math.cos(3 * i) * 2 ** (i % 5));
  const { x, y } = dim3(c.block);
  const size = (x * y * (c.rows * c.columns + 1) * Numbers.BYTES_PER_ELEMENT) / 4;
  const data = [h.place(a), h.place(b), h.place(new Int32Array(size))] as const;
  const { fault } = h.run(executor, program, "k", { grid: 1, block: c.block }, [data[0], data[1] + beyond, data[2]]);
  return { kind: fault?.kind ?? null, ints: [...h.readI32(data[2], size)] };
}

/** How many multiply-adds stand in the kernel's code. */
function multiplyAdds(ir: string, { block }: Case): number {
  const program = new Harness(64 * 1024).load(ir);
  const found = compileWarp(program, program.kernels.get("k")!, dim3(block), { sharedMemory: true, features });
  if (!("compiled" in found)) throw new Error(found.reason);
  return printModule(found.compiled.wasm).match(/relaxed_madd/g)?.length ?? 0;
}

const TILED: Case[] = [
  { rows: 4, columns: 1, block: 32, pitch: 128 },
  { rows: 3, columns: 2, block: 32, pitch: 256, more: true },
  { rows: 2, columns: 1, block: [32, 4], pitch: 128 },
  { rows: 5, columns: 2, block: [16, 4], pitch: 512 },
  { rows: 6, columns: 1, block: [8, 8], pitch: 128 },
  { rows: 1, columns: 3, block: [32, 2], pitch: 384 },
  { rows: 4, columns: 1, block: 32, pitch: 256, type: "double" },
  { rows: 3, columns: 2, block: 32, pitch: 512, more: true, type: "double" },
  { rows: 5, columns: 2, block: [16, 4], pitch: 1024, type: "double" },
  { rows: 1, columns: 3, block: [32, 2], pitch: 768, type: "double" },
];

test.each(TILED)("$rows × $columns sums of a thread in blocks of $block, $type", (c) => {
  const ir = kernel(c);
  const expected = run(createInterpreter(), ir, c, 0);
  expect(expected.kind).toBeNull();
  expect(run(createWarpExecutor({ features }), ir, c, 0)).toEqual(expected);
  // Once in tiles, and once as the loop stands, for addresses that need a test.
  expect(multiplyAdds(ir, c)).toBe(2 * (c.type === "double" ? 16 : 8) * c.rows * c.columns);
});

test("lanes that are no threads, and columns that are not neighbours: as the loop stands", () => {
  const odd: Case = { rows: 3, columns: 2, block: 40, pitch: 256 };
  const ir = kernel(odd);
  expect(run(createWarpExecutor({ features }), ir, odd, 0)).toEqual(run(createInterpreter(), ir, odd, 0));
  expect(multiplyAdds(ir, odd)).toBe(8 * 6);
  const apart = { ...odd, block: 32 };
  const far = kernel(apart).replace("%x4 = mul i32 %x, 4", "%x4 = mul i32 %x, 8");
  expect(run(createWarpExecutor({ features }), far, apart, 0)).toEqual(run(createInterpreter(), far, apart, 0));
  expect(multiplyAdds(far, apart)).toBe(8 * 6);
});

test("a product that reads past the end of memory is a fault of the same kind", () => {
  const c: Case = { rows: 4, columns: 1, block: 32, pitch: 128 };
  const ir = kernel(c);
  const expected = run(createInterpreter(), ir, c, 1 << 20);
  expect(expected.kind).not.toBeNull();
  expect(run(createWarpExecutor({ features }), ir, c, 1 << 20).kind).toBe(expected.kind);
});
