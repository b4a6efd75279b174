/** Elements, reinterpretation and reconstruction of vectors that are held as parts (legalize-types.ts). */
import { unsupported } from "../../base/diagnostics.ts";
import { constI32, constPoison, newInstruction } from "../model/build.ts";
import type { Emitter } from "../model/emitter.ts";
import type { InsertElementInstruction, IrType, IrValue } from "../model/ir.ts";
import { regroup } from "./legalize-ints.ts";
import { partWidths } from "./legalize-memory.ts";
import { isLegal, partTypes } from "./legalize-types.ts";
import { intType, sameType, scalarBits } from "../model/types.ts";

type Parts = readonly IrValue[];

/** The parts of the element at a constant index; beyond the vector, poison. `each`: the part types of an element. */
export function elementAt(parts: Parts, each: readonly IrType[], index: number): Parts {
  const at = index * each.length;
  return at + each.length <= parts.length ? parts.slice(at, at + each.length) : each.map((type) => constPoison(type));
}

/** The element at an index known only when it runs: a chain of selections, as vectors are short. */
export function selectElement(e: Emitter, parts: Parts, each: number, index: IrValue): Parts {
  let result = parts.slice(0, each);
  for (let n = 1; n < parts.length / each; n++) {
    const isThis = e.icmp("eq", index, n);
    result = result.map((value, k) => e.select(isThis, parts[n * each + k] as IrValue, value));
  }
  return result;
}

export function insertElement(e: Emitter, parts: Parts, element: Parts, index: IrValue | number): IrValue[] {
  const each = element.length;
  const pick = (n: number, value: IrValue): IrValue => {
    const own = Math.floor(n / each);
    const inserted = element[n % each] as IrValue;
    if (typeof index === "number") return own === index ? inserted : value;
    return e.select(e.icmp("eq", index, own), inserted, value);
  };
  return parts.map((value, n) => pick(n, value));
}

/** The same bits in other groups. */
export function bitcastParts(e: Emitter, from: IrType, to: IrType, parts: Parts): IrValue[] {
  const target = partTypes(to);
  if (parts.length === target.length && target.every((type, n) => sameType((parts[n] as IrValue).type, type)))
    return [...parts];
  const widths = partWidths(from);
  const fields = parts.map((value, n) => ({ value: asInt(e, value), bits: widths[n] as number }));
  const wanted = partWidths(to);
  const same = wanted.length === widths.length && wanted.every((width, n) => width === widths[n]);
  const values = same ? fields.map((field) => field.value) : regroup(e, fields, wanted);
  return values.map((value, n) => {
    const type = target[n] as IrType;
    return type.kind === "ptr" ? e.cast("inttoptr", value, type) : e.cast("bitcast", value, type);
  });
}

function asInt(e: Emitter, value: IrValue): IrValue {
  const { type } = value;
  if (type.kind === "float") return e.cast("bitcast", value, intType(scalarBits(type)));
  return type.kind === "ptr" ? e.cast("ptrtoint", value, intType(type.bits)) : value;
}

/** A vector value again from its parts, for an intrinsic of the target that takes one. */
export function rebuildVector(e: Emitter, type: IrType, parts: Parts): IrValue {
  if (type.kind !== "vector" || !isLegal(type.element))
    throw unsupported("an aggregate as an argument of a target intrinsic", e.location ?? undefined);
  let result: IrValue = constPoison(type);
  for (const [n, part] of parts.entries()) {
    result = e.append(
      newInstruction<InsertElementInstruction>(e, {
        op: "insertelement",
        type,
        name: e.name(),
        vector: result,
        element: part,
        index: constI32(n),
      }),
    );
  }
  return result;
}

/** The parts of what an intrinsic of the target returned. */
export function takeApart(e: Emitter, value: IrValue, type: IrType): IrValue[] {
  if (type.kind === "vector") {
    if (!isLegal(type.element))
      throw unsupported("a result of a target intrinsic with elements of unusual width", e.location ?? undefined);
    return Array.from({ length: type.length }, (_, n) =>
      e.append(
        newInstruction(e, {
          op: "extractelement",
          type: type.element,
          name: e.name(),
          vector: value,
          index: constI32(n),
        }),
      ),
    );
  }
  if (type.kind !== "struct")
    throw unsupported("an array as the result of a target intrinsic", e.location ?? undefined);
  return type.elements.flatMap((element, n) => {
    const part = e.extractValue(value, [n], element);
    return isLegal(element) ? [part] : takeApart(e, part, element);
  });
}
