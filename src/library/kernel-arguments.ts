/** Arguments of a kernel, checked against its signature and laid out as the device expects them. */
import { HeddleError } from "../base/diagnostics.ts";
import { isCudaScalar, isCudaSpelling } from "../base/dtypes.ts";
import { numberToBfloat } from "../base/bfloat.ts";
import { numberToHalf } from "../base/half.ts";
import type { Device } from "../device/device.ts";
import type { KernelParam } from "../machine/launch.ts";
import { DeviceArray } from "./device-array.ts";

/**
 * An argument of a kernel: a number or bigint for arithmetic parameters, a boolean for bool, an array or null for a
 * pointer. A struct is passed by its bytes, in C++'s layout. Its pointers have 8 bytes, or
 * 4 on a device with `model: "ilp32"`.
 */
export type KernelArgument = number | bigint | boolean | DeviceArray | Uint8Array | null;

export interface Signature {
  /** For messages. */
  readonly kernel: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  /** C++ types of the parameters where they are known: "float*", "unsigned int". */
  readonly types: readonly string[] | null;
}

const INT_BITS: Partial<Record<KernelParam["kind"], number>> = { i8: 8, i16: 16, i32: 32, i64: 64 };

/** @throws HeddleError "bad-arguments" that names the argument, what it must be and what it is. */
export function packArguments(signature: Signature, args: readonly KernelArgument[], device: Device): Uint8Array {
  const { kernel, params, types } = signature;
  if (args.length !== params.length) {
    throw new HeddleError(
      "bad-arguments",
      `${kernel} takes ${params.length} argument${params.length === 1 ? "" : "s"}, ${args.length} ` +
        `${args.length === 1 ? "was" : "were"} given`,
      { notes: [`its signature: ${formatSignature(signature)}`] },
    );
  }
  const bytes = new Uint8Array(signature.paramBytes);
  const view = new DataView(bytes.buffer);
  params.forEach((param, i) => {
    const value = args[i] as KernelArgument;
    const type = types?.[i] ?? null;
    const fail = (what: string): never => {
      throw new HeddleError("bad-arguments", `argument ${i + 1} (${describeParam(param, type)}) of ${kernel} ${what}`, {
        notes: [`its signature: ${formatSignature(signature)}`],
      });
    };
    switch (param.kind) {
      case "pointer":
        writePointer(view, param, pointerOf(value, { type, bits: 8 * param.size }, device, fail));
        return;
      case "struct":
        if (!(value instanceof Uint8Array))
          return fail(`must be a Uint8Array with the ${param.size} bytes of the struct, not ${describeValue(value)}`);
        if (value.byteLength !== param.size) return fail(`has ${param.size} bytes, ${value.byteLength} were given`);
        bytes.set(value, param.offset);
        return;
      case "f16":
      case "bf16":
      case "f32":
      case "f64": {
        if (typeof value !== "number") return fail(`must be a number, not ${describeValue(value)}`);
        if (param.kind === "f32") view.setFloat32(param.offset, value, true);
        else if (param.kind === "f64") view.setFloat64(param.offset, value, true);
        else view.setUint16(param.offset, param.kind === "f16" ? numberToHalf(value) : numberToBfloat(value), true);
        return;
      }
      default:
        writeInteger(view, param, integerOf(value, param, type, fail));
    }
  });
  return bytes;
}

/** @param bits of a pointer, and so of a long, among the kernel's parameters. */
function pointerOf(
  value: KernelArgument,
  { type, bits }: { readonly type: string | null; readonly bits: number },
  device: Device,
  fail: (what: string) => never,
): number {
  if (value === null) return 0;
  if (!(value instanceof DeviceArray))
    return fail(`must be an array on the device (device.array) or null, not ${describeValue(value)}`);
  if (value.freed) return fail(`is an array that was freed${value.isReset ? " by device.reset()" : ""}`);
  if (value.device !== device) return fail("is an array of another device");
  const element = type?.endsWith("*") === true ? type.slice(0, -1) : null;
  if (element === "long" || element === "unsigned long") {
    const wanted = `${element === "long" ? "" : "u"}int${bits}`;
    if (value.dtype === wanted) return value.pointer;
    return fail(
      `must be an array of ${wanted}, not of ${value.dtype}: ${element} has ${bits} bits here; ` +
        `device.array(…, "${element}") is right on all devices`,
    );
  }
  if (element !== null && isCudaScalar(element) && !isCudaSpelling(value.dtype, element))
    return fail(`must be an array of ${element}, not of ${value.dtype}`);
  return value.pointer;
}

function integerOf(
  value: KernelArgument,
  param: KernelParam,
  type: string | null,
  fail: (what: string) => never,
): bigint {
  const bits = INT_BITS[param.kind] ?? param.size * 8;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "number" && typeof value !== "bigint")
    return fail(`must be a whole number, not ${describeValue(value)}`);
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return fail(
      Number.isInteger(value)
        ? `must be a bigint to be exact, not the number ${value}`
        : `must be a whole number, not ${value}`,
    );
  const integer = BigInt(value);
  const unsigned = type?.startsWith("unsigned") === true || type === "bool";
  const signed = !unsigned && type !== null && /^(signed char|char|short|int|long|long long)$/.test(type);
  const low = unsigned ? 0n : -(1n << BigInt(bits - 1));
  const high = signed ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
  if (integer < low || integer > high) return fail(`must be from ${low} to ${high}, not ${integer}`);
  return BigInt.asUintN(bits, integer);
}

function writePointer(view: DataView, param: KernelParam, address: number): void {
  if (param.size === 8) view.setBigUint64(param.offset, BigInt(address), true);
  else view.setUint32(param.offset, address, true);
}

function writeInteger(view: DataView, param: KernelParam, value: bigint): void {
  for (let i = 0, rest = value; i < param.size; i++, rest >>= 8n) view.setUint8(param.offset + i, Number(rest & 0xffn));
}

function describeParam(param: KernelParam, type: string | null): string {
  const written =
    type ??
    {
      i8: "8-bit integer",
      i16: "16-bit integer",
      i32: "32-bit integer",
      i64: "64-bit integer",
      f16: "half",
      bf16: "bfloat16",
      f32: "float",
      f64: "double",
      pointer: "pointer",
      struct: `struct of ${param.size} bytes`,
    }[param.kind];
  return param.name === "" || /^\d+$/.test(param.name) ? written : `${written} ${param.name}`;
}

/** As a C++ programmer would write it: `saxpy(int n, float a, float* x, float* y)`. */
export function formatSignature({ kernel, params, types }: Signature): string {
  return `${kernel}(${params.map((param, i) => describeParam(param, types?.[i] ?? null)).join(", ")})`;
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof DeviceArray) return "an array on the device";
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} (which lies in host memory)`;
  if (Array.isArray(value)) return "an array in host memory";
  return typeof value === "object" || typeof value === "function" || typeof value === "undefined"
    ? `${value === undefined ? "undefined" : `a ${typeof value}`}`
    : `the ${typeof value} ${String(value)}`;
}
