/** A learning rate that follows what is measured. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Scheduled, ScheduleState } from "./schedules.ts";

export interface PlateauOptions {
  readonly mode?: "min" | "max";
  readonly factor?: number;
  readonly patience?: number;
  readonly threshold?: number;
  readonly thresholdMode?: "rel" | "abs";
  readonly cooldown?: number;
  readonly minLr?: number;
  readonly eps?: number;
}

/** The rate times `factor` when a measure has not become better for `patience` steps. */
export class ReduceLROnPlateau {
  readonly optimizer: Scheduled;
  readonly #options: Required<PlateauOptions>;
  best: number;
  numBadEpochs = 0;
  #cooling = 0;
  lastEpoch = 0;

  constructor(optimizer: Scheduled, options: PlateauOptions = {}) {
    this.optimizer = optimizer;
    this.#options = {
      mode: "min",
      factor: 0.1,
      patience: 10,
      threshold: 1e-4,
      thresholdMode: "rel",
      cooldown: 0,
      minLr: 0,
      eps: 1e-8,
      ...options,
    };
    if (this.#options.factor >= 1) throw new HeddleError("bad-arguments", "Factor should be < 1.0.");
    this.best = this.#options.mode === "min" ? Infinity : -Infinity;
  }

  #isBetter(value: number): boolean {
    const { mode, threshold, thresholdMode } = this.#options;
    const sign = mode === "min" ? -1 : 1;
    const bound = thresholdMode === "rel" ? this.best * (1 + sign * threshold) : this.best + sign * threshold;
    return mode === "min" ? value < bound : value > bound;
  }

  /** @param metric what was measured in this epoch */
  step(metric: number): void {
    const { patience, cooldown, factor, minLr, eps } = this.#options;
    this.lastEpoch++;
    if (this.#isBetter(metric)) {
      this.best = metric;
      this.numBadEpochs = 0;
    } else this.numBadEpochs++;
    if (this.#cooling > 0) {
      this.#cooling--;
      this.numBadEpochs = 0;
    }
    if (this.numBadEpochs <= patience) return;
    for (const group of this.optimizer.paramGroups) {
      const next = Math.max(group.lr * factor, minLr);
      if (group.lr - next > eps) group.lr = next;
    }
    this.#cooling = cooldown;
    this.numBadEpochs = 0;
  }

  getLastLr(): number[] {
    return this.optimizer.paramGroups.map(({ lr }) => lr);
  }

  stateDict(): ScheduleState {
    const { best, numBadEpochs, lastEpoch } = this;
    return { best: String(best), numBadEpochs, lastEpoch, cooling: this.#cooling, lrs: this.getLastLr() };
  }

  loadStateDict(state: ScheduleState): void {
    this.best = Number(state["best"]);
    this.numBadEpochs = state["numBadEpochs"] as number;
    this.lastEpoch = state["lastEpoch"] as number;
    this.#cooling = state["cooling"] as number;
    for (const [i, lr] of (state["lrs"] as readonly number[]).entries())
      (this.optimizer.paramGroups[i] as { lr: number }).lr = lr;
  }
}
