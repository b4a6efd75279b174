/** Assertions, output, hints. Hints change no result. */
import type { CompileContext } from "../context.ts";
import { blockType } from "../../blocks/types.ts";
import { broadcastTo, commonShape, describe, shapeOf, tensor, toTensor } from "../conversions.ts";
import type { Dtype } from "../dtypes.ts";
import { toCondition } from "../operators.ts";
import { builtin } from "../signature.ts";
import {
  NONE,
  intValue,
  truthOf,
  type BuiltinValue,
  type RangeValue,
  type TensorValue,
  type Value,
} from "../values.ts";

const staticAssert = builtin("static_assert(cond, msg=)", (a, c) => {
  const truth = truthOf(a.get("cond"));
  if (truth === null) return c.fail("static_assert needs a condition that is known at compile time");
  if (!truth) return c.fail(`static assertion failed${a.has("msg") ? `: ${textOf(a.get("msg"))}` : ""}`);
  return NONE;
});

export function textOf(value: Value): string {
  if (value.kind === "string") return value.value;
  if (value.kind === "tuple" || value.kind === "list") return `(${value.items.map(textOf).join(", ")})`;
  return describe(value);
}

const deviceAssert = builtin("device_assert(cond, msg=, mask=)", (a, c) => {
  const condition = toCondition(c, a.get("cond"));
  const mask = a.has("mask") ? toCondition(c, a.get("mask")) : null;
  const shape = mask === null ? shapeOf(condition) : commonShape(c, shapeOf(condition), shapeOf(mask));
  c.builder.append(
    {
      op: "assert",
      condition: broadcastTo(c, condition, shape).value,
      mask: mask === null ? null : broadcastTo(c, mask, shape).value,
      message: textOf(a.has("msg") ? a.get("msg") : { kind: "string", value: "" }),
    },
    [],
  );
  return NONE;
});

function print(c: CompileContext, prefix: string, values: readonly Value[], hex: boolean): Value {
  const tensors = values.map((value) => toTensor(c, value));
  const shape = tensors.reduce<readonly number[]>((common, value) => commonShape(c, common, shapeOf(value)), []);
  c.builder.append(
    {
      op: "print",
      prefix,
      operands: tensors.map((value: TensorValue) => broadcastTo(c, value, shape).value),
      isSigned: tensors.map(({ dtype }) => dtype.kind === "int"),
      hex,
    },
    [],
  );
  return NONE;
}

const devicePrint = builtin("device_print(prefix, *args, hex=)", (a, c) =>
  print(c, a.string("prefix"), a.rest, a.flag("hex")),
);

/** `print` in a kernel: strings are the prefix. */
export const printFunction: BuiltinValue = builtin("print(*args, sep=, end=)", (a, c) => {
  const words = a.rest.filter((value) => value.kind === "string").map(textOf);
  return print(
    c,
    words.join(" "),
    a.rest.filter(({ kind }) => kind !== "string"),
    false,
  );
});

const hint = (name: string): BuiltinValue => builtin(`${name}(input, values=)`, (a) => a.get("input"));

const nothing = (signature: string): BuiltinValue => builtin(signature, () => NONE);

const HINTS = "num_stages=, loop_unroll_factor=, disallow_acc_multi_buffer=, flatten=, warp_specialize=, disable_licm=";

/** range(n), range(a, b), range(a, b, step), with Triton's hints. */
function rangeFunction(name: string, isStatic: boolean, params: string): BuiltinValue {
  return builtin(`${name}(arg1, arg2=, step=${params === "" ? "" : `, ${params}`})`, (a): RangeValue => {
    const hasEnd = a.has("arg2");
    return {
      kind: "range",
      lower: hasEnd ? a.get("arg1") : intValue(0),
      upper: hasEnd ? a.get("arg2") : a.get("arg1"),
      step: a.has("step") ? a.get("step") : intValue(1),
      isStatic,
      stages: params !== "" && a.has("num_stages") && a.get("num_stages").kind !== "none" ? a.int("num_stages") : null,
    };
  });
}

export const pythonRange: BuiltinValue = rangeFunction("range", false, "");

const inlineAsm = builtin("inline_asm_elementwise(asm, constraints, args, dtype, is_pure=, pack=)", (a, c) => {
  const given = a.get("dtype");
  const items = given.kind === "tuple" || given.kind === "list" ? given.items : [given];
  const dtypes = items.map((item) => (item.kind === "dtype" ? item.dtype : c.fail("dtype takes types")));
  const operands = a.tuple("args").items.map((value) => toTensor(c, value));
  const shape = operands.reduce<readonly number[]>((common, value) => commonShape(c, common, shapeOf(value)), []);
  const pack = a.has("pack") ? a.int("pack") : 1;
  if (![1, 2, 4, 8, 16].includes(pack)) return c.fail(`inline_asm_elementwise: pack=${pack} is no power of two`);
  const results = c.builder.append(
    {
      op: "asm",
      isPure: a.flag("is_pure"),
      template: a.string("asm"),
      constraints: a.string("constraints"),
      pack,
      operands: operands.map((value) => broadcastTo(c, value, shape).value),
    },
    dtypes.map(({ element }) => blockType(element, shape)),
  );
  const values = results.map((value, i) => tensor(dtypes[i] as Dtype, value));
  return values.length === 1 && given.kind === "dtype" ? (values[0] as Value) : { kind: "tuple", items: values };
});

export const TOOL_FUNCTIONS: readonly BuiltinValue[] = [
  staticAssert,
  nothing("static_print(*values, sep=, end=, file=, flush=)"),
  deviceAssert,
  devicePrint,
  inlineAsm,
  hint("multiple_of"),
  hint("max_contiguous"),
  hint("max_constancy"),
  nothing("assume(cond)"),
  builtin("condition(arg1, disable_licm=)", (a) => a.get("arg1")),
  rangeFunction("range", false, HINTS),
  rangeFunction("static_range", true, ""),
];
