/** NVIDIA's names of the hit rates, in percent of the sectors that are looked up. They are a model's. */
export const L1_HIT_RATE = "l1tex__t_sector_hit_rate.pct";
export const L2_HIT_RATE = "lts__t_sector_hit_rate.pct";
/** Of local memory, in L1. */
export const LOCAL_HIT_RATES = {
  load: "l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct",
  store: "l1tex__t_sector_pipe_lsu_mem_local_op_st_hit_rate.pct",
} as const;
