/** The functions that expressions are made of. Their derivatives: derivatives.ts. */
import { ARITHMETIC, type ArithmeticName } from "./arithmetic.ts";
import { BITS, CONDITIONS, type BitsName, type ConditionName } from "./conditions.ts";
import { MATHEMATICS, type MathematicsName } from "./mathematics.ts";
import type { Primitive } from "./primitive.ts";

export type PrimitiveName = ArithmeticName | MathematicsName | ConditionName | BitsName;

export const PRIMITIVES: Readonly<Record<PrimitiveName, Primitive>> = {
  ...ARITHMETIC,
  ...MATHEMATICS,
  ...CONDITIONS,
  ...BITS,
};
