/** Which nodes of a graph are needed, and which of them have to be in memory. */
import type { Buffer, Node, Source } from "./graph.ts";

/** What is read of memory before it is overwritten, and used afterwards, has to be in memory of its own. */
export function keepOverwritten(nodes: readonly Node[], buffers: readonly Buffer[]): void {
  for (const writer of nodes) {
    const { buffer, version } = writer.output;
    if (buffers[buffer]?.kind !== "given") continue;
    const readers = new Set<Node>();
    for (const node of nodes) {
      const sources = node.operands.flatMap((own) => (typeof own === "number" ? [] : [own.source]));
      const isReader = sources.some((source) =>
        source.kind === "node"
          ? readers.has(source.node) && !source.node.isStored
          : source.buffer === buffer && source.version < version,
      );
      if (node.id > writer.id)
        for (const source of sources)
          if (source.kind === "node" && source.node.id < writer.id && readers.has(source.node))
            source.node.isStored = true;
      if (isReader) readers.add(node);
    }
  }
}

/** The nodes that others, and at last the roots, depend on. */
export function usedNodes(nodes: readonly Node[], roots: readonly Node[]): Node[] {
  const used = new Set<Node>();
  const writers = new Map<number, Node[]>();
  for (const node of nodes) writers.set(node.output.buffer, [...(writers.get(node.output.buffer) ?? []), node]);
  const stack = [...roots];
  const use = (source: Source): void => {
    if (source.kind === "node") stack.push(source.node);
    else
      for (const writer of writers.get(source.buffer) ?? [])
        if (writer.output.version <= source.version) stack.push(writer);
  };
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (used.has(node)) continue;
    used.add(node);
    for (const operand of node.operands) if (typeof operand !== "number") use(operand.source);
    for (const { source } of node.inputs) use(source);
    // What lies in memory before, a part is written beside.
    for (const other of writers.get(node.output.buffer) ?? [])
      if (other.output.version < node.output.version && other.isStored) stack.push(other);
  }
  return nodes.filter((node) => used.has(node));
}
