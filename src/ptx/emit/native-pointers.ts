/**
 * Pointers of 64 bits: the GPU's own generic addresses (PTX ISA 8.5, 5.1 "State Spaces", 9.7.9.20 "cvta"). Addresses of
 * global memory are generic ones; variables are symbols, which the driver places.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { isConstant } from "../../ir/model/build.ts";
import { constantBits } from "../../ir/model/constant-bits.ts";
import type { IrConstant, IrFunction, IrValue } from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import type { PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";
import { signExtended } from "./arithmetic.ts";
import type { PointerModel, PointerTerm, PtxAddress } from "./pointer-model.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { symbolPlusOffset, type ConstantSymbol } from "./symbol-offsets.ts";
import { ptxName } from "./ptx-types.ts";

const CONSTANT_SPACE = 4;

export class NativePointers implements PointerModel {
  readonly bits = 64;
  readonly held = "rd";
  readonly prepares = false;

  constant(f: PtxFunction, constant: IrConstant): string {
    const place = symbolPlusOffset(constant);
    if (place === null) return String(BigInt.asIntN(64, constantBits(constant, noAddress)));
    const { symbol, offset } = place;
    if (symbol.kind === "function") {
      if (offset !== 0n) throw unsupported(`an address inside of the function ${symbol.name}`);
      return f.make("rd", `mov.b64 $d, ${f.program.functionName(symbol)}`);
    }
    const address = f.make("rd", `mov.b64 $d, ${ptxName(symbol.name)}${offset === 0n ? "" : `+${offset}`}`);
    return symbol.type.addressSpace === CONSTANT_SPACE ? f.make("rd", `cvta.const.u64 $d, ${address}`) : address;
  }

  toGeneric(f: PtxFunction, operand: string, held: PointerSpace): string {
    if (held === "param") return bug("the address of a kernel's parameter");
    if (held !== "shared" && held !== "local") return operand;
    return f.make("rd", `cvta.${held}.u64 $d, ${f.inRegister(operand, "rd")}`);
  }

  fromGeneric(f: PtxFunction, generic: string, space: PointerSpace): string {
    if (space !== "shared" && space !== "local") return generic;
    return f.make("rd", `cvta.to.${space}.u64 $d, ${f.inRegister(generic, "rd")}`);
  }

  wideAddress(f: PtxFunction, value: IrValue): string {
    return f.inRegister(this.toGeneric(f, f.operand(value), f.spaceOf(value)), "rd");
  }

  widen(f: PtxFunction, pointer: string): string {
    return f.inRegister(pointer, "rd");
  }

  constantAddress(f: PtxFunction, base: IrValue, offset: number): PtxAddress {
    const place = isConstant(base) ? symbolPlusOffset(base) : null;
    if (place !== null) {
      const at = place.offset + BigInt(offset);
      return { space: ".const", text: `[${ptxName(place.symbol.name)}${at === 0n ? "" : `+${at}`}]` };
    }
    const address = f.make("rd", `cvta.to.const.u64 $d, ${f.inRegister(f.operand(base), "rd")}`);
    return { space: ".const", text: offset === 0 ? `[${address}]` : `[${address}+${offset}]` };
  }

  add(f: PtxFunction, base: string, terms: readonly PointerTerm[], constant: number): string {
    let sum = base;
    for (const { index, scale } of terms) {
      const unsigned = zeroExtended(index);
      if (unsigned !== null && scale > 0 && scale < 2 ** 31) {
        sum = f.make("rd", `mad.wide.u32 $d, ${f.register(unsigned)}, ${scale}, ${f.inRegister(sum, "rd")}`);
        continue;
      }
      if (scalarBits(index.type) === 64) {
        const value = f.register(index);
        if (scale === 1) sum = f.make("rd", `add.s64 $d, ${f.inRegister(sum, "rd")}, ${value}`);
        else if (scale > 0 && Number.isInteger(Math.log2(scale)))
          sum = f.make("rd", `add.s64 $d, ${f.make("rd", `shl.b64 $d, ${value}, ${Math.log2(scale)}`)}, ${sum}`);
        else sum = f.make("rd", `mad.lo.s64 $d, ${value}, ${scale}, ${sum}`);
        continue;
      }
      const value = f.inRegister(signExtended(f, index), "r");
      if (Math.abs(scale) < 2 ** 31)
        sum = f.make("rd", `mad.wide.s32 $d, ${value}, ${scale}, ${f.inRegister(sum, "rd")}`);
      else sum = f.make("rd", `mad.lo.s64 $d, ${f.make("rd", `cvt.s64.s32 $d, ${value}`)}, ${scale}, ${sum}`);
    }
    return constant === 0 ? sum : f.make("rd", `add.s64 $d, ${f.inRegister(sum, "rd")}, ${constant}`);
  }

  testSpace(
    f: PtxFunction,
    register: string,
    generic: string,
    space: "global" | "shared" | "local" | "constant",
  ): void {
    const name = space === "constant" ? "const" : space;
    f.emit(`isspacep.${name} ${register}, ${f.inRegister(generic, "rd")}`);
  }

  functionAddress(f: PtxFunction, pointer: IrValue): string {
    return f.register(pointer);
  }

  functionTable(_functions: readonly (IrFunction | null)[]): string {
    return "";
  }
}

/** The number of 32 bits that an index of 64 extends by zeros. */
function zeroExtended(index: IrValue): IrValue | null {
  const isZext = index.kind === "instruction" && index.op === "cast" && index.operator === "zext";
  return isZext && !isConstant(index.operand) && scalarBits(index.operand.type) === 32 ? index.operand : null;
}

function noAddress(symbol: ConstantSymbol): number {
  return bug(`${symbol.name} in a constant without symbols`);
}
