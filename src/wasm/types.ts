/** Types of WebAssembly as the assembler's API writes them. */
export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128" | "funcref";

/** Core specification §5.3.1–5.3.3. */
export const VALUE_TYPE_CODES: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
  funcref: 0x70,
};

/** What a block leaves on the stack: nothing, one value, or a full signature. */
export type BlockType = ValueType | { readonly params: readonly ValueType[]; readonly results: readonly ValueType[] };

/** A function of the module by its index. */
export interface FunctionRef {
  readonly index: number;
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}
