/** NVIDIA's names of the hit rates, in percent of the sectors that are looked up. They are a model's. */
export const L1_HIT_RATE = "l1tex__t_sector_hit_rate.pct";
export const L2_HIT_RATE = "lts__t_sector_hit_rate.pct";
