/** The sizes of a call: those that follow from its arrays' lengths need not be given. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Ladder, Shape } from "./ladder.ts";
import { shapeText } from "./ladder.ts";

/** What is called, for errors: a ladder's name. */
export interface Called {
  readonly name: string;
  readonly ladder: Ladder;
}

type LengthOf = (shape: Shape & Record<string, number>) => number;

/**
 * Completes a shape from the sizes that are given and the lengths of arrays. An array whose length depends on one
 * unknown size determines it, and then the next one may: the weights of a layer normalization determine the columns,
 * and with them its input determines the rows. Lengths are functions that only grow.
 *
 * A size that nothing determines may still be one that no kernel asks for (a histogram's number of different values):
 * reading it throws, and it is not enumerable.
 *
 * @param lengths elements of the inputs, and of the outputs that there are already, by name.
 * @throws HeddleError "bad-arguments": a size that the ladder does not have; no size that an array's length fits; sizes
 * that were found from one array and do not fit another one.
 */
export function shapeOfCall(called: Called, given: Shape, lengths: ReadonlyMap<string, number>): Shape {
  const { name, ladder } = called;
  checkSizes(called, given);
  const sizes = sizesOf(ladder);
  const arrays = [...lengths].map(([array, elements]) => ({
    array,
    elements,
    length: (ladder.inputs[array] ?? ladder.outputs[array])?.length as LengthOf,
  }));
  const { known, found, ambiguous } = inferSizes(name, sizes, given, arrays);
  const shape = Object.fromEntries(sizes.filter((size) => size in known).map((size) => [size, known[size] as number]));
  if (found.length > 0) {
    for (const { array, elements, length } of arrays) {
      if (unknownSizes(sizes, known, length).length === 0 && length(known) !== elements)
        throw new HeddleError(
          "bad-arguments",
          `${name} at ${shapeText(shape)} needs ${length(known)} elements for "${array}", not ${elements}`,
          { notes: found },
        );
    }
  }
  const missing = sizes.filter((size) => !(size in known));
  const get = (): never => {
    throw missingSizes(name, { sizes, missing, arrays, notes: [...new Set(ambiguous), ...found] });
  };
  for (const size of missing) Object.defineProperty(shape, size, { enumerable: false, get });
  return shape;
}

interface GivenArray {
  readonly array: string;
  readonly elements: number;
  readonly length: LengthOf;
}

interface InferredSizes {
  readonly known: Record<string, number>;
  /** How each size that was not given follows. */
  readonly found: readonly string[];
  /** Sizes that an array's length leaves open. */
  readonly ambiguous: readonly string[];
}

function inferSizes(
  name: string,
  sizes: readonly string[],
  given: Shape,
  arrays: readonly GivenArray[],
): InferredSizes {
  const known: Record<string, number> = { ...given };
  const found: string[] = [];
  const ambiguous: string[] = [];
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const { array, elements, length } of arrays) {
      const [unknown, ...others] = unknownSizes(sizes, known, length);
      if (unknown === undefined || others.length > 0) continue;
      const value = smallest((size) => length({ ...known, [unknown]: size }), elements);
      if (value === null) {
        const at = Object.keys(known).length === 0 ? "" : ` at ${shapeText(known)}`;
        throw new HeddleError(
          "bad-arguments",
          `${name}: no ${unknown} makes "${array}" an array of ${elements} elements${at}`,
        );
      }
      if (length({ ...known, [unknown]: value + 1 }) === elements) {
        ambiguous.push(`${unknown} may be ${value} or ${value + 1} for the ${elements} elements of "${array}"`);
        continue;
      }
      known[unknown] = value;
      found.push(`${unknown}=${value} follows from the ${elements} elements of "${array}"`);
    }
  }
  return { known, found, ambiguous };
}

interface MissingSizes {
  readonly sizes: readonly string[];
  readonly missing: readonly string[];
  readonly arrays: readonly GivenArray[];
  readonly notes: readonly string[];
}

function missingSizes(name: string, { sizes, missing, arrays, notes }: MissingSizes): HeddleError {
  const from = arrays.map(({ array, elements }) => `"${array}" (${elements} elements)`).join(", ");
  const why = from === "" ? "" : `, which ${from} ${arrays.length > 1 ? "do" : "does"} not tell`;
  return new HeddleError("bad-arguments", `${name} needs its size ${missing.join(" or ")}${why}`, {
    notes: [
      ...notes,
      `its sizes are ${sizes.join(", ")}; those that follow from the arrays' lengths need not be given`,
    ],
  });
}

/** The names of a ladder's sizes. */
export const sizesOf = ({ shapes }: Ladder): string[] => Object.keys(shapes.check[0] ?? {});

function checkSizes({ name, ladder }: Called, given: Shape): void {
  const sizes = sizesOf(ladder);
  // Some sizes are switches: attention with or without a mask.
  const least = (size: string): number =>
    [...ladder.shapes.check, ...ladder.shapes.time.emulated, ...ladder.shapes.time.cuda].some(
      (shape) => shape[size] === 0,
    )
      ? 0
      : 1;
  const wrong = Object.entries(given).find(
    ([size, value]) => !sizes.includes(size) || !Number.isSafeInteger(value) || value < least(size),
  );
  if (wrong !== undefined)
    throw new HeddleError(
      "bad-arguments",
      `${name} at ${shapeText(given)}: its sizes are whole numbers from ${least(wrong[0])} on by the names ` +
        `${sizes.join(", ")}`,
    );
}

function unknownSizes(sizes: readonly string[], known: Shape, length: LengthOf): string[] {
  const asked = new Set<string>();
  const shape = { ...known };
  for (const size of sizes)
    if (!(size in known)) Object.defineProperty(shape, size, { enumerable: true, get: () => (asked.add(size), 1) });
  length(shape);
  return [...asked];
}

/** The smallest size from 1 on at which a function that grows with it has a value; null where it never has. */
function smallest(lengthAt: (size: number) => number, elements: number): number | null {
  let high = 1;
  while (lengthAt(high) < elements) if ((high *= 2) > Number.MAX_SAFE_INTEGER) return null;
  let low = 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (lengthAt(middle) < elements) low = middle + 1;
    else high = middle;
  }
  return lengthAt(low) === elements ? low : null;
}
