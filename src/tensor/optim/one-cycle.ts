/** A schedule that rises once and falls once (Smith, Topin, "Super-Convergence", 2018). */
import { HeddleError } from "../../base/diagnostics.ts";
import { LRScheduler, type Scheduled } from "./schedules.ts";

export interface OneCycleOptions {
  readonly maxLr: number | readonly number[];
  /** Or `epochs` and `stepsPerEpoch`. */
  readonly totalSteps?: number;
  readonly epochs?: number;
  readonly stepsPerEpoch?: number;
  /** The part of the steps in which the rate rises. */
  readonly pctStart?: number;
  readonly annealStrategy?: "cos" | "linear";
  readonly cycleMomentum?: boolean;
  readonly baseMomentum?: number;
  readonly maxMomentum?: number;
  readonly divFactor?: number;
  readonly finalDivFactor?: number;
  readonly threePhase?: boolean;
}

interface Phase {
  readonly end: number;
  readonly lr: readonly [from: "initial" | "max" | "least", to: "initial" | "max" | "least"];
  readonly momentum: readonly [from: "max" | "base", to: "max" | "base"];
}

/** Up to `maxLr` and down to almost nothing, with the momentum the other way round. */
export class OneCycleLR extends LRScheduler {
  readonly #total: number;
  readonly #phases: readonly Phase[];
  readonly #options: Required<Pick<OneCycleOptions, "annealStrategy" | "baseMomentum" | "maxMomentum">>;
  readonly #cycles: boolean;
  readonly #rates: readonly { readonly initial: number; readonly max: number; readonly least: number }[];

  constructor(optimizer: Scheduled, options: OneCycleOptions) {
    super(optimizer);
    const { pctStart = 0.3, annealStrategy = "cos", baseMomentum = 0.85, maxMomentum = 0.95 } = options;
    const { divFactor = 25, finalDivFactor = 1e4, threePhase = false, cycleMomentum = true, maxLr } = options;
    const total = options.totalSteps ?? (options.epochs ?? 0) * (options.stepsPerEpoch ?? 0);
    if (!(total > 0 && Number.isInteger(total)))
      throw new HeddleError(
        "bad-arguments",
        "You must define either total_steps OR (epochs AND steps_per_epoch): totalSteps, or epochs and stepsPerEpoch",
      );
    this.#total = total;
    this.#options = { annealStrategy, baseMomentum, maxMomentum };
    this.#cycles = cycleMomentum;
    const up = pctStart * total - 1;
    this.#phases = threePhase
      ? [
          { end: up, lr: ["initial", "max"], momentum: ["max", "base"] },
          { end: 2 * pctStart * total - 2, lr: ["max", "initial"], momentum: ["base", "max"] },
          { end: total - 1, lr: ["initial", "least"], momentum: ["max", "max"] },
        ]
      : [
          { end: up, lr: ["initial", "max"], momentum: ["max", "base"] },
          { end: total - 1, lr: ["max", "least"], momentum: ["base", "max"] },
        ];
    this.#rates = optimizer.paramGroups.map((_, i) => {
      const max = typeof maxLr === "number" ? maxLr : (maxLr[i] as number);
      return { initial: max / divFactor, max, least: max / divFactor / finalDivFactor };
    });
    this.baseLrs = this.#rates.map(({ initial }) => initial);
    this.step();
  }

  #anneal(from: number, to: number, share: number): number {
    if (this.#options.annealStrategy === "linear") return (to - from) * share + from;
    return to + ((from - to) / 2) * (1 + Math.cos(Math.PI * share));
  }

  #at(): { readonly phase: Phase; readonly share: number } {
    if (this.lastEpoch > this.#total)
      throw new HeddleError(
        "bad-arguments",
        `Tried to step ${this.lastEpoch} times. The specified number of total steps is ${this.#total}`,
      );
    let begin = 0;
    for (const phase of this.#phases) {
      const isLast = phase === this.#phases.at(-1);
      if (this.lastEpoch <= phase.end || isLast)
        return { phase, share: (this.lastEpoch - begin) / (phase.end - begin) };
      begin = phase.end;
    }
    throw new HeddleError("bad-arguments", "a schedule without phases");
  }

  protected override rate(_: number, group: number): number {
    const { phase, share } = this.#at();
    const rates = this.#rates[group] as { initial: number; max: number; least: number };
    return this.#anneal(rates[phase.lr[0]], rates[phase.lr[1]], share);
  }

  override set(): void {
    super.set();
    if (!this.#cycles) return;
    const { phase, share } = this.#at();
    const { baseMomentum: base, maxMomentum: max } = this.#options;
    const own = { base, max };
    const momentum = this.#anneal(own[phase.momentum[0]], own[phase.momentum[1]], share);
    for (const group of this.optimizer.paramGroups) setMomentum(group, momentum);
  }
}

function setMomentum(group: object, momentum: number): void {
  const options = group as { momentum?: number; betas?: readonly [number, number] };
  if (options.betas !== undefined) options.betas = [momentum, options.betas[1]];
  else if (options.momentum !== undefined) options.momentum = momentum;
  else
    throw new HeddleError(
      "bad-arguments",
      "optimizer must support momentum or beta1 with `cycleMomentum` option enabled",
    );
}
