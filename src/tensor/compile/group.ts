/**
 * Which nodes share a kernel. A node joins a kernel over the same elements, if they have memory in common and no other
 * kernel has to run between them. Nodes that need no memory are computed wherever they are used.
 */
import type { Buffer, Node } from "./graph.ts";
import { lower, product, type Failure, type Group, type LowerOptions, type Lowered } from "./lower.ts";
import type { Simplified } from "./simplify.ts";
import { mergeDimensions } from "./merge-dimensions.ts";
import { partsOf } from "../expressions/expression.ts";

export type Step =
  | { readonly kind: "kernel"; readonly nodes: readonly Node[]; readonly lowered: Lowered }
  | { readonly kind: "opaque"; readonly node: Node };

/** A buffer at one of its versions. */
interface Access {
  readonly buffer: number;
  readonly version: number;
}

interface Draft {
  readonly group: Group;
  readonly lowered: Lowered | null;
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
}

/** A kernel of more is slow to compile. */
const MOST_VALUES = 600;
const MOST_NODES = 48;
const MOST_TRIED = 8;
/** Primitives that are computed again, rather than kept in memory. */
const MOST_AGAIN = 200;
/** Elements that one program may have beside its reduction. */
const MOST_OF_PROGRAM = 1 << 14;
const LEAST_PROGRAMS = 64;
const LEAST_ROW = 256;
const SMALL = 1 << 16;

export function groupNodes({ nodes, buffers }: Simplified, isRounding: boolean): Step[] {
  keepLarge(nodes);
  for (;;) {
    const missing = new Grouping(buffers, isRounding).run(nodes);
    if (Array.isArray(missing)) return missing;
    (missing as Node).isStored = true;
  }
}

/** Long chains of elements are cut. */
function keepLarge(nodes: readonly Node[]): void {
  const sizes = new Map<Node, number>();
  for (const node of nodes) {
    let size = node.expression === null ? 20 : partsOf([node.expression]).length;
    for (const operand of node.operands)
      if (typeof operand !== "number" && operand.source.kind === "node" && !operand.source.node.isStored)
        size += sizes.get(operand.source.node) ?? 0;
    if (node.kind !== "reduction" && size > MOST_AGAIN) node.isStored = true;
    sizes.set(node, node.kind === "reduction" ? 0 : size);
  }
}

class Grouping {
  readonly #buffers: readonly Buffer[];
  readonly #options: LowerOptions;
  readonly #drafts: Draft[] = [];

  constructor(buffers: readonly Buffer[], isRounding: boolean) {
    this.#buffers = buffers;
    this.#options = { isRounding, isNeeded: () => true };
  }

  /** The steps in order, or a node that has to be in memory. */
  run(nodes: readonly Node[]): Step[] | Node {
    for (const node of nodes) {
      if (!node.isStored && node.kind !== "reduction") continue;
      const own = this.#draft(startOf(node));
      if ("missing" in own) return own.missing;
      if ("reason" in own) throw new Error(`a kernel of ${node.name} alone: ${own.reason}`);
      if (node.kind === "opaque" || !this.#joins(node, own)) this.#drafts.push(own);
    }
    return this.#steps();
  }

  #draft(group: Group): Draft | Failure {
    const [node] = group.nodes as [Node];
    if (node.kind === "opaque") {
      const reads = node.inputs.map(({ source }): Access => (source.kind === "memory" ? source : source.node.output));
      return { group, lowered: null, reads, writes: [node.output] };
    }
    const lowered = lower(group, this.#buffers, this.#options);
    if (!("values" in lowered)) return lowered;
    const reads: Access[] = [];
    for (const value of lowered.values) if (value.kind === "load") reads.push(value);
    return { group, lowered, reads, writes: lowered.stores.map(({ node: own }) => own.output) };
  }

  #joins(node: Node, own: Draft): boolean {
    let tried = 0;
    for (let at = this.#drafts.length - 1; at >= 0 && tried < MOST_TRIED; at--) {
      const draft = this.#drafts[at] as Draft;
      const group = together(draft.group, node);
      const isTwin = group !== null && isSmall(group);
      if (group === null || draft.lowered === null || !(isTwin || shares(draft, own))) continue;
      tried++;
      const joined = this.#draft(group);
      if (!("group" in joined) || !isSafe(joined) || !this.#isOrdered(joined, at)) continue;
      if ((joined.lowered?.values.length ?? 0) > MOST_VALUES) continue;
      // Something is read once instead of twice.
      if (!isTwin && joined.reads.length >= draft.reads.length + own.reads.length) continue;
      this.#drafts[at] = joined;
      return true;
    }
    return false;
  }

  /** Whether there is an order of kernels with this one in the place of another. */
  #isOrdered(joined: Draft, at: number): boolean {
    const drafts = this.#drafts.with(at, joined);
    const seen = new Set<Draft>();
    const stack = drafts.filter((draft) => draft !== joined && isBefore(draft, joined));
    for (let draft = stack.pop(); draft !== undefined; draft = stack.pop()) {
      if (seen.has(draft)) continue;
      seen.add(draft);
      if (isBefore(joined, draft)) return false;
      for (const other of drafts) if (other !== draft && !seen.has(other) && isBefore(other, draft)) stack.push(other);
    }
    return true;
  }

  #steps(): Step[] {
    const order = this.#ordered();
    const readers = new Map<number, Set<Draft>>();
    for (const draft of order)
      for (const { buffer } of draft.reads) readers.set(buffer, (readers.get(buffer) ?? new Set()).add(draft));
    const steps: Step[] = [];
    for (const draft of order) {
      const { group } = draft;
      if (draft.lowered === null) {
        steps.push({ kind: "opaque", node: group.nodes[0] as Node });
        continue;
      }
      const isNeeded = (node: Node): boolean =>
        node.isStored || [...(readers.get(node.output.buffer) ?? [])].some((other) => other !== draft);
      const lowered = lower(group, this.#buffers, { ...this.#options, isNeeded });
      if (!("values" in lowered) || lowered.stores.length === 0) continue;
      const merged = mergeDimensions(lowered);
      const byRows = rowsOf(merged);
      const again =
        byRows === null ? null : lower({ ...group, ...byRows }, this.#buffers, { ...this.#options, isNeeded });
      const own = again !== null && "values" in again ? mergeDimensions(again) : merged;
      steps.push({ kind: "kernel", nodes: group.nodes, lowered: own });
    }
    return steps;
  }

  #ordered(): Draft[] {
    const left = new Set(this.#drafts);
    const order: Draft[] = [];
    while (left.size > 0) {
      const next = [...left].find((draft) => ![...left].some((other) => other !== draft && isBefore(other, draft)));
      if (next === undefined) throw new Error("kernels wait for each other");
      left.delete(next);
      order.push(next);
    }
    return order;
  }
}

/** Elements as rows, where much of what they need is the same for a row. */
function rowsOf({ rows, columns, values }: Lowered): { rows: number[]; columns: number[] } | null {
  if (rows.length > 0 || columns.length < 2 || (columns.at(-1) as number) < LEAST_ROW) return null;
  const isOfRow = (access: { readonly strides: readonly number[] }): boolean =>
    access.strides.at(-1) === 0 && access.strides.some((stride) => stride !== 0);
  if (!values.some((value) => value.kind === "load" && isOfRow(value.access))) return null;
  return { rows: columns.slice(0, -1), columns: columns.slice(-1) };
}

/** Work that is shorter than the launch of a kernel. */
function isSmall({ rows, columns }: Group): boolean {
  return product(rows) * product(columns) <= SMALL;
}

function startOf(node: Node): Group {
  if (node.kind !== "reduction") return { nodes: [node], rows: [], columns: sized(product(node.kept)) };
  return { nodes: [node], rows: sized(product(node.kept)), columns: sized(product(node.reduced)) };
}

const sized = (size: number): number[] => (size === 1 ? [] : [size]);

/** The group with the node, if they run over the same elements. */
function together(group: Group, node: Node): Group | null {
  if (group.nodes.length >= MOST_NODES) return null;
  const nodes = [...group.nodes, node];
  const [rows, columns] = [product(group.rows), product(group.columns)];
  const isReducing = group.nodes.some(({ kind }) => kind === "reduction");
  const isLarge = columns > MOST_OF_PROGRAM && rows < LEAST_PROGRAMS;
  if (node.kind === "reduction") {
    const [kept, reduced] = [product(node.kept), product(node.reduced)];
    if (isReducing) return kept === rows && reduced === columns ? { ...group, nodes } : null;
    if (kept * reduced !== columns || (reduced > MOST_OF_PROGRAM && kept < LEAST_PROGRAMS)) return null;
    return { nodes, rows: sized(kept), columns: sized(reduced) };
  }
  const elements = product(node.kept);
  if (!isReducing) return elements === columns ? { ...group, nodes } : null;
  return elements === rows || (elements === rows * columns && !isLarge) ? { ...group, nodes } : null;
}

function shares(a: Draft, b: Draft): boolean {
  return b.reads.some(({ buffer, version }) =>
    [...a.reads, ...a.writes].some((own) => own.buffer === buffer && own.version === version),
  );
}

/** Whether `a` has to run before `b`. */
function isBefore(a: Draft, b: Draft): boolean {
  const precedes = (these: readonly Access[], those: readonly Access[], isSame: boolean): boolean =>
    these.some((own) =>
      those.some(
        (other) => own.buffer === other.buffer && (isSame ? own.version <= other.version : own.version < other.version),
      ),
    );
  return precedes(a.writes, b.reads, true) || precedes(a.reads, b.writes, false) || precedes(a.writes, b.writes, false);
}

/** Whether its threads read nothing that others of its threads write. */
function isSafe({ reads, lowered }: Draft): boolean {
  for (const { node, access } of lowered?.stores ?? [])
    for (const read of reads) {
      if (read.buffer !== node.output.buffer) continue;
      if (read.version >= node.output.version) return false;
      const own = "access" in read ? (read as unknown as { access: typeof access }).access : null;
      if (own === null || own.offset !== access.offset || own.strides.join() !== access.strides.join()) return false;
    }
  return true;
}
