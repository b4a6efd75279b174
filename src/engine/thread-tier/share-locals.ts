/**
 * Which local of the function each value takes: values that are never needed in the same segment share one, by a linear
 * scan over the segments in their order (M. Poletto, V. Sarkar, "Linear scan register allocation", 1999; a value's
 * interval is from the first to the last segment in which it is defined or live).
 *
 * V8's optimizing compiler makes a phi for each local at each merge of control flow: with a local for each value, a
 * kernel of some ten thousand instructions under a checker has more nodes than the compiler can number (2^24), and V8
 * ends the process.
 */
import type { IrInstruction } from "../../ir/model/ir.ts";
import type { Local } from "../../wasm/function-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import type { LiveValue, SegmentedFunction } from "./segments.ts";

/** Parameters are left out: they are read once, before the first segment. @param skip values that take no local. */
export function shareLocals(
  { segments, liveIn }: SegmentedFunction,
  skip: (value: IrInstruction) => boolean,
  freshLocal: (type: ValueType) => Local,
): Map<LiveValue, readonly Local[]> {
  const first = new Map<IrInstruction, number>();
  const last = new Map<IrInstruction, number>();
  const needed = (value: LiveValue, segment: number): void => {
    if (value.kind === "param" || skip(value)) return;
    if (!first.has(value)) first.set(value, segment);
    last.set(value, segment);
  };
  for (const { index, entry, instructions } of segments) {
    for (const value of liveIn[index] ?? []) needed(value, index);
    if (entry !== null) needed(entry.call, index);
    for (const value of instructions) needed(value, index);
  }
  const [begin, end] = [first, last].map((at) => {
    const values = segments.map((): IrInstruction[] => []);
    for (const [value, segment] of at) values[segment]?.push(value);
    return values;
  });
  const free = new Map<ValueType, Local[]>();
  const locals = new Map<LiveValue, readonly Local[]>();
  for (const { index } of segments) {
    // In one segment nothing is shared: an instruction writes parts of its result before it has read all of its
    // operands.
    for (const value of end?.[index - 1] ?? [])
      leavesOf(value.type).forEach((leaf, i) => free.get(wasmTypeOf(leaf))?.push(locals.get(value)?.[i] as Local));
    for (const value of begin?.[index] ?? []) {
      locals.set(
        value,
        leavesOf(value.type).map((leaf) => {
          const type = wasmTypeOf(leaf);
          if (!free.has(type)) free.set(type, []);
          return free.get(type)?.pop() ?? freshLocal(type);
        }),
      );
    }
  }
  return locals;
}
