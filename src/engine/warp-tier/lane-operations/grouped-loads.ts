/**
 * Loads of scalars that lie near each other (planning/load-groups.ts): the first one tests the addresses of all, and
 * the others load at a distance from a base that is at hand.
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import type { IrBlock, IrInstruction, LoadInstruction } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { emitAccessTest, emitRawLoad } from "../../emit/memory.ts";
import type { RangeChecks } from "../planning/in-bounds-accesses.ts";
import { loadGroups, type LoadGroup } from "../planning/load-groups.ts";
import { accessOf, type MemoryContext } from "./memory-access.ts";

/** How far apart loads of one test may be. */
const MAX_SPAN = 4096;

export interface GroupContext {
  readonly analysis: WarpAnalysis;
  readonly checks: RangeChecks;
  readonly loopChecks: { flagOf(load: LoadInstruction): Local | null };
}

export class GroupedLoads {
  #groups: ReadonlyMap<IrInstruction, LoadGroup> = new Map();
  readonly #bases = new Map<LoadGroup, Local>();

  /** A load of a scalar that has a test of its own may join a group. */
  beginBlock(block: IrBlock, { analysis, checks, loopChecks }: GroupContext): void {
    this.#bases.clear();
    this.#groups = loadGroups(block, {
      mostSpan: MAX_SPAN,
      kindOf: (load) => {
        if (analysis.shapeOf(load).kind !== "uniform" || loopChecks.flagOf(load) !== null) return null;
        const { bytes, align, pointer } = accessOf(load);
        return checks.isProvenInBounds(pointer, bytes, align, "active") ? null : "";
      },
    });
  }

  /** Emits the load; false where it is of no group. */
  emit(context: MemoryContext, i: LoadInstruction): boolean {
    const group = this.#groups.get(i);
    if (group === undefined) return false;
    const { code, values } = context;
    const { distance } = group.loads.find(({ load }) => load === i)!;
    let base = this.#bases.get(group);
    if (base === undefined) {
      base = values.blockLocal("i32");
      this.#bases.set(group, base);
      values.pushScalar(i.pointer);
      if (distance !== 0) code.i32Const(distance).i32Sub();
      code.localSet(base);
      emitTest(context, group, base);
    }
    code.localGet(base);
    emitRawLoad(code, i.type, false, group.bytes, distance);
    values.setScalar(i);
    return true;
  }
}

/** Tests the whole group, and reports its first fault. */
function emitTest(context: MemoryContext, { loads, bytes }: LoadGroup, base: Local): void {
  const { code, limits } = context;
  const scalar = context.scalar();
  const power = Math.log2(bytes);
  const span = Math.max(...loads.map(({ distance }) => distance));
  code.localGet(base).i32Const(USER_BASE).i32Sub();
  if (power > 0) code.i32Const(power).i32Rotr();
  code
    .globalGet(limits.scaled[power]!)
    .i32Const(span / bytes)
    .i32Sub()
    .i32GtU()
    .hint("unlikely")
    .if();
  const address = code.local("i32");
  for (const { load, distance } of loads) {
    code.localGet(base).i32Const(distance).i32Add().localSet(address);
    emitAccessTest(scalar, address, bytes, bytes);
    code.if();
    scalar.fault("address", load, address, { constant: bytes });
    code.end();
  }
  code.free(address);
  code.end();
}
