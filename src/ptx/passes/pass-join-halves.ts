/**
 * Words whose halves go around loops apart become one value again. Two halves of 16 bits in one register are the
 * accumulators of `wgmma` and `mma`: Clang splits them, as the program reads each by itself in the end. The loop then
 * takes every word apart and puts it together, and ptxas lets no product run beside another (C7520).
 *
 *   high = phi [0, entry], [x >> 16, loop]                 word = phi [0, entry], [x, loop]
 *   low  = phi [0, entry], [x, loop]                →
 *   word = high << 16 | low & 65535
 *
 * Needs: a valid function. Afterwards: halves that came from phis and nothing but whole words are read from the word.
 */
import { NameSource, constI32, newBinary, newCast, newPhi, signedValue } from "../../ir/model/build.ts";
import type { IrFunction, IrInstruction, IrValue, PhiInstruction } from "../../ir/model/ir.ts";
import { I32, sameType } from "../../ir/model/types.ts";
import { replaceUses, usesOf, type UseMap } from "../../ir/model/uses.ts";
import { removeDeadInstructions } from "../../ir/passes/pass-cleanup.ts";

const HALF_BITS = 16;
const LOW_MASK = 0xffff;

/** Two phis of a block: the upper and the lower half of a word. */
interface Pair {
  readonly high: PhiInstruction;
  readonly low: PhiInstruction;
}

/** What comes along an edge: a word, or the word of a pair. */
type Whole = { readonly word: IrValue } | { readonly pair: Pair };

export function joinHalves(fn: IrFunction): void {
  const joined = new Map<PhiInstruction, Map<PhiInstruction, PhiInstruction>>();
  const words = new Map<IrValue, IrValue>();
  const names = new NameSource(fn);
  for (const { instructions } of fn.blocks)
    for (const word of instructions) {
      const pair = pairOf(word);
      if (pair === null) continue;
      const found = joined.get(pair.high)?.get(pair.low) ?? join(pair, joined, names);
      if (found !== null) words.set(word, found);
    }
  if (words.size === 0) return;
  replaceUses(fn, words);
  readFromWords(fn, joined, names);
  removeDeadInstructions(fn);
}

/** `high << 16 | low & 65535` */
function pairOf(word: IrInstruction): Pair | null {
  if (word.op !== "binary" || word.operator !== "or" || bitsOf(word) !== 32) return null;
  for (const [upper, lower] of [
    [word.lhs, word.rhs],
    [word.rhs, word.lhs],
  ] as const) {
    const [high, low] = [upperHalf(upper), lowerHalf(lower)];
    if (isPhi(high) && isPhi(low) && high.block === low.block && sameType(high.type, low.type)) return { high, low };
  }
  return null;
}

function upperHalf(value: IrValue): IrValue | null {
  if (value.kind !== "instruction" || value.op !== "binary" || value.operator !== "shl") return null;
  return isConstant(value.rhs, HALF_BITS) ? withoutExtension(value.lhs) : null;
}

function lowerHalf(value: IrValue): IrValue | null {
  if (value.kind !== "instruction") return null;
  if (value.op === "binary" && value.operator === "and" && isConstant(value.rhs, LOW_MASK))
    return withoutExtension(value.lhs);
  const inner = withoutExtension(value);
  return inner !== value && bitsOf(inner) === HALF_BITS ? inner : null;
}

function withoutExtension(value: IrValue): IrValue {
  const isExtended = value.kind === "instruction" && value.op === "cast" && value.operator === "zext";
  return isExtended && bitsOf(value.operand) === HALF_BITS ? value.operand : value;
}

function withoutTruncation(value: IrValue): IrValue {
  return value.kind === "instruction" && value.op === "cast" && value.operator === "trunc" ? value.operand : value;
}

/** Of an integer; 0: it is something else. */
function bitsOf({ type }: IrValue): number {
  return type.kind === "int" ? type.bits : 0;
}

function isPhi(value: IrValue | null): value is PhiInstruction {
  return value?.kind === "instruction" && value.op === "phi";
}

function isConstant(value: IrValue, number: number): boolean {
  return value.kind === "const-int" && Number(value.value) === number;
}

/** The word of the pair, and of all pairs that come to it along edges. null: something else comes. */
function join(
  first: Pair,
  joined: Map<PhiInstruction, Map<PhiInstruction, PhiInstruction>>,
  names: NameSource,
): PhiInstruction | null {
  const found = new Map<PhiInstruction, Map<PhiInstruction, { pair: Pair; edges: Whole[] }>>();
  const rest = [first];
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    const { high, low } = pair;
    if (found.get(high)?.has(low) === true || joined.get(high)?.has(low) === true) continue;
    const edges = edgesOf(pair);
    if (edges === null) return null;
    entryOf(found, high).set(low, { pair, edges });
    for (const edge of edges) if ("pair" in edge) rest.push(edge.pair);
  }
  const made = [...found.values()].flatMap((byLow) => [...byLow.values()]);
  for (const { pair } of made) {
    const { block, location } = pair.high;
    const phi = newPhi({ block, location }, names.fresh("word"), I32);
    block.instructions.unshift(phi);
    entryOf(joined, pair.high).set(pair.low, phi);
  }
  const wordOf = (whole: Whole): IrValue =>
    "word" in whole ? whole.word : (joined.get(whole.pair.high)?.get(whole.pair.low) as PhiInstruction);
  for (const { pair, edges } of made) {
    const phi = joined.get(pair.high)?.get(pair.low) as PhiInstruction;
    phi.incoming = pair.high.incoming.map(({ block }, i) => ({ value: wordOf(edges[i] as Whole), block }));
  }
  return joined.get(first.high)?.get(first.low) ?? null;
}

function entryOf<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let entry = map.get(key);
  if (entry === undefined) map.set(key, (entry = new Map()));
  return entry;
}

function edgesOf({ high, low }: Pair): Whole[] | null {
  const edges: Whole[] = [];
  for (const { value, block } of high.incoming) {
    const other = low.incoming.find((edge) => edge.block === block);
    const whole = other === undefined ? null : wholeOf(value, other.value);
    if (whole === null) return null;
    edges.push(whole);
  }
  return edges;
}

/** The word that has these halves: the upper one is known to have 16 bits. */
function wholeOf(high: IrValue, low: IrValue): Whole | null {
  if (high.kind === "const-int" && low.kind === "const-int") {
    const [upper, lower] = [Number(signedValue(high)), Number(signedValue(low))];
    const isHalf = bitsOf(high) === HALF_BITS || (upper >= 0 && upper <= LOW_MASK);
    return isHalf ? { word: constI32((upper << HALF_BITS) | (lower & LOW_MASK)) } : null;
  }
  if (isPhi(high) && isPhi(low))
    return high.block === low.block && sameType(high.type, low.type) ? { pair: { high, low } } : null;
  const shift = withoutTruncation(high);
  if (shift.kind !== "instruction" || shift.op !== "binary" || shift.operator !== "lshr") return null;
  const word = shift.lhs;
  const isSame = withoutTruncation(low) === word && bitsOf(word) === 32;
  return isSame && isConstant(shift.rhs, HALF_BITS) ? { word } : null;
}

/** Other users of the halves read them from the word. */
function readFromWords(
  fn: IrFunction,
  joined: ReadonlyMap<PhiInstruction, ReadonlyMap<PhiInstruction, PhiInstruction>>,
  names: NameSource,
): void {
  const uses = usesOf(fn);
  const replacements = new Map<IrValue, IrValue>();
  for (const [high, byLow] of joined)
    for (const [low, word] of byLow) {
      const { block } = word;
      const place = { block, location: word.location };
      const added: IrInstruction[] = [];
      const upper = newBinary(place, names.fresh("upper"), "lshr", word, constI32(HALF_BITS));
      const asHalf = (value: IrValue): IrValue => {
        if (bitsOf(high) !== HALF_BITS) return value;
        const half = newCast(place, names.fresh("half"), "trunc", value, high.type);
        added.push(half);
        return half;
      };
      added.push(upper);
      replacements.set(high, asHalf(upper));
      if (bitsOf(low) === HALF_BITS) replacements.set(low, asHalf(word));
      else if (readsLowHalf(low, uses)) replacements.set(low, word);
      const at = block.instructions.findIndex((i) => i.op !== "phi");
      block.instructions.splice(at, 0, ...added);
    }
  replaceUses(fn, replacements);
}

/** Whether no user sees the upper bits, which may be anything. */
function readsLowHalf(low: PhiInstruction, uses: UseMap): boolean {
  return (uses.get(low) ?? []).every((user) => {
    if (user.op === "cast") return user.operator === "trunc" && bitsOf(user) <= HALF_BITS;
    return (
      user.op === "binary" &&
      user.operator === "and" &&
      user.lhs === low &&
      user.rhs.kind === "const-int" &&
      Number(user.rhs.value) <= LOW_MASK
    );
  });
}
