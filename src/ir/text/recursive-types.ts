/** Named struct types must have a size. */
import type { IrModule, IrType } from "../model/ir.ts";
import { Parser } from "./parser.ts";
import { formatType } from "../model/types.ts";

/** A struct that contains itself has no size. */
export function checkNotRecursive(p: Parser, module: IrModule): void {
  const done = new Set<IrType>();
  const active = new Set<IrType>();
  const visit = (type: IrType): void => {
    if (type.kind === "array" || type.kind === "vector") return visit(type.element);
    if (type.kind !== "struct" || done.has(type)) return;
    if (active.has(type)) p.fail(`the type ${formatType(type)} contains itself`, 0);
    active.add(type);
    type.elements.forEach(visit);
    active.delete(type);
    done.add(type);
  };
  for (const type of module.structTypes.values()) visit(type);
}
