/**
 * Which loads of a block go to one place: at constant distances from each other, with nothing between them that stores,
 * waits or ends the thread. One test of their lowest and highest address is a test of all: legal addresses have no gap,
 * and where the test fails, one of the loads is a fault.
 *
 * Used by: lane-operations/grouped-loads.ts, grouped-slice-loads.ts, store-groups.ts.
 */
import { MODULO_2_32, affineForm, leafForm, termsKey, type AffineRules } from "../../../analysis/loops/affine-forms.ts";
import { operationOf } from "../../../analysis/pointers/pointer-origins.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { IrBlock, IrInstruction, IrValue, LoadInstruction } from "../../../ir/model/ir.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { bytesOf, elementOf } from "../lane-operations/element.ts";
import { isWarpOperation } from "./eligibility.ts";

export interface LoadGroup {
  /** In the block's order. The distance of each from the lowest address is 0 or more, a multiple of its size. */
  readonly loads: readonly { readonly load: LoadInstruction; readonly distance: number }[];
  /** Of each load. */
  readonly bytes: 1 | 2 | 4 | 8;
}

/** How many operations of a sum are followed. */
const MAX_DEPTH = 12;
/** Longer sums take longer to compare than a test takes. */
const MAX_TERMS = 8;
const PURE: ReadonlySet<string> = new Set([
  "phi",
  "load",
  "binary",
  "icmp",
  "fcmp",
  "fneg",
  "cast",
  "gep",
  "select",
  "freeze",
]);
const ADDRESS_CASTS: ReadonlySet<string> = new Set(["addrspacecast", "ptrtoint", "inttoptr"]);

export interface GroupRules {
  /** Loads with the same text may form a group. Null: the load is tested by something else. */
  kindOf(load: LoadInstruction): string | null;
  /** How far apart loads may be, in bytes. */
  readonly mostSpan: number;
}

/** The places of a block's accesses: those with the same key are a constant distance from each other, modulo 2^32. */
export class Places {
  readonly #rules: readonly AffineRules[];
  readonly #ids = new Map<IrValue, number>();

  constructor(block: IrBlock) {
    this.#rules = [rulesOf(null), rulesOf(block)];
  }

  of(pointer: IrValue): { readonly key: string; readonly constant: number } | null {
    for (const rules of this.#rules) {
      const form = affineForm(pointer, rules, MAX_DEPTH);
      if (form !== null && form.terms.length > 0)
        return { key: termsKey(form, (value) => this.#idOf(value)), constant: form.constant };
    }
    return null;
  }

  #idOf(value: IrValue): number {
    if (!this.#ids.has(value)) this.#ids.set(value, this.#ids.size);
    return this.#ids.get(value)!;
  }
}

export function loadGroups(block: IrBlock, rules: GroupRules): ReadonlyMap<IrInstruction, LoadGroup> {
  const groups = new Map<IrInstruction, LoadGroup>();
  const places = new Places(block);
  let open = new Map<string, { readonly load: LoadInstruction; readonly constant: number }[]>();
  const close = (): void => {
    for (const members of open.values()) addGroup(groups, members, rules.mostSpan);
    open = new Map();
  };
  for (const i of block.instructions) {
    if (!hasNoEffect(i)) close();
    if (i.op !== "load" || i.ordering !== null || i.volatile) continue;
    const bytes = bytesOf(elementOf(i.type));
    if (elementOf(i.type) === "i1" || i.align < bytes) continue;
    const kind = rules.kindOf(i);
    const place = kind === null ? null : places.of(i.pointer);
    if (place === null) continue;
    const key = `${bytes} ${kind} ${place.key}`;
    const members = open.get(key) ?? [];
    members.push({ load: i, constant: place.constant });
    open.set(key, members);
  }
  close();
  return groups;
}

function addGroup(
  groups: Map<IrInstruction, LoadGroup>,
  members: readonly { readonly load: LoadInstruction; readonly constant: number }[],
  mostSpan: number,
): void {
  const [first] = members;
  if (first === undefined) return;
  const bytes = bytesOf(elementOf(first.load.type));
  // Distances from the first load: constants are modulo 2^32.
  const distances = members.map(({ load, constant }) => ({ load, distance: (constant - first.constant) | 0 }));
  const near = distances.filter(({ distance }) => Math.abs(distance) <= mostSpan / 2 && distance % bytes === 0);
  if (near.length < 2) return;
  const least = Math.min(...near.map(({ distance }) => distance));
  const group: LoadGroup = { loads: near.map((member) => ({ ...member, distance: member.distance - least })), bytes };
  for (const { load } of near) groups.set(load, group);
}

function hasNoEffect(i: IrInstruction): boolean {
  if (i.op === "load") return i.ordering === null;
  if (i.op !== "call") return PURE.has(i.op);
  const name = calleeName(i) ?? "";
  return intrinsicOf(name)?.kind === "pure" && !isWarpOperation(name);
}

/** Sums of what is no sum, or of what other blocks compute, too, where a block is given. */
function rulesOf(block: IrBlock | null): AffineRules {
  const isSum = (value: IrValue): boolean => {
    const i = operationOf(value);
    if (i === null || (value.kind === "instruction" && block !== null && value.block !== block)) return false;
    if (i.op === "gep") return true;
    if (i.op === "cast") return ADDRESS_CASTS.has(i.operator);
    if (i.op !== "binary") return false;
    return (
      i.operator === "add" ||
      i.operator === "sub" ||
      (i.operator === "shl" && i.rhs.kind === "const-int" && i.rhs.value < 32n)
    );
  };
  return {
    arithmetic: MODULO_2_32,
    accepts: ({ type }) => type.kind === "ptr" || (type.kind === "int" && type.bits === 32),
    leafOf: (value, depth) => (value.kind === "const-int" || (depth > 0 && isSum(value)) ? null : leafForm(value)),
    looksThrough: (i) => i.op === "cast" && ADDRESS_CASTS.has(i.operator),
    isScale: () => false,
    isSum: () => false,
    maxTerms: MAX_TERMS,
  };
}
