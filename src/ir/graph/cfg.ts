/** The control-flow graph of a function: successors, predecessors, orders, and edits that keep phis right. */
import type { IrBlock, IrFunction, IrTerminator } from "../model/ir.ts";
import { bug } from "../../base/diagnostics.ts";
import { isTerminator, mapTargets } from "../model/operands.ts";

/** The last instruction of a block, which must be a terminator. */
export function terminatorOf(block: IrBlock): IrTerminator {
  const last = block.instructions.at(-1);
  if (last === undefined || !isTerminator(last))
    bug(`the block %${block.name} of @${block.function.name} has no terminator`);
  return last;
}

/** The blocks control may go to next, without repetition, in the order the terminator names them. */
export function successors(block: IrBlock): IrBlock[] {
  const last = terminatorOf(block);
  switch (last.op) {
    case "br":
      return [last.target];
    case "condbr":
      return last.then === last.else ? [last.then] : [last.then, last.else];
    case "switch":
      return [...new Set([last.defaultTarget, ...last.cases.map((c) => c.target)])];
    case "ret":
    case "unreachable":
      return [];
  }
}

/** For every block of the function, the blocks that may precede it, without repetition. */
export function predecessors(fn: IrFunction): Map<IrBlock, IrBlock[]> {
  const map = new Map<IrBlock, IrBlock[]>(fn.blocks.map((block) => [block, []]));
  for (const block of fn.blocks) for (const next of successors(block)) map.get(next)?.push(block);
  return map;
}

/**
 * The reachable blocks, each before those it dominates and, loops aside, before its successors. The entry comes first.
 */
export function reversePostOrder(fn: IrFunction): IrBlock[] {
  const entry = fn.blocks[0];
  return entry === undefined ? [] : postOrder(entry, successors).reverse();
}

/** The nodes that `entry` reaches, each after all that it leads to, loops aside: depth first. */
export function postOrder<Node>(entry: Node, next: (node: Node) => readonly Node[]): Node[] {
  return postOrderFrom([entry], next);
}

/** The same from several roots, one after the other. Without recursion: functions may be thousands of blocks deep. */
export function postOrderFrom<Node>(roots: Iterable<Node>, next: (node: Node) => readonly Node[]): Node[] {
  const order: Node[] = [];
  const seen = new Set<Node>();
  const stack: { node: Node; rest: readonly Node[]; at: number }[] = [];
  const enter = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    stack.push({ node, rest: next(node), at: 0 });
  };
  for (const root of roots) {
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.at < top.rest.length) {
        enter(top.rest[top.at++] as Node);
        continue;
      }
      order.push(top.node);
      stack.pop();
    }
  }
  return order;
}

/** Redirects every edge `from` → `oldTarget` to `newTarget`. Phis are the caller's. */
export function redirectEdge(from: IrBlock, oldTarget: IrBlock, newTarget: IrBlock): void {
  mapTargets(terminatorOf(from), (block) => (block === oldTarget ? newTarget : block));
}

/** Takes the edge from `predecessor` out of the phis of `block`. */
export function removeIncoming(block: IrBlock, predecessor: IrBlock): void {
  for (const instruction of block.instructions) {
    if (instruction.op !== "phi") break;
    instruction.incoming = instruction.incoming.filter((incoming) => incoming.block !== predecessor);
  }
}

/** The phis of `block` that came from `old` now come from `replacement`. */
export function renameIncoming(block: IrBlock, old: IrBlock, replacement: IrBlock): void {
  for (const instruction of block.instructions) {
    if (instruction.op !== "phi") break;
    for (const incoming of instruction.incoming) if (incoming.block === old) incoming.block = replacement;
  }
}

/** The first instruction of a block that is not a phi. */
export function firstNonPhi(block: IrBlock): number {
  const index = block.instructions.findIndex((instruction) => instruction.op !== "phi");
  return index < 0 ? block.instructions.length : index;
}
