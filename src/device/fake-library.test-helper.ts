/** A library of a test's own in the place of a vendor's: it gets the arguments of calls as values. */
import { addressAt, argumentLetters, longAt, type DeviceLibrary, type HostWords } from "./library-call.ts";

export interface FakeCall {
  readonly kinds: string;
  /** Of handles 0. */
  readonly values: readonly (number | bigint)[];
  readonly host: HostWords;
}

/** @param functionNamed null for a function that the library does not have; others return a status */
export function fakeLibrary(functionNamed: (name: string) => ((call: FakeCall) => number) | null): DeviceLibrary {
  return {
    prepare: () => undefined,
    bind(name, kinds) {
      const answer = functionNamed(name);
      if (answer === null) return null;
      const letters = argumentLetters(kinds);
      return (_owner, host, at, stream) => {
        const values = letters.map((letter, i) => {
          const index = at / 4 + 2 * i;
          if (letter === "h" || letter === "H") return 0;
          if (letter === "s") return stream;
          if (letter === "i") return host.ints[index] as number;
          if (letter === "d") return host.doubles[index / 2] as number;
          if (letter === "f") return host.floats[index] as number;
          return letter === "l" || letter === "w" ? longAt(host, index) : addressAt(host, index);
        });
        return answer({ kinds, values, host });
      };
    },
  };
}
