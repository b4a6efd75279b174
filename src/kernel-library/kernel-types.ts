/**
 * Types of ladders as functions, as text: what src/kernel-library/heddle-kernels.ts is made of
 * (scripts/make-kernel-types.mjs).
 */
import { HeddleError } from "../base/diagnostics.ts";
import type { LoadedLadder } from "./loaded-ladder.ts";
import type { Shape } from "./ladder.ts";
import { firstConfigurations, spaceOf } from "./search-space.ts";
import { shapeOfCall, sizesOf } from "./shape-of-call.ts";

/** matmulF32 of matmul-f32. */
export function methodName(ladder: string): string {
  return ladder.replaceAll(/-(\w)/g, (_, first: string) => first.toUpperCase());
}

/** A TypeScript module with an interface HeddleKernels. @param ladders with their declarations. */
export function kernelTypes(ladders: readonly LoadedLadder[]): string {
  return `/**
 * The ladders in kernels/ as functions. Written by scripts/make-kernel-types.mjs (npm run docs); what they do and how
 * they are called: src/kernel-library/kernels-node.ts.
 */
import type { DeviceArray } from "../library/device-array.ts";

export interface HeddleKernels {
${ladders.map(methodType).join("\n")}
}
`;
}

type Declaration = readonly [name: string, declaration: { readonly dtype: string; readonly inPlace?: true }];

const arrayType = ([, { dtype }]: Declaration): string => `DeviceArray<"${dtype}">`;
const arrayField = (declaration: Declaration): string => `${declaration[0]}: ${arrayType(declaration)}`;

function methodType(loaded: LoadedLadder): string {
  const { name, ladder } = loaded;
  const outputs: readonly Declaration[] = Object.entries(ladder.outputs);
  const needed = neededSizes(loaded);
  // Outputs that may be given: those that are no inputs, too.
  const into = outputs
    .filter(([, { inPlace }]) => inPlace !== true)
    .map((output) => `${output[0]}?: ${arrayType(output)}`);
  const alternatives = needed.map((given) => {
    const sizes = sizesOf(ladder).map((size) => `${size}${given.includes(size) ? "" : "?"}: number`);
    return `{ ${[...sizes, ...into].join("; ")} }`;
  });
  const isOptional = needed.length === 1 && needed[0]?.length === 0;
  const parameters = [
    ...Object.entries(ladder.inputs).map(arrayField),
    `named${isOptional ? "?" : ""}: ${alternatives.join(" | ")}`,
  ];
  const [only] = outputs;
  const result =
    outputs.length === 1 && only !== undefined ? arrayType(only) : `{ ${outputs.map(arrayField).join("; ")} }`;
  return `${docComment(ladder.summary)}\n  ${methodName(name)}(${parameters.join(", ")}): Promise<${result}>;`;
}

const COMMENT_WIDTH = 120;

/** A comment of a member, over several lines where it is long. */
function docComment(text: string): string {
  const whole = `  /** ${text} */`;
  if (whole.length <= COMMENT_WIDTH) return whole;
  const lines = ["  /**"];
  let line = "   *";
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > COMMENT_WIDTH) {
      lines.push(line);
      line = "   *";
    }
    line += ` ${word}`;
  }
  return [...lines, line, "   */"].join("\n");
}

/** The smallest sets of sizes with which a call is complete, whatever the shape. */
export function neededSizes(loaded: LoadedLadder): string[][] {
  const found: string[][] = [];
  for (const sizes of subsets(sizesOf(loaded.ladder))) {
    if (
      !found.some((smaller) => smaller.every((size) => sizes.includes(size))) &&
      loaded.ladder.shapes.check.every((shape) => isComplete(loaded, shape, sizes))
    )
      found.push(sizes);
  }
  return found;
}

/** The smaller ones first. */
function subsets(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((__, i) => bits & (1 << i))).sort(
    (a, b) => a.length - b.length,
  );
}

function isComplete({ name, ladder, versions }: LoadedLadder, shape: Shape, given: readonly string[]): boolean {
  const lengths = new Map(Object.entries(ladder.inputs).map(([input, { length }]) => [input, length(shape)]));
  try {
    const found = shapeOfCall(
      { name, ladder },
      Object.fromEntries(given.map((size) => [size, shape[size] as number])),
      lengths,
    );
    for (const { length } of Object.values(ladder.outputs)) length(found);
    for (const { declaration } of versions) {
      const [configuration] = firstConfigurations(spaceOf(declaration, found), 1);
      if (configuration === undefined) continue; // not for this shape
      for (const { length } of Object.values(ladder.scratch ?? {})) length(found, configuration);
      declaration.launch(found, configuration);
    }
    return Object.entries(found).every(([size, value]) => value === shape[size]);
  } catch (error) {
    if (error instanceof HeddleError && error.code === "bad-arguments") return false;
    throw error;
  }
}
