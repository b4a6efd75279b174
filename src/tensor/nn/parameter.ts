/** The tensors of a module: parameters, which are trained, and buffers, which are state. */
import { HeddleError } from "../../base/diagnostics.ts";
import { isFloating } from "../dtypes.ts";
import { Tensor } from "../tensor.ts";

/** A tensor that is trained: a field of a module that holds one is among the module's parameters. */
export class Parameter extends Tensor {
  /** Shares the memory of `data`. @throws HeddleError "bad-arguments" for a gradient of whole numbers */
  constructor(data: Tensor, requiresGrad = true) {
    super(data.storage, data.dtype, data.shape, data.strides, data.offset);
    if (requiresGrad && !isFloating(data.dtype))
      throw new HeddleError("bad-arguments", "Only Tensors of floating point dtype can require gradients", {
        notes: [`this one is ${data.dtype}: new nn.Parameter(data, false) makes a parameter without a gradient`],
      });
    this.isLeafWithGradient = requiresGrad;
  }
}

export interface BufferOptions {
  /** It is a part of the state that `stateDict` returns; default true. */
  readonly persistent?: boolean;
  /** It stays in host memory wherever the module goes. */
  readonly onHost?: boolean;
}

/** State of a module that is not trained, such as the running mean of a batch norm. */
export class Buffer extends Tensor {
  readonly isPersistent: boolean;
  readonly isOnHost: boolean;

  /** Shares the memory of `data`. */
  constructor(data: Tensor, { persistent = true, onHost = false }: BufferOptions = {}) {
    super(data.storage, data.dtype, data.shape, data.strides, data.offset);
    this.isPersistent = persistent;
    this.isOnHost = onHost;
  }
}
