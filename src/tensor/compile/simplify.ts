/**
 * From actions on buffers to nodes that use each other's values: what is never used goes, what is computed twice is
 * computed once, and long sums are cut into parts that run side by side.
 */
import { bug } from "../../base/diagnostics.ts";
import { decode, elementBytes, type TensorDtype } from "../dtypes.ts";
import { input, textOf, type Expression } from "../expressions/expression.ts";
import { computeTypeOf } from "../operations/copies.ts";
import { elementCount, type Shape } from "../tensor.ts";
import type { Action, Buffer, Load, Node, OpaqueAction, Place, ReductionAction, Source, Trace, View } from "./graph.ts";
import { isTurnedLoad, partsOf } from "./parts-of-sums.ts";
import { fills } from "./tracer.ts";
import { keepOverwritten, usedNodes } from "./used-nodes.ts";

export interface Simplified {
  /** In the order of their actions. */
  readonly nodes: readonly Node[];
  /** More than the trace has: parts of sums, and one for each time that a buffer is computed as a whole. */
  readonly buffers: readonly Buffer[];
  /** Which buffer holds what the trace's buffer holds at the end. */
  readonly final: ReadonlyMap<number, number>;
}

/** What a buffer of the trace holds at a point of the trace. */
interface State {
  /** The buffer that stands for it now. */
  buffer: number;
  version: number;
  /** What computed all of it; null: several nodes, or nobody. */
  whole: Node | null;
  writers: Node[];
}

const IDENTITY: Expression = input(0);

class Simplifier {
  readonly nodes: Node[] = [];
  readonly buffers: Buffer[];
  readonly #states: State[];
  readonly #byKey = new Map<string, Node>();

  /** Buffers with memory of their own: somebody gets them, or writes a part of them. */
  readonly #own: ReadonlySet<number>;
  readonly #parted: ReadonlySet<number>;

  constructor(trace: Trace, demanded: ReadonlySet<number>) {
    const parted = new Set<number>();
    for (const { output } of trace.actions)
      if (!fills(output, trace.buffers[output.buffer]?.bytes ?? 0)) parted.add(output.buffer);
    this.#parted = parted;
    this.#own = new Set([...demanded, ...parted]);
    this.buffers = trace.buffers.map((buffer) => ({ ...buffer }));
    this.#states = trace.buffers.map(({ id }) => ({ buffer: id, version: 0, whole: null, writers: [] }));
  }

  stateOf(buffer: number): State {
    return this.#states[buffer] ?? bug(`no buffer ${buffer}`);
  }

  get states(): readonly State[] {
    return this.#states;
  }

  run(action: Action): void {
    if (elementCount(action.output.shape) === 0) return;
    if (action.kind === "opaque") this.#opaque(action);
    else if (action.kind === "reduction") this.#reduction(action);
    else this.#elements(action);
  }

  #opaque(action: OpaqueAction): void {
    const inputs = action.inputs.map((view) => {
      const source = this.#memory(view.buffer);
      return { source, view: { ...view, buffer: source.buffer } };
    });
    this.#write(action, [], [], [], { opaque: action, inputs });
  }

  #elements(action: Exclude<Action, OpaqueAction | ReductionAction>): void {
    const { shape, strides } = action.output;
    const dims = dimsOf(shape).sort((a, b) => (strides[b] as number) - (strides[a] as number));
    const operands = action.kind === "uniform" ? [] : action.operands.map((own) => this.#load(own, dims));
    this.#write(action, pick(shape, dims), [], operands, { places: dims });
  }

  #reduction(action: ReductionAction): void {
    const view = action.operands.find((operand): operand is View => typeof operand !== "number") ?? bug("no operand");
    const isReduced = new Set(action.dims);
    const all = dimsOf(view.shape);
    const by =
      (strides: Shape) =>
      (a: number, b: number): number =>
        (strides[b] as number) - (strides[a] as number);
    const kept = all.filter((d) => !isReduced.has(d)).sort(by(action.output.strides));
    const reduced = all.filter((d) => isReduced.has(d));
    // Where the order of the elements counts, it is that of the dimensions.
    if (!action.combine.startsWith("arg")) reduced.sort(by(view.strides));
    const operands = action.operands.map((own) => this.#load(own, [...kept, ...reduced]));
    const [keptSizes, reducedSizes] = [pick(view.shape, kept), pick(view.shape, reduced)];
    // What lies together in memory is kept: a program has many of these sums.
    const isTurned = operands.some((own) => isTurnedLoad(own, kept.length));
    const parts = action.combine.startsWith("arg") ? 1 : partsOf(keptSizes, reducedSizes, isTurned);
    if (parts === 1) {
      this.#write(action, keptSizes, reducedSizes, operands, { places: kept });
      return;
    }
    this.#inParts(action, [keptSizes, reducedSizes], operands, parts, kept);
  }

  /** Sums of parts first, then their sum. */
  #inParts(
    action: ReductionAction,
    [kept, reduced]: readonly [number[], number[]],
    operands: readonly (Load | number)[],
    parts: number,
    places: readonly number[],
  ): void {
    const [long = 1, ...others] = reduced;
    const at = kept.length;
    // What is together in memory is computed together: parts before or behind what is kept.
    const isBefore = operands.some((own) => isTurnedLoad(own, at));
    const order = isBefore ? [parts, ...kept] : [...kept, parts];
    const part = long / parts;
    const cut = operands.map((own): Load | number => {
      if (typeof own === "number") return own;
      const stride = own.strides[at] as number;
      const [before, behind] = [own.strides.slice(0, at), own.strides.slice(at + 1)];
      const outer = isBefore ? [stride * part, ...before] : [...before, stride * part];
      return { ...own, strides: [...outer, stride, ...behind] };
    });
    const count = elementCount(order);
    const dtype = action.type as TensorDtype;
    const buffer: Buffer = this.#newBuffer(count * elementBytes(dtype));
    const view: View = { buffer: buffer.id, dtype, shape: order, strides: dense(order), offset: 0 };
    this.#states[buffer.id] = { buffer: buffer.id, version: 0, whole: null, writers: [] };
    const first: ReductionAction = { ...action, name: `${action.name}_parts`, finish: null, output: view };
    this.#write(first, order, [part, ...others], cut, { places: order.map((_, d) => d) });
    const dims = isBefore ? [...order.keys()].slice(1).concat(0) : [...order.keys()];
    const again = { ...action, expression: IDENTITY };
    this.#write(again, kept, [parts], [this.#load(view, dims)], { places });
  }

  /** Elements in the order of these dimensions. */
  #load(operand: View | number, dims: readonly number[]): Load | number {
    if (typeof operand === "number") return operand;
    const { data, bytes } = this.buffers[operand.buffer] as Buffer;
    if (data !== null && bytes === elementBytes(operand.dtype)) return decode(data.slice(), operand.dtype)[0] as number;
    const state = this.stateOf(operand.buffer);
    const { whole } = state;
    const isValue = whole !== null && whole.kind !== "opaque" && whole.output.dtype === operand.dtype;
    const source: Source = isValue ? { kind: "node", node: whole } : this.#memory(operand.buffer);
    return { source, dtype: operand.dtype, strides: pick(operand.strides, dims), offset: operand.offset };
  }

  /** Memory as it is now: who wrote it has to do so. */
  #memory(buffer: number): Extract<Source, { kind: "memory" }> {
    const state = this.stateOf(buffer);
    for (const node of state.writers) node.isStored = true;
    return { kind: "memory", buffer: state.buffer, version: state.version };
  }

  #newBuffer(bytes: number): Buffer {
    const id = this.buffers.length;
    const buffer: Buffer = { id, kind: "made", bytes, name: `made${id}`, data: null };
    this.buffers.push(buffer);
    return buffer;
  }

  #write(
    action: Action,
    kept: readonly number[],
    reduced: readonly number[],
    operands: readonly (Load | number)[],
    more: {
      readonly places?: readonly number[];
      readonly opaque?: OpaqueAction;
      readonly inputs?: Node["inputs"];
    },
  ): void {
    const { output } = action;
    const state = this.stateOf(output.buffer);
    const own = this.buffers[output.buffer] as Buffer;
    const isWhole = fills(output, own.bytes);
    const common = commonOf(action);
    const places = pick(output.strides, more.places ?? []);
    const key = isWhole ? keyOf(action, common, [kept, reduced, places], operands) : null;
    const known = key === null ? undefined : this.#byKey.get(key);
    // The same values again; in memory of its own only where somebody gave it.
    if (known !== undefined && own.kind === "made" && !this.#own.has(output.buffer)) {
      Object.assign(state, { buffer: known.output.buffer, version: known.output.version, whole: known });
      state.writers = [known];
      return;
    }
    const isOther = isWhole && own.kind === "made" && state.version > 0;
    const buffer = isOther ? this.#newBuffer(own.bytes).id : state.buffer;
    const version = isOther ? 1 : state.version + 1;
    const place: Place = { buffer, version, dtype: output.dtype, strides: places, offset: output.offset };
    const node: Node = {
      id: this.nodes.length,
      name: action.name,
      kept,
      reduced,
      operands,
      ...common,
      output: place,
      opaque: more.opaque ?? null,
      inputs: more.inputs ?? [],
      isStored: !isWhole || action.kind === "opaque",
    };
    // A part is written beside what is there.
    if (!isWhole) for (const writer of state.writers) writer.isStored = true;
    this.nodes.push(node);
    state.writers = isWhole ? [node] : [...state.writers, node];
    Object.assign(state, { buffer, version, whole: isWhole ? node : null });
    // What changes later in part is nobody else's.
    if (key !== null && !this.#parted.has(output.buffer)) this.#byKey.set(key, node);
  }
}

type Common = Pick<Node, "kind" | "type" | "expression" | "combine" | "finish" | "counter">;

function commonOf(action: Action): Common {
  const none = { expression: null, combine: null, finish: null, counter: 0 };
  switch (action.kind) {
    case "opaque":
      return { ...none, kind: "opaque", type: "float32" };
    case "uniform":
      return { ...none, kind: "uniform", type: computeTypeOf("float32"), counter: action.counter };
    case "pointwise":
      return { ...none, kind: "pointwise", type: action.type, expression: action.expression };
    default:
      return {
        ...none,
        kind: "reduction",
        type: action.type,
        expression: action.expression,
        combine: action.combine,
        finish: action.finish,
      };
  }
}

/** Equal for nodes that compute the same; null: it may not be computed once for both. */
function keyOf(
  { kind, output }: Action,
  { type, expression, combine, finish, counter }: Common,
  shapes: readonly (readonly number[])[],
  operands: readonly (Load | number)[],
): string | null {
  if (kind === "opaque") return null;
  const sources = operands.map((own) => {
    if (typeof own === "number") return String(own);
    const { source } = own;
    const from = source.kind === "node" ? `n${source.node.id}` : `m${source.buffer}.${source.version}`;
    return `${from}:${own.dtype}:${own.strides.join()}:${own.offset}`;
  });
  const text = expression === null ? `counter ${counter}` : textOf(expression);
  const ending = finish === null ? "" : `${textOf(finish.expression)} ${finish.numbers.join()}`;
  return [kind, combine, type, output.dtype, text, ending, ...shapes.map(String), ...sources].join("|");
}

const dimsOf = (shape: Shape): number[] => shape.map((_, d) => d).filter((d) => shape[d] !== 1);
const pick = (from: readonly number[], dims: readonly number[]): number[] => dims.map((d) => from[d] as number);

function dense(sizes: readonly number[]): number[] {
  const strides = sizes.map(() => 1);
  for (let d = sizes.length - 2; d >= 0; d--) strides[d] = (strides[d + 1] as number) * (sizes[d + 1] as number);
  return strides;
}

/** @param demanded buffers of the trace that have to be in memory at the end, besides those that were given */
export function simplify(trace: Trace, demanded: ReadonlySet<number>): Simplified {
  const simplifier = new Simplifier(trace, demanded);
  for (const action of trace.actions) simplifier.run(action);
  const final = new Map<number, number>();
  const roots: Node[] = [];
  for (const { id, kind } of trace.buffers) {
    const state = simplifier.stateOf(id);
    final.set(id, state.buffer);
    if (!demanded.has(id) && (kind !== "given" || state.version === 0)) continue;
    for (const node of state.writers) {
      node.isStored = true;
      roots.push(node);
    }
  }
  for (const node of simplifier.nodes) if (node.opaque?.isCheck === true) roots.push(node);
  const nodes = usedNodes(simplifier.nodes, roots);
  keepOverwritten(nodes, simplifier.buffers);
  return { nodes, buffers: simplifier.buffers, final };
}
