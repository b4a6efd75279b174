/**
 * Who calls whom, and which functions call themselves in the end (Tarjan, "Depth-First Search and Linear Graph
 * Algorithms", 1972).
 */
import type { CallInstruction, IrFunction, IrModule } from "../model/ir.ts";

/** The functions with a body that `fn` calls by name, without repetition. */
export function directCallees(fn: IrFunction): IrFunction[] {
  const callees = new Set<IrFunction>();
  for (const call of callsOf(fn))
    if (call.callee.kind === "function" && call.callee.blocks.length > 0) callees.add(call.callee);
  return [...callees];
}

/**
 * The functions in `own` that `fn` may reach by calls, and itself. Through a pointer, any of them that is no kernel may
 * be called.
 */
export function reachedFunctions(fn: IrFunction, own: ReadonlySet<IrFunction>): Set<IrFunction> {
  const reached = new Set([fn]);
  for (const caller of reached) {
    for (const { callee } of callsOf(caller)) {
      if (callee.kind === "function") {
        if (own.has(callee)) reached.add(callee);
      } else if (callee.kind !== "inline-asm") for (const any of own) if (!any.isKernel) reached.add(any);
    }
  }
  return reached;
}

export function callsOf(fn: IrFunction): CallInstruction[] {
  return fn.blocks.flatMap((block) => block.instructions.filter((instruction) => instruction.op === "call"));
}

/** Functions on a cycle of direct calls; of those in a module, or of those that one function reaches. */
export function recursiveFunctions(where: IrModule | IrFunction): Set<IrFunction> {
  const recursive = new Set<IrFunction>();
  const index = new Map<IrFunction, number>();
  const low = new Map<IrFunction, number>();
  const onStack = new Set<IrFunction>();
  const component: IrFunction[] = [];
  for (const root of where.kind === "module" ? where.functions.values() : [where]) {
    if (index.has(root) || root.blocks.length === 0) continue;
    const enter = (fn: IrFunction): { fn: IrFunction; callees: IrFunction[]; at: number } => {
      index.set(fn, index.size);
      low.set(fn, index.get(fn) as number);
      component.push(fn);
      onStack.add(fn);
      return { fn, callees: directCallees(fn), at: 0 };
    };
    const lower = (fn: IrFunction, to: number): void => {
      low.set(fn, Math.min(low.get(fn) as number, to));
    };
    const walk = [enter(root)];
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const callee = top.callees[top.at++];
      if (callee !== undefined) {
        if (callee === top.fn) recursive.add(callee);
        if (!index.has(callee)) walk.push(enter(callee));
        else if (onStack.has(callee)) lower(top.fn, index.get(callee) as number);
        continue;
      }
      walk.pop();
      const below = walk.at(-1);
      if (below) lower(below.fn, low.get(top.fn) as number);
      if (low.get(top.fn) !== index.get(top.fn)) continue;
      const members = component.splice(component.indexOf(top.fn));
      for (const member of members) {
        onStack.delete(member);
        if (members.length > 1) recursive.add(member);
      }
    }
  }
  return recursive;
}
