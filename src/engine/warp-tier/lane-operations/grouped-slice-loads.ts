/**
 * Vector loads that lie near each other (planning/load-groups.ts): one base and one test for all, and distances as
 * immediates. Where the test fails, all of the group is copied together first.
 */
import { SLICES, strideOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { IrBlock, IrInstruction, LoadInstruction } from "../../../ir/model/ir.ts";
import { isToolAddress } from "../../../machine/observer.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { loadGroups, type LoadGroup } from "../planning/load-groups.ts";
import type { GroupContext } from "./grouped-loads.ts";
import { COMPACT_OFFSET, type GroupRoom } from "./lane-scratch.ts";
import { accessOf, type MemoryContext } from "./memory-access.ts";
import { pushSlice, type SliceLoader } from "./slice-loads.ts";
import { pushSpanTest, rowsOf, stridesOf, type SliceAddresses } from "./slice-addresses.ts";

/** How far apart the loads of a group may be. */
const MAX_SPAN = 128 * 1024;

export class GroupedSliceLoads {
  readonly #room: GroupRoom;
  #groups: ReadonlyMap<IrInstruction, LoadGroup> = new Map();
  /** Null where a group had no place. */
  readonly #bases = new Map<LoadGroup, Local | null>();

  constructor(room: GroupRoom) {
    this.#room = room;
  }

  /** Loads of neighbouring elements may form groups, where nothing else proves their addresses legal. */
  beginBlock(block: IrBlock, { analysis, checks }: GroupContext, isFull: boolean): void {
    this.#bases.clear();
    this.#groups = loadGroups(block, {
      mostSpan: MAX_SPAN,
      kindOf: (load) => {
        const { bytes, align, pointer } = accessOf(load);
        const shape = analysis.shapeOf(pointer);
        if (shape.kind !== "offset" || strideOf(shape) !== bytes || align > bytes || isToolAddress(pointer))
          return null;
        return checks.isProvenInBounds(pointer, bytes, align, isFull ? "active" : "all") ? null : shape.offsets.join();
      },
    });
  }

  /** The loader of a load's slices; null where it is of no group. */
  prepare(context: MemoryContext, i: LoadInstruction): SliceLoader | null {
    const group = this.#groups.get(i);
    if (group === undefined) return null;
    const access = accessOf(i);
    const row = rowsOf(context, access)?.[0];
    if (row === undefined) return null;
    const { distance } = group.loads.find(({ load }) => load === i)!;
    let base = this.#bases.get(group);
    if (base === undefined) this.#bases.set(group, (base = this.#makeBase(context, group, i)));
    if (base === null) return null;
    const found = base;
    const offsets = row.offsets.map((offset) => distance + offset);
    const addresses: Pick<SliceAddresses, "strides" | "push" | "offset"> = {
      strides: stridesOf((lane) => offsets[lane]!),
      push: () => context.code.localGet(found),
      offset: (lane) => offsets[lane]!,
    };
    return {
      period: SLICES,
      range: { base, distance, bytes: row.span + access.bytes },
      groupRange: { base, distance: 0, bytes: spanOf(group) + row.span + access.bytes },
      push: (s, p) => pushSlice(context, access, addresses, s, p),
    };
  }

  /** A local with the lowest address, or with where the elements were copied to. */
  #makeBase(context: MemoryContext, group: LoadGroup, first: LoadInstruction): Local | null {
    const { code, values } = context;
    const access = accessOf(first);
    const { bytes, align } = access;
    const row = rowsOf(context, access)![0]!;
    const span = spanOf(group) + row.span;
    const room = this.#room.take(span + bytes);
    if (room === null) return null;
    const base = values.blockLocal("i32");
    const low = row.low - group.loads.find(({ load }) => load === first)!.distance;
    values.pushScalar(first.pointer);
    if (low !== 0) code.i32Const(low).i32Add();
    code.localSet(base);
    pushSpanTest(context, base, bytes, span);
    code.i32Eqz().hint("unlikely").if();
    for (const { load, distance } of group.loads) {
      code.localGet(context.mask).i32Const(context.siteOf(load)).localGet(base).i32Const(distance).i32Add();
      code
        .i32Const(room - COMPACT_OFFSET + distance)
        .call(context.helpers.compact(bytes, align, row.offsets))
        .drop();
    }
    code.globalGet(context.scratch).i32Const(room).i32Add().localSet(base);
    code.end();
    return base;
  }
}

/** From the first byte of the lowest load to the first byte of the highest. */
function spanOf({ loads }: LoadGroup): number {
  return Math.max(...loads.map(({ distance }) => distance));
}
