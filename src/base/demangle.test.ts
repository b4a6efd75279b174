import { expect, test } from "vitest";
import { demangle } from "./demangle.ts";

test.each([
  ["_Z3addPKfS0_Pfi", "add"],
  ["_Z6reduceIfLi256EEvPT_", "reduce<float, 256>"],
  ["_ZN5inner6kernelIhLb1EEEvv", "inner::kernel<unsigned char, true>"],
  ["_Z1kI3FooIiEEvT_", "k<Foo<int>>"],
  ["_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"],
  ["_ZL6hiddeni", "hidden"],
  ["plain", "plain"],
  ["_ZZ4tilePfiE1s", "s"],
  ["_ZZN5inner6reduceIfEEvPT_E9partE_sum_0", "partE_sum"],
  ["_ZZ1kvE4tile_1", "tile"],
  ["_ZZ?", "_ZZ?"],
  ["_Z?!", "_Z?!"],
])("%s", (mangled, readable) => expect(demangle(mangled)).toBe(readable));
