import fc from "../../base/properties.test-helper.ts";
import { expect, test } from "vitest";
import { constBool, newBlock, newBr, newCondBr, newInstruction } from "../model/build.ts";
import { newFunction } from "../model/build-module.ts";
import { predecessors, reversePostOrder, successors } from "./cfg.ts";
import { dominatorTree, postDominatorTree } from "./dominators.ts";
import type { IrBlock, IrFunction } from "../model/ir.ts";
import { findLoops } from "./loops.ts";
import { VOID, functionType } from "../model/types.ts";

/** A function whose block i goes to the blocks `edges[i]`; never back to the entry. */
function graph(edges: readonly (readonly number[])[]): IrFunction {
  const fn = newFunction("f", functionType(VOID, []));
  fn.blocks = edges.map((_, i) => newBlock(fn, `b${i}`));
  edges.forEach((targets, i) => {
    const block = fn.blocks[i] as IrBlock;
    const place = { block, location: null };
    const [a, b] = targets.map((t) => fn.blocks[t] as IrBlock);
    if (a && b) block.instructions.push(newCondBr(place, constBool(true), a, b));
    else if (a) block.instructions.push(newBr(place, a));
    else block.instructions.push(newInstruction(place, { op: "ret", type: VOID, name: "", value: null }));
  });
  return fn;
}

const graphs = fc.integer({ min: 1, max: 12 }).chain((n) =>
  fc.array(n === 1 ? fc.constant<number[]>([]) : fc.array(fc.integer({ min: 1, max: n - 1 }), { maxLength: 2 }), {
    minLength: n,
    maxLength: n,
  }),
);

/** The blocks reached from `from` without passing `without`. */
function reach(
  from: readonly IrBlock[],
  next: (block: IrBlock) => readonly IrBlock[],
  without: IrBlock | null,
): Set<IrBlock> {
  const seen = new Set(from.filter((block) => block !== without));
  const work = [...seen];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    for (const target of next(block))
      if (target !== without && !seen.has(target)) {
        seen.add(target);
        work.push(target);
      }
  }
  return seen;
}

test("dominators are what the definition says", () => {
  fc.assert(
    fc.property(graphs, (edges) => {
      const fn = graph(edges);
      const entry = fn.blocks[0] as IrBlock;
      const tree = dominatorTree(fn);
      const reachable = reach([entry], successors, null);
      expect(new Set(reversePostOrder(fn))).toEqual(reachable);
      for (const a of reachable) {
        const without = reach([entry], successors, a);
        for (const b of reachable) expect(tree.dominates(a, b)).toBe(a === b || !without.has(b));
        const idom = tree.immediate(a);
        if (a === entry) expect(idom).toBeNull();
        else
          expect(
            [...reachable].every((d) => d === a || !tree.dominates(d, a) || tree.dominates(d, idom as IrBlock)),
          ).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("post-dominators are what the definition says, where all blocks reach an exit", () => {
  fc.assert(
    fc.property(graphs, (edges) => {
      const fn = graph(edges);
      const entry = fn.blocks[0] as IrBlock;
      const reachable = reach([entry], successors, null);
      const before = predecessors(fn);
      const back = (block: IrBlock): IrBlock[] => (before.get(block) ?? []).filter((p) => reachable.has(p));
      const exits = [...reachable].filter((block) => successors(block).length === 0);
      const tree = postDominatorTree(fn);
      for (const block of reachable) expect(tree.isReachable(block)).toBe(true);
      fc.pre(reach(exits, back, null).size === reachable.size);
      for (const a of reachable) {
        const without = reach(exits, back, a);
        for (const b of reachable) expect(tree.dominates(a, b)).toBe(a === b || !without.has(b));
      }
    }),
    { numRuns: 500 },
  );
});

test("loops: bodies, exits and nesting", () => {
  fc.assert(
    fc.property(graphs, (edges) => {
      const fn = graph(edges);
      const tree = dominatorTree(fn);
      const { loops, loopOf, irreducible } = findLoops(fn, tree);
      const before = predecessors(fn);
      for (const loop of loops) {
        for (const block of loop.blocks) {
          expect(tree.dominates(loop.header, block)).toBe(true);
          // Only the header is entered from outside.
          if (block !== loop.header)
            for (const p of before.get(block) ?? []) expect(!tree.isReachable(p) || loop.blocks.has(p)).toBe(true);
        }
        for (const latch of loop.latches) expect(successors(latch)).toContain(loop.header);
        for (const { from, to } of loop.exits)
          expect([loop.blocks.has(from), loop.blocks.has(to)]).toEqual([true, false]);
        if (loop.parent) expect([...loop.blocks].every((block) => loop.parent?.blocks.has(block))).toBe(true);
        expect(loopOf(loop.header)).toBe(loop);
      }
      // Without irreducible cycles, taking all back edges away leaves no cycle.
      if (irreducible.length === 0) {
        for (const block of reversePostOrder(fn)) {
          const forward = (b: IrBlock): IrBlock[] => successors(b).filter((next) => !tree.dominates(next, b));
          expect(reach(forward(block), forward, null).has(block)).toBe(false);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("a cycle with two entries is irreducible", () => {
  const fn = graph([[1, 2], [2, 3], [1], []]);
  expect(findLoops(fn).loops).toEqual([]);
  expect(findLoops(fn).irreducible.length).toBe(1);
});
