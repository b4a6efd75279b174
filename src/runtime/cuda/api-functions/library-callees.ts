/**
 * Functions of NVIDIA's libraries as calls name them (libraries/common/nvidia.h). A call reaches here some thousand
 * times before V8 compiles what answers it, so that each look into the program's memory counts.
 */
import type { Device } from "../../../device/device.ts";
import {
  ARGUMENT_KINDS,
  argumentLetters,
  type DeviceLibrary,
  type HostWords,
  type LibraryFunction,
} from "../../../device/library-call.ts";
import type { HostMemory } from "../../host/host-memory.ts";
import { libraryNamed } from "../../../libraries/libraries.ts";

export interface Callee {
  readonly library: string;
  readonly name: string;
  /** A letter for each argument. */
  readonly kinds: string;
  /** A library of the driver asks the device for nothing but answers. */
  readonly isOfDriver: boolean;
  /** Whether the device works. */
  readonly isWork: boolean;
  readonly usesHandle: boolean;
  /** The stream of the call matters: the device works on it, or it is an argument. */
  readonly usesStream: boolean;
  /** The work of several calls begins when their group ends (ncclGroupEnd). */
  readonly isGrouped: boolean;
  /** Places of arguments that are device pointers, or lists of pointers. */
  readonly pointers: readonly number[];
  readonly lists: readonly number[];
  /** The device that was last asked for the function, and its answer: null where it has no such library. */
  device: Device | null;
  bound: Bound | null;
}

/** Null: the library has no such function. */
export interface Bound {
  readonly library: DeviceLibrary;
  readonly call: LibraryFunction | null;
}

interface Known {
  readonly callee: Callee;
  readonly libraryAt: number;
  /** The letters, and zeros up to the next whole word. */
  readonly words: readonly number[];
}

export class Callees {
  readonly #memory: HostMemory;
  /** Names are literals: the address of one is as good as its text. */
  readonly #byName = new Map<number, Known[]>();

  constructor(memory: HostMemory) {
    this.#memory = memory;
  }

  /** @param libraryAt @param nameAt literals of the program @param kindsAt is aligned to 4 bytes */
  at(host: HostWords, libraryAt: number, nameAt: number, kindsAt: number): Callee {
    const all = this.#byName.get(nameAt);
    if (all !== undefined)
      for (let i = 0; i < all.length; i++) {
        const known = all[i] as Known;
        if (known.libraryAt === libraryAt && hasWords(host, kindsAt / 4, known.words)) return known.callee;
      }
    const known = this.#read(host, libraryAt, nameAt, kindsAt);
    if (all === undefined) this.#byName.set(nameAt, [known]);
    else all.push(known);
    return known.callee;
  }

  #read(host: HostWords, libraryAt: number, nameAt: number, kindsAt: number): Known {
    const [library, name, kinds] = [libraryAt, nameAt, kindsAt].map((at) => this.#memory.cString(at)) as [
      string,
      string,
      string,
    ];
    // The zero that ends the letters is part of the last word.
    const words = Array.from(host.ints.subarray(kindsAt / 4, kindsAt / 4 + Math.floor(kinds.length / 4) + 1));
    const letters = argumentLetters(kinds);
    const places = (wanted: "p" | "v"): number[] =>
      letters.flatMap((letter, place) => (letter === wanted ? [place] : []));
    const { vendor } = libraryNamed(library) ?? { vendor: null };
    const isWork = letters.some((letter) => ARGUMENT_KINDS[letter].isWork);
    const callee = {
      library,
      name,
      kinds,
      isOfDriver: vendor?.comesWith === "driver",
      usesHandle: /h/i.test(kinds),
      isGrouped: vendor?.handles.some(({ kind }) => kind === "device-group") ?? false,
      isWork,
      usesStream: isWork || letters.includes("s"),
      pointers: places("p"),
      lists: places("v"),
      device: null,
      bound: null,
    };
    return { callee, libraryAt, words };
  }
}

function hasWords({ ints }: HostWords, first: number, words: readonly number[]): boolean {
  for (let i = 0; i < words.length; i++) if (ints[first + i] !== words[i]) return false;
  return true;
}
