/**
 * Which loads of a block go to one place: scalars at constant distances from each other, with nothing between them that
 * stores, waits or ends the thread. One test of their lowest and highest address is a test of all: legal addresses have
 * no gap, and where the test fails, one of the loads is a fault.
 *
 * Used by: lane-operations/grouped-loads.ts.
 */
import { MODULO_2_32, affineForm, leafForm, termsKey, type AffineRules } from "../../../analysis/loops/affine-forms.ts";
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

/** Longer sums take longer to compare than a test takes. */
const MAX_TERMS = 8;
/** How far apart loads may be. */
const MAX_SPAN = 4096;
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

/** `canJoin`: the load is of a scalar, and is tested by nothing else. */
export function loadGroups(
  block: IrBlock,
  canJoin: (load: LoadInstruction) => boolean,
): ReadonlyMap<IrInstruction, LoadGroup> {
  const groups = new Map<IrInstruction, LoadGroup>();
  const ids = new Map<IrValue, number>();
  const idOf = (value: IrValue): number => {
    if (!ids.has(value)) ids.set(value, ids.size);
    return ids.get(value)!;
  };
  let open = new Map<string, { readonly load: LoadInstruction; readonly constant: number }[]>();
  const close = (): void => {
    for (const members of open.values()) addGroup(groups, members);
    open = new Map();
  };
  for (const i of block.instructions) {
    if (!hasNoEffect(i)) close();
    if (i.op !== "load" || i.ordering !== null || i.volatile || !canJoin(i)) continue;
    const bytes = bytesOf(elementOf(i.type));
    if (elementOf(i.type) === "i1" || i.align < bytes) continue;
    const form = affineForm(i.pointer, rulesOf(block));
    if (form === null || form.terms.length === 0) continue;
    const key = `${bytes} ${termsKey(form, idOf)}`;
    const members = open.get(key) ?? [];
    members.push({ load: i, constant: form.constant });
    open.set(key, members);
  }
  close();
  return groups;
}

function addGroup(
  groups: Map<IrInstruction, LoadGroup>,
  members: readonly { readonly load: LoadInstruction; readonly constant: number }[],
): void {
  const [first] = members;
  if (first === undefined) return;
  const bytes = bytesOf(elementOf(first.load.type));
  // Distances from the first load: constants are modulo 2^32.
  const distances = members.map(({ load, constant }) => ({ load, distance: (constant - first.constant) | 0 }));
  const near = distances.filter(({ distance }) => Math.abs(distance) <= MAX_SPAN / 2 && distance % bytes === 0);
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

/** Sums of what other blocks compute, and of what is no sum. */
function rulesOf(block: IrBlock): AffineRules {
  const isSum = (value: IrValue): boolean => {
    if (value.kind !== "instruction" || value.block !== block) return false;
    if (value.op === "gep") return true;
    if (value.op === "cast") return ADDRESS_CASTS.has(value.operator);
    if (value.op !== "binary") return false;
    return (
      value.operator === "add" ||
      value.operator === "sub" ||
      (value.operator === "shl" && value.rhs.kind === "const-int" && value.rhs.value < 32n)
    );
  };
  return {
    arithmetic: MODULO_2_32,
    accepts: ({ type }) => type.kind === "ptr" || (type.kind === "int" && type.bits === 32),
    leafOf: (value) => (value.kind === "const-int" || isSum(value) ? null : leafForm(value)),
    looksThrough: (i) => i.op === "cast" && ADDRESS_CASTS.has(i.operator),
    isScale: () => false,
    isSum: () => false,
    maxTerms: MAX_TERMS,
  };
}
