/** How many samples of a time are taken, and when they are enough. */
import { LEAST_SAMPLES } from "./statistics.ts";

export interface SamplingPlan {
  readonly warmups: number;
  readonly least: number;
  readonly most: number;
  /** It ends earlier when the 95 % interval of the median is this part of it to either side. */
  readonly precision: number;
  /** And it ends then, if there are enough samples. */
  readonly seconds: number;
  /** And it ends then in any case: a launch may take seconds. */
  readonly mostSeconds: number;
}

/** For the figures that are reported. */
export const FINAL_PLAN: SamplingPlan = {
  warmups: 2,
  least: 10,
  most: 200,
  precision: 0.01,
  seconds: 3,
  mostSeconds: 5,
};

/** For the configurations of a sweep: enough to choose among them. */
export const SWEEP_PLAN: SamplingPlan = {
  warmups: 1,
  least: LEAST_SAMPLES,
  most: 20,
  precision: 0.03,
  seconds: 0.5,
  mostSeconds: 2.5,
};

/** Thrown at the next launch after Ctrl-C. */
export class Interrupted extends Error {}
