/**
 * Functions in which no thread ever stops: nothing in them, or in what they call, waits, or lets other threads run. A call of one is code in place, without
 * a way back into it. What tools add in every second line (reports, accounts of accesses) is such: inlined, it makes a kernel a hundred times as long.
 */
import { directCallees } from "../../ir/call-graph.ts";
import type { IrFunction, IrModule } from "../../ir/ir.ts";
import { findLoops } from "../../ir/loops.ts";
import { TOOL_PREFIX } from "../../machine/observer.ts";
import { reachableFunctions } from "../load-program.ts";
import { isCommunication } from "./function-plan.ts";
import { callKind } from "./program-compiler.ts";

type Manner = "stops" | "communicates" | "computes";

/** Answers whether a function is run through, for functions as they are when first asked. */
export function runsThrough(): (fn: IrFunction) => boolean {
  const known = new Map<IrFunction, Manner>();
  const mannerOf = (fn: IrFunction): Manner => {
    const before = known.get(fn);
    if (before !== undefined) return before;
    known.set(fn, "stops"); // recursion may run out of stack anywhere
    const manner = judge(fn);
    known.set(fn, manner);
    return manner;
  };
  const judge = (fn: IrFunction): Manner => {
    const instructions = fn.blocks.flatMap((block) => block.instructions);
    const mayStop = instructions.some((i) => i.op === "call" && (callKind(i) === "wait" || (callKind(i) === "call" && i.callee.kind !== "function")));
    if (mayStop || fn.blocks.length === 0) return "stops";
    const callees = directCallees(fn).map(mannerOf);
    if (callees.includes("stops")) return "stops";
    if (!callees.includes("communicates") && !instructions.some(isCommunication)) return "computes";
    // A loop that may be waiting for another thread lets it run.
    const { loops, irreducible } = findLoops(fn);
    return loops.length + irreducible.length > 0 ? "stops" : "communicates";
  };
  return (fn) => mannerOf(fn) !== "stops";
}

/** The functions of tools whose calls stay calls. */
export function toolFunctionsToCall(module: IrModule): ReadonlySet<IrFunction> {
  const through = runsThrough();
  const tools = [...module.functions.values()].filter((fn) => fn.name.startsWith(TOOL_PREFIX) && !fn.isKernel && fn.blocks.length > 0);
  const parts = tools.flatMap((fn) => [...reachableFunctions(fn, [])]).filter((fn) => fn.attributes.has("noinline") && fn.blocks.length > 0);
  return new Set([...tools, ...parts].filter(through));
}
