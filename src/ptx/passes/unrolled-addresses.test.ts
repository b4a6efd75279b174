/** Addresses that follow from those of the iteration before are what they were, for strides of any sign. */
import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { narrowPointers } from "../../ir/passes/pass-narrow-pointers.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { printModule } from "../../ir/text/print.ts";
import { assertValid } from "../../ir/verify.ts";
import { unrollCountedLoops } from "./pass-unroll-counted.ts";

interface Form {
  readonly index: string;
  /** Of the counter's step. */
  readonly flags?: string;
  readonly test?: string;
  readonly type?: string;
}

const loop = ({ index, flags = "nsw", test: compare = "slt", type = "i32" }: Form): string => `
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %start, i32 %bound, i32 %n, i32 %at) {
entry:
  %from = ${type === "i32" ? "add i32 %start, 0" : "sext i32 %start to i64"}
  %to = ${type === "i32" ? "add i32 %bound, 0" : "sext i32 %bound to i64"}
  %m = sext i32 %n to i64
  br label %body
body:
  %k = phi ${type} [ %from, %entry ], [ %next, %body ]
  %sum = phi i32 [ 1, %entry ], [ %sum2, %body ]
${index}
  %p = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %p, align 4
  %mixed = mul i32 %sum, 31
  %sum2 = add i32 %mixed, %x
  %next = add ${flags} ${type} %k, 1
  %more = icmp ${compare} ${type} %next, %to
  br i1 %more, label %body, label %done
done:
  store i32 %sum2, ptr %out, align 4
  ret void
}`;

const PRODUCT = "  %row = mul nsw i32 %k, %n\n  %s = add nsw i32 %row, %at\n  %i = sext i32 %s to i64";
const FORMS: readonly (Form & { readonly follows: boolean })[] = [
  { index: PRODUCT, follows: true },
  { index: PRODUCT, test: "ne", follows: true },
  { index: PRODUCT, test: "ne", flags: "", follows: false },
  { index: PRODUCT, test: "ult", flags: "", follows: false },
  { index: PRODUCT.replace("mul nsw", "mul"), follows: false },
  { index: PRODUCT.replace("add nsw", "add"), follows: false },
  { index: "  %row = shl nsw i32 %k, 2\n  %s = sub nsw i32 %at, %row\n  %i = sext i32 %s to i64", follows: true },
  { index: "  %w = sext i32 %k to i64\n  %row = mul i64 %w, %m\n  %i = add i64 %row, 40", follows: true },
  { index: "  %row = mul i64 %m, %k\n  %i = add i64 %row, 40", type: "i64", follows: true },
  { index: "  %row = xor i32 %k, 1\n  %i = sext i32 %row to i64", follows: false },
];

const ARGUMENTS = [
  [0, 9, 3, 5],
  [0, 1, 3, 5],
  [1, 5, -3, 60],
  [0, 13, -1, 40],
  [2, 10, 0, 41],
];

test.each(FORMS)("$index, $test, $flags", (form) => {
  const unrolled = parseModule(loop(form), "loop.ll");
  for (const fn of unrolled.functions.values()) if (fn.blocks.length > 0) unrollCountedLoops(fn);
  assertValid(unrolled, "unrollCountedLoops");
  expect(printModule(unrolled).match(/getelementptr i8/g)?.length ?? 0).toBe(form.follows ? 3 : 0);
  const [found, expected] = [unrolled, parseModule(loop(form), "loop.ll")].map((module) => {
    narrowPointers(module);
    return ARGUMENTS.map((args) => {
      const h = new Harness(1 << 20);
      const program = h.load(module);
      const input = h.place(Int32Array.from({ length: 512 }, (_, i) => Math.imul(i + 3, 2654435761)));
      const out = h.place(new Int32Array(1));
      // Indices may be negative.
      const run = h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [out, input + 1024, ...args]);
      return run.fault === null ? h.readI32(out, 1)[0] : run.fault.kind;
    });
  });
  expect(found).toEqual(expected);
});
