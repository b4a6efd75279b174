/** The IR types that random kernels (ir-passes.generator.ts) have values of, and the fields of the aggregates. */

export const INTS: readonly string[] = ["i1", "i8", "i16", "i24", "i32", "i33", "i48", "i64", "i65", "i128"];
export const VECTORS: readonly string[] = [
  "<4 x i32>",
  "<3 x i16>",
  "<4 x i8>",
  "<2 x i64>",
  "<4 x i1>",
  "<2 x i24>",
  "<2 x i128>",
];
export const FLOAT_VECTORS: readonly string[] = ["<2 x float>", "<4 x float>"];
export const AGGREGATES: readonly string[] = [
  "{ i32, i64 }",
  "[2 x i16]",
  "{ <2 x i16>, i33 }",
  "{ i8, [2 x i32] }",
  "{ i64 }",
  "{ [2 x { i16, i1 }], float }",
];
export const STORED: readonly string[] = [...INTS, ...VECTORS, ...FLOAT_VECTORS, ...AGGREGATES, "float"];

export const elementOf = (type: string): string => /^<\d+ x (.*)>$/.exec(type)?.[1] ?? type;
export const lengthOf = (type: string): number => Number(/^<(\d+) x/.exec(type)?.[1] ?? 1);
export const bitsOf = (type: string): number => Number(/i(\d+)>?$/.exec(type)?.[1] ?? 0);
export const isInt = (type: string): boolean => /^i\d+$/.test(type);
export const isIntVector = (type: string): boolean => /^<\d+ x i\d+>$/.test(type);
/** What a number is written as in a type: alone or for every element. */
export const constantOf = (type: string, value: number | bigint): string =>
  type.startsWith("<") ? `splat (${elementOf(type)} ${value})` : `${value}`;
export const suffixOf = (type: string): string =>
  type.startsWith("<") ? `v${lengthOf(type)}${elementOf(type)}` : type;

export interface Field {
  readonly path: string;
  readonly type: string;
}
export const FIELDS: Record<string, readonly Field[]> = {
  "{ i32, i64 }": [
    { path: "0", type: "i32" },
    { path: "1", type: "i64" },
  ],
  "[2 x i16]": [
    { path: "0", type: "i16" },
    { path: "1", type: "i16" },
  ],
  "{ <2 x i16>, i33 }": [
    { path: "0", type: "<2 x i16>" },
    { path: "1", type: "i33" },
  ],
  "{ i8, [2 x i32] }": [
    { path: "0", type: "i8" },
    { path: "1, 1", type: "i32" },
    { path: "1", type: "[2 x i32]" },
  ],
  "{ i64 }": [{ path: "0", type: "i64" }],
  "{ [2 x { i16, i1 }], float }": [
    { path: "0, 1, 1", type: "i1" },
    { path: "0, 0", type: "{ i16, i1 }" },
    { path: "1", type: "float" },
  ],
};

/** The width in memory of integers that memory does not have: 17 to 24 bits, and single ones. */
export const ODD_WIDTHS: ReadonlyMap<number, number> = new Map([
  ...[17, 18, 19, 20, 21, 22, 23, 24].map((bits) => [bits, 32] as const),
  [33, 64],
  [48, 64],
  [65, 128],
]);
