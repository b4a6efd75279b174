/**
 * The values of a kernel: each node that it stores, with all that can be computed in it. The kernel runs over rows and
 * columns; its reductions combine the columns of each row.
 */
import { bug } from "../../base/diagnostics.ts";
import { input } from "../expressions/expression.ts";
import type { Buffer, Load, Node } from "./graph.ts";
import { indicesAt, indicesOf, through, type Affine, type Mapped, type Split } from "./indices.ts";
import { Values, type Value } from "./values.ts";

/** Nodes that are computed together. */
export interface Group {
  readonly nodes: readonly Node[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

export interface Store {
  readonly node: Node;
  readonly value: Value;
  access: Affine;
}

export interface Lowered {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly stores: readonly Store[];
  readonly values: readonly Value[];
}

export interface LowerOptions {
  readonly isRounding: boolean;
  /** Reductions that nobody outside of the group uses are not stored. */
  readonly isNeeded: (node: Node) => boolean;
}

/** Why a group is no kernel. */
export type Failure =
  /** The node has to be in memory before. */
  { readonly missing: Node } | { readonly reason: string };

class SplitNeeded extends Error {
  readonly split: Split;
  constructor(split: Split) {
    super();
    this.split = split;
  }
}

class Impossible extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super();
    this.failure = failure;
  }
}

const MOST_SPLITS = 24;
/** The name of the sums that have one term: see operations/one-hot.ts. */
const GATHER = "gather";

export function lower(group: Group, buffers: readonly Buffer[], options: LowerOptions): Lowered | Failure {
  let { rows, columns } = group;
  for (let attempt = 0; attempt < MOST_SPLITS; attempt++) {
    try {
      return new Lowering({ ...group, rows, columns }, buffers, options).run();
    } catch (error) {
      if (error instanceof Impossible) return error.failure;
      if (!(error instanceof SplitNeeded)) throw error;
      const { dimension, inner } = error.split;
      const cut = (of: readonly number[], at: number): number[] => {
        const size = of[at] as number;
        return size % inner === 0 && inner > 1 && inner < size ? of.toSpliced(at, 1, size / inner, inner) : [...of];
      };
      const [before, isRow] = [rows.length + columns.length, dimension < rows.length];
      if (isRow) rows = cut(rows, dimension);
      else columns = cut(columns, dimension - rows.length);
      if (rows.length + columns.length === before) return { reason: "its dimensions do not fit" };
    }
  }
  return { reason: "it has too many dimensions" };
}

class Lowering {
  readonly #group: Group;
  readonly #buffers: readonly Buffer[];
  readonly #options: LowerOptions;
  readonly #dims: readonly number[];
  readonly #rank: number;
  readonly #values: Values;
  readonly #own: ReadonlySet<Node>;
  readonly #known = new Map<string, Value>();

  constructor(group: Group, buffers: readonly Buffer[], options: LowerOptions) {
    this.#group = group;
    this.#buffers = buffers;
    this.#options = options;
    this.#dims = [...group.rows, ...group.columns];
    this.#rank = this.#dims.length;
    this.#values = new Values(group.rows.length, options.isRounding);
    this.#own = new Set(group.nodes);
  }

  run(): Lowered {
    const stores: Store[] = [];
    for (const node of this.#group.nodes) {
      const indices = this.#domainOf(node);
      const value = this.#memorySized(this.#valueAt(node, indices), node);
      if (!this.#options.isNeeded(node)) continue;
      const { strides, offset } = node.output;
      stores.push({ node, value, access: through(indices.slice(0, node.kept.length), strides, offset, this.#rank) });
    }
    const { rows, columns } = this.#group;
    return { rows, columns, stores, values: this.#values.all };
  }

  /** The indices of a node that the kernel computes, for the dimensions that are kept. */
  #domainOf(node: Node): readonly Affine[] {
    const { rows, columns } = this.#group;
    if (node.kind === "reduction") return this.#mapped(indicesOf(node.kept, rows, 0, this.#rank));
    const byReader = this.#asRead(node);
    if (byReader !== null) return byReader;
    const elements = product(node.kept);
    const isRow = elements === product(rows) && product(columns) > 1 && columns.length > 0;
    if (isRow) return this.#mapped(indicesOf(node.kept, rows, 0, this.#rank));
    return this.#mapped(indicesOf(node.kept, this.#dims, 0, this.#rank));
  }

  /** The indices at which a reduction of the group reads the node, if it reads each element once. */
  #asRead(node: Node): readonly Affine[] | null {
    const { nodes, rows, columns } = this.#group;
    if (product(node.kept) !== product(this.#dims)) return null;
    for (const reader of nodes) {
      if (reader.kind !== "reduction") continue;
      for (const operand of reader.operands) {
        if (typeof operand === "number" || operand.source.kind !== "node" || operand.source.node !== node) continue;
        const own = this.#mapped(indicesOf(reader.kept, rows, 0, this.#rank));
        const inner = this.#mapped(indicesOf(reader.reduced, columns, rows.length, this.#rank));
        const access = through([...own, ...inner], operand.strides, operand.offset, this.#rank);
        if (access.strides.some((stride, d) => stride === 0 && this.#dims[d] !== 1)) continue;
        const { strides, offset } = node.output;
        return this.#mapped(indicesAt(access, this.#dims, node.kept, strides, offset));
      }
    }
    return null;
  }

  #mapped(mapped: Mapped): readonly Affine[] {
    if (mapped === null) throw new Impossible({ reason: "its dimensions are others" });
    if ("split" in mapped) throw new SplitNeeded(mapped.split);
    return mapped.indices;
  }

  #memorySized(value: Value, node: Node): Value {
    return this.#values.cast(value, node.output.dtype);
  }

  /** What the node computes at these indices of its kept dimensions. */
  #valueAt(node: Node, indices: readonly Affine[]): Value {
    const key = `${node.id} ${indices.map(({ strides, offset }) => `${strides.join()}+${offset}`).join(" ")}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = this.#computed(node, indices)));
    return known;
  }

  #computed(node: Node, indices: readonly Affine[]): Value {
    switch (node.kind) {
      case "pointwise":
        return this.#ofElements(node, indices);
      case "reduction":
        return this.#reduced(node, indices);
      case "uniform": {
        const at = through(indices, node.output.strides, node.output.offset, this.#rank);
        this.#values.label = node.name;
        return this.#values.uniform(at, product(node.kept), node.counter);
      }
      default:
        return bug("a kernel computes elements");
    }
  }

  #ofElements(node: Node, indices: readonly Affine[]): Value {
    const { expression, type, operands } = node;
    const given = operands.map((operand) => (typeof operand === "number" ? operand : this.#loaded(operand, indices)));
    this.#values.label = node.name;
    return this.#values.expression(expression ?? input(0), type, (index, isBool) => {
      const operand = given[index] ?? bug(`no operand ${index} of ${node.name}`);
      if (typeof operand !== "number") return this.#values.cast(operand, isBool ? "bool" : type);
      return this.#values.number(isBool ? Number(operand !== 0) : operand, isBool ? "bool" : type);
    });
  }

  #reduced(node: Node, indices: readonly Affine[]): Value {
    const { rows, columns } = this.#group;
    const own = this.#mapped(indicesOf(node.kept, rows, 0, this.#rank));
    if (!isSame(own, indices)) throw new Impossible({ reason: "it needs other rows' sums" });
    const inner = this.#mapped(indicesOf(node.reduced, columns, rows.length, this.#rank));
    const { combine, type, finish } = node;
    const computed = this.#ofElements(node, [...own, ...inner]);
    // One element of each row: what is computed of it is computed of the one that was chosen.
    if (node.name === GATHER && computed.kind === "call") {
      const [isChosen, of] = computed.args as [Value, Value];
      return this.#values.chosen(isChosen, of);
    }
    const arg = this.#values.cast(computed, type);
    this.#values.label = node.name;
    const combination = combine ?? bug("a reduction combines");
    const isIndex = combination.startsWith("arg");
    const sum = this.#values.reduce(combination, arg, type, isIndex ? "int32" : type);
    if (finish === null) return sum;
    return this.#values.expression(finish.expression, type, (index, isBool) => {
      if (index === 0) return this.#values.cast(sum, isBool ? "bool" : type);
      return this.#values.number(finish.numbers[index - 1] as number, type);
    });
  }

  /** An element that a node of these indices reads, as memory has it. */
  #loaded({ source, dtype, strides, offset }: Load, indices: readonly Affine[]): Value {
    const access = through(indices, strides, offset, this.#rank);
    if (source.kind === "memory") return this.#memory(source.buffer, source.version, access, dtype);
    const { node } = source;
    const isOwn = this.#own.has(node);
    const isElsewhere = !isOwn && (node.isStored || node.kind === "reduction");
    if (!isElsewhere || isTrivial(node)) {
      const { kept, output } = node;
      const mapped = indicesAt(access, this.#dims, kept, output.strides, output.offset);
      if (mapped !== null) {
        if ("split" in mapped) throw new SplitNeeded(mapped.split);
        return this.#memorySized(this.#valueAt(node, mapped.indices), node);
      }
      if (isOwn) throw new Impossible({ reason: "it reads what other threads of it write" });
      if (!node.isStored) throw new Impossible({ missing: node });
    }
    return this.#memory(node.output.buffer, node.output.version, access, dtype);
  }

  #memory(buffer: number, version: number, access: Affine, dtype: Value["dtype"]): Value {
    if (this.#buffers[buffer]?.kind === "index") return this.#values.index(access, dtype);
    return this.#values.load(buffer, version, access, dtype);
  }
}

/** A number, wherever it is used. */
function isTrivial({ kind, operands }: Node): boolean {
  return kind === "pointwise" && operands.every((operand) => typeof operand === "number");
}

export const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

function isSame(a: readonly Affine[], b: readonly Affine[]): boolean {
  return a.every((own, j) => {
    const other = b[j] as Affine;
    return own.offset === other.offset && own.strides.every((stride, k) => stride === other.strides[k]);
  });
}
