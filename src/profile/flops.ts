/** Floating-point operations of a launch or a line; a fused multiply-add is two. */
import type { Metrics } from "./line-profile.ts";

export interface Flops {
  readonly half: number;
  readonly single: number;
  readonly double: number;
}

export function flopsOf(metrics: Metrics): Flops {
  const of = (letter: string): number => {
    const threads = (name: string): number =>
      metrics[`smsp__sass_thread_inst_executed_op_${letter}${name}_pred_on.sum`] ?? 0;
    return threads("add") + threads("mul") + 2 * threads("fma");
  };
  return { half: of("h"), single: of("f"), double: of("d") };
}
