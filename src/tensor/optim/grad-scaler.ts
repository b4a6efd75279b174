/** Losses of float16 are scaled, so that small gradients do not become 0: as torch.amp.GradScaler. */
import { withoutTape } from "../autograd/tape.ts";
import { stack } from "../operations/creation.ts";
import { scoped, type Tensor } from "../tensor.ts";
import "../api/element-methods.ts";
import "../api/reduction-methods.ts";
import "../api/tensor-methods.ts";

export interface GradScalerOptions {
  readonly initScale?: number;
  readonly growthFactor?: number;
  readonly backoffFactor?: number;
  /** Steps without an infinite gradient after which the scale grows. */
  readonly growthInterval?: number;
  readonly enabled?: boolean;
}

/** An optimiser, as far as its gradients go. */
interface Steps {
  readonly paramGroups: readonly { readonly params: readonly Tensor[] }[];
  step(): void;
}

export class GradScaler {
  readonly #options: Required<GradScalerOptions>;
  #scale: number;
  #steps = 0;
  readonly #isUnscaled = new Set<Steps>();
  #hasInfinite = false;

  constructor(options: GradScalerOptions = {}) {
    this.#options = {
      initScale: 65536,
      growthFactor: 2,
      backoffFactor: 0.5,
      growthInterval: 2000,
      enabled: true,
      ...options,
    };
    this.#scale = this.#options.initScale;
  }

  getScale(): number {
    return this.#options.enabled ? this.#scale : 1;
  }

  /** The loss times the scale: call `backward` of it. */
  scale(loss: Tensor): Tensor {
    return this.#options.enabled ? loss.mul(this.#scale) : loss;
  }

  /** Divides the gradients by the scale now, for instance to clip them. The host waits for the device. */
  unscale_(optimizer: Steps): void {
    if (!this.#options.enabled || this.#isUnscaled.has(optimizer)) return;
    this.#isUnscaled.add(optimizer);
    const grads = optimizer.paramGroups.flatMap(({ params }) => params.flatMap(({ grad }) => grad ?? []));
    if (grads.length === 0) return;
    withoutTape(() =>
      scoped(() => {
        for (const grad of grads) grad.mul_(1 / this.#scale);
        const sums = grads.map((grad) => grad.float().abs().amax());
        if (!Number.isFinite(stack(sums, 0).sum().item())) this.#hasInfinite = true;
      }),
    );
  }

  /** The optimiser's step, unless a gradient is infinite or no number. */
  step(optimizer: Steps): void {
    this.unscale_(optimizer);
    if (!this.#hasInfinite) optimizer.step();
  }

  /** Grows or shrinks the scale. Call it at the end of a step. */
  update(): void {
    const { growthFactor, backoffFactor, growthInterval, enabled } = this.#options;
    this.#isUnscaled.clear();
    if (!enabled) return;
    if (this.#hasInfinite) {
      this.#scale *= backoffFactor;
      this.#steps = 0;
    } else if (++this.#steps === growthInterval) {
      this.#scale *= growthFactor;
      this.#steps = 0;
    }
    this.#hasInfinite = false;
  }

  stateDict(): { readonly scale: number; readonly steps: number } {
    return { scale: this.#scale, steps: this.#steps };
  }

  loadStateDict({ scale, steps }: { readonly scale: number; readonly steps: number }): void {
    this.#scale = scale;
    this.#steps = steps;
  }
}
