/** @param version of the ladder matmul-bf16: what its program prints, and the profiler's counters by name. */
export function profiled(version: string): {
  readonly result: string;
  readonly counters: Readonly<Record<string, number>>;
};
