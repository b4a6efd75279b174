/**
 * Values in messages. JSON carries numbers, texts, lists and records; a record with one key that begins with `$` is
 * what JSON has no form for: an object of ours by its number, a whole number beyond 2^53, a float that is not finite,
 * bytes, a function of Python's.
 */
import { bug } from "../base/diagnostics.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Objects of ours that Python holds by numbers. */
export class Handles {
  readonly #objects = new Map<number, object>();
  #next = 1;

  add(object: object): number {
    this.#objects.set(this.#next, object);
    return this.#next++;
  }

  get(id: number): object {
    const object = this.#objects.get(id);
    return object ?? bug(`Python holds no object ${id}`);
  }

  drop(id: number): void {
    (this.#objects.get(id) as { dropped?: () => void } | undefined)?.dropped?.();
    this.#objects.delete(id);
  }
}

/** The letters of array.array in Python. */
const LETTERS = new Map<unknown, string>([
  [Uint8Array, "B"],
  [Int32Array, "i"],
  [Float32Array, "f"],
  [Float64Array, "d"],
  [BigInt64Array, "q"],
  [BigUint64Array, "Q"],
]);

/** Values on their way to Python; `parts` collects the bytes of arrays. */
export class Encoder {
  readonly #handles: Handles;
  readonly parts: Uint8Array[] = [];
  #offset = 0;

  constructor(handles: Handles) {
    this.#handles = handles;
  }

  encode(value: unknown): Json {
    switch (typeof value) {
      case "undefined":
        return null;
      case "boolean":
      case "string":
        return value;
      case "bigint":
        return { $n: `${value}` };
      case "number":
        if (Number.isFinite(value)) return Object.is(value, -0) ? { $f: "-0.0" } : value;
        return { $f: `${value}`.replace("Infinity", "inf") };
      case "object":
        return value === null ? null : this.#object(value);
      default:
        return bug(`a ${typeof value} cannot go to Python`);
    }
  }

  #object(value: object): Json {
    if (Array.isArray(value)) return value.map((item) => this.encode(item));
    if (ArrayBuffer.isView(value)) return this.#array(value);
    const isRecord = Object.getPrototypeOf(value) === Object.prototype;
    const entries = Object.entries(value);
    if (!isRecord || entries.some(([, item]) => typeof item === "function")) return { $t: this.#handles.add(value) };
    return Object.fromEntries(entries.map(([key, item]) => [key, this.encode(item)]));
  }

  #array(value: ArrayBufferView): Json {
    const letter = LETTERS.get(value.constructor) ?? bug(`no letter for ${value.constructor.name}`);
    this.parts.push(new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength));
    const at = this.#offset;
    this.#offset += value.byteLength;
    return { $b: [letter, at, value.byteLength] };
  }
}

/** What a message of Python's says. */
export class Decoder {
  readonly #handles: Handles;
  readonly #bytes: Uint8Array;
  readonly #functionOf: (id: number) => (...args: readonly unknown[]) => unknown;

  constructor(
    handles: Handles,
    bytes: Uint8Array,
    functionOf: (id: number) => (...args: readonly unknown[]) => unknown,
  ) {
    this.#handles = handles;
    this.#bytes = bytes;
    this.#functionOf = functionOf;
  }

  decode(value: Json): unknown {
    // Python's None is undefined for the bindings, as it is in Pyodide.
    if (value === null) return undefined;
    if (typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map((item) => this.decode(item));
    const [key = "", given] = Object.entries(value)[0] ?? [];
    switch (key) {
      case "$t":
        return this.#handles.get(given as number);
      case "$n":
        return BigInt(given as string);
      case "$f":
        return Number((given as string).replace("inf", "Infinity"));
      case "$b": {
        const [begin, length] = given as [number, number];
        return this.#bytes.slice(begin, begin + length);
      }
      case "$c":
        return this.#functionOf(given as number);
      default:
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.decode(item)]));
    }
  }
}
