/**
 * The headers of the C++ library that a source begins with. They may be precompiled, since no code before them can
 * change their meaning. libc++'s `<vector>` and `<iostream>` take Clang seconds, the program behind them a fraction of
 * a second.
 */

/**
 * Headers of the C++ library that take long to compile. Not those of C, and not `<cassert>`, which depends on NDEBUG at
 * each inclusion.
 */
const STANDARD: ReadonlySet<string> = new Set([
  "algorithm",
  "array",
  "atomic",
  "bitset",
  "charconv",
  "chrono",
  "complex",
  "condition_variable",
  "deque",
  "exception",
  "filesystem",
  "forward_list",
  "fstream",
  "functional",
  "future",
  "initializer_list",
  "iomanip",
  "ios",
  "iosfwd",
  "iostream",
  "istream",
  "iterator",
  "limits",
  "list",
  "locale",
  "map",
  "memory",
  "mutex",
  "new",
  "numeric",
  "optional",
  "ostream",
  "queue",
  "random",
  "ratio",
  "regex",
  "set",
  "shared_mutex",
  "sstream",
  "stack",
  "stdexcept",
  "streambuf",
  "string",
  "string_view",
  "system_error",
  "thread",
  "tuple",
  "type_traits",
  "typeindex",
  "typeinfo",
  "unordered_map",
  "unordered_set",
  "utility",
  "valarray",
  "variant",
  "vector",
]);
/** Headers of the C library and of CUDA that may stand between them: no macro of theirs changes the C++ library. */
const C_HEADERS =
  "assert|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|" +
  "stdarg|stddef|stdint|stdio|stdlib|string|time|wchar|wctype";
const CUDA_HEADERS = "cuda(?:_runtime|_runtime_api|_fp16|_bf16)?|device_launch_parameters";
const INDIFFERENT = new RegExp(`^(?:c?(?:${C_HEADERS})(?:\\.h)?|(?:${CUDA_HEADERS})\\.h)$`);
/** Headers of PyTorch's extensions: each is this one of ours, and little else. */
const TORCH = /^(?:torch|ATen|c10|pybind11)\//;
export const TORCH_HEADER = "heddle/torch.h";

const COMMENT = String.raw`//[^\n\\]*(?=\n|$)|/\*[^]*?\*/`;
const INCLUDE = String.raw`include[ \t]*[<"]([^>"\n]+)[>"]`;

/**
 * Sorted, each once. The run of includes ends at the first line that is neither an include in angle brackets, nor
 * empty, nor a comment. Headers of PyTorch may stand in quotes.
 */
export function leadingIncludes(text: string): string[] {
  const found = new Set<string>();
  const piece = new RegExp(`\\s+|${COMMENT}|#[ \\t]*(?:${INCLUDE}|pragma once)[ \\t]*(?=//|/\\*|\\r?\\n|$)`, "y");
  for (let match = piece.exec(text); match !== null; match = piece.exec(text)) {
    const [line, name] = match;
    if (name === undefined) continue;
    if (TORCH.test(name)) found.add(TORCH_HEADER);
    else if (line.includes('"')) break;
    else if (STANDARD.has(name)) found.add(name);
    else if (!INDIFFERENT.test(name)) break;
  }
  return [...found].sort();
}
