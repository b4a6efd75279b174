/**
 * Operands a step ahead, across iterations: while tensor cores multiply the last step of a tile, the first step's words
 * of the next tile come from shared memory. So they do not wait where all warps meet between two tiles.
 *
 *   for …:                      await; words = read step 0
 *     await                     for … carried words:
 *     copy; …              →      copy; …
 *     multiply step 0             words1 = read step 1; multiply words
 *     multiply step 1             await; words = read step 0 of the next slot; multiply words1
 *
 * In loops with one product, both of whose operands copies bring.
 */
import type { IrBlock, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { AwaitOp, BlockOp, BlockValue, DotOp, ForOp, StagedOp } from "../blocks/model.ts";
import { operandsOf, regionsOf } from "../blocks/operands.ts";
import { stagedPlace } from "./fragments.ts";
import type { Lowering } from "./lowering.ts";
import { lowerAwait } from "./rings.ts";
import { instructionFor } from "./tensor-layout.ts";
import type { Rotation, StepWords, Words } from "./rotation.ts";
import { WarpProducts, stepsOf, wordsOf } from "./tensor-products.ts";

/** More words of a step are not kept twice. */
const MAX_WORDS = 48;

/** Reads the first step before the loop; null: the loop is not of this kind. */
export function beginRotation(l: Lowering, loop: ForOp): Rotation | null {
  const found = rotatable(l, loop);
  if (found === null) return null;
  const { product, first, slot } = found;
  const instruction = instructionFor(product) ?? bug("no tensor cores for this product");
  const layout = l.layouts.preferred(product.results[0] as BlockValue);
  const operands = (at: IrValue | null): [Words, Words] =>
    ([0, 1] as const).map((which) => {
      const stored = stagedPlace(l, product.operands[which], at) ?? bug("an operand that no copy brings");
      return wordsOf(l, stored, which, instruction, layout);
    }) as [Words, Words];
  const place = loop.body.params.indexOf(slot) - 1;
  lowerAwait(l, first);
  const initial = l.scalar(loop.initial[place] as BlockValue);
  const products = new WarpProducts(l, product, layout);
  return {
    product,
    await: first,
    words: products.read(operands(initial), 0),
    operands,
    next: () => {
      lowerAwait(l, first);
      return products.read(operands(l.scalar(loop.body.yields[place] as BlockValue)), 0);
    },
  };
}

/** The words as what a loop carries. */
export function carryWords(l: Lowering, rotation: Rotation, before: IrBlock): PhiInstruction[] {
  const phis: PhiInstruction[] = [];
  rotation.words = rotation.words.map((tiles) =>
    tiles.map((words) =>
      words.map((value) => {
        const phi = l.e.phi(value.type, [{ value, block: before }]);
        phis.push(phi);
        return phi;
      }),
    ),
  ) as unknown as StepWords;
  return phis;
}

export function endCarry({ words }: Rotation, phis: readonly PhiInstruction[], latch: IrBlock): void {
  for (const [i, value] of words.flat(2).entries()) phis[i]?.incoming.push({ value, block: latch });
}

function rotatable(
  l: Lowering,
  { body }: ForOp,
): { readonly product: DotOp; readonly first: AwaitOp; readonly slot: BlockValue } | null {
  const [first] = body.ops;
  const products = body.ops.filter((op) => op.op === "dot");
  const [product] = products;
  if (first?.op !== "await-copies" || first.isPrivate || product === undefined || products.length > 1) return null;
  if (l.layouts.tensor(product) === null || stepsOf(product) < 2) return null;
  const [a, b] = [tileOf(product.operands[0]), tileOf(product.operands[1])];
  if (a === null || b === null || a.slot !== b.slot || !body.params.includes(a.slot)) return null;
  const isAlone = body.ops.every((op) => op === product || isView(op) || !usesTile(op, [a, b]));
  if (!isAlone || ![a, b].every((tile) => body.ops.includes(tile))) return null;
  const layout = l.layouts.preferred(product.results[0] as BlockValue);
  const perWarp = 2 ** layout.registers.length;
  const [rows, columns] = [0, 1].map((dim) => 2 ** layout.registers.filter((bit) => bit.dim === dim).length) as [
    number,
    number,
  ];
  // Of 16 rows and a step of k 4 words in each thread, of 8 columns 2; a thread has 2 of 16 rows and of 8 columns.
  const words = (rows / 2) * 4 + (columns / 2) * 2;
  return perWarp === rows * columns && words <= MAX_WORDS ? { product, first, slot: a.slot } : null;
}

function isView(op: BlockOp): boolean {
  return op.op === "transpose";
}

/** The tile behind views. */
function tileOf({ op }: BlockValue): StagedOp | null {
  if (op?.op === "transpose") return tileOf(op.source);
  return op?.op === "staged" && !op.ring.isPrivate ? op : null;
}

function usesTile(op: BlockOp, tiles: readonly StagedOp[]): boolean {
  return (
    operandsOf(op).some((value) => tiles.includes(tileOf(value) as StagedOp)) ||
    regionsOf(op).some((region) => region.ops.some((inner) => usesTile(inner, tiles)))
  );
}
