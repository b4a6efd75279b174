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
const CUDA_HEADERS =
  "cu(?:Complex|blas\\w*|da|da_bf16|da_fp16|da_fp8|da_runtime|da_runtime_api|dnn\\w*|fft\\w*|pti\\w*)|" +
  "cu(?:rand|rand_kernel|solver\\w*|sparse\\w*)|" +
  "cooperative_groups|device_launch_parameters|library_types|mma|nccl|nvml|nvrtc";
const INDIFFERENT = new RegExp(
  `^(?:c?(?:${C_HEADERS})(?:\\.h)?|(?:${CUDA_HEADERS})\\.h|(?:cooperative_groups|cub|thrust)/[\\w/]+\\.(?:h|cuh))$`,
);
/** Whether the C or C++ library or CUDA's runtime has a header of this name, and so do we. */
export function isStandardHeader(name: string): boolean {
  return STANDARD.has(name) || (INDIFFERENT.test(name) && !OPEN_LIBRARIES.test(name));
}
const OPEN_LIBRARIES = /^(?:cub|thrust)\//;
/** Headers of PyTorch's extensions: each is this one of ours, and little else. */
const TORCH = /^(?:torch|ATen|c10|pybind11)\//;
export const TORCH_HEADER = "heddle/torch.h";
/** Half precision and bfloat16, which take as long as `<vector>`; the second one includes the first. */
export const HALF_HEADERS = ["cuda_fp16.h", "cuda_bf16.h"] as const;
/** Headers that include both. */
const INCLUDE_HALVES = /^(?:cublas(?:Lt|Xt|_api|_v2)?|cuda_bf16|cuda_fp8|cusolver(?:Dn|Mg|Sp)|mma|nccl)\.h$/;

const COMMENT = String.raw`//[^\n\\]*(?=\n|$)|/\*[^]*?\*/`;
const INCLUDE = String.raw`include[ \t]*[<"]([^>"\n]+)[>"]`;
const PIECE = new RegExp(`\\s+|${COMMENT}|#[ \\t]*(?:${INCLUDE}|pragma once)[ \\t]*(?=//|/\\*|\\r?\\n|$)`, "y");
const SPACE = String.raw`(?:\s|//[^\n\\]*(?=\n)|/\*[^]*?\*/)*`;
const GUARD = new RegExp(String.raw`^${SPACE}#\s*ifndef\s+(\w+)\s+#\s*define\s+\1\s*\n`);

/** A file of the user's, for which an include in quotes stands. */
export interface IncludedFile {
  readonly path: string;
  readonly text: string;
}

export interface LeadingIncludes {
  /** What may be precompiled, sorted, each once. */
  readonly headers: readonly string[];
  /**
   * The names by which the source includes these and others of the run: a file of the user's may have one of them. Not
   * those of CUB and Thrust, which are the user's wherever there is a toolkit.
   */
  readonly names: ReadonlySet<string>;
}

/**
 * The run of includes ends at the first line that is neither an include of a known header, nor empty, nor a comment. It
 * goes on in the files that the source includes in quotes.
 *
 * @param open the file that a name in quotes stands for in a file; null: there is none
 */
export function leadingIncludes(
  source: IncludedFile,
  open: (name: string, from: string) => IncludedFile | null = () => null,
): LeadingIncludes {
  const found = new Set<string>();
  const names = new Set<string>();
  const seen = new Set<string>();
  /** @returns whether nothing but includes is in the file. */
  const read = ({ path, text }: IncludedFile, start: number): boolean => {
    seen.add(path);
    let at = start;
    while (at < text.length) {
      PIECE.lastIndex = at;
      const match = PIECE.exec(text);
      if (match === null) return false;
      at = PIECE.lastIndex;
      const [line, name] = match;
      if (name === undefined) continue;
      const file = line.includes('"') && !TORCH.test(name) ? open(name, path) : null;
      if (file !== null) {
        if (!seen.has(file.path) && !read(file, GUARD.exec(file.text)?.[0].length ?? 0)) return false;
        continue;
      }
      if (TORCH.test(name)) found.add(TORCH_HEADER);
      else if (STANDARD.has(name) && !line.includes('"')) found.add(name);
      else if (INDIFFERENT.test(name)) halvesOf(name).forEach((half) => found.add(half));
      else return false;
      if (!OPEN_LIBRARIES.test(name)) names.add(name);
    }
    return true;
  };
  read(source, 0);
  return { headers: [...found].sort(), names };
}

function halvesOf(name: string): readonly string[] {
  if (INCLUDE_HALVES.test(name)) return HALF_HEADERS;
  return name === HALF_HEADERS[0] ? [name] : [];
}
