/**
 * Loops and branches. Conditions are scalars, so all threads of a program go the same way, and barriers in branches are
 * legal. A loop is tested before its first iteration and at the end of each, as Clang writes loops.
 */
import type { IrBlock, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import type { BlockValue, ForOp, IfOp, WhileOp } from "../blocks/model.ts";
import { isNegative } from "./early-operations.ts";
import type { Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";
import { beginRotation, carryWords, endCarry } from "./rotate-operands.ts";
import { keepOperands } from "./tensor-products.ts";

interface Placed {
  readonly value: BlockValue;
  readonly layout: Layout;
}

function placed(l: Lowering, values: readonly BlockValue[]): Placed[] {
  return values.map((value) => ({ value, layout: l.layouts.preferred(value) }));
}

/** The values in the layouts of what they become. */
function inLayouts(l: Lowering, values: readonly BlockValue[], targets: readonly Placed[]): Registers[] {
  return values.map((value, i) => l.get(value, (targets[i] as Placed).layout));
}

function phis(
  l: Lowering,
  targets: readonly Placed[],
  values: readonly Registers[],
  block: IrBlock,
): PhiInstruction[][] {
  return targets.map((_, i) => (values[i] as Registers).map((value) => l.e.phi(value.type, [{ value, block }])));
}

function addIncoming(made: readonly PhiInstruction[][], values: readonly Registers[], block: IrBlock): void {
  for (const [i, list] of made.entries())
    for (const [r, phi] of list.entries()) phi.incoming.push({ value: (values[i] as Registers)[r] as IrValue, block });
}

export function lowerFor(l: Lowering, op: ForOp): void {
  const { e } = l;
  const [lower, upper, step] = [op.lower, op.upper, op.step].map((value) => l.scalar(value)) as [
    IrValue,
    IrValue,
    IrValue,
  ];
  const predicate = isNegative(op.step) ? "sgt" : "slt";
  const targets = placed(l, op.body.params.slice(1));
  const initial = inLayouts(l, op.initial, targets);
  keepOperands(l, op.body);
  const runs = e.icmp(predicate, lower, upper);
  const before = e.newBlock("loop.before");
  e.br(before);
  l.startBlock(before);
  const outer = l.rotation;
  const rotation = (l.rotation = beginRotation(l, op));
  const loop = e.newBlock("loop");
  const end = e.newBlock("loop.end");
  e.condBr(runs, loop, end);
  l.startBlock(loop);
  const counter = e.phi(lower.type, [{ value: lower, block: before }]);
  const carried = phis(l, targets, initial, before);
  const words = rotation === null ? [] : carryWords(l, rotation, before);
  let last: Registers[] = [];
  let latch: IrBlock = loop;
  l.assumeRead();
  l.inScope(before, () => {
    l.define(op.body.params[0] as BlockValue, l.layouts.blocked([]), [counter]);
    for (const [i, { value, layout }] of targets.entries()) l.define(value, layout, carried[i] as Registers);
    l.region(op.body);
    last = inLayouts(l, op.body.yields, targets);
    const { location } = op;
    e.location = location;
    const next = e.add(counter, step);
    latch = e.block;
    counter.incoming.push({ value: next, block: latch });
    addIncoming(carried, last, latch);
    if (rotation !== null) endCarry(rotation, words, latch);
    e.condBr(e.icmp(predicate, next, upper), loop, end);
  });
  l.rotation = outer;
  l.startBlock(end);
  const results = phis(l, targets, initial, before);
  addIncoming(results, last, latch);
  for (const [i, value] of op.results.entries())
    l.define(value, (targets[i] as Placed).layout, results[i] as Registers);
  l.assumeRead();
}

export function lowerWhile(l: Lowering, op: WhileOp): void {
  const { e } = l;
  const targets = placed(l, op.before.params);
  const initial = inLayouts(l, op.initial, targets);
  const before = e.newBlock("while.before");
  e.br(before);
  l.startBlock(before);
  const test = e.newBlock("while.test");
  const body = e.newBlock("while.body");
  const end = e.newBlock("while.end");
  e.br(test);
  l.startBlock(test);
  const carried = phis(l, targets, initial, before);
  l.assumeRead();
  const passed = placed(l, op.body.params);
  let values: Registers[] = [];
  l.inScope(before, () => {
    for (const [i, { value, layout }] of targets.entries()) l.define(value, layout, carried[i] as Registers);
    l.region(op.before);
    const [condition, ...yields] = op.before.yields as [BlockValue, ...BlockValue[]];
    values = inLayouts(l, yields, passed);
    e.condBr(l.scalar(condition), body, end);
    l.startBlock(body);
    for (const [i, { value, layout }] of passed.entries()) l.define(value, layout, values[i] as Registers);
    l.region(op.body);
    addIncoming(carried, inLayouts(l, op.body.yields, targets), e.block);
    e.br(test);
  });
  l.startBlock(end);
  for (const [i, value] of op.results.entries()) l.define(value, (passed[i] as Placed).layout, values[i] as Registers);
  l.assumeRead();
}

export function lowerIf(l: Lowering, op: IfOp): void {
  const { e } = l;
  const condition = l.scalar(op.condition);
  const targets = placed(l, op.results);
  const blocks = [e.newBlock("if.then"), e.newBlock("if.else")] as const;
  const end = e.newBlock("if.end");
  e.condBr(condition, blocks[0], blocks[1]);
  const ends = [op.then, op.otherwise].map((region, i) => {
    l.startBlock(blocks[i] as IrBlock);
    let values: Registers[] = [];
    l.assumeRead();
    l.inScope(null, () => {
      l.region(region);
      values = inLayouts(l, region.yields, targets);
    });
    e.br(end);
    return { block: e.block, values };
  }) as [{ block: IrBlock; values: Registers[] }, { block: IrBlock; values: Registers[] }];
  l.startBlock(end);
  const results = phis(l, targets, ends[0].values, ends[0].block);
  addIncoming(results, ends[1].values, ends[1].block);
  for (const [i, { value, layout }] of targets.entries()) l.define(value, layout, results[i] as Registers);
  l.assumeRead();
}
