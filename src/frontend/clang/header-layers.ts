/**
 * The C++ library as layers of precompiled headers, each on top of the one before: all that `<algorithm>` brings, what
 * `<string>` brings besides, then `<vector>`, then `<iostream>`. On top of them, what PyTorch's extensions include.
 *
 * libc++'s headers include one another: up to C++20 nearly all that take long include all of `<vector>`, and so all of
 * `<string>`. A source that includes `<map>` may therefore begin with the layers up to `<vector>`, whether it names
 * that or not: it sees no name that it would not see without.
 */

import { TORCH_HEADER } from "./leading-includes.ts";

/** From the bottom up; a layer's name is the header that it is made of. */
export const LAYERS = ["algorithm", "string", "vector", "iostream", "heddle/torch.h"] as const;
type Layer = (typeof LAYERS)[number];

/** Headers that include all of a layer, and of those below it. */
export const INCLUDE_ALL_OF: Readonly<Record<Layer, readonly string[]>> = {
  algorithm: ["algorithm", "array", "string_view", "unordered_map"],
  string: [
    "bitset",
    "condition_variable",
    "ios",
    "locale",
    "mutex",
    "shared_mutex",
    "streambuf",
    "string",
    "system_error",
  ],
  vector: [
    "chrono",
    "complex",
    "deque",
    "filesystem",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "iomanip",
    "istream",
    "list",
    "map",
    "numeric",
    "ostream",
    "queue",
    "random",
    "regex",
    "set",
    "sstream",
    "stack",
    "thread",
    "unordered_set",
    "valarray",
    "vector",
  ],
  iostream: ["iostream"],
  [TORCH_HEADER]: [TORCH_HEADER],
};

/** Headers of which nothing is left to read when a layer, and those below it, are there. */
export const ALL_IN: Readonly<Record<Layer, readonly string[]>> = {
  algorithm: [
    "algorithm",
    "atomic",
    "exception",
    "initializer_list",
    "iosfwd",
    "iterator",
    "limits",
    "memory",
    "new",
    "optional",
    "ratio",
    "stdexcept",
    "tuple",
    "type_traits",
    "typeinfo",
    "utility",
    "variant",
  ],
  string: ["string", "string_view"],
  vector: ["array", "ios", "locale", "mutex", "streambuf", "system_error", "vector"],
  iostream: ["bitset", "deque", "functional", "iostream", "istream", "ostream", "queue", "stack", "unordered_map"],
  [TORCH_HEADER]: [TORCH_HEADER, "functional", "map", "memory", "numeric", "sstream", "unordered_set"],
};

export interface LayeredHeaders {
  /** The layers that a source with these headers may begin with, from the bottom up. */
  readonly layers: readonly Layer[];
  /** What of the headers no such layer holds. */
  readonly rest: readonly string[];
}

/** @param standard the language standard, as Clang names it: from C++23 on, libc++'s headers include less. */
export function layersOf(headers: readonly string[], standard: string): LayeredHeaders {
  if (!/^c\+\+(?:17|20)$/.test(standard)) return { layers: [], rest: headers };
  const top = LAYERS.findLastIndex((layer) => headers.some((header) => INCLUDE_ALL_OF[layer].includes(header)));
  const layers = LAYERS.slice(0, top + 1);
  return { layers, rest: headers.filter((header) => !layers.some((layer) => ALL_IN[layer].includes(header))) };
}
