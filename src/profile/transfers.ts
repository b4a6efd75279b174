/**
 * What the tensor memory accelerator moves (TMA: cp.async.bulk, cp.reduce.async.bulk and their tensor forms).
 *
 * Names as Nsight Compute has them for GH100 (ncu --query-metrics --chips gh100). Its sectors are those between L1 and
 * L2: for a store L1's writes to L2.
 */
import { constI32 } from "../ir/model/build.ts";
import type { IrInstruction, IrValue } from "../ir/model/ir.ts";
import type { Metrics } from "./line-profile.ts";
import { PROFILE_NAMES } from "./profile-names.ts";

export type TransferDirection = "load" | "store" | "reduction";

/** A hook of libdevice/transfer-counts.cu, and its arguments behind the record and the traces. */
export interface Transfer {
  readonly direction: TransferDirection;
  readonly hook: string;
  readonly args: readonly IrValue[];
}

/** Counters of its record. */
export const TRANSFER_COUNTERS = { instructions: 0, sectors: 1, sent: 2 } as const;

const HOOKS = { tile: PROFILE_NAMES.name("tile"), bulk: PROFILE_NAMES.name("bulk") };
export const TRANSFER_HOOKS: readonly string[] = Object.values(HOOKS);
/** As the hooks number them. */
const DIRECTIONS: readonly TransferDirection[] = ["load", "store", "reduction"];

export const TRANSFER_METRICS: Readonly<
  Record<TransferDirection, { readonly instructions: string; readonly sectors: string }>
> = {
  load: {
    instructions: "smsp__sass_inst_executed_op_tma_ld.sum",
    sectors: "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
  },
  store: {
    instructions: "smsp__sass_inst_executed_op_tma_st.sum",
    sectors: "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
  },
  reduction: {
    instructions: "smsp__sass_inst_executed_op_tma_red.sum",
    sectors: "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum",
  },
};
/**
 * Sectors that L2 sends to the tensor memory accelerator, those of a multicast once. Nsight Compute has no counter of
 * these alone: its sectors of loads are those that blocks receive.
 */
export const SENT_SECTORS = "heddle__l2_sectors_sent_op_tma_ld.sum";

export interface MovedByTransfers {
  readonly direction: TransferDirection;
  readonly instructions: number;
  readonly sectors: number;
}

/** What a launch moved, by direction. */
export function transfersIn(metrics: Metrics): readonly MovedByTransfers[] {
  return DIRECTIONS.flatMap((direction) => {
    const names = TRANSFER_METRICS[direction];
    const instructions = metrics[names.instructions] ?? 0;
    return instructions === 0 ? [] : [{ direction, instructions, sectors: metrics[names.sectors] ?? 0 }];
  });
}

export function transferOf(i: IrInstruction): Transfer | null {
  if (i.op !== "call" || i.callee.kind !== "function") return null;
  const [, what, direction] = /^__heddle_(tensor|bulk)_(load|store|reduce)(?:_shared)?$/.exec(i.callee.name) ?? [];
  if (what === undefined) return null;
  const moves = ({ load: "load", store: "store", reduce: "reduction" } as const)[direction as "load"];
  const { args } = i;
  const number = constI32(DIRECTIONS.indexOf(moves));
  // The last argument of a load: the blocks that receive it.
  const blocks = (moves === "load" ? args.at(-1) : undefined) ?? constI32(0);
  // A map, its coordinates and the mode are behind the place in shared memory.
  if (what === "tensor") return { direction: moves, hook: HOOKS.tile, args: [number, ...args.slice(1, 8), blocks] };
  const [to, from, bytes] = args as [IrValue, IrValue, IrValue];
  return { direction: moves, hook: HOOKS.bulk, args: [number, moves === "load" ? from : to, bytes, blocks] };
}
