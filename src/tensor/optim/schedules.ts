/** Learning rates that change from step to step, as torch.optim.lr_scheduler. */
import { HeddleError } from "../../base/diagnostics.ts";

/** What a schedule changes: the groups of an optimiser. */
export interface Scheduled {
  readonly paramGroups: { lr: number }[];
}

/** Numbers and arrays of numbers, for a checkpoint. */
export type ScheduleState = Readonly<Record<string, number | string | readonly number[]>>;

export abstract class LRScheduler {
  readonly optimizer: Scheduled;
  /** The rates at step 0, one for each group. */
  baseLrs: readonly number[];
  lastEpoch = -1;

  constructor(optimizer: Scheduled) {
    this.optimizer = optimizer;
    this.baseLrs = optimizer.paramGroups.map(({ lr }) => lr);
  }

  /** The rate of a group at `lastEpoch`. */
  protected abstract rate(base: number, group: number): number;

  /** To the next step. Call it behind the optimiser's. */
  step(): void {
    this.lastEpoch++;
    this.set();
  }

  /** @internal Sets the rates of `lastEpoch`. */
  set(): void {
    for (const [i, group] of this.optimizer.paramGroups.entries()) group.lr = this.rate(this.baseLrs[i] as number, i);
  }

  getLastLr(): number[] {
    return this.optimizer.paramGroups.map(({ lr }) => lr);
  }

  stateDict(): ScheduleState {
    return { lastEpoch: this.lastEpoch, baseLrs: this.baseLrs };
  }

  loadStateDict(state: ScheduleState): void {
    this.lastEpoch = state["lastEpoch"] as number;
    this.baseLrs = state["baseLrs"] as readonly number[];
    this.set();
  }
}

/** The rate times what a function gives for the step; one function, or one for each group. */
export class LambdaLR extends LRScheduler {
  readonly #lambdas: readonly ((epoch: number) => number)[];

  constructor(optimizer: Scheduled, lrLambda: ((epoch: number) => number) | readonly ((epoch: number) => number)[]) {
    super(optimizer);
    const groups = optimizer.paramGroups.length;
    this.#lambdas = typeof lrLambda === "function" ? Array.from({ length: groups }, () => lrLambda) : lrLambda;
    if (this.#lambdas.length !== groups)
      throw new HeddleError("bad-arguments", `Expected ${groups} lr_lambdas, but got ${this.#lambdas.length}`);
    this.step();
  }

  protected override rate(base: number, group: number): number {
    return base * (this.#lambdas[group] as (epoch: number) => number)(this.lastEpoch);
  }
}

/** The rate times `gamma` after every `stepSize` steps. */
export class StepLR extends LambdaLR {
  constructor(optimizer: Scheduled, stepSize: number, gamma = 0.1) {
    super(optimizer, (epoch) => gamma ** Math.floor(epoch / stepSize));
  }
}

/** The rate times `gamma` at each of the milestones. */
export class MultiStepLR extends LambdaLR {
  constructor(optimizer: Scheduled, milestones: readonly number[], gamma = 0.1) {
    super(optimizer, (epoch) => gamma ** milestones.filter((milestone) => milestone <= epoch).length);
  }
}

/** The rate times `gamma` after every step. */
export class ExponentialLR extends LambdaLR {
  constructor(optimizer: Scheduled, gamma: number) {
    super(optimizer, (epoch) => gamma ** epoch);
  }
}

export interface LinearLROptions {
  readonly startFactor?: number;
  readonly endFactor?: number;
  readonly totalIters?: number;
}

/** A warm-up: from a part of the rate to all of it, along a line. */
export class LinearLR extends LambdaLR {
  constructor(optimizer: Scheduled, { startFactor = 1 / 3, endFactor = 1, totalIters = 5 }: LinearLROptions = {}) {
    if (!(startFactor > 0 && startFactor <= 1))
      throw new HeddleError(
        "bad-arguments",
        "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
      );
    super(optimizer, (epoch) => startFactor + ((endFactor - startFactor) * Math.min(totalIters, epoch)) / totalIters);
  }
}

/** Down to `etaMin` along half a cosine. */
export class CosineAnnealingLR extends LRScheduler {
  readonly #most: number;
  readonly #least: number;

  constructor(optimizer: Scheduled, tMax: number, etaMin = 0) {
    super(optimizer);
    this.#most = tMax;
    this.#least = etaMin;
    this.step();
  }

  protected override rate(base: number): number {
    return this.#least + ((base - this.#least) * (1 + Math.cos((Math.PI * this.lastEpoch) / this.#most))) / 2;
  }
}

/** One schedule after the other: each begins at its milestone, as if it were step 0. */
export class SequentialLR {
  readonly #schedulers: readonly LRScheduler[];
  readonly #milestones: readonly number[];
  lastEpoch = 0;

  constructor(optimizer: Scheduled, schedulers: readonly LRScheduler[], milestones: readonly number[]) {
    if (milestones.length !== schedulers.length - 1)
      throw new HeddleError(
        "bad-arguments",
        `Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone ` +
          `points, but got number of schedulers ${schedulers.length} and the number of milestones ${milestones.length}`,
      );
    this.#schedulers = schedulers;
    this.#milestones = milestones;
    // Those that were made earlier have changed the rates that later ones began from.
    const [first] = schedulers;
    for (const scheduler of schedulers) scheduler.baseLrs = (first as LRScheduler).baseLrs;
    for (const group of optimizer.paramGroups.keys())
      (optimizer.paramGroups[group] as { lr: number }).lr = (first as LRScheduler).baseLrs[group] as number;
    this.#set();
  }

  #set(): void {
    const at = this.#milestones.filter((milestone) => milestone <= this.lastEpoch).length;
    const scheduler = this.#schedulers[at] as LRScheduler;
    scheduler.lastEpoch = this.lastEpoch - (this.#milestones[at - 1] ?? 0);
    scheduler.set();
  }

  step(): void {
    this.lastEpoch++;
    this.#set();
  }

  getLastLr(): number[] {
    return (this.#schedulers[0] as LRScheduler).getLastLr();
  }

  stateDict(): ScheduleState {
    return { lastEpoch: this.lastEpoch, baseLrs: (this.#schedulers[0] as LRScheduler).baseLrs };
  }

  loadStateDict(state: ScheduleState): void {
    this.lastEpoch = state["lastEpoch"] as number;
    for (const scheduler of this.#schedulers) scheduler.baseLrs = state["baseLrs"] as readonly number[];
    this.#set();
  }
}

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
