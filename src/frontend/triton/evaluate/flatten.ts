/** Values at run time as a list of tensors, for what passes into and out of regions. */
import { formatBlockType, sameBlockType } from "../blocks/types.ts";
import type { CompileContext } from "../language/context.ts";
import { describe, toTensor } from "../language/conversions.ts";
import { isEqual } from "../language/constants.ts";
import { isNumber, type TensorValue, type Value } from "../language/values.ts";

/** The tensors of a value, in a fixed order. Numbers become tensors. */
export function flatten(c: CompileContext, value: Value): TensorValue[] {
  if (value.kind === "tensor") return [value];
  if (isNumber(value)) return [toTensor(c, value)];
  if (value.kind === "tuple" || value.kind === "list") return value.items.flatMap((item) => flatten(c, item));
  if (value.kind === "block-pointer" || value.kind === "descriptor")
    return [value.base, ...value.shape, ...value.strides, ...value.offsets];
  return [];
}

/** The value with other tensors in the places of its own. */
export function rebuild(value: Value, tensors: readonly TensorValue[]): Value {
  let next = 0;
  const take = (): TensorValue => tensors[next++] as TensorValue;
  const build = (part: Value): Value => {
    if (part.kind === "tensor" || isNumber(part)) return take();
    if (part.kind === "tuple" || part.kind === "list") return { kind: part.kind, items: part.items.map(build) };
    if (part.kind === "block-pointer" || part.kind === "descriptor")
      return {
        ...part,
        base: take(),
        shape: part.shape.map(take),
        strides: part.strides.map(take),
        offsets: part.offsets.map(take),
      };
    return part;
  };
  return build(value);
}

/** Null if two values can stand for one another at run time; else how they differ, for a message. */
export function difference(c: CompileContext, a: Value, b: Value): string | null {
  const differs = `${describe(a)} and ${describe(b)}`;
  const isRuntime = (value: Value): boolean => value.kind === "tensor" || isNumber(value);
  if (isRuntime(a) && isRuntime(b)) {
    const [x, y] = [toTensor(c, a), toTensor(c, b)];
    if (x.dtype === y.dtype && sameBlockType(x.value.type, y.value.type)) return null;
    return x.dtype === y.dtype ? `${formatBlockType(x.value.type)} and ${formatBlockType(y.value.type)}` : differs;
  }
  if (a.kind !== b.kind) return differs;
  if (a.kind === "tuple" || a.kind === "list") {
    const { items } = b as typeof a;
    if (items.length !== a.items.length) return `tuples of ${a.items.length} and ${items.length} elements`;
    return a.items.map((item, i) => difference(c, item, items[i] as Value)).find((found) => found !== null) ?? null;
  }
  if (a.kind === "block-pointer" || a.kind === "descriptor") {
    if (`${a.blockShape}` !== `${(b as typeof a).blockShape}`) return differs;
    const [own, others] = [flatten(c, a), flatten(c, b)];
    if (own.length !== others.length) return differs;
    return own.map((part, i) => difference(c, part, others[i] as Value)).find((found) => found !== null) ?? null;
  }
  return isEqual(a, b) ? null : differs;
}
