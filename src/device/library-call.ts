/**
 * Calls of a vendor's library, on a device that has it. Arguments lie in the caller's memory as the code of Heddle's
 * libraries puts them there (libraries/common/nvidia.h): a word of 64 bits each, and a letter that says its kind.
 * A function is bound once for its name and kinds, and is then called with the place of its arguments alone.
 */

export type ArgumentLetter = "h" | "H" | "i" | "l" | "w" | "d" | "f" | "p" | "a" | "v" | "s";

export interface ArgumentKind {
  /** A call that has such an argument makes the device work. */
  readonly isWork: boolean;
}

const PLAIN: ArgumentKind = { isWork: false };
const WORK: ArgumentKind = { isWork: true };

export const ARGUMENT_KINDS: Readonly<Record<ArgumentLetter, ArgumentKind>> = {
  /** The library's handle that belongs to the owner. The word is not read. */
  h: PLAIN,
  /** The place of that handle. The word is not read. */
  H: PLAIN,
  /** An int. */
  i: PLAIN,
  /** 64 bits. */
  l: PLAIN,
  /** 64 bits that stand for work. */
  w: WORK,
  d: PLAIN,
  f: PLAIN,
  /** A device pointer; 0 is null. */
  p: WORK,
  /** An address in the caller's memory; 0 is null. */
  a: PLAIN,
  /** The address of a list of pointers (`listAt`). */
  v: PLAIN,
  /** The stream of the call. The word is not read. */
  s: PLAIN,
};

/** The letters of a call. @throws Error where one is unknown */
export function argumentLetters(kinds: string): readonly ArgumentLetter[] {
  return Array.from(kinds, (letter) => {
    if (!Object.hasOwn(ARGUMENT_KINDS, letter)) throw new Error(`no kind of argument is "${letter}"`);
    return letter as ArgumentLetter;
  });
}

/** The caller's memory. Typed arrays cost a call less than a DataView, above all before V8 has compiled the reader. */
export class HostWords {
  readonly buffer: ArrayBuffer;
  readonly ints: Int32Array;
  readonly longs: BigUint64Array;
  readonly floats: Float32Array;
  readonly doubles: Float64Array;

  /** @param buffer a whole number of words of 64 bits */
  constructor(buffer: ArrayBuffer) {
    this.buffer = buffer;
    this.ints = new Int32Array(buffer);
    this.longs = new BigUint64Array(buffer);
    this.floats = new Float32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }
}

/**
 * A function of the library. Its arguments lie from `at` on, which is a multiple of 8.
 * @param owner whose handle the call is made with @param stream the device's; it does the work
 * @returns the function's status. @throws HeddleError "device-fault"
 */
export type LibraryFunction = (owner: number, host: HostWords, at: number, stream: number) => number;

export interface DeviceLibrary {
  /** Null where the library has no such function. Functions named …Destroy… of a handle end it. */
  bind(name: string, kinds: string): LibraryFunction | null;
  /** Makes the handle that belongs to the owner, if it is not there yet. */
  prepare(owner: number): void;
}

/** Puts arguments where a function reads them. What the word of an argument is not read for may be any number. */
export function putArguments(host: HostWords, at: number, kinds: string, values: readonly (number | bigint)[]): void {
  values.forEach((value, i) => {
    const place = at / 8 + i;
    if (kinds[i] === "d") host.doubles[place] = Number(value);
    else if (kinds[i] === "f") host.floats[2 * place] = Number(value);
    else if (typeof value === "bigint") host.longs[place] = value;
    else {
      host.ints[2 * place] = value;
      host.ints[2 * place + 1] = Math.floor(value / 2 ** 32);
    }
  });
}

/** An integer of 64 bits. `index` counts words of 32 bits. It is a number where that is exact. */
export function longAt({ ints, longs }: HostWords, index: number): number | bigint {
  const high = ints[index + 1] as number;
  return high >= 0 && high < 2 ** 21 ? ((ints[index] as number) >>> 0) + high * 2 ** 32 : (longs[index / 2] as bigint);
}

/** An address or a handle, which is exact as a number. `index` counts words of 32 bits. */
export function addressAt({ ints }: HostWords, index: number): number {
  return ((ints[index] as number) >>> 0) + (ints[index + 1] as number) * 2 ** 32;
}

/** An entry of a list of pointers. */
export interface ListedAddress {
  readonly isOnDevice: boolean;
  readonly address: number;
}

/** The list of pointers at an address of the caller's memory, as libraries/common/nvidia.h has it. */
export function listAt(host: HostWords, at: number): readonly ListedAddress[] {
  const word = (index: number): number => addressAt(host, at / 4 + 2 * index);
  return Array.from({ length: word(0) }, (_, i) => ({ isOnDevice: word(1 + 2 * i) === 1, address: word(2 + 2 * i) }));
}
