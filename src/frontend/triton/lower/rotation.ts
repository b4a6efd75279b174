/** What is known of a loop whose product reads its operands a step ahead (rotate-operands.ts). */
import type { IrValue } from "../../../ir/model/ir.ts";
import type { AwaitOp, DotOp } from "../blocks/model.ts";

type Registers = readonly IrValue[];

/** The operands' words of a step: of all tiles of rows, and of columns. */
export type StepWords = readonly [rows: readonly Registers[], columns: readonly Registers[]];

/** The words of an operand for a tile of the result and a place in k. */
export type Words = (tile: number, step: number) => Registers;

/** How the product of a loop that is being lowered gets its operands. */
export interface Rotation {
  readonly product: DotOp;
  readonly await: AwaitOp;
  /** Of the step that comes next. */
  words: StepWords;
  /** @param slot null: that of the iteration */
  readonly operands: (slot: IrValue | null) => [Words, Words];
  /** Waits for the next tile, and reads its first step. */
  readonly next: () => StepWords;
}
