/** Optimisers whose step adapts to each element: as torch.optim.Adam, AdamW, RMSprop and Adagrad. */
import type { Expression } from "../expressions/expression.ts";
import type { Tensor } from "../tensor.ts";
import {
  Optimizer,
  requireAtLeast,
  requireBetas,
  type Group,
  type ParameterGroup,
  type ParameterState,
  type Step,
} from "./optimizer.ts";
import { add, div, input, maximum, mul, sqrt, sub, updateOf, type Update } from "./update.ts";

export interface AdamOptions {
  /** Default 0.001. */
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  amsgrad: boolean;
  maximize: boolean;
}

const DEFAULTS: AdamOptions = {
  lr: 1e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  amsgrad: false,
  maximize: false,
};

interface AdamKind {
  readonly decay: "none" | "gradient" | "weight";
  readonly amsgrad: boolean;
}

export class Adam extends Optimizer<AdamOptions> {
  constructor(params: Iterable<Tensor> | readonly ParameterGroup<AdamOptions>[], options: Partial<AdamOptions> = {}) {
    super(params, { ...DEFAULTS, ...options });
  }

  /** Where the decay goes. */
  protected get decayOf(): "gradient" | "weight" {
    return "gradient";
  }

  protected override check({ lr, betas, eps, weightDecay }: AdamOptions): void {
    requireAtLeast("learning rate", lr);
    requireAtLeast("epsilon", eps);
    requireAtLeast("weight_decay", weightDecay);
    requireBetas(betas);
  }

  protected override stepOf(group: Group<AdamOptions>, { step }: ParameterState): Step {
    const { lr, betas, eps, weightDecay, amsgrad, maximize } = group;
    const decay = weightDecay === 0 ? "none" : this.decayOf;
    const update = updateOf(`adam ${decay} ${amsgrad}`, () => adamUpdate({ decay, amsgrad }));
    const [beta1, beta2] = betas;
    const stepSize = lr / (1 - beta1 ** step);
    const scale = Math.sqrt(1 - beta2 ** step);
    const decaying = decay === "weight" ? 1 - lr * weightDecay : weightDecay;
    return {
      update,
      numbers: [maximize ? -1 : 1, decaying, 1 - beta1, beta2, 1 - beta2, stepSize, scale, eps],
      state: ["exp_avg", "exp_avg_sq", ...(amsgrad ? ["max_exp_avg_sq"] : [])],
    };
  }
}

export class AdamW extends Adam {
  constructor(params: Iterable<Tensor> | readonly ParameterGroup<AdamOptions>[], options: Partial<AdamOptions> = {}) {
    super(params, { weightDecay: 1e-2, ...options });
  }

  protected override get decayOf(): "gradient" | "weight" {
    return "weight";
  }
}

function adamUpdate({ decay, amsgrad }: AdamKind): Update {
  const tensors = amsgrad ? 5 : 4;
  const [parameter, gradient, mean, square, most] = [0, 1, 2, 3, 4].map((i) => input(i)) as Five;
  const numbers = Array.from({ length: 8 }, (_, i) => input(tensors + i));
  const [sign, decaying, share1, keep2, share2] = numbers as unknown as Five;
  const [stepSize, scale, eps] = numbers.slice(5) as [Expression, Expression, Expression];
  const ascent = mul(sign, gradient);
  const g = decay === "gradient" ? add(ascent, mul(decaying, parameter)) : ascent;
  const shrunk = decay === "weight" ? mul(parameter, decaying) : parameter;
  const nextMean = add(mean, mul(share1, sub(g, mean)));
  const nextSquare = add(mul(keep2, square), mul(share2, mul(g, g)));
  const greatest = amsgrad ? maximum(most, nextSquare) : nextSquare;
  const denominator = add(div(sqrt(greatest), scale), eps);
  const results = new Map<number, Expression>([
    [0, sub(shrunk, mul(stepSize, div(nextMean, denominator)))],
    [2, nextMean],
    [3, nextSquare],
  ]);
  if (amsgrad) results.set(4, greatest);
  return { name: `adam_${decay}${amsgrad ? "_amsgrad" : ""}`, tensors, results };
}

type Five = [Expression, Expression, Expression, Expression, Expression];

export interface RMSpropOptions {
  /** Default 0.01. */
  lr: number;
  alpha: number;
  eps: number;
  weightDecay: number;
  momentum: number;
  centered: boolean;
  maximize: boolean;
}

/** As torch.optim.RMSprop. */
export class RMSprop extends Optimizer<RMSpropOptions> {
  constructor(
    params: Iterable<Tensor> | readonly ParameterGroup<RMSpropOptions>[],
    options: Partial<RMSpropOptions> = {},
  ) {
    const defaults = { lr: 1e-2, alpha: 0.99, eps: 1e-8, weightDecay: 0, momentum: 0, centered: false };
    super(params, { ...defaults, maximize: false, ...options });
  }

  protected override check({ lr, alpha, eps, weightDecay, momentum }: RMSpropOptions): void {
    requireAtLeast("learning rate", lr);
    requireAtLeast("alpha", alpha);
    requireAtLeast("epsilon", eps);
    requireAtLeast("weight_decay", weightDecay);
    requireAtLeast("momentum", momentum);
  }

  protected override stepOf(group: Group<RMSpropOptions>): Step {
    const { lr, alpha, eps, weightDecay, momentum, centered, maximize } = group;
    const hasMomentum = momentum > 0;
    const update = updateOf(`rmsprop ${centered} ${hasMomentum}`, () => rmspropUpdate(centered, hasMomentum));
    return {
      update,
      numbers: [maximize ? -1 : 1, weightDecay, alpha, 1 - alpha, lr, eps, momentum],
      state: ["square_avg", ...(centered ? ["grad_avg"] : []), ...(hasMomentum ? ["momentum_buffer"] : [])],
    };
  }
}

function rmspropUpdate(centered: boolean, hasMomentum: boolean): Update {
  const tensors = 3 + Number(centered) + Number(hasMomentum);
  const [parameter, gradient, square] = [input(0), input(1), input(2)];
  const [averageAt, velocityAt] = [3, 3 + Number(centered)];
  const numbers = Array.from({ length: 7 }, (_, i) => input(tensors + i));
  const [sign, decay, keep, share, lr] = numbers as unknown as Five;
  const [eps, momentum] = numbers.slice(5) as [Expression, Expression];
  const g = add(mul(sign, gradient), mul(decay, parameter));
  const nextSquare = add(mul(keep, square), mul(share, mul(g, g)));
  const average = input(averageAt);
  const nextAverage = add(average, mul(share, sub(g, average)));
  const variance = centered ? sub(nextSquare, mul(nextAverage, nextAverage)) : nextSquare;
  const scaled = div(g, add(sqrt(variance), eps));
  const velocity = add(mul(momentum, input(velocityAt)), scaled);
  const results = new Map<number, Expression>([
    [0, sub(parameter, mul(lr, hasMomentum ? velocity : scaled))],
    [2, nextSquare],
  ]);
  if (centered) results.set(averageAt, nextAverage);
  if (hasMomentum) results.set(velocityAt, velocity);
  return { name: `rmsprop${centered ? "_centered" : ""}${hasMomentum ? "_momentum" : ""}`, tensors, results };
}

export interface AdagradOptions {
  /** Default 0.01. */
  lr: number;
  lrDecay: number;
  weightDecay: number;
  initialAccumulatorValue: number;
  eps: number;
  maximize: boolean;
}

/** As torch.optim.Adagrad. */
export class Adagrad extends Optimizer<AdagradOptions> {
  constructor(
    params: Iterable<Tensor> | readonly ParameterGroup<AdagradOptions>[],
    options: Partial<AdagradOptions> = {},
  ) {
    const defaults = { lr: 1e-2, lrDecay: 0, weightDecay: 0, initialAccumulatorValue: 0, eps: 1e-10 };
    super(params, { ...defaults, maximize: false, ...options });
  }

  protected override check({ lr, lrDecay, weightDecay, initialAccumulatorValue, eps }: AdagradOptions): void {
    requireAtLeast("learning rate", lr);
    requireAtLeast("lr_decay", lrDecay);
    requireAtLeast("weight_decay", weightDecay);
    requireAtLeast("initial_accumulator_value", initialAccumulatorValue);
    requireAtLeast("epsilon", eps);
  }

  protected override initialState(_name: string, group: Group<AdagradOptions>): number {
    return group.initialAccumulatorValue;
  }

  protected override stepOf(group: Group<AdagradOptions>, { step }: ParameterState): Step {
    const { lr, lrDecay, weightDecay, eps, maximize } = group;
    const update = updateOf("adagrad", adagradUpdate);
    const rate = lr / (1 + (step - 1) * lrDecay);
    return { update, numbers: [maximize ? -1 : 1, weightDecay, rate, eps], state: ["sum"] };
  }
}

function adagradUpdate(): Update {
  const [parameter, gradient, sum, sign, decay] = [0, 1, 2, 3, 4].map((i) => input(i)) as Five;
  const [rate, eps] = [input(5), input(6)];
  const g = add(mul(sign, gradient), mul(decay, parameter));
  const next = add(sum, mul(g, g));
  return {
    name: "adagrad",
    tensors: 3,
    results: new Map([
      [0, sub(parameter, mul(rate, div(g, add(sqrt(next), eps))))],
      [2, next],
    ]),
  };
}
