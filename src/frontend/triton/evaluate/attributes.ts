/** `x.name` and `x[…]`. */
import { didYouMean } from "../../../base/suggestions.ts";
import { describe, shapeOf, tensor } from "../language/conversions.ts";
import { isEqual } from "../language/constants.ts";
import { isFloat, isInteger, type Dtype } from "../language/dtypes.ts";
import { descriptorMethod } from "../language/builtins/descriptors.ts";
import { builtin } from "../language/signature.ts";
import { moduleAttribute, tensorMethod, tensorMethodNames } from "../language/modules.ts";
import {
  NONE,
  boolValue,
  intValue,
  stringValue,
  type BlockPointerValue,
  type BuiltinValue,
  type ConfigValue,
  type DictValue,
  type TensorValue,
  type Value,
} from "../language/values.ts";
import type { Evaluation } from "./evaluation.ts";

export function attribute(c: Evaluation, value: Value, name: string): Value {
  switch (value.kind) {
    case "module":
      if (value.scope !== undefined) return value.scope.get(name) ?? missing(c, value.path, name);
      return moduleAttribute(c, value.path, name) ?? missing(c, value.path, name);
    case "unknown":
      return { ...value, what: `${value.what}.${name}` };
    case "tensor":
      return tensorAttribute(c, value, name);
    case "descriptor":
      return descriptorAttribute(c, value, name);
    case "block-pointer": {
      if (name === "type" || name === "dtype") return { kind: "dtype", dtype: value.base.dtype };
      const method = tensorMethod(name);
      return method === null ? noAttribute(c, value, name) : bound(method, value);
    }
    case "dtype":
      return dtypeAttribute(c, value.dtype, name);
    case "config":
      return configAttribute(c, value, name);
    case "dict":
      return dictMethod(c, value, name);
    case "string":
      if (name === "value") return value;
      return stringMethod(value.value, name) ?? noAttribute(c, value, name);
    case "int":
    case "float":
    case "bool":
    case "none":
      // A constexpr is its value here.
      if (name === "value") return value;
      // Numbers have blocks' methods after they were assigned; a constant may still be asked for its type.
      return noAttribute(c, value, name);
    default:
      return noAttribute(c, value, name);
  }
}

function noAttribute(c: Evaluation, value: Value, name: string): never {
  return c.fail(`AttributeError: ${describe(value)} has no attribute '${name}'`);
}

function missing(c: Evaluation, path: string, name: string): Value {
  return c.fail(`AttributeError: module '${path}' has no attribute '${name}'`);
}

/** A function whose first argument is given. */
function bound(method: BuiltinValue, self: Value): BuiltinValue {
  return {
    ...method,
    call: (c, { positional, keywords }) => method.call(c, { positional: [self, ...positional], keywords }),
  };
}

function tensorAttribute(c: Evaluation, value: TensorValue, name: string): Value {
  const shape = shapeOf(value);
  switch (name) {
    case "dtype":
      return { kind: "dtype", dtype: value.dtype };
    case "shape":
      return { kind: "tuple", items: shape.map(intValue) };
    case "numel":
      return intValue(shape.reduce((product, size) => product * size, 1));
    case "T": {
      if (shape.length !== 2) return c.fail(`.T needs two dimensions, not ${describe(value)}`);
      return tensor(value.dtype, c.builder.transpose(value.value, [1, 0]));
    }
    case "type":
      if (shape.length > 0) return c.unsupported("`.type` of a block (`.dtype` is its element type)");
      return { kind: "dtype", dtype: value.dtype };
    default: {
      const method = tensorMethod(name);
      if (method !== null) return bound(method, value);
      const hint = didYouMean(name, tensorMethodNames());
      return c.fail(`AttributeError: ${describe(value)} has no attribute '${name}'${hint}`);
    }
  }
}

function descriptorAttribute(c: Evaluation, value: BlockPointerValue, name: string): Value {
  switch (name) {
    case "dtype":
      return { kind: "dtype", dtype: value.base.dtype.pointee as Dtype };
    case "block_shape":
      return { kind: "tuple", items: value.blockShape.map(intValue) };
    case "shape":
    case "strides":
      return { kind: "tuple", items: value[name] };
    default: {
      const method = descriptorMethod(name);
      return method === null ? noAttribute(c, value, name) : bound(method, value);
    }
  }
}

function dtypeAttribute(c: Evaluation, dtype: Dtype, name: string): Value {
  const answer = (value: boolean): BuiltinValue => builtin(`${name}()`, () => boolValue(value));
  switch (name) {
    // A constexpr is its value here.
    case "value":
      return { kind: "dtype", dtype };
    case "element_ty":
      return { kind: "dtype", dtype: dtype.pointee ?? dtype };
    case "scalar":
      return { kind: "dtype", dtype };
    case "primitive_bitwidth":
    case "int_bitwidth":
    case "fp_bitwidth":
      return intValue(dtype.bits);
    case "itemsize":
      return intValue(Math.max(1, dtype.bits / 8));
    case "name":
      return stringValue(dtype.name);
    case "is_floating":
      return answer(isFloat(dtype));
    case "is_int":
      return answer(isInteger(dtype));
    case "is_int_signed":
      return answer(dtype.kind === "int" && dtype.bits > 1);
    case "is_int_unsigned":
      return answer(dtype.kind === "uint");
    case "is_ptr":
      return answer(dtype.kind === "pointer");
    case "is_block":
      return answer(false);
    default: {
      const [, word] = /^is_((?:fp|bf|int|uint)\d+)$/.exec(name) ?? [];
      if (word !== undefined) return answer(dtype.name === word);
      return c.fail(`AttributeError: the type ${dtype.name} has no attribute '${name}'`);
    }
  }
}

const STRING_METHODS: Readonly<Record<string, (text: string) => string>> = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  strip: (text) => text.trim(),
};

function stringMethod(text: string, name: string): Value | null {
  if (Object.hasOwn(STRING_METHODS, name))
    return builtin(`${name}()`, () => stringValue((STRING_METHODS[name] as (of: string) => string)(text)));
  if (name === "startswith" || name === "endswith")
    return builtin(`${name}(part)`, (a) =>
      boolValue(name === "startswith" ? text.startsWith(a.string("part")) : text.endsWith(a.string("part"))),
    );
  if (name !== "split") return null;
  return builtin("split(separator)", (a): Value => {
    return { kind: "list", items: text.split(a.string("separator")).map(stringValue) };
  });
}

/** A configuration of autotune, as functions that choose among them see it. */
function configAttribute(c: Evaluation, config: ConfigValue, name: string): Value {
  const kwargs = config.constants.map((constant) => ({
    key: stringValue(constant.name),
    value: constant.value,
  }));
  // Triton's defaults.
  const options = { num_warps: config.numWarps ?? 4, num_stages: config.numStages ?? 3, num_ctas: 1 };
  if (name === "kwargs") return { kind: "dict", entries: kwargs };
  if (Object.hasOwn(options, name)) return intValue(options[name as "num_warps"]);
  if (name !== "all_kwargs") return noAttribute(c, config, name);
  const own = Object.entries(options).map(([key, value]) => ({ key: stringValue(key), value: intValue(value) }));
  return builtin("all_kwargs()", (): Value => ({ kind: "dict", entries: [...kwargs, ...own] }));
}

function dictMethod(c: Evaluation, value: DictValue, name: string): Value {
  if (name === "get")
    return builtin("get(key, default=)", (a) => {
      const key = a.get("key");
      return value.entries.find((entry) => isEqual(entry.key, key))?.value ?? a.get("default");
    });
  const lists: Readonly<Record<string, () => Value[]>> = {
    keys: () => value.entries.map(({ key }) => key),
    values: () => value.entries.map((entry) => entry.value),
    items: () => value.entries.map((entry): Value => ({ kind: "tuple", items: [entry.key, entry.value] })),
  };
  const list = Object.hasOwn(lists, name) ? lists[name] : undefined;
  const field = value.entries.find(({ key }) => key.kind === "string" && key.value === name)?.value;
  if (list === undefined && field !== undefined) return field;
  if (list === undefined) return noAttribute(c, value, name);
  return builtin(`${name}()`, (): Value => ({ kind: "list", items: list() }));
}

export function subscript(c: Evaluation, value: Value, index: readonly Value[]): Value {
  switch (value.kind) {
    case "tensor":
      return indexBlock(c, value, index);
    case "tuple":
    case "list": {
      const [position] = index;
      if (index.length !== 1 || position?.kind !== "int")
        return c.fail(`a tuple's index must be a constexpr integer, not ${describe(position ?? NONE)}`);
      const item = value.items.at(Number(position.value));
      return item ?? c.fail(`IndexError: tuple index ${position.value} out of range`);
    }
    case "dict": {
      const key: Value = index.length === 1 ? (index[0] as Value) : { kind: "tuple", items: index };
      return value.entries.find((entry) => isEqual(entry.key, key))?.value ?? c.fail(`KeyError: ${describe(key)}`);
    }
    case "unknown":
      return { ...value, what: `${value.what}[…]` };
    case "function":
      return c.fail(`${value.name}[grid] launches a kernel; a kernel calls helpers as ${value.name}(…)`);
    default:
      return c.fail(`${describe(value)} is not subscriptable`);
  }
}

/** `x[:, None]`: every None is a new dimension of one element. */
function indexBlock(c: Evaluation, source: TensorValue, index: readonly Value[]): Value {
  let { value } = source;
  const wrong = index.find(({ kind }) => kind !== "slice" && kind !== "none");
  if (wrong !== undefined)
    return c.fail(`unsupported tensor index: ${describe(wrong)}`, [
      "a block is indexed by `:` and `None` alone; tl.gather, tl.sum or tl.where take single elements",
    ]);
  // As in Triton, `:` beyond the dimensions changes nothing: `x[None, :]` and `x[:, None]` of a scalar are one element.
  for (const [axis, { kind }] of index.entries()) {
    if (kind !== "none") continue;
    const rank = value.type.shape.length;
    if (axis > rank && rank > 0)
      return c.fail(`too many indices for ${describe(source)}: it has ${source.value.type.shape.length} dimensions`);
    value = c.builder.expand(value, Math.min(axis, rank));
  }
  return tensor(source.dtype, value);
}
