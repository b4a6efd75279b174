/** Tensor descriptors: blocks of a tensor whose edges are checked, and rows of a matrix by their numbers. */
import type { CompileContext } from "../context.ts";
import { broadcastTo, cast, describe, describeType, shapeOf, tensor, toTensor } from "../conversions.ts";
import { INT32, INT64, bytesOf, type Dtype } from "../dtypes.ts";
import { binary, compare, logical } from "../operators.ts";
import { builtin, type Bound } from "../signature.ts";
import { NONE, intValue, type BlockPointerValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";
import { ATOMICS, blockAccess, load, pointerArgument, scalars, store } from "./memory.ts";

const DESCRIPTOR = "make_tensor_descriptor(base, shape, strides, block_shape, padding_option=)";
const makeDescriptor = builtin(DESCRIPTOR, (a, c) => {
  const block: BlockPointerValue = {
    kind: "descriptor",
    base: pointerArgument(c, a.get("base"), "make_tensor_descriptor"),
    shape: scalars(c, a, "shape"),
    strides: scalars(c, a, "strides"),
    offsets: [],
    blockShape: a.integers("block_shape"),
    padsWithNan: a.choice("padding_option", ["zero", "nan"]) === "nan",
  };
  if ([block.shape, block.strides].some((list) => list.length !== block.blockShape.length))
    return c.fail("Expected shape/strides/block_shape to have the same length");
  const bytes = (block.blockShape.at(-1) ?? 0) * bytesOf(block.base.dtype.pointee as Dtype);
  if (bytes < 16)
    return c.fail(`Descriptor block shape must have at least 16 bytes in the last dimension, but got ${bytes} bytes`);
  return block;
});

/** A descriptor at a place: all of its dimensions are checked. */
function placed(c: CompileContext, a: Bound): BlockPointerValue {
  const descriptor = a.get("desc");
  if (descriptor.kind !== "descriptor") return c.fail(`a tensor descriptor is needed, not ${describe(descriptor)}`);
  const offsets = scalars(c, a, "offsets");
  if (offsets.length !== descriptor.blockShape.length)
    return c.fail(`expected ${descriptor.blockShape.length} offsets, but got ${offsets.length}`);
  return { ...descriptor, kind: "block-pointer", offsets };
}

const dimensions = (block: BlockPointerValue): Value => ({
  kind: "tuple",
  items: block.blockShape.map((_, d) => intValue(d)),
});

const loadDescriptor = builtin("load_tensor_descriptor(desc, offsets, cache_modifier=, eviction_policy=)", (a, c) => {
  const block = placed(c, a);
  const padding = { kind: "string", value: block.padsWithNan === true ? "nan" : "zero" } as const;
  const keywords = new Map<string, Value>([
    ["boundary_check", dimensions(block)],
    ["padding_option", padding],
  ]);
  return c.call(load, [block], keywords);
});

const storeDescriptor = builtin("store_tensor_descriptor(desc, offsets, value)", (a, c) => {
  const block = placed(c, a);
  return c.call(store, [block, a.get("value")], new Map([["boundary_check", dimensions(block)]]));
});

/** Rows of a matrix by their numbers, and columns from one on: pointers, and a mask of what lies inside. */
function rowAccess(c: CompileContext, a: Bound, what: string): { pointer: TensorValue; mask: TensorValue } {
  const desc = a.get("desc");
  if (desc.kind !== "descriptor") return c.fail(`a tensor descriptor is needed, not ${describe(desc)}`);
  const [height, columns = 0] = desc.blockShape;
  if (desc.blockShape.length !== 2) return c.fail(`descriptor must be 2D, but got [${desc.blockShape.join(", ")}]`);
  if (height !== 1) return c.fail(`descriptor block must have 1 row, but got [${desc.blockShape.join(", ")}]`);
  const rows = toTensor(c, a.get("x_offsets"));
  const count = shapeOf(rows)[0] ?? 0;
  if (shapeOf(rows).length !== 1) return c.fail(`x offsets must be 1D, but got ${describeType(rows)}`);
  if (count < 8) return c.fail(`descriptor ${what} must have at least 8 rows, but got [${count}]`);
  const pointee = desc.base.dtype.pointee as Dtype;
  const least = (32 / pointee.bits) * 8;
  if (columns < least)
    return c.fail(`descriptor ${what} of ${pointee.name} must have at least ${least} columns, but got ${columns}`);
  const block = [count, columns];
  const row = tensor(INT64, c.builder.reshape(cast(c, rows, INT64).value, [count, 1]));
  const range = tensor(INT32, c.builder.reshape(c.builder.range(0, columns), [1, columns]));
  const column = binary(c, "+", cast(c, range, INT64), cast(c, toTensor(c, a.get("y_offset")), INT64)) as TensorValue;
  let pointer: Value = desc.base;
  let mask: Value | null = null;
  for (const [d, index] of [row, column].entries()) {
    pointer = binary(c, "+", pointer, binary(c, "*", index, desc.strides[d] as TensorValue));
    const isAbove = compare(c, ">=", index, intValue(0));
    const inside: Value = logical(c, "and", isAbove, compare(c, "<", index, desc.shape[d] as TensorValue));
    mask = mask === null ? inside : logical(c, "and", mask, inside);
  }
  return { pointer: broadcastTo(c, pointer as TensorValue, block), mask: broadcastTo(c, mask as TensorValue, block) };
}

const gatherRows = builtin("gather(desc, x_offsets, y_offset)", (a, c) => {
  const { pointer, mask } = rowAccess(c, a, "gather");
  return c.call(
    load,
    [pointer],
    new Map<string, Value>([
      ["mask", mask],
      ["other", intValue(0)],
    ]),
  );
});

const scatterRows = builtin("scatter(desc, value, x_offsets, y_offset)", (a, c) => {
  const { pointer, mask } = rowAccess(c, a, "scatter");
  return c.call(store, [pointer, a.get("value")], new Map<string, Value>([["mask", mask]]));
});

/** `desc.load`, `desc.store`, `desc.gather`, `desc.scatter`, `desc.atomic_add`. */
export function descriptorMethod(name: string): BuiltinValue | null {
  if (name === "gather") return gatherRows;
  if (name === "scatter") return scatterRows;
  if (name === "load") return loadDescriptor;
  if (name === "store") return storeDescriptor;
  const operation = /^atomic_(?:add|and|or|xor|max|min)$/.test(name) ? ATOMICS.get(name) : undefined;
  if (operation === undefined) return null;
  return builtin(`${name}(desc, offsets, value)`, (a, c) => {
    const block = placed(c, a);
    const { pointer, mask } = blockAccess(c, block, block.blockShape.keys().toArray());
    c.call(operation, [pointer, a.get("value")], new Map<string, Value>(mask === null ? [] : [["mask", mask]]));
    return NONE;
  });
}

export const DESCRIPTOR_FUNCTIONS: readonly BuiltinValue[] = [makeDescriptor, loadDescriptor, storeDescriptor];
