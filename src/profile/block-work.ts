/** The instructions of a basic block, as work by source line. */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { IrBlock, IrInstruction } from "../ir/model/ir.ts";
import type { Work } from "./instruction-mix.ts";
import type { WorkClass } from "./work-classes.ts";

export interface BlockWork {
  readonly work: WorkClass;
  readonly count: number;
  readonly location: SourceLocation | null;
}

/** The work of a block, instructions of one class and source line together. */
export function blockWork(block: IrBlock, worksAt: (i: IrInstruction) => readonly Work[]): BlockWork[] {
  const found = new Map<string, { work: WorkClass; count: number; location: SourceLocation | null }>();
  for (const i of block.instructions) {
    for (const work of worksAt(i)) {
      const key = `${work.work} ${placeKey(i.location)}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { ...work, location: i.location });
      else known.count += work.count;
    }
  }
  return [...found.values()];
}

/** Names a place and the places that it was inlined into. */
export function placeKey(location: SourceLocation | null): string {
  let key = "";
  for (let at = location; at !== null && at !== undefined; at = at.inlinedAt ?? null) key += `${at.file}:${at.line};`;
  return key;
}
