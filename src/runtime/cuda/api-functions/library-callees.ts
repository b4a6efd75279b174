/**
 * Functions of NVIDIA's libraries as calls name them (libraries/common/nvidia.h). A call reaches here some thousand
 * times before V8 compiles what answers it, so that each look into the program's memory counts.
 */
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
  /** Whether an argument is a device address, or a list that may have some. */
  readonly hasAddresses: boolean;
  readonly hasList: boolean;
}

/** `kinds` of nvidia.h: the letters, and zeros up to the next whole word. */
interface Known {
  readonly callee: Callee;
  readonly libraryAt: number;
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
  at(libraryAt: number, nameAt: number, kindsAt: number): Callee {
    const all = this.#byName.get(nameAt);
    if (all !== undefined)
      for (let i = 0; i < all.length; i++) {
        const { callee, libraryAt: at, words } = all[i] as Known;
        if (at === libraryAt && this.#hasWords(kindsAt, words)) return callee;
      }
    const known = this.#read(libraryAt, nameAt, kindsAt);
    if (all === undefined) this.#byName.set(nameAt, [known]);
    else all.push(known);
    return known.callee;
  }

  #hasWords(at: number, words: readonly number[]): boolean {
    const memory = this.#memory;
    for (let i = 0; i < words.length; i++) if (memory.i32(at + 4 * i) !== words[i]) return false;
    return true;
  }

  #read(libraryAt: number, nameAt: number, kindsAt: number): Known {
    const memory = this.#memory;
    const [library, name, kinds] = [libraryAt, nameAt, kindsAt].map((at) => memory.cString(at)) as [
      string,
      string,
      string,
    ];
    // The zero that ends the letters is part of the last word.
    const words = Array.from({ length: Math.floor(kinds.length / 4) + 1 }, (_, i) => memory.i32(kindsAt + 4 * i));
    const callee = {
      library,
      name,
      kinds,
      isOfDriver: libraryNamed(library)?.vendor?.comesWith === "driver",
      isWork: /[pw]/.test(kinds),
      hasAddresses: /[pv]/.test(kinds),
      hasList: kinds.includes("v"),
    };
    return { callee, libraryAt, words };
  }
}
