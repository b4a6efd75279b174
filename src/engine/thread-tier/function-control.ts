/**
 * The control flow of a compiled function, in two forms. Reducible functions become nested blocks and loops, and a loop
 * with places where a thread may resume begins with a dispatch on the place. Irreducible functions become one loop
 * around a switch.
 */
import type { IrBlock } from "../../ir/model/ir.ts";
import type { Loop } from "../../ir/graph/loops.ts";
import type { Label } from "../../wasm/function-builder.ts";
import { emitStructured, type NodeGraph } from "../warp-tier/control-flow/structured-control-flow.ts";
import type { FunctionContext } from "./function-context.ts";
import { lastInstruction, targetsOf, type Segment } from "./segments.ts";

export function emitNested(compiler: FunctionContext): void {
  const { code, plan } = compiler;
  const { segments } = plan.segmented;
  const count = segments.length;
  // Nodes: segments; then a stub for each resume; then a dispatch for each loop that holds resumes; last the entry.
  const stubOf = (segment: Segment): number => count + segment.resumePc - 1;
  const entersFrom = count + plan.resumes.length;
  const loopHasResume = new Map<Loop, number>();
  for (const segment of plan.resumes) {
    for (let loop = plan.loops.loopOf(segment.block); loop !== null; loop = loop.parent) {
      if (!loopHasResume.has(loop)) loopHasResume.set(loop, entersFrom + loopHasResume.size);
    }
  }
  const enterLoops = [...loopHasResume.keys()];
  const entry = entersFrom + enterLoops.length;
  const headerLoop = new Map<IrBlock, Loop>();
  for (const loop of enterLoops) headerLoop.set(loop.header, loop);
  /** Where an edge to a block leads: loops with resumes are entered through their dispatch. */
  const nodeOf = (block: IrBlock): number => {
    const loop = headerLoop.get(block);
    return loop === undefined
      ? (plan.segmented.segmentOf.get(block) as Segment).index
      : (loopHasResume.get(loop) as number);
  };
  /** By pc: where a dispatch at `level` (null: function entry) sends it, or null when it is not below. */
  const routes = (level: Loop | null): { pc: number; node: number }[] =>
    plan.resumes.flatMap((segment) => {
      let loop = plan.loops.loopOf(segment.block);
      if (loop === level) return [{ pc: segment.resumePc, node: stubOf(segment) }];
      while (loop !== null && loop.parent !== level) loop = loop.parent;
      return loop === null ? [] : [{ pc: segment.resumePc, node: loopHasResume.get(loop) as number }];
    });
  const straight = (node: number): number =>
    node === entry
      ? nodeOf((segments[0] as Segment).block)
      : (plan.segmented.segmentOf.get((enterLoops[node - entersFrom] as Loop).header) as Segment).index;
  const level = (node: number): Loop | null => (node === entry ? null : (enterLoops[node - entersFrom] as Loop));
  const distinct = (list: readonly { node: number }[]): number[] => [...new Set(list.map((r) => r.node))];

  const loopBehind = (node: number): Loop | null =>
    node < count ? plan.loops.loopOf((segments[node] as Segment).block) : (enterLoops[node - entersFrom] ?? null);
  const markLoop = (node: number, place: "beforeLoop" | "beginIteration"): void => {
    const loop = loopBehind(node);
    if (loop !== null) compiler.program.loopMarks[place](code, { ...loop, outermost: loop.depth === 1 });
  };

  const graph: NodeGraph = {
    beforeLoop: (node) => markLoop(node, "beforeLoop"),
    beginIteration: (node) => markLoop(node, "beginIteration"),
    count: entry + 1,
    entry,
    successors: (node) => {
      if (node < count) {
        const segment = segments[node] as Segment;
        if (segment.next !== null) return segment.next.entry?.kind === "wait" ? [] : [segment.next.index];
        return targetsOf(lastInstruction(segment)).map(nodeOf);
      }
      if (node < entersFrom) return [(plan.resumes[node - count] as Segment).index];
      return [...distinct(routes(level(node)).filter((r) => r.node !== straight(node))), straight(node)];
    },
    emit: (node, go) => {
      if (node < count) {
        compiler.emitSegment(segments[node] as Segment, (block) => go(nodeOf(block)), go);
      } else if (node < entersFrom) {
        compiler.reload(plan.resumes[node - count] as Segment);
        go((plan.resumes[node - count] as Segment).index);
      } else emitRoutes(compiler, routes(level(node)), straight(node), go);
    },
  };
  emitStructured(code, graph);
}

/** Goes to the node that pc belongs to, or straight on. */
function emitRoutes(
  compiler: FunctionContext,
  routes: readonly { pc: number; node: number }[],
  straight: number,
  go: (node: number) => void,
): void {
  const { code } = compiler;
  const targets = [...new Set(routes.filter((r) => r.node !== straight).map((r) => r.node))];
  if (targets.length === 0) {
    go(straight);
    return;
  }
  code.localGet(compiler.pc).if();
  const labels = targets.map(() => code.block());
  const none = code.block();
  const most = Math.max(...routes.map((r) => r.pc));
  const table: Label[] = Array.from({ length: most + 1 }, () => none);
  for (const { pc, node } of routes)
    if (node !== straight) table[pc] = labels[labels.length - 1 - targets.indexOf(node)] as Label;
  code.localGet(compiler.pc).brTable(table, none);
  code.end(none).unreachable();
  for (let i = labels.length - 1; i >= 0; i--) {
    code.end(labels[i] as Label);
    go(targets[labels.length - 1 - i] as number);
  }
  code.end();
  go(straight);
}

/** Irreducible control flow: a loop around a switch over all segments. */
export function emitDispatched(compiler: FunctionContext): void {
  const { code, plan } = compiler;
  const { segments } = plan.segmented;
  const next = code.freshLocal("i32");
  const again = code.loop();
  const labels = segments.map(() => code.block());
  // Resumption comes first: reload and name the segment.
  code.localGet(compiler.pc).if();
  const stubs = plan.resumes.map(() => code.block());
  if (stubs.length > 0)
    code
      .localGet(compiler.pc)
      .i32Const(1)
      .i32Sub()
      .brTable(stubs.toReversed(), stubs[0] as Label);
  for (const segment of plan.resumes) {
    code.end(stubs[stubs.length - segment.resumePc] as Label);
    compiler.reload(segment);
    code.i32Const(segment.index).localSet(next).br(again);
  }
  code.unreachable().end();
  const order = labels.toReversed(); // the innermost label first
  code.localGet(next).brTable(order, order[0] as Label);
  for (const segment of segments) {
    code.end(order[segment.index] as Label);
    const go = (index: number): void => {
      code.i32Const(index).localSet(next).br(again);
    };
    compiler.emitSegment(segment, (block) => go((plan.segmented.segmentOf.get(block) as Segment).index), go);
  }
  code.end(again);
}
