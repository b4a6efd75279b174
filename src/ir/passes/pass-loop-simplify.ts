/**
 * Gives every natural loop the form that analyses and code generators like: LLVM's "loop simplify form" and
 * "loop-closed SSA" (llvm.org/docs/LoopTerminology).
 *
 * Needs: a valid function without unreachable blocks. Afterwards, for every loop: one block outside leads to the
 * header, and only there (the preheader); one back edge (the latch); every exit block has all its predecessors in the
 * loop; every value of the loop that is used outside goes through a phi in an exit block. Cycles with several entries
 * are left as they are; `findLoops` names them.
 */
import { NameSource, newBlock, newBr, newPhi } from "../model/build.ts";
import { predecessors, redirectEdge, successors } from "../graph/cfg.ts";
import { dominatorTree } from "../graph/dominators.ts";
import type { DominatorTree } from "../graph/dominators.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../model/ir.ts";
import { findLoops } from "../graph/loops.ts";
import type { Loop } from "../graph/loops.ts";
import { mapOperands } from "../model/operands.ts";
import { SsaRewriter } from "./ssa-rewriter.ts";
import { usesOf } from "../model/uses.ts";
import type { UseMap } from "../model/uses.ts";

export function simplifyLoops(fn: IrFunction): void {
  if (fn.blocks.length === 0) return;
  const names = new NameSource(fn);
  // One round does it, but for loops that the round made visible; the round that changes nothing ends it.
  while (simplifyOnce(fn, names));
  closeLoops(fn, names);
}

function simplifyOnce(fn: IrFunction, names: NameSource): boolean {
  const { loops } = findLoops(fn);
  const graph: Graph = {
    fn,
    names,
    before: predecessors(fn),
    blocksOf: new Map(loops.map((loop) => [loop, new Set(loop.blocks)])),
  };
  const count = fn.blocks.length;
  for (const loop of loops) simplifyLoop(graph, loop);
  return fn.blocks.length > count;
}

/** The function with its predecessors and the blocks of its loops, updated while blocks are added. */
interface Graph {
  readonly fn: IrFunction;
  readonly names: NameSource;
  readonly before: Map<IrBlock, IrBlock[]>;
  readonly blocksOf: ReadonlyMap<Loop, Set<IrBlock>>;
}

function simplifyLoop(graph: Graph, loop: Loop): void {
  const { before } = graph;
  const blocks = graph.blocksOf.get(loop) as Set<IrBlock>;
  const { header } = loop;
  const from = (inside: boolean, target: IrBlock): IrBlock[] =>
    (before.get(target) ?? []).filter((block) => blocks.has(block) === inside);
  const outside = from(false, header);
  if (outside.length !== 1 || successors(outside[0] as IrBlock).length !== 1) {
    addToLoops(
      graph,
      splitPredecessors(graph, header, outside, `${header.name}.preheader`, "before"),
      loop.parent,
      null,
    );
  }
  const latches = from(true, header);
  if (latches.length > 1)
    addToLoops(graph, splitPredecessors(graph, header, latches, `${header.name}.latch`, "last"), loop, null);
  const exits = new Set([...blocks].flatMap((block) => successors(block).filter((next) => !blocks.has(next))));
  for (const exit of exits) {
    if (from(false, exit).length === 0) continue;
    addToLoops(
      graph,
      splitPredecessors(graph, exit, from(true, exit), `${exit.name}.loopexit`, "before"),
      loop.parent,
      exit,
    );
  }
}

/** A new block belongs to `loop` and those around it, where they also hold `target`. */
function addToLoops(graph: Graph, block: IrBlock, loop: Loop | null, target: IrBlock | null): void {
  for (let around = loop; around !== null; around = around.parent) {
    const blocks = graph.blocksOf.get(around) as Set<IrBlock>;
    if (target === null || blocks.has(target)) blocks.add(block);
  }
}

/** A new block takes the edges from `sources` to `target`; phis of the target are split. */
function splitPredecessors(
  { fn, names, before }: Graph,
  target: IrBlock,
  sources: readonly IrBlock[],
  name: string,
  where: "before" | "last",
): IrBlock {
  const split = newBlock(fn, names.fresh(name));
  const isSource = new Set(sources);
  for (const phi of target.instructions) {
    if (phi.op !== "phi") break;
    const moved = phi.incoming.filter((incoming) => isSource.has(incoming.block));
    phi.incoming = phi.incoming.filter((incoming) => !isSource.has(incoming.block));
    const first = moved[0];
    if (first === undefined) continue;
    let value: IrValue = first.value;
    if (moved.some((incoming) => incoming.value !== value)) {
      value = newPhi({ block: split, location: phi.location }, names.fresh(phi.name), phi.type, moved);
      split.instructions.push(value);
    }
    phi.incoming.push({ value, block: split });
  }
  const branch = newBr({ block: split, location: target.instructions[0]?.location ?? null }, target);
  for (const source of sources) {
    const last = source.instructions.at(-1) as IrInstruction;
    // What the front end said about the loop belongs to the one back edge.
    if (where === "last" && (last.op === "br" || last.op === "condbr")) {
      branch.loop ??= last.loop;
      last.loop = null;
    }
    redirectEdge(source, target, split);
  }
  split.instructions.push(branch);
  const at =
    where === "before" ? fn.blocks.indexOf(target) : Math.max(...sources.map((block) => fn.blocks.indexOf(block))) + 1;
  fn.blocks.splice(at, 0, split);
  before.set(split, [...sources]);
  before.set(target, [...(before.get(target) ?? []).filter((block) => !isSource.has(block)), split]);
  return split;
}

// ---------------------------------------------------------------- loop-closed SSA

function closeLoops(fn: IrFunction, names: NameSource): void {
  const before = predecessors(fn);
  const tree = dominatorTree(fn);
  const forest = findLoops(fn, tree);
  // Inner loops first: their exit phis are values of the loop around them. Loops of one depth do not touch each other's
  // values.
  const deepest = Math.max(0, ...forest.loops.map((loop) => loop.depth));
  for (let depth = deepest; depth > 0; depth--) {
    const uses = usesOf(fn);
    for (const loop of forest.loops) if (loop.depth === depth) closeLoop(loop, uses, before, tree, names);
  }
}

interface Use {
  readonly user: IrInstruction;
  readonly block: IrBlock;
}

function closeLoop(
  loop: Loop,
  uses: UseMap,
  before: ReadonlyMap<IrBlock, readonly IrBlock[]>,
  tree: DominatorTree,
  names: NameSource,
): void {
  if (loop.exits.length === 0) return;
  const outside = new Map<IrInstruction, Use[]>();
  for (const value of [...loop.blocks].flatMap((block) => block.instructions)) {
    const list: Use[] = [];
    for (const user of new Set(uses.get(value))) {
      // A phi uses its values at the ends of its predecessors.
      if (user.op === "phi")
        for (const incoming of user.incoming) {
          if (incoming.value === value && !loop.blocks.has(incoming.block)) list.push({ user, block: incoming.block });
        }
      else if (!loop.blocks.has(user.block)) list.push({ user, block: user.block });
    }
    if (list.length > 0) outside.set(value, list);
  }
  const exitBlocks = [...new Set(loop.exits.map((exit) => exit.to))];
  for (const [value, outsideUses] of outside) {
    const rewriter = new SsaRewriter(before, names, value.type, `${value.name}.lcssa`);
    const closing = new Map<IrBlock, IrValue>();
    for (const exit of exitBlocks) {
      if (!tree.dominates(value.block, exit)) continue;
      const phi = newPhi(
        { block: exit, location: value.location },
        names.fresh(`${value.name}.lcssa`),
        value.type,
        (before.get(exit) ?? []).map((block) => ({ value, block })),
      );
      exit.instructions.unshift(phi);
      rewriter.define(exit, phi);
      closing.set(exit, phi);
    }
    for (const { user, block } of outsideUses) {
      if (user.op === "phi") {
        for (const incoming of user.incoming)
          if (incoming.value === value && incoming.block === block) incoming.value = rewriter.valueAtEnd(block);
      } else {
        const replacement = closing.get(block) ?? rewriter.valueAtStart(block);
        mapOperands(user, (operand) => (operand === value ? replacement : operand));
      }
    }
    rewriter.removeTrivialPhis(outsideUses.map((use) => use.user));
  }
}
