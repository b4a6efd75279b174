/** Stochastic gradient descent, with momentum as torch.optim.SGD has it. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Tensor } from "../tensor.ts";
import {
  Optimizer,
  requireAtLeast,
  type Group,
  type ParameterGroup,
  type ParameterState,
  type Step,
} from "./optimizer.ts";
import { add, input, mul, sub, updateOf, type Update } from "./update.ts";

export interface SgdOptions {
  /** Default 0.001. */
  lr: number;
  momentum: number;
  dampening: number;
  weightDecay: number;
  nesterov: boolean;
  maximize: boolean;
}

const DEFAULTS: SgdOptions = {
  lr: 1e-3,
  momentum: 0,
  dampening: 0,
  weightDecay: 0,
  nesterov: false,
  maximize: false,
};

export class SGD extends Optimizer<SgdOptions> {
  constructor(params: Iterable<Tensor> | readonly ParameterGroup<SgdOptions>[], options: Partial<SgdOptions> = {}) {
    super(params, { ...DEFAULTS, ...options });
  }

  protected override check({ lr, momentum, weightDecay, nesterov, dampening }: SgdOptions): void {
    requireAtLeast("learning rate", lr);
    requireAtLeast("momentum", momentum);
    requireAtLeast("weight_decay", weightDecay);
    if (nesterov && (momentum <= 0 || dampening !== 0))
      throw new HeddleError("bad-arguments", "Nesterov momentum requires a momentum and zero dampening");
  }

  protected override stepOf(group: Group<SgdOptions>, { step }: ParameterState): Step {
    const { lr, momentum, dampening, weightDecay, nesterov, maximize } = group;
    const hasMomentum = momentum !== 0;
    const kind = { hasMomentum, nesterov, hasDecay: weightDecay !== 0 };
    const update = updateOf(`sgd ${JSON.stringify(kind)}`, () => sgdUpdate(kind));
    const sign = maximize ? -1 : 1;
    return {
      update,
      // The first step's velocity is the gradient.
      numbers: [lr, sign, weightDecay, momentum, step === 1 ? 1 : 1 - dampening],
      state: hasMomentum ? ["momentum_buffer"] : [],
    };
  }
}

interface SgdKind {
  readonly hasMomentum: boolean;
  readonly nesterov: boolean;
  readonly hasDecay: boolean;
}

function sgdUpdate({ hasMomentum, nesterov, hasDecay }: SgdKind): Update {
  const [parameter, gradient, velocity] = [input(0), input(1), input(2)];
  const tensors = hasMomentum ? 3 : 2;
  const [lr, sign, decay, momentum, share] = [0, 1, 2, 3, 4].map((i) => input(tensors + i)) as [
    ReturnType<typeof input>,
    ReturnType<typeof input>,
    ReturnType<typeof input>,
    ReturnType<typeof input>,
    ReturnType<typeof input>,
  ];
  const ascent = mul(sign, gradient);
  const decayed = hasDecay ? add(ascent, mul(decay, parameter)) : ascent;
  const name = `sgd${hasMomentum ? "_momentum" : ""}${nesterov ? "_nesterov" : ""}${hasDecay ? "_decay" : ""}`;
  if (!hasMomentum) return { name, tensors, results: new Map([[0, sub(parameter, mul(lr, decayed))]]) };
  const next = add(mul(momentum, velocity), mul(share, decayed));
  const direction = nesterov ? add(decayed, mul(momentum, next)) : next;
  return {
    name,
    tensors,
    results: new Map([
      [0, sub(parameter, mul(lr, direction))],
      [2, next],
    ]),
  };
}
