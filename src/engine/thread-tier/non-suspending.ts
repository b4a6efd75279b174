/**
 * Non-suspending functions: neither they nor their callees wait or yield. A call of one is a plain call, without code
 * to resume in it. Most code of tools (reports, records of accesses) is of this kind: inlined, it would make a kernel a
 * hundred times as long.
 */
import { directCallees } from "../../ir/graph/call-graph.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { findLoops } from "../../ir/graph/loops.ts";
import { TOOL_PREFIX } from "../../machine/observer.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { isCommunication } from "./function-plan.ts";
import { callKind } from "./program-compiler.ts";

/** Functions that may communicate with other threads, themselves or through calls. */
export function communicatingFunctions(bodies: readonly IrFunction[]): Set<IrFunction> {
  const result = new Set<IrFunction>();
  for (let grew = true; grew;) {
    grew = false;
    for (const fn of bodies) {
      if (result.has(fn)) continue;
      const does = fn.blocks.some((block) =>
        block.instructions.some(
          (i) =>
            isCommunication(i) ||
            (i.op === "call" && callKind(i) === "call" && (i.callee.kind !== "function" || result.has(i.callee))),
        ),
      );
      if (does) {
        result.add(fn);
        grew = true;
      }
    }
  }
  return result;
}

/**
 * Answers whether a function is run through, for functions as they are when first asked. @param communicating of these
 * functions, and of those that they call.
 */
export function runsThrough(communicating: ReadonlySet<IrFunction>): (fn: IrFunction) => boolean {
  const known = new Map<IrFunction, boolean>();
  const judge = (fn: IrFunction): boolean => {
    if (
      fn.blocks.length === 0 ||
      fn.blocks.some(({ instructions }) =>
        instructions.some(
          (i) =>
            i.op === "call" && (callKind(i) === "wait" || (callKind(i) === "call" && i.callee.kind !== "function")),
        ),
      )
    )
      return false;
    if (!directCallees(fn).every(through)) return false;
    // A loop that may be waiting for another thread lets it run.
    if (!communicating.has(fn)) return true;
    const { loops, irreducible } = findLoops(fn);
    return loops.length + irreducible.length === 0;
  };
  const through = (fn: IrFunction): boolean => {
    let answer = known.get(fn);
    if (answer === undefined) {
      known.set(fn, false); // recursion may run out of stack anywhere
      known.set(fn, (answer = judge(fn)));
    }
    return answer;
  };
  return through;
}

/** The functions of tools whose calls stay calls. */
export function toolFunctionsToCall(module: IrModule): ReadonlySet<IrFunction> {
  const tools = [...module.functions.values()].filter(
    (fn) => fn.name.startsWith(TOOL_PREFIX) && !fn.isKernel && fn.blocks.length > 0,
  );
  const reached = new Set(tools.flatMap((fn) => [...reachableFunctions(fn, [])]).filter((fn) => fn.blocks.length > 0));
  const through = runsThrough(communicatingFunctions([...reached]));
  return new Set([...reached].filter((fn) => (tools.includes(fn) || fn.attributes.has("noinline")) && through(fn)));
}
