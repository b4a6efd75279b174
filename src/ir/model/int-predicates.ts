/** Comparisons of integers turned round (LangRef, "icmp Instruction"). */
import type { IntPredicate } from "./ir.ts";

/** True where the key is false: a < b and a ≥ b. */
export const INVERSE_PREDICATES: Readonly<Record<IntPredicate, IntPredicate>> = {
  eq: "ne",
  ne: "eq",
  ugt: "ule",
  ule: "ugt",
  uge: "ult",
  ult: "uge",
  sgt: "sle",
  sle: "sgt",
  sge: "slt",
  slt: "sge",
};

/** The same with the operands exchanged: a < b and b > a. */
export const SWAPPED_PREDICATES: Readonly<Record<IntPredicate, IntPredicate>> = {
  eq: "eq",
  ne: "ne",
  ugt: "ult",
  ult: "ugt",
  uge: "ule",
  ule: "uge",
  sgt: "slt",
  slt: "sgt",
  sge: "sle",
  sle: "sge",
};
