/** What `device.array` is given, checked: a mistake is named, with what was meant. */
import { HeddleError } from "../base/diagnostics.ts";
import { DTYPES, isCudaSpelling, type Dtype } from "../base/dtypes.ts";
import { describeValue } from "../base/options.ts";
import { LONG_TYPES } from "./long-array.ts";
import { nearestName } from "../base/suggestions.ts";

/** Names of other libraries, and C's. */
const MEANT: Readonly<Record<string, Dtype>> = {
  f16: "float16",
  f32: "float32",
  f64: "float64",
  bf16: "bfloat16",
  i8: "int8",
  u8: "uint8",
  i16: "int16",
  u16: "uint16",
  i32: "int32",
  u32: "uint32",
  i64: "int64",
  u64: "uint64",
  number: "float32",
  unsigned: "uint32",
  uint: "uint32",
  ulong: "uint64",
};

/** @throws HeddleError "bad-arguments" */
export function checkDtype(dtype: unknown): asserts dtype is Dtype {
  if (typeof dtype === "string" && DTYPES.some((known) => known === dtype)) return;
  const nearest = typeof dtype === "string" ? meantDtype(dtype) : null;
  const suggestion = nearest === null ? "" : `; did you mean "${nearest}"?`;
  const text = typeof dtype === "string" ? `"${dtype}"` : describeValue(dtype);
  throw new HeddleError("bad-arguments", `there is no dtype ${text}${suggestion}`, {
    notes: [`known: ${[...DTYPES, ...LONG_TYPES].join(", ")}`],
  });
}

function meantDtype(name: string): string | null {
  const plain = name.toLowerCase();
  const listed = Object.hasOwn(MEANT, plain) ? MEANT[plain] : undefined;
  return (
    listed ?? DTYPES.find((dtype) => isCudaSpelling(dtype, plain)) ?? nearestName(plain.replace(/array$/, ""), DTYPES)
  );
}

/** @throws HeddleError "bad-arguments" for what is neither a typed array nor an array of numbers. */
export function checkValues(values: unknown): void {
  if (ArrayBuffer.isView(values) && !(values instanceof DataView)) return;
  if (Array.isArray(values)) {
    const wrong = values.findIndex((value) => typeof value !== "number" && typeof value !== "bigint");
    if (wrong < 0) return;
    throw new HeddleError("bad-arguments", `element ${wrong} of the array is ${describeValue(values[wrong])}`, {
      notes: ["an array has numbers or bigints"],
    });
  }
  throw new HeddleError(
    "bad-arguments",
    `device.array takes a number of elements, a typed array or an array of numbers, not ${describeValue(values)}`,
    {
      notes: [
        typeof values === "string" && values.trim() !== "" && Number.isFinite(Number(values))
          ? `for example device.array(${Number(values)}, "float32")`
          : 'for example device.array(100, "float32"), or device.array(new Float32Array([1, 2, 3]))',
      ],
    },
  );
}
