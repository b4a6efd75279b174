/** What the code of a tool's counters (lane-operations/warp-counts.ts) needs of the kernel that it stands in. */
import { bug } from "../../../base/diagnostics.ts";
import type { CountContext } from "../lane-operations/counting.ts";
import { recordAddress } from "../planning/counted-records.ts";
import type { InstructionContext } from "./instruction-emitter.ts";

/** @param block what is known of the block: its lanes, and what computes values that are deferred. */
export function countContext(
  { code, values, kernelModule, conditions, registers }: InstructionContext,
  block: Pick<CountContext, "mask" | "isFull" | "flush">,
): CountContext {
  const { counts, globals, env, warps, locals, countHelpers: helpers } = kernelModule;
  if (counts === null) bug("a kernel that counts has counters");
  return {
    ...block,
    code,
    values,
    conditions,
    helpers,
    globals,
    recordAddress: (record) => recordAddress(record, env.addresses),
    recordOffset: (record) => recordAddress(record, env.addresses) - counts.address,
    warp: registers.warp,
    warps,
    localBytesPerThread: locals.bytesPerThread,
  };
}
