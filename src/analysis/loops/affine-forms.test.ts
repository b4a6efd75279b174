import { describe, expect, test } from "vitest";
import type { IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { EXACT, MODULO_2_32, affineForm, leafForm, termsKey, type AffineRules } from "./affine-forms.ts";

const fn = parseModule(
  `target triple = "nvptx-nvidia-cuda"
define void @f(i32 %a, i32 %b, ptr %p) {
  %large = mul i32 %a, 65536
  %overflow = mul i32 %large, 65536
  %wide = sext i32 %a to i64
  %cell = getelementptr [4 x i32], ptr %p, i64 %wide, i32 3
  %sum = add i32 %a, %b
  %masked = or i32 %sum, 1
  %square = mul i32 %a, %b
  ret void
}`,
  "test.ll",
).functions.get("f") as IrFunction;
const valueOf = (name: string): IrValue =>
  fn.blocks.flatMap((block): IrInstruction[] => block.instructions).find((i) => i.name === name) as IrValue;

const rules = (own: Partial<AffineRules> = {}): AffineRules => ({
  arithmetic: EXACT,
  accepts: () => true,
  leafOf: (value) => (value.kind === "param" ? leafForm<IrValue>(value) : null),
  looksThrough: () => true,
  isScale: () => false,
  isSum: () => false,
  maxTerms: 8,
  ...own,
});

function text(name: string, own: Partial<AffineRules> = {}, depth?: number): string | null {
  const form = affineForm(valueOf(name), rules(own), depth);
  const nameOf = (value: IrValue): string => (value.kind === "param" ? value.name : value.kind);
  return form && [form.constant, ...form.terms.map((t) => `${t.factor}${nameOf(t.value)}`)].join(" + ");
}

describe("sums", () => {
  test("wrap as the machine's, or never", () => {
    expect(text("overflow")).toBe(`0 + ${2 ** 32}a`);
    expect(text("overflow", { arithmetic: MODULO_2_32 })).toBe("0");
  });
  test("go through address arithmetic and through the casts that the caller accepts", () => {
    expect(text("cell")).toBe("12 + 1p + 16a");
    expect(text("cell", { looksThrough: () => false })).toBeNull();
  });
  test("include an or whose operands share no bit", () => {
    expect(text("masked")).toBeNull();
    expect(text("masked", { isSum: () => true })).toBe("1 + 1a + 1b");
  });
  test("end at products, at the depth, and at too many terms", () => {
    expect(text("square")).toBeNull();
    expect(text("sum", {}, 0)).toBeNull();
    expect(text("sum", {}, 1)).toBe("0 + 1a + 1b");
    expect(text("sum", { maxTerms: 1 })).toBeNull();
  });
});

test("forms with the same terms have the same key, in any order", () => {
  const [a, b] = fn.params as [IrValue, IrValue];
  const term = (value: IrValue) => ({ value, factor: 2, scale: null });
  const idOf = (value: IrValue): number => (fn.params as readonly IrValue[]).indexOf(value);
  expect(termsKey({ terms: [term(a), term(b)], constant: 1 }, idOf)).toBe(
    termsKey({ terms: [term(b), term(a)], constant: 9 }, idOf),
  );
});
