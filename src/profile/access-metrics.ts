/** Nsight Compute's names of counters of accesses to memory. */
import type { MemorySpace } from "../machine/warp-counts.ts";
import type { AccessOperation } from "./counted-accesses.ts";

const OPERATION_NAMES: Readonly<Record<AccessOperation, string>> = {
  load: "ld",
  store: "st",
  atomic: "atom",
  reduction: "red",
  copy: "ldgsts",
};

interface SharedMetrics {
  readonly requests: string;
  readonly wavefronts: string;
  readonly conflicts: string;
}

/**
 * Of shared memory. A copy (cp.async, LDGSTS) is no store; what it writes has counters of its own, which Nsight Compute
 * takes from the code (smsp__sass).
 */
export function sharedMetrics(operation: AccessOperation): SharedMetrics {
  const name = OPERATION_NAMES[operation];
  if (operation === "copy")
    return {
      requests: `smsp__inst_executed_op_${name}.sum`,
      wavefronts: `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_${name}.sum`,
      conflicts: `smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_${name}.sum`,
    };
  return {
    requests: `smsp__inst_executed_op_shared_${name}.sum`,
    wavefronts: `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${name}.sum`,
    conflicts: `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${name}.sum`,
  };
}

/** Wavefronts of shared memory of all operations. */
export const SHARED_WAVEFRONTS: readonly string[] = (Object.keys(OPERATION_NAMES) as readonly AccessOperation[]).map(
  (operation) => sharedMetrics(operation).wavefronts,
);

/** What copies read of global memory. These requests and sectors are loads, too. */
export const COPY_REQUESTS = "smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum";
export const COPY_SECTORS = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum";
/** Bytes of the threads that copy: of those that take a part, too, all. */
export const COPY_BYTES_READ = "smsp__sass_data_bytes_mem_global_op_ldgsts.sum";
/** Zeros count. */
export const COPY_BYTES_WRITTEN = "smsp__sass_data_bytes_mem_shared_op_ldgsts.sum";

export interface AccessKind {
  readonly space: MemorySpace;
  readonly operation: AccessOperation;
}

export function sectorMetric({ space, operation }: AccessKind): string {
  return `l1tex__t_sectors_pipe_lsu_mem_${space}_op_${OPERATION_NAMES[operation]}.sum`;
}

export function requestMetric({ space, operation }: AccessKind): string {
  return `l1tex__t_requests_pipe_lsu_mem_${space}_op_${OPERATION_NAMES[operation]}.sum`;
}

export function wavefrontMetric({ operation }: Pick<AccessKind, "operation">): string {
  return sharedMetrics(operation).wavefronts;
}
