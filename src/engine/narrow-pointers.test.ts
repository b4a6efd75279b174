/**
 * Addresses of 64-bit programs are the low 32 bits of what the program computes (pass-narrow-pointers.ts,
 * narrow-indices.ts, pass-hoist-address-terms.ts): random indices of 64 bits, in and outside of loops, with values that
 * wrap around in 32 bits, in 64, and in neither. The reference computes in 64 bits and cuts the result.
 */
import { expect, test } from "vitest";
import { narrowPointers } from "../ir/passes/pass-narrow-pointers.ts";
import { parseModule } from "../ir/text/parse.ts";
import { assertValid } from "../ir/verify.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const TURNS = 3;
const GEPS = 4;

/** Lines that compute indices, and the indices, as often as `gep` is called. */
function randomIndices(seed: number): {
  lines: string[];
  gep: (pointer: (index: string, n: number) => string[]) => string;
} {
  let state = (Math.imul(seed, 2654435761) | 1) >>> 0;
  const below = (count: number): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % count;
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const wide = ["%c", "%d", "3", "4294967295", "-5", "2147483648"];
  const narrow = ["%a", "%b", "7", "-1"];
  let count = 0;
  const add = (lines: string[], list: string[], text: string): string => {
    const name = `%v${count++}`;
    lines.push(`  ${name} = ${text}`);
    list.push(name);
    return name;
  };
  const grow = (lines: string[], wides: string[], narrows: string[], statements: number): void => {
    for (let i = 0; i < statements; i++) {
      const [x, y, m, n] = [pick(wides), pick(wides), pick(narrows), pick(narrows)];
      switch (below(12)) {
        case 0:
          add(lines, wides, `${pick(["sext", "zext"])} i32 ${m} to i64`);
          break;
        case 1:
          add(lines, narrows, `${pick(["add", "sub", "mul", "xor"])} i32 ${m}, ${n}`);
          break;
        case 2:
          add(lines, narrows, `trunc i64 ${x} to i32`);
          break;
        case 3:
          add(lines, wides, `shl i64 ${x}, ${pick([1, 2, 16, 31, 32, 40])}`);
          break;
        case 4: {
          const shifted = add(lines, wides, `shl i64 ${x}, 32`);
          add(lines, wides, `${pick(["ashr", "lshr"])} i64 ${shifted}, ${pick([1, 16, 30, 31, 32])}`);
          break;
        }
        case 5:
          add(lines, wides, `${pick(["ashr", "lshr"])} i64 ${x}, ${pick([1, 7, 32])}`);
          break;
        case 6: {
          const c = add(lines, [], `icmp ${pick(["slt", "ult", "eq"])} i64 ${x}, ${y}`);
          add(lines, wides, `select i1 ${c}, i64 ${y}, i64 ${x}`);
          break;
        }
        case 7: {
          const [low, high] = [add(lines, [], `and i64 ${x}, 255`), add(lines, [], `shl i64 ${y}, 8`)];
          add(lines, wides, `or disjoint i64 ${low}, ${high}`);
          break;
        }
        case 8: {
          const [one, other] = [add(lines, [], `zext i32 ${m} to i64`), add(lines, [], `zext i32 ${n} to i64`)];
          const divisor = add(lines, [], `or i64 ${other}, 1`);
          add(lines, wides, `${pick(["udiv", "urem"])} i64 ${one}, ${pick([divisor, "3"])}`);
          break;
        }
        default:
          add(lines, wides, `${pick(["add", "add", "sub", "mul", "and", "or"])} i64 ${x}, ${y}`);
      }
    }
  };
  const before: string[] = [];
  grow(before, wide, narrow, 3 + below(6));
  const [start, step] = [pick(wide), pick(wide)];
  const body: string[] = [];
  const [wides, narrows] = [
    ["%k", "%k", ...wide],
    ["%t", ...narrow],
  ];
  grow(body, wides, narrows, 4 + below(10));
  const indices = Array.from({ length: GEPS }, () => pick(wides.slice(-8)));
  return {
    lines: before,
    gep: (pointer) => `${before.join("\n")}
  br label %body
body:
  %t = phi i32 [ 0, %entry ], [ %t1, %body ]
  %k = phi i64 [ ${start}, %entry ], [ %k1, %body ]
${body.join("\n")}
${indices.flatMap((index, n) => pointer(index, n)).join("\n")}
  %k1 = add i64 %k, ${step}
  %t1 = add i32 %t, 1
  %more = icmp ult i32 %t1, ${TURNS}
  br i1 %more, label %body, label %done
done:
  ret void`,
  };
}

/** out[turn][n] = the low 32 bits of the n-th address. */
const stored = (n: number, width: number): string[] => [
  `  %at${n} = mul i32 %t, ${GEPS}`,
  `  %in${n} = add i32 %at${n}, ${n}`,
  `  %wide${n} = zext i32 %in${n} to i${width}`.replace("zext i32 %in" + n + " to i32", `add i32 %in${n}, 0`),
  `  %to${n} = getelementptr i32, ptr %out, i${width} %wide${n}`,
  `  store i32 %address${n}, ptr %to${n}, align 4`,
];

const SCALES = ["i8", "i32", "double"];
const bytesOf = (type: string): number => ({ i8: 1, i32: 4, double: 8 })[type] as number;

function kernels(seed: number): { wide: string; reference: string } {
  const { gep } = randomIndices(seed);
  const scale = (n: number): string => SCALES[(seed + n) % SCALES.length] as string;
  const head = "define ptx_kernel void @k(ptr %x, ptr %out, i32 %a, i32 %b, i64 %c, i64 %d) {\nentry:\n";
  const wide = gep((index, n) => [
    `  %p${n} = getelementptr ${scale(n)}, ptr %x, i64 ${index}`,
    `  %n${n} = ptrtoint ptr %p${n} to i64`,
    `  %address${n} = trunc i64 %n${n} to i32`,
    ...stored(n, 64),
  ]);
  const reference = gep((index, n) => [
    `  %base${n} = ptrtoint ptr %x to i32`,
    `  %scaled${n} = mul i64 ${index}, ${bytesOf(scale(n))}`,
    `  %low${n} = trunc i64 %scaled${n} to i32`,
    `  %address${n} = add i32 %base${n}, %low${n}`,
    ...stored(n, 32),
  ]);
  return {
    wide: `target triple = "nvptx64-nvidia-cuda"\n${head}${wide}\n}`,
    reference: `target triple = "nvptx-nvidia-cuda"\n${head}${reference}\n}`,
  };
}

const ARGUMENTS: readonly (readonly [number, number, bigint, bigint])[] = [
  [3, 5, 7n, 11n],
  [-1, 0x7fffffff, 2n ** 31n, -(2n ** 31n)],
  [0x7fffffff, -2, 2n ** 32n + 3n, -(2n ** 63n)],
  [-0x80000000, 1, -1n, 2n ** 63n - 1n],
];

test("random indices", () => {
  const executors = [createInterpreter(), createWarpExecutor()];
  for (let seed = 1; seed <= 150; seed++) {
    const { wide, reference } = kernels(seed);
    const module = parseModule(wide, "wide.ll");
    narrowPointers(module);
    assertValid(module, `seed ${seed}`);
    const results = [parseModule(reference, "reference.ll"), module].map((loaded, at) => {
      const h = new Harness(1 << 20);
      const program = h.load(loaded);
      const out = h.place(new Int32Array(TURNS * GEPS));
      return ARGUMENTS.map((args) => {
        const executor = executors[seed % 5 === 0 ? at : 0] as (typeof executors)[number];
        const { fault } = h.run(executor, program, "k", { grid: 1, block: 1 }, [4096, out, ...args]);
        expect(fault).toBeNull();
        return h.readI32(out, TURNS * GEPS).join(" ");
      });
    });
    expect(results[1], `seed ${seed}\n${wide}`).toEqual(results[0]);
  }
});
