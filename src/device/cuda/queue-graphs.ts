/**
 * Executable graphs of a GPU: what was put on a stream while it captured. Kernels of the program, and what calls of a
 * foreign library have put there.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { GraphId, RecordedCalls, StreamId } from "../device.ts";
import type { GpuContext } from "./context.ts";
import type { CudaKernel } from "./cuda-kernel.ts";
import { DriverStatus } from "./driver.ts";
import type { ForeignFunction } from "./foreign-library.ts";

const CAPTURE_RELAXED = 2;
/** CUDA_ERROR_STREAM_CAPTURE_…: UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED, ISOLATION, IMPLICIT */
const REFUSED_CAPTURES: readonly number[] = [900, 901, 902, 903, 904, 905, 906];

interface ExecutableGraph {
  readonly kernels: readonly CudaKernel[];
  /** What a foreign library has put there, for reports of faults. */
  readonly calls: { readonly name: string } | null;
}

export class QueueGraphs {
  readonly #context: GpuContext;
  /** Reports a status of the driver's. */
  readonly #refused: (name: string, status: number) => never;
  readonly #launch: ForeignFunction;
  readonly #graphs = new Map<GraphId, ExecutableGraph>();
  #captured: CudaKernel[] | null = null;

  constructor(context: GpuContext, refused: (name: string, status: number) => never) {
    this.#context = context;
    this.#refused = refused;
    this.#launch = context.driver.function("cuGraphLaunch");
  }

  /** Kernels launched on capturing streams; null while no stream captures. */
  get captured(): CudaKernel[] | null {
    return this.#captured;
  }

  begin(stream: StreamId): void {
    this.#call("cuStreamBeginCapture_v2", stream, CAPTURE_RELAXED);
    this.#captured = [];
  }

  end(stream: StreamId): GraphId {
    const kernels = this.#captured ?? [];
    this.#captured = null;
    const { status, graph } = this.#endCapture(stream);
    if (status !== DriverStatus.success) this.#refused("cuStreamEndCapture", status);
    return this.#instantiate(graph, { kernels: [...new Set(kernels)], calls: null });
  }

  drop(stream: StreamId): void {
    this.#captured = null;
    // A refusal may have made it invalid: then there is no graph.
    const { status, graph } = this.#endCapture(stream);
    if (status === DriverStatus.success) this.#context.driver.status("cuGraphDestroy", graph);
  }

  beginCalls(stream: StreamId, mode: number): void {
    this.#call("cuStreamBeginCapture_v2", stream, mode);
  }

  endCalls(stream: StreamId, name: string): RecordedCalls {
    const { status, graph } = this.#endCapture(stream);
    if (REFUSED_CAPTURES.includes(status)) return { graph: null, isValid: false };
    if (status !== DriverStatus.success) this.#refused("cuStreamEndCapture", status);
    const count = new BigUint64Array(1);
    // A null pointer for the nodes: only their count is asked for.
    this.#call("cuGraphGetNodes", graph, 0, count);
    if (count[0] === 0n) {
      this.#context.driver.status("cuGraphDestroy", graph);
      return { graph: null, isValid: true };
    }
    return { graph: this.#instantiate(graph, { kernels: [], calls: { name } }), isValid: true };
  }

  /** @throws HeddleError "bad-arguments" */
  get(graph: GraphId): ExecutableGraph {
    const found = this.#graphs.get(graph);
    if (found === undefined) throw new HeddleError("bad-arguments", "the graph does not exist, or is destroyed");
    return found;
  }

  launch(graph: GraphId, stream: StreamId): void {
    const status = this.#launch(graph, stream);
    if (status !== DriverStatus.success) this.#refused("cuGraphLaunch", status);
  }

  destroy(graph: GraphId): void {
    this.get(graph);
    this.#graphs.delete(graph);
    this.#call("cuGraphExecDestroy", graph);
  }

  releaseCalls(graph: GraphId): void {
    if ((this.#graphs.get(graph)?.calls ?? null) !== null) this.destroy(graph);
  }

  /** The context was renewed: the driver's objects no longer exist. */
  forget(): void {
    this.#graphs.clear();
    this.#captured = null;
  }

  #endCapture(stream: StreamId): { readonly status: number; readonly graph: number } {
    const out = new BigUint64Array(1);
    this.#context.makeCurrent();
    const status = this.#context.driver.status("cuStreamEndCapture", stream, out);
    return { status, graph: Number(out[0]) };
  }

  #instantiate(graph: number, executable: ExecutableGraph): GraphId {
    const { driver } = this.#context;
    const out = new BigUint64Array(1);
    const status = driver.status("cuGraphInstantiateWithFlags", out, graph, 0);
    driver.status("cuGraphDestroy", graph);
    if (status !== DriverStatus.success) this.#refused("cuGraphInstantiateWithFlags", status);
    const id = Number(out[0]);
    this.#graphs.set(id, executable);
    return id;
  }

  #call(name: `cu${string}`, ...values: (number | BigUint64Array)[]): void {
    this.#context.makeCurrent();
    const status = this.#context.driver.status(name, ...values);
    if (status !== DriverStatus.success) this.#refused(name, status);
  }
}
