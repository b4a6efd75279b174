/** Constants that are the address of a symbol, which the driver places, and a distance from it. */
import { unsupported } from "../../base/diagnostics.ts";
import { constantBits } from "../../ir/model/constant-bits.ts";
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import type { IrConstant, IrFunction, IrGlobal } from "../../ir/model/ir.ts";

export type ConstantSymbol = IrGlobal | IrFunction;

/** A distance that no address in a module has from its symbol. */
const PROBE = 2 ** 40;

/** A constant that is a symbol's address and a distance; null where it names none. */
export function symbolPlusOffset(constant: IrConstant): { symbol: ConstantSymbol; offset: bigint } | null {
  const symbols: ConstantSymbol[] = [];
  forEachSymbol(constant, (symbol) => symbols.push(symbol));
  const [symbol, ...others] = symbols;
  if (symbol === undefined) return null;
  // At two addresses of the symbol the constant must differ as they do.
  const at = (address: number): bigint =>
    BigInt.asIntN(
      64,
      constantBits(constant, () => address),
    );
  const [offset, moved] = [at(0), at(PROBE)];
  if (others.length > 0 || moved - offset !== BigInt(PROBE))
    throw unsupported(`a constant that is computed from the address of ${symbol.name}`);
  return { symbol, offset };
}
