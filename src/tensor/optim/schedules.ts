/** Learning rates that follow from the number of the step. */
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
