/**
 * A function of a foreign library with a reader of its own for its arguments. The reader's code is written for the
 * kinds of these arguments: nothing goes through the kinds during a call, and koffi gets each argument as one of its
 * own, which costs less than a list that is spread (docs/rationale.md, "What does the hand-over of a call cost?").
 */
import { addressAt, argumentLetters, longAt } from "../library-call.ts";
import type { ArgumentLetter, LibraryFunction } from "../library-call.ts";
import type { ForeignFunction, ForeignType } from "./foreign-library.ts";

/** What the words of arguments stand for in this process. */
export interface ArgumentSource {
  /** Called before the arguments are read. */
  begin(): void;
  handle(owner: number): number | bigint;
  handleAt(owner: number): BigUint64Array;
  /** The GPU's address of a pointer that is not null. */
  device(pointer: number): number;
  /** The process's address of the first byte of a host memory. */
  origin(host: ArrayBuffer): number;
  list(host: Parameters<LibraryFunction>[1], at: number): BigUint64Array;
}

interface Reader {
  readonly type: ForeignType;
  /** The code that reads the argument whose word is `i`, as two words of 32 bits. */
  code(i: number): string;
}

const address = (i: number): string => `addressAt(host, first + ${2 * i})`;
const integer: Reader = { type: "uint64", code: (i) => `longAt(host, first + ${2 * i})` };

const READERS: Readonly<Record<ArgumentLetter, Reader>> = {
  h: { type: "uint64", code: () => "source.handle(owner)" },
  H: { type: "buffer", code: () => "source.handleAt(owner)" },
  i: { type: "int", code: (i) => `host.ints[first + ${2 * i}]` },
  l: integer,
  w: integer,
  d: { type: "double", code: (i) => `host.doubles[first / 2 + ${i}]` },
  f: { type: "float", code: (i) => `host.floats[first + ${2 * i}]` },
  p: { type: "uint64", code: (i) => `device(source, ${address(i)})` },
  a: { type: "uint64", code: (i) => `inHost(origin, ${address(i)})` },
  v: { type: "buffer", code: (i) => `source.list(host, ${address(i)})` },
  s: { type: "uint64", code: () => "stream" },
};

const device = (source: ArgumentSource, pointer: number): number => (pointer === 0 ? 0 : source.device(pointer));
const inHost = (origin: number, pointer: number): number => (pointer === 0 ? 0 : origin + pointer);

/** How C declares the parameters of a function that is called with these kinds. */
export function parameterTypes(kinds: string): ForeignType[] {
  return argumentLetters(kinds).map((letter) => READERS[letter].type);
}

export function boundCall(foreign: ForeignFunction, kinds: string, source: ArgumentSource): LibraryFunction {
  const letters = argumentLetters(kinds);
  const values = letters.map((letter, i) => READERS[letter].code(i)).join(", ");
  const origin = letters.includes("a") ? "const origin = source.origin(host.buffer); " : "";
  const helpers = { foreign, source, device, inHost, addressAt, longAt };
  const make = new Function(
    ...Object.keys(helpers),
    `return (owner, host, at, stream) => {
       source.begin();
       const first = at / 4;
       ${origin}
       return foreign(${values});
     }`,
  ) as (...values: unknown[]) => LibraryFunction;
  return make(...Object.values(helpers));
}
