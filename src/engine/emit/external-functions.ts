/** Pure intrinsics that compiled code leaves to the interpreter: rare, and so the definition is good enough. */
import { bug } from "../../base/diagnostics.ts";
import type { IrType } from "../../ir/model/ir.ts";
import { llvmFunction } from "../interpreter/llvm-functions.ts";
import { nvvmFunction } from "../interpreter/nvvm-functions.ts";
import { fromBits, toBits, type Value } from "../interpreter/value.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { ExternalIntrinsic } from "./environment.ts";

type WasmNumber = number | bigint;

/**
 * The import object's module "pure". Throws BUG when the interpreter has no meaning for a name that the compiler let
 * through.
 */
export function externalFunctions(
  externals: readonly ExternalIntrinsic[],
): Record<string, (...args: WasmNumber[]) => WasmNumber | WasmNumber[]> {
  return Object.fromEntries(
    externals.map(({ name, type }) => {
      const facts = intrinsicOf(name) ?? bug(`${name} is no intrinsic`);
      const evaluate = (facts.isNvvm ? nvvmFunction : llvmFunction)(facts, type) ?? bug(`no meaning for ${name}`);
      return [
        name,
        (...leaves: WasmNumber[]): WasmNumber | WasmNumber[] => {
          let next = 0;
          const take = (part: IrType): Value => fromWasm(part, leaves[next++] as WasmNumber);
          const args = type.params.map((param) =>
            param.kind === "vector" ? Array.from({ length: param.length }, () => take(param.element)) : take(param),
          );
          const result = evaluate(args);
          if (type.result.kind !== "vector") return toWasm(type.result, result);
          const { element } = type.result;
          return (result as Value[]).map((value) => toWasm(element, value));
        },
      ];
    }),
  );
}

/** From the canonical form of emit/value-types.ts. */
function fromWasm(type: IrType, value: WasmNumber): Value {
  if (type.kind === "float" && (type.format === "float" || type.format === "double")) return value as number;
  if (type.kind === "float") return fromBits(type, BigInt((value as number) & 0xffff));
  return fromBits(type, BigInt.asUintN(type.kind === "int" ? type.bits : 32, BigInt(value)));
}

function toWasm(type: IrType, value: Value): WasmNumber {
  if (type.kind === "float" && (type.format === "float" || type.format === "double")) return value as number;
  const bits = toBits(type, value);
  return type.kind === "int" && type.bits > 32 ? bits : Number(bits) | 0;
}
