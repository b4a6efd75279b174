/** Functions that access memory: loads, stores, atomics, and pointers to blocks. Descriptors: descriptors.ts. */
import type { AtomicOperator, AtomicOrdering, CacheHint } from "../../../../ir/model/ir.ts";
import { blockType } from "../../blocks/types.ts";
import type { CompileContext } from "../context.ts";
import {
  bitcast,
  broadcastTo,
  cast,
  commonShape,
  describe,
  describeType,
  shapeOf,
  tensor,
  toTensor,
  valueAs,
} from "../conversions.ts";
import { INT1, INT16, INT32, INT64, INT8, isFloat, isInteger, type Dtype } from "../dtypes.ts";
import { binary, compare, logical } from "../operators.ts";
import { builtin, type Bound } from "../signature.ts";
import { NONE, intValue, type BlockPointerValue, type BuiltinValue, type TensorValue, type Value } from "../values.ts";

/** An access with pointers of its own for each element. */
export interface Access {
  readonly pointer: TensorValue;
  readonly pointee: Dtype;
  readonly mask: TensorValue | null;
}

export function pointerArgument(c: CompileContext, value: Value, what: string): TensorValue {
  if (value.kind !== "tensor" || value.dtype.pointee === null)
    return c.fail(`Unsupported ptr type ${describe(value)} in \`tl.${what}\``, [
      "the first argument is a pointer, or a block of pointers",
    ]);
  return value;
}

function maskArgument(c: CompileContext, a: Bound, pointer: TensorValue): TensorValue | null {
  if (!a.has("mask")) return null;
  const mask = cast(c, toTensor(c, a.get("mask")), INT1);
  if (shapeOf(pointer).length === 0 && shapeOf(mask).length > 0)
    return c.fail("Mask argument cannot be block type if pointer argument is not a block");
  return mask;
}

function access(c: CompileContext, a: Bound, what: string): Access {
  const given = a.get("pointer");
  if (given.kind === "block-pointer") {
    if (a.has("mask") || a.has("other"))
      return c.fail("`mask` and `other` arguments cannot be specified for loading block pointers");
    return blockAccess(c, given, a.integers("boundary_check"));
  }
  if (a.tuple("boundary_check").items.length > 0)
    return c.fail("`boundary_check` argument is not supported for loading a tensor of pointers or loading a scalar");
  let pointer = pointerArgument(c, given, what);
  let mask = maskArgument(c, a, pointer);
  if (mask !== null) {
    const shape = commonShape(c, shapeOf(pointer), shapeOf(mask));
    pointer = broadcastTo(c, pointer, shape);
    mask = broadcastTo(c, mask, shape);
  }
  return { pointer, mask, pointee: pointer.dtype.pointee as Dtype };
}

/**
 * The pointers and the mask that a pointer to a block stands for. The block's own place is added first, as scalars: the
 * places in the block are the same wherever it lies.
 */
export function blockAccess(c: CompileContext, block: BlockPointerValue, checked: readonly number[]): Access {
  const { base, shape, strides, offsets, blockShape } = block;
  let pointer: Value = base;
  let mask: Value | null = null;
  for (const [d, offset] of offsets.entries())
    pointer = binary(c, "+", pointer, binary(c, "*", offset, strides[d] as TensorValue));
  for (const [d, size] of blockShape.entries()) {
    const along = blockShape.map((_, i) => (i === d ? size : 1));
    const range = cast(c, tensor(INT32, c.builder.reshape(c.builder.range(0, size), along)), INT64);
    pointer = binary(c, "+", pointer, binary(c, "*", range, strides[d] as TensorValue));
    if (!checked.includes(d)) continue;
    const index = binary(c, "+", range, offsets[d] as TensorValue);
    const isBelow = compare(c, "<", index, shape[d] as TensorValue);
    const inside: TensorValue = isAtStart(offsets[d] as TensorValue)
      ? (isBelow as TensorValue)
      : logical(c, "and", compare(c, ">=", index, intValue(0)), isBelow);
    mask = mask === null ? inside : logical(c, "and", mask, inside);
  }
  const pointers = broadcastTo(c, pointer as TensorValue, blockShape);
  return {
    pointer: pointers,
    mask: mask === null ? null : broadcastTo(c, mask as TensorValue, blockShape),
    pointee: base.dtype.pointee as Dtype,
  };
}

/** No index is below it. */
function isAtStart({ value }: TensorValue): boolean {
  const op = value.op?.op === "cast" ? value.op.operands[0].op : value.op;
  return op?.op === "constant" && op.value.kind === "const-int" && op.value.value === 0n;
}

/** Conditions lie in memory as bytes. */
function storedAs(dtype: Dtype): Dtype {
  return dtype === INT1 ? INT8 : dtype;
}

const LOAD_CACHE: Readonly<Record<string, CacheHint | "ca" | null>> = {
  "": null,
  ".ca": "ca",
  ".cg": "cg",
  ".cv": null,
};
const STORE_CACHE: Readonly<Record<string, CacheHint | null>> = {
  "": null,
  ".wb": null,
  ".cg": "cg",
  ".cs": "cs",
  ".wt": null,
};
const EVICTION = ["evict_first", "evict_last", "evict_normal"];

export const load: BuiltinValue = builtin(
  "load(pointer, mask=, other=, boundary_check=, padding_option=, cache_modifier=, eviction_policy=, volatile=)",
  (a, c) => {
    if (a.has("other") && !a.has("mask") && a.get("pointer").kind !== "block-pointer")
      return c.fail("`other` cannot be provided without `mask`");
    a.choice("eviction_policy", EVICTION);
    const padding = a.choice("padding_option", ["zero", "nan"]);
    const { pointer, mask, pointee } = access(c, a, "load");
    const dtype = storedAs(pointee);
    const shape = shapeOf(pointer);
    let other: TensorValue | null = null;
    if (a.has("other")) other = broadcastTo(c, valueAs(c, a.get("other"), dtype), shape);
    else if (padding === "zero" || padding === "nan") {
      if (padding === "nan" && !isFloat(dtype)) return c.fail("Padding option `nan` is only supported for floats");
      other = tensor(dtype, c.builder.number(dtype.element, padding === "nan" ? NaN : 0, shape));
    }
    const loaded = c.builder.one(
      {
        op: "load",
        pointer: pointer.value,
        mask: mask?.value ?? null,
        other: mask === null ? null : (other?.value ?? null),
        cache: LOAD_CACHE[a.choice("cache_modifier", Object.keys(LOAD_CACHE))] ?? null,
        isVolatile: a.flag("volatile"),
      },
      blockType(dtype.element, shape),
    );
    const result = tensor(dtype, loaded);
    return pointee === INT1 ? cast(c, result, INT1) : result;
  },
);

export const store: BuiltinValue = builtin(
  "store(pointer, value, mask=, boundary_check=, cache_modifier=, eviction_policy=)",
  (a, c) => {
    a.choice("eviction_policy", EVICTION);
    let { pointer, mask } = access(c, a, "store");
    if (pointer.dtype.isConst === true) return c.fail("Cannot store to a constant pointer");
    const dtype = storedAs(pointer.dtype.pointee as Dtype);
    let value = valueAs(c, a.get("value"), pointer.dtype.pointee as Dtype);
    if (shapeOf(pointer).length === 0 && shapeOf(value).length > 0)
      return c.fail("Value argument cannot be block type if pointer argument is not a block", [
        `the pointer is ${describeType(pointer)}, the value ${describeType(value)}`,
      ]);
    const shape = commonShape(c, shapeOf(pointer), shapeOf(value));
    pointer = broadcastTo(c, pointer, shape);
    value = broadcastTo(c, cast(c, value, dtype), shape);
    mask = mask === null ? null : broadcastTo(c, mask, shape);
    const cache = STORE_CACHE[a.choice("cache_modifier", Object.keys(STORE_CACHE))] ?? null;
    c.builder.append({ op: "store", pointer: pointer.value, value: value.value, mask: mask?.value ?? null, cache }, []);
    return NONE;
  },
);

// ---------------------------------------------------------------- atomics

const ORDERINGS: Readonly<Record<string, AtomicOrdering>> = {
  "": "acq_rel",
  acquire: "acquire",
  release: "release",
  acq_rel: "acq_rel",
  relaxed: "monotonic",
};
const SCOPES: Readonly<Record<string, string | null>> = { "": "device", gpu: "device", cta: "block", sys: null };

function semantics(a: Bound): { ordering: AtomicOrdering; scope: string | null } {
  return {
    ordering: ORDERINGS[a.choice("sem", Object.keys(ORDERINGS))] ?? "acq_rel",
    scope: SCOPES[a.choice("scope", Object.keys(SCOPES))] ?? null,
  };
}

type OperatorOf = (dtype: Dtype, c: CompileContext) => AtomicOperator;

function atomic(name: string, operatorOf: OperatorOf): BuiltinValue {
  return builtin(`atomic_${name}(pointer, val, mask=, sem=, scope=)`, (a, c) => {
    let pointer = pointerArgument(c, a.get("pointer"), `atomic_${name}`);
    const pointee = pointer.dtype.pointee as Dtype;
    const isSmallFloat = isFloat(pointee) && pointee.bits === 16;
    if (pointee.kind === "pointer" || (isSmallFloat ? name !== "add" : pointee.bits < 32))
      return c.fail(`atomic_${name} does not support ${pointee.name}`);
    let value = valueAs(c, a.get("val"), pointee);
    let mask = maskArgument(c, a, pointer);
    const shape = [value, ...(mask === null ? [] : [mask])].reduce<readonly number[]>(
      (common, other) => commonShape(c, common, shapeOf(other)),
      shapeOf(pointer),
    );
    pointer = broadcastTo(c, pointer, shape);
    value = broadcastTo(c, value, shape);
    mask = mask === null ? null : broadcastTo(c, mask, shape);
    const old = c.builder.one(
      {
        op: "atomic",
        operator: operatorOf(pointee, c),
        pointer: pointer.value,
        value: value.value,
        mask: mask?.value ?? null,
        ...semantics(a),
      },
      value.value.type,
    );
    return tensor(pointee, old);
  });
}

const ofIntegers =
  (operator: AtomicOperator): OperatorOf =>
  (dtype, c) =>
    isFloat(dtype) ? c.fail(`atomic operation ${operator} needs integers, not ${dtype.name}`) : operator;

const extreme =
  (name: "max" | "min"): OperatorOf =>
  (dtype) =>
    isFloat(dtype) ? `f${name}` : (`${dtype.kind === "uint" ? "u" : ""}${name}` as const);

export const ATOMICS: ReadonlyMap<string, BuiltinValue> = new Map(
  [
    atomic("add", (dtype) => (isFloat(dtype) ? "fadd" : "add")),
    atomic("xchg", () => "xchg"),
    atomic("and", ofIntegers("and")),
    atomic("or", ofIntegers("or")),
    atomic("xor", ofIntegers("xor")),
    atomic("max", extreme("max")),
    atomic("min", extreme("min")),
  ].map((fn) => [fn.name, fn]),
);

const atomicCas = builtin("atomic_cas(pointer, cmp, val, sem=, scope=)", (a, c) => {
  const pointer = pointerArgument(c, a.get("pointer"), "atomic_cas");
  const pointee = pointer.dtype.pointee as Dtype;
  if (![16, 32, 64].includes(pointee.bits)) return c.fail("atomic_cas only supports elements with width {16, 32, 64}");
  const shape = shapeOf(pointer);
  // Floats are compared by their bits.
  const bits: Dtype = { 16: INT16, 32: INT32, 64: INT64 }[pointee.bits as 16 | 32 | 64];
  const asBits = (value: TensorValue): TensorValue => (isFloat(pointee) ? bitcast(c, value, bits) : value);
  const expected = asBits(broadcastTo(c, valueAs(c, a.get("cmp"), pointee), shape));
  const desired = asBits(broadcastTo(c, valueAs(c, a.get("val"), pointee), shape));
  const old = c.builder.one(
    {
      op: "compare-exchange",
      pointer: pointer.value,
      expected: expected.value,
      desired: desired.value,
      ...semantics(a),
    },
    desired.value.type,
  );
  const result = tensor(desired.dtype, old);
  return isFloat(pointee) ? bitcast(c, result, pointee) : result;
});

// ---------------------------------------------------------------- pointers to blocks

export function scalars(c: CompileContext, a: Bound, name: string): TensorValue[] {
  return a.tuple(name).items.map((item) => {
    const value = toTensor(c, item);
    if (!isInteger(value.dtype) || shapeOf(value).length > 0)
      return c.fail(`Expected a list of scalar integers in ${name}, got ${describe(item)}`);
    return cast(c, value, INT64);
  });
}

const makeBlockPtr = builtin("make_block_ptr(base, shape, strides, offsets, block_shape, order=)", (a, c) => {
  const base = pointerArgument(c, a.get("base"), "make_block_ptr");
  const blockShape = a.integers("block_shape");
  const block: BlockPointerValue = {
    kind: "block-pointer",
    base,
    shape: scalars(c, a, "shape"),
    strides: scalars(c, a, "strides"),
    offsets: scalars(c, a, "offsets"),
    blockShape,
  };
  const ranks = [block.shape, block.strides, block.offsets].map((list) => list.length);
  if (ranks.some((rank) => rank !== blockShape.length))
    return c.fail("Expected shape/strides/offsets/block_shape to have the same length");
  return block;
});

const advance = builtin("advance(base, offsets)", (a, c) => {
  const base = a.get("base");
  if (base.kind !== "block-pointer") return c.fail(`advance takes a block pointer, not ${describe(base)}`);
  const steps = scalars(c, a, "offsets");
  if (steps.length !== base.offsets.length) return c.fail("Expected offsets to have the length of the block's shape");
  const offsets = base.offsets.map((offset, d) => binary(c, "+", offset, steps[d] as TensorValue) as TensorValue);
  return { ...base, offsets };
});

const debugBarrier = builtin("debug_barrier()", (_, c) => {
  c.builder.append({ op: "barrier" }, []);
  return NONE;
});

const gridFunction = (name: string, grid: "wait" | "launch"): BuiltinValue =>
  builtin(`${name}()`, (_, c) => {
    c.builder.append({ op: "barrier", grid }, []);
    return NONE;
  });

/** Of triton.language.extra.cuda. */
export const GRID_FUNCTIONS: ReadonlyMap<string, BuiltinValue> = new Map([
  ["gdc_wait", gridFunction("gdc_wait", "wait")],
  ["gdc_launch_dependents", gridFunction("gdc_launch_dependents", "launch")],
]);

export const MEMORY_FUNCTIONS: readonly BuiltinValue[] = [
  load,
  store,
  ...ATOMICS.values(),
  atomicCas,
  makeBlockPtr,
  advance,
  debugBarrier,
];
