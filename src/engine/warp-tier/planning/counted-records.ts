/** The counters that a kernel adds to: records of a tool's variable, at addresses that are known when compiling. */
import { bug } from "../../../base/diagnostics.ts";
import { calledIntrinsic } from "../../../ir/model/called-intrinsic.ts";
import type { IrConstant, IrFunction, IrValue } from "../../../ir/model/ir.ts";
import { CLOCKS_BYTES } from "../../../machine/barrier-skew.ts";
import {
  ACCESS_RECORD_BYTES,
  RECORD_BYTES,
  recordsOfAccess,
  unpackAccess,
  type PackedAccess,
} from "../../../machine/warp-counts.ts";
import { constantBits } from "../../emit/constants.ts";
import type { Addresses } from "../../emit/environment.ts";
import type { CountedRecords } from "../metadata.ts";

/** From the first record to the last; null: the kernel counts nothing. */
export function countedRecords(fn: IrFunction, addresses: Addresses): CountedRecords | null {
  let first = Infinity;
  let end = 0;
  const accesses = new Set<number>();
  const barriers = new Set<number>();
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      const count = i.op === "call" ? (calledIntrinsic(i)?.count ?? null) : null;
      // Records of lines are written where they are.
      if (count === null || count.what === "lines" || i.op !== "call") continue;
      const record = recordAddress(i.args[0] as IrValue, addresses);
      first = Math.min(first, record);
      if (count.what === "arrive") barriers.add(record);
      if (count.what === "begin" || count.what === "clock") end = Math.max(end, record + CLOCKS_BYTES);
      else if (count.what !== "access") end = Math.max(end, record + RECORD_BYTES);
      else {
        const records = recordsOfAccess(knownOfAccess(i.args[3] as IrValue).space);
        for (let n = 0; n < records; n++) accesses.add(record + n * ACCESS_RECORD_BYTES);
        end = Math.max(end, record + records * ACCESS_RECORD_BYTES);
      }
    }
  }
  if (end === 0) return null;
  const fromFirst = (records: ReadonlySet<number>): number[] => [...records].map((record) => record - first);
  return { address: first, bytes: end - first, accesses: fromFirst(accesses), barriers: fromFirst(barriers) };
}

/** What the last operand of a counted access says. */
export function knownOfAccess(packed: IrValue): PackedAccess {
  if (packed.kind !== "const-int") bug("what is known of a counted access is a constant");
  return unpackAccess(Number(packed.value));
}

export function recordAddress(record: IrValue, addresses: Addresses): number {
  if (record.kind === "instruction" || record.kind === "param") bug("a counter's address is a constant");
  const { bits } = constantBits(record as IrConstant, addresses, () => bug("a counter in shared memory"));
  return Number(BigInt.asUintN(32, bits));
}
