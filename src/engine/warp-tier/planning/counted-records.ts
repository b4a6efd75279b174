/** The counters that a kernel adds to: records of a tool's variable, at addresses that are known when compiling. */
import { bug } from "../../../base/diagnostics.ts";
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import type { IrConstant, IrFunction, IrValue } from "../../../ir/model/ir.ts";
import { RECORD_BYTES, unpackAccess } from "../../../machine/warp-counts.ts";
import { constantBits } from "../../emit/constants.ts";
import type { Addresses } from "../../emit/environment.ts";
import type { CountedRecords } from "../metadata.ts";

/** A generic access has a record for each space. */
const GENERIC_RECORDS = 3;

/** From the first record to the last; null: the kernel counts nothing. */
export function countedRecords(fn: IrFunction, addresses: Addresses): CountedRecords | null {
  let first = Infinity;
  let end = 0;
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      const count = i.op === "call" ? (calledIntrinsic(i)?.count ?? null) : null;
      if (count === null || i.op !== "call") continue;
      const record = recordAddress(i.args[0] as IrValue, addresses);
      const packed = count.what === "access" ? i.args[3] : undefined;
      const isGeneric = packed?.kind === "const-int" && unpackAccess(Number(packed.value)).space === "generic";
      first = Math.min(first, record);
      end = Math.max(end, record + (isGeneric ? GENERIC_RECORDS : 1) * RECORD_BYTES);
    }
  }
  return end === 0 ? null : { address: first, bytes: end - first };
}

export function recordAddress(record: IrValue, addresses: Addresses): number {
  if (record.kind === "instruction" || record.kind === "param") bug("a counter's address is a constant");
  const { bits } = constantBits(record as IrConstant, addresses, () => bug("a counter in shared memory"));
  return Number(BigInt.asUintN(32, bits));
}
