/**
 * Integers and addresses as sums: constant + Σ factor × scale × leaf, over leaves that the caller chooses.
 *
 * This is what address arithmetic mostly is. A value that is no such sum has no form (null); the walk goes backwards
 * from one value, on demand. There is no join: what a phi is, the caller says (`AffineRules.leafOf`).
 *
 * Used by: loop-checks.ts of the warp tier (addresses that are linear in an induction variable, modulo 2^32) and
 * disjoint-elements.ts of racecheck (addresses as multiples of thread indices, without wrap). pass-split-offsets.ts of
 * PTX takes constants out of sums and builds the rest anew: it is a rewrite, and follows only what it can rebuild.
 */
import { signedValue } from "../../ir/model/build.ts";
import { gepOffset } from "../../ir/model/gep.ts";
import type { ConstExprInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operationOf } from "../pointers/pointer-origins.ts";

export interface AffineTerm<Leaf = IrValue> {
  /** The leaf. */
  readonly value: Leaf;
  readonly factor: number;
  /** A second value that the term is multiplied by. */
  readonly scale: IrValue | null;
}

export interface AffineForm<Leaf = IrValue> {
  readonly terms: readonly AffineTerm<Leaf>[];
  readonly constant: number;
}

/** How sums are computed: as the machine does, or as in mathematics. */
export interface Arithmetic {
  add(a: number, b: number): number;
  multiply(a: number, b: number): number;
}

export const MODULO_2_32: Arithmetic = { add: (a, b) => (a + b) | 0, multiply: Math.imul };
/** Assumes that nothing wraps. */
export const EXACT: Arithmetic = { add: (a, b) => a + b, multiply: (a, b) => a * b };

type Operation = IrInstruction | ConstExprInstruction;

export interface AffineRules<Leaf = IrValue> {
  readonly arithmetic: Arithmetic;
  /** Values of other types have no form. */
  accepts(value: IrValue): boolean;
  /** What ends the walk, mostly a leaf with factor 1. `depth`: how many operations the walk may still go. */
  leafOf(value: IrValue, depth: number): AffineForm<Leaf> | null;
  /** The result of the cast, or freeze, counts as its operand. */
  looksThrough(operation: Extract<Operation, { op: "cast" | "freeze" }>): boolean;
  /** Asked about operands of a multiplication: terms may be multiplied by this value. */
  isScale(value: IrValue): boolean;
  /** The operands of an `or` never have a bit in common: it is a sum. */
  isSum(or: Extract<Operation, { op: "binary" }>): boolean;
  readonly maxTerms: number;
}

/** Null where the value is no such sum, or one of more terms than are of use. */
export function affineForm<Leaf>(
  value: IrValue,
  rules: AffineRules<Leaf>,
  depth: number = Infinity,
): AffineForm<Leaf> | null {
  if (!rules.accepts(value)) return null;
  if (value.kind === "const-int") return { terms: [], constant: Number(signedValue(value)) };
  const leaf = rules.leafOf(value, depth);
  if (leaf !== null || depth === 0) return leaf;
  const i = operationOf(value);
  const of = (operand: IrValue): AffineForm<Leaf> | null => affineForm(operand, rules, depth - 1);
  switch (i?.op) {
    case "cast":
    case "freeze":
      return rules.looksThrough(i) ? of(i.operand) : null;
    case "gep": {
      const { constant, terms } = gepOffset(i.sourceType, i.indices);
      let result = plus(of(i.base), { terms: [], constant }, rules);
      for (const { index, scale } of terms) result = plus(result, times(of(index), scale, rules), rules);
      return result;
    }
    case "binary":
      return ofBinary(i, of, rules);
    default:
      return null;
  }
}

function ofBinary<Leaf>(
  i: Extract<Operation, { op: "binary" }>,
  of: (operand: IrValue) => AffineForm<Leaf> | null,
  rules: AffineRules<Leaf>,
): AffineForm<Leaf> | null {
  switch (i.operator) {
    case "add":
      return plus(of(i.lhs), of(i.rhs), rules);
    case "sub":
      return plus(of(i.lhs), times(of(i.rhs), -1, rules), rules);
    case "or":
      return rules.isSum(i) ? plus(of(i.lhs), of(i.rhs), rules) : null;
    case "shl":
      return i.rhs.kind === "const-int" && i.rhs.value < 32n ? times(of(i.lhs), 2 ** Number(i.rhs.value), rules) : null;
    case "mul": {
      const [a, b] = [of(i.lhs), of(i.rhs)];
      if (b?.terms.length === 0) return times(a, b.constant, rules);
      if (a?.terms.length === 0) return times(b, a.constant, rules);
      if (rules.isScale(i.rhs)) return scaled(a, i.rhs, rules);
      return rules.isScale(i.lhs) ? scaled(b, i.lhs, rules) : null;
    }
    default:
      return null;
  }
}

/** The form of a leaf, once. */
export function leafForm<Leaf>(value: Leaf): AffineForm<Leaf> {
  return { terms: [{ value, factor: 1, scale: null }], constant: 0 };
}

/** A text by which forms with the same terms are found. */
export function termsKey<Leaf>(form: AffineForm<Leaf>, idOf: (value: Leaf | IrValue) => number): string {
  return form.terms
    .map((t) => `${idOf(t.value)}*${t.factor}*${t.scale === null ? "" : idOf(t.scale)}`)
    .sort()
    .join("+");
}

type Sums<Leaf> = Pick<AffineRules<Leaf>, "arithmetic" | "maxTerms">;

export function plus<Leaf>(
  a: AffineForm<Leaf> | null,
  b: AffineForm<Leaf> | null,
  { arithmetic, maxTerms }: Sums<Leaf>,
): AffineForm<Leaf> | null {
  if (a === null || b === null) return null;
  const terms = [...a.terms];
  for (const t of b.terms) {
    const at = terms.findIndex((x) => x.value === t.value && x.scale === t.scale);
    if (at < 0) terms.push(t);
    else terms[at] = { ...t, factor: arithmetic.add(terms[at]!.factor, t.factor) };
  }
  const rest = terms.filter((t) => t.factor !== 0);
  return rest.length > maxTerms ? null : { terms: rest, constant: arithmetic.add(a.constant, b.constant) };
}

function times<Leaf>(a: AffineForm<Leaf> | null, by: number, { arithmetic }: Sums<Leaf>): AffineForm<Leaf> | null {
  if (a === null) return null;
  const terms = a.terms.map((t) => ({ ...t, factor: arithmetic.multiply(t.factor, by) })).filter((t) => t.factor !== 0);
  return { terms, constant: arithmetic.multiply(a.constant, by) };
}

function scaled<Leaf>(a: AffineForm<Leaf> | null, scale: IrValue, rules: AffineRules<Leaf>): AffineForm<Leaf> | null {
  if (a === null || a.terms.some((t) => t.scale !== null)) return null;
  const terms = a.terms.map((t) => ({ ...t, scale }));
  if (a.constant === 0) return { terms, constant: 0 };
  return plus({ terms, constant: 0 }, times(rules.leafOf(scale, 0), a.constant, rules), rules);
}
