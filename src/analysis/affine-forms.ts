/**
 * Integers and addresses as sums: constant + Σ factor × scale × value (modulo 2^32), over values that the caller
 * chooses as leaves. What address arithmetic mostly is; whatever else it meets makes it give up.
 */
import { gepOffset } from "../ir/model/gep.ts";
import type { IrInstruction, IrValue } from "../ir/model/ir.ts";

export interface LinearTerm {
  readonly value: IrValue;
  readonly factor: number;
  /** A second value that the term is multiplied by. */
  readonly scale: IrValue | null;
}

export interface LinearForm {
  readonly terms: readonly LinearTerm[];
  readonly constant: number;
}

export interface LinearLeaves {
  isLeaf(value: IrValue): boolean;
  /** A leaf that may stand as a scale. */
  isScale(value: IrValue): boolean;
  /** The operands of an `or` never have a bit in common: it is a sum. */
  isSum(or: IrInstruction & { op: "binary" }): boolean;
}

/** Null where the value is no such sum, or a longer one than is worth having. */
export function linearForm(value: IrValue, leaves: LinearLeaves): LinearForm | null {
  if (!isWord(value)) return null;
  if (value.kind === "const-int") return { terms: [], constant: Number(BigInt.asIntN(32, value.value)) };
  if (leaves.isLeaf(value)) return { terms: [{ value, factor: 1, scale: null }], constant: 0 };
  if (value.kind !== "instruction") return null;
  const of = (v: IrValue): LinearForm | null => linearForm(v, leaves);
  switch (value.op) {
    case "cast":
      return value.operator === "addrspacecast" || value.operator === "ptrtoint" || value.operator === "inttoptr"
        ? of(value.operand)
        : null;
    case "gep": {
      const { constant, terms } = gepOffset(value.sourceType, value.indices);
      let result = plus(of(value.base), { terms: [], constant });
      for (const { index, scale } of terms) result = plus(result, times(of(index), scale));
      return result;
    }
    case "binary":
      switch (value.operator) {
        case "add":
          return plus(of(value.lhs), of(value.rhs));
        case "sub":
          return plus(of(value.lhs), times(of(value.rhs), -1));
        case "or":
          return leaves.isSum(value) ? plus(of(value.lhs), of(value.rhs)) : null;
        case "shl":
          return value.rhs.kind === "const-int" && value.rhs.value < 32n
            ? times(of(value.lhs), 2 ** Number(value.rhs.value))
            : null;
        case "mul": {
          const [a, b] = [of(value.lhs), of(value.rhs)];
          if (b?.terms.length === 0) return times(a, b.constant);
          if (a?.terms.length === 0) return times(b, a.constant);
          if (leaves.isScale(value.rhs)) return scaled(a, value.rhs);
          return leaves.isScale(value.lhs) ? scaled(b, value.lhs) : null;
        }
        default:
          return null;
      }
    default:
      return null;
  }
}

/** A text by which forms with the same terms are found. */
export function termsKey(form: LinearForm, idOf: (value: IrValue) => number): string {
  return form.terms
    .map((t) => `${idOf(t.value)}*${t.factor}*${t.scale === null ? "" : idOf(t.scale)}`)
    .sort()
    .join("+");
}

const MAX_TERMS = 8;

function plus(a: LinearForm | null, b: LinearForm | null): LinearForm | null {
  if (a === null || b === null) return null;
  const terms = [...a.terms];
  for (const t of b.terms) {
    const at = terms.findIndex((x) => x.value === t.value && x.scale === t.scale);
    if (at < 0) terms.push(t);
    else terms[at] = { ...t, factor: (terms[at]!.factor + t.factor) | 0 };
  }
  const kept = terms.filter((t) => t.factor !== 0);
  return kept.length > MAX_TERMS ? null : { terms: kept, constant: (a.constant + b.constant) | 0 };
}

function times(a: LinearForm | null, by: number): LinearForm | null {
  if (a === null) return null;
  const terms = a.terms.map((t) => ({ ...t, factor: Math.imul(t.factor, by) })).filter((t) => t.factor !== 0);
  return { terms, constant: Math.imul(a.constant, by) };
}

function scaled(a: LinearForm | null, scale: IrValue): LinearForm | null {
  if (a === null || a.terms.some((t) => t.scale !== null)) return null;
  const terms = a.terms.map((t) => ({ ...t, scale }));
  return a.constant === 0
    ? { terms, constant: 0 }
    : plus({ terms, constant: 0 }, { terms: [{ value: scale, factor: a.constant, scale: null }], constant: 0 });
}

function isWord(v: IrValue): boolean {
  return v.type.kind === "ptr" || (v.type.kind === "int" && v.type.bits === 32);
}
