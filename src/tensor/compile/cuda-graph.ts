/** `torch.cuda`: launches that are captured once and replayed as one, as PyTorch's CUDAGraph. */
import { HeddleError } from "../../base/diagnostics.ts";
import { recordGraph, type TensorGraph } from "../api/tensor-graph.ts";
import { Tensors } from "../api/tensors.ts";
import { tensorDeviceOf } from "../kernels/tensor-device.ts";

/** Captured launches. Tensors that they made keep their memory: each replay computes them anew. */
export class CUDAGraph {
  #captured: TensorGraph<unknown> | null = null;

  /** @internal Use `torch.cuda.graph`. */
  capture<T>(record: () => TensorGraph<T>): T {
    if (this.#captured !== null)
      throw new HeddleError("bad-arguments", "this CUDAGraph has captured something already");
    const captured = record();
    this.#captured = captured;
    return captured.result;
  }

  /** Launches all that was captured. @throws HeddleError "bad-arguments" before a capture, and after `reset` */
  replay(): void {
    if (this.#captured === null)
      throw new HeddleError("bad-arguments", "Called CUDAGraph::replay without a preceding successful capture.", {
        notes: ["torch.cuda.graph(graph, () => { … }) captures"],
      });
    this.#captured.launch();
  }

  /** Gives back the graph and its memory. It may capture again. */
  reset(): void {
    this.#captured?.close();
    this.#captured = null;
  }

  [Symbol.dispose](): void {
    this.reset();
  }
}

export interface Cuda {
  readonly CUDAGraph: typeof CUDAGraph;
  /**
   * Captures the launches of `work` in a graph, and runs none: they run at `graph.replay()`. Call what is captured once
   * before, so that its kernels are compiled. On an emulated device, too.
   *
   *     const graph = new torch.cuda.CUDAGraph();
   *     const y = torch.cuda.graph(graph, () => model(x));
   *     x.copy_(next);
   *     graph.replay(); // y has values
   *
   * Numbers, such as a learning rate, stay as they were.
   *
   * @throws HeddleError "unsupported" for what the host computes
   */
  graph<T>(graph: CUDAGraph, work: () => T): T;
  synchronize(): void;
}

declare module "../api/tensors.ts" {
  interface Tensors {
    readonly cuda: Cuda;
  }
}

Object.defineProperty(Tensors.prototype, "cuda", {
  get(this: Tensors): Cuda {
    return {
      CUDAGraph,
      graph: (graph, work) => {
        const device = tensorDeviceOf(this.device.raw);
        if (device === null) throw new HeddleError("unsupported", "the host has no graphs");
        return graph.capture(() => recordGraph(device, work, { warmUps: 0 }));
      },
      synchronize: () => this.synchronize(),
    };
  },
  configurable: true,
});
