/** Losses as modules. */
import type * as L from "../api/functional.ts";
import { functional as F } from "./functional.ts";
import type { Tensor } from "../tensor.ts";
import { Module } from "./module.ts";

/** A loss as a class: its options are given once. */
abstract class Loss<Options> extends Module {
  readonly options: Options;

  constructor(options: Options) {
    super();
    this.options = options;
  }
}

export class CrossEntropyLoss extends Loss<L.CrossEntropyOptions> {
  constructor(options: L.CrossEntropyOptions = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.crossEntropy(input, target, this.options);
  }
}

export class NLLLoss extends Loss<L.ClassLossOptions> {
  constructor(options: L.ClassLossOptions = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.nllLoss(input, target, this.options);
  }
}

export class MSELoss extends Loss<L.LossOptions> {
  constructor(options: L.LossOptions = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.mseLoss(input, target, this.options);
  }
}

export class L1Loss extends Loss<L.LossOptions> {
  constructor(options: L.LossOptions = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.l1Loss(input, target, this.options);
  }
}

export class SmoothL1Loss extends Loss<L.LossOptions & { readonly beta?: number }> {
  constructor(options: L.LossOptions & { readonly beta?: number } = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.smoothL1Loss(input, target, this.options);
  }
}

export class HuberLoss extends Loss<L.LossOptions & { readonly delta?: number }> {
  constructor(options: L.LossOptions & { readonly delta?: number } = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.huberLoss(input, target, this.options);
  }
}

export class BCELoss extends Loss<L.WeightedLossOptions> {
  constructor(options: L.WeightedLossOptions = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropy(input, target, this.options);
  }
}

export class BCEWithLogitsLoss extends Loss<L.WeightedLossOptions & { readonly posWeight?: Tensor | null }> {
  constructor(options: L.WeightedLossOptions & { readonly posWeight?: Tensor | null } = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropyWithLogits(input, target, this.options);
  }
}

export class KLDivLoss extends Loss<NonNullable<Parameters<typeof F.klDiv>[2]>> {
  constructor(options: NonNullable<Parameters<typeof F.klDiv>[2]> = {}) {
    super(options);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.klDiv(input, target, this.options);
  }
}
