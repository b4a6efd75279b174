/** Which functions a kernel may run. */
import type { IrFunction } from "../model/ir.ts";

/**
 * The functions that `root` may run: direct calls, and, once there is an indirect call, everything in the function
 * table.
 */
export function reachableFunctions(
  root: IrFunction,
  functionTable: readonly (IrFunction | null)[],
): ReadonlySet<IrFunction> {
  const reached = new Set<IrFunction>([root]);
  const queue = [root];
  let indirect = false;
  const reach = (f: IrFunction | null): void => {
    if (f === null || reached.has(f)) return;
    reached.add(f);
    queue.push(f);
  };
  for (let f = queue.pop(); f !== undefined; f = queue.pop())
    for (const block of f.blocks)
      for (const instruction of block.instructions) {
        if (instruction.op !== "call" || instruction.callee.kind === "inline-asm") continue;
        if (instruction.callee.kind === "function") reach(instruction.callee);
        else if (!indirect) {
          indirect = true;
          for (const target of functionTable) reach(target);
        }
      }
  return reached;
}
