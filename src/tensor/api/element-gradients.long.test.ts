/** First and second derivatives of every function of elements with several operands, against differences. */
import { beforeAll, describe, expect, it } from "vitest";
import { gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { ELEMENT_FUNCTIONS, type ElementName } from "../operations/element-functions.ts";
import { elementwise } from "../operations/elementwise.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const OF_WHOLE_NUMBERS = /^(bitwise|shift)_/;
const names = (Object.keys(ELEMENT_FUNCTIONS) as ElementName[]).filter((name) => {
  const { operands, gives, expression } = ELEMENT_FUNCTIONS[name];
  return operands > 1 && gives !== "bool" && !expression.isBool && !OF_WHOLE_NUMBERS.test(name);
});

/** Operands between 0.2 and 0.9, none close to another one's, or to a whole number of another one's. */
function operandsOf(name: ElementName, count: number): Tensor[] {
  const first = torch.tensor([0.31, 0.83, 0.57, 0.22, 0.71], { dtype: "float64" });
  const others = [torch.tensor([0.62, 0.27, 0.85, 0.37, 0.49]), torch.full([5], 0.9), torch.full([5], 0.44)];
  const operands = [first, ...others.map((other) => other.double())].slice(0, count);
  return ELEMENT_FUNCTIONS[name].isConditional === true ? [first.gt(0.5), ...operands.slice(0, count - 1)] : operands;
}

describe("functions of several operands", () => {
  it("are all there", () => {
    expect(names.length).toBeGreaterThan(20);
  });

  it.each(names)("%s", (name) => {
    const all = operandsOf(name, ELEMENT_FUNCTIONS[name].operands);
    const floats = all.filter((operand) => operand.isFloatingPoint);
    const fixed = all.filter((operand) => !operand.isFloatingPoint);
    const fn = (...own: Tensor[]): Tensor => elementwise(name, ...fixed, ...own);
    gradcheck(fn, floats);
    gradgradcheck(fn, floats);
  });
});
