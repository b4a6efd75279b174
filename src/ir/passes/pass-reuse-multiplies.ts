/**
 * Products of one value with constants of which one is the other, shifted, need one multiplication: x · (c << n) is (x
 * · c) << n. LLVM makes two of `(x * c) << 15 | (x * c) >> 17`, as scalar processors multiply as fast as they shift; a
 * multiplication of vectors takes five times as long, and twice the room.
 *
 * Needs: a valid function. Afterwards: within a block, no value is multiplied by two such constants.
 */
import { constInt } from "../model/build.ts";
import type { BinaryInstruction, ConstInt, IrBlock, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";

type Product = BinaryInstruction & { rhs: ConstInt };

export function shareProducts(fn: IrFunction): void {
  for (const block of fn.blocks) shareIn(block);
}

function shareIn(block: IrBlock): void {
  const products = new Map<IrValue, Product[]>();
  for (const i of block.instructions) {
    if (!isProduct(i)) continue;
    const list = products.get(i.lhs);
    if (list === undefined) products.set(i.lhs, [i]);
    else list.push(i);
  }
  for (const list of products.values()) {
    // Those with the fewest factors of two first: others may be made of them.
    list.sort((a, b) => trailingZeros(a.rhs) - trailingZeros(b.rhs));
    list.forEach((product, n) => {
      for (const other of list.slice(0, n)) {
        const shift = trailingZeros(product.rhs) - trailingZeros(other.rhs);
        if (
          !isProduct(other) ||
          shift === 0 ||
          BigInt.asUintN(other.rhs.type.bits, other.rhs.value << BigInt(shift)) !== product.rhs.value
        )
          continue;
        const { instructions } = block;
        const at = instructions.indexOf(product);
        const from = instructions.indexOf(other);
        if (from > at) {
          instructions.splice(from, 1);
          instructions.splice(at, 0, other);
        }
        product.operator = "shl";
        product.lhs = other;
        product.rhs = constInt(other.rhs.type, shift);
        product.nuw = product.nsw = false;
        return;
      }
    });
  }
}

function isProduct(i: IrInstruction): i is Product {
  return (
    i.op === "binary" &&
    i.operator === "mul" &&
    i.type.kind === "int" &&
    i.rhs.kind === "const-int" &&
    i.rhs.value !== 0n
  );
}

function trailingZeros({ value }: ConstInt): number {
  let count = 0;
  while (((value >> BigInt(count)) & 1n) === 0n) count++;
  return count;
}
