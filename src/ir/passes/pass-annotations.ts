/**
 * What the headers say of a kernel by `__attribute__((annotate(…)))` becomes an attribute of it, as Clang writes
 * others: of `__cluster_dims__(2, 1, 1)`, for which this Clang has no attribute of its own, "nvvm.cluster_dim"="2,1,1".
 *
 * Needs: a parsed module. Afterwards: llvm.global.annotations is gone, and what it named.
 */
import type { IrConstant, IrModule } from "../model/ir.ts";

const LIST = "llvm.global.annotations";
/** host_defines.h's words, and the attributes that they stand for. */
const ATTRIBUTES: Readonly<Record<string, string>> = { "heddle.cluster_dim": "nvvm.cluster_dim" };

export function takeAnnotations(module: IrModule): void {
  const list = module.globals.get(LIST)?.initializer;
  if (list == null) return;
  for (const entry of elementsOf(list)) {
    const [subject, name, , , args] = elementsOf(entry);
    const attribute = name === undefined ? undefined : ATTRIBUTES[textOf(name)];
    if (subject?.kind !== "function" || attribute === undefined || args?.kind !== "global" || args.initializer === null)
      continue;
    const numbers = elementsOf(args.initializer).map((value) =>
      value.kind === "const-int" ? String(value.value) : "1",
    );
    const extents = [...numbers, "1", "1"].slice(0, 3);
    subject.attributes = new Set([...subject.attributes, `${attribute}=${extents.join(",")}`]);
  }
  for (const entry of elementsOf(list))
    for (const part of elementsOf(entry)) if (part.kind === "global") module.globals.delete(part.name);
  module.globals.delete(LIST);
}

function elementsOf(constant: IrConstant): readonly IrConstant[] {
  return constant.kind === "const-aggregate" ? constant.elements : [];
}

/** Of a C string that a global holds. */
function textOf(constant: IrConstant): string {
  const bytes =
    constant.kind === "global" && constant.initializer?.kind === "const-bytes"
      ? constant.initializer.bytes
      : new Uint8Array();
  return new TextDecoder().decode(bytes).replace(/\0$/, "");
}
