/**
 * Headers of the C library for 64-bit programs, made of those of the package for 32-bit ones: types of 64 bits are
 * `long`, as on other 64-bit systems. And the few places of the sources that count on pointers of 32 bits, or on
 * headers of another version.
 */
import { bug } from "../../../base/diagnostics.ts";
import { LP64_FOLDER } from "../targets.ts";

type Edit = (text: string) => string;

const FROM = "include/wasm32-wasip1/";

/** As the C library of Linux has them: int_fast16_t and int_fast32_t are long. */
const WIDE_STDINT = `typedef long int_fast16_t;
typedef long int_fast32_t;
typedef unsigned long uint_fast16_t;
typedef unsigned long uint_fast32_t;
${["INT_FAST16", "INT_FAST32", "INTPTR", "PTRDIFF"]
  .map((type) => `#define ${type}_MIN INT64_MIN\n#define ${type}_MAX INT64_MAX\n`)
  .join("")}${["UINT_FAST16", "UINT_FAST32", "UINTPTR", "SIZE"]
  .map((type) => `#define ${type}_MAX UINT64_MAX\n`)
  .join("")}`;

/** What Linux has before the letter of PRId64 and the like. */
function formatLength(kind: string, type: string): string {
  if (/64$|^(?:MAX|PTR|FAST16|FAST32)$/.test(type)) return "l";
  if (kind === "PRI" || /32$/.test(type)) return "";
  return type.endsWith("16") ? "h" : "hh";
}

const HEADER_EDITS: readonly (readonly [name: RegExp, edit: Edit])[] = [
  [/^bits\/stdint\.h$/, () => WIDE_STDINT],
  [
    /^__header_inttypes\.h$/,
    (text) =>
      text.replace(
        /^#define (PRI|SCN)([diouxX])((?:LEAST|FAST)?(?:\d+)|MAX|PTR) .*$/gm,
        (_line, kind: string, letter: string, type: string) =>
          `#define ${kind}${letter}${type} "${formatLength(kind, type)}${letter}"`,
      ),
  ],
  [/^sys\/types\.h$/, (text) => text.replace(/long long (u_quad_t|quad_t);/g, "long $1;")],
  // WASI has nanoseconds. Programs count on the microseconds of POSIX.
  [/^__header_time\.h$/, (text) => text.replace("((clock_t)1000000000)", "((clock_t)1000000)")],
  [/^bits\/alltypes\.h$/, (text) => text.replace(/^(#define _(?:Int64|Reg)) long long$/gm, "$1 long")],
  [/^__typedef_\w+\.h$/, (text) => text.replaceAll("long long", "long")],
  // Sizes of structs as on 32-bit machines are asserted there.
  [
    /^wasi\/wasip1\.h$/,
    (text) =>
      `#define _Static_assert(...)\n${text.replace(/^#error <wasi\/api\.h> only.*$/m, "")}\n#undef _Static_assert\n`,
  ],
];

/** What LLVM's build writes to a file, and Zig gives as options. */
const CPP_CONFIGURATION = `#define _LIBCPP_ABI_VERSION 1
#define _LIBCPP_ABI_NAMESPACE __1
#define _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_NO_TIME_ZONE_DATABASE
#define _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS
#define _LIBCPP_PSTL_BACKEND_SERIAL
#define _LIBCPP_HARDENING_MODE_DEFAULT 2
`;

/** See platform-headers.ts: the library was built for WASI. */
const noPlatform: Edit = (text) => text.replace(/\b__(linux|unix)__\b/g, "__heddle_no_$1");

const CPP_EDITS: readonly (readonly [name: string, edit: Edit])[] = [
  [
    "__config",
    (text) => noPlatform(text.replace(/^\/\* zig patch: instead of including __config_site.*$/m, CPP_CONFIGURATION)),
  ],
  ["__configuration/platform.h", noPlatform],
  ["__atomic/contention_t.h", noPlatform],
  ["locale", noPlatform],
];

/** Each text must be there: an edit that does nothing would be found out by a program that goes wrong. */
const swap = (text: string, ...pairs: readonly (readonly [from: string, to: string])[]): string =>
  pairs.reduce((done, [from, to]) => {
    if (!done.includes(from)) bug(`the sources of the 64-bit library have no "${from}"`);
    return done.replace(from, to);
  }, text);

/** A clock of the sources counts nanoseconds, and asserts that. */
const IN_MICROSECONDS = ["CLOCKS_PER_SEC == NSEC_PER_SEC", "CLOCKS_PER_SEC == 1000000"] as const;

/** In a function of emmalloc: the memory grows by numBytes. */
const CLAIM_THE_REST = `
    if (listOfAllRegions && sbrk(0) == listOfAllRegions->endPtr) {
      Region *last = prev_region(prev_region((Region *)listOfAllRegions->endPtr));
      if (region_is_free(last) && last->size < numBytes) numBytes -= last->size;
    }`;

/** By the path's end. */
const SOURCE_EDITS: readonly (readonly [path: string, edit: Edit])[] = [
  ["/musl/arch/wasm32/bits/stdint.h", () => WIDE_STDINT],
  [
    "/musl/arch/wasm32/atomic_arch.h",
    (text) =>
      `${text}\n#define a_cas_p(p, t, s) ` +
      "(__sync_val_compare_and_swap((void *volatile *)(p), (void *)(t), (void *)(s)))\n",
  ],
  // The compiler's header declares it for all.
  [
    "/libc-bottom-half/sources/preopens.c",
    (text) => text.replace("static void __wasilibc_populate_preopens(void)", "void __wasilibc_populate_preopens(void)"),
  ],
  // The beginning of a region's list is read as a region, whose size is a size_t; a flag's complement is a mask of
  // sizes. Regions of more than 4 GiB are in the
  // last of the lists of free ones, which are found by the size's leading zeros of 32. calloc's product may overflow.
  // Where the memory ends with a free region, only what this region lacks is claimed.
  [
    "/wasi/emmalloc/emmalloc.c",
    (text) =>
      swap(
        text,
        ["RootRegion\n{\n  uint32_t size;", "RootRegion\n{\n  size_t size;"],
        ["#define FREE_REGION_FLAG 0x1u", "#define FREE_REGION_FLAG ((size_t)1)"],
        ["#define MAX_ALLOC_SIZE 0xFFFFFFC7u", "#define MAX_ALLOC_SIZE (SIZE_MAX / 4)"],
        ["int clz =", "if (allocSize > INT32_MAX) return NUM_FREE_BUCKETS - 1;\n  int clz ="],
        ["// Round numBytes up to", `${CLAIM_THE_REST}\n    // Round numBytes up to`],
        ["size_t bytes = num*size;", "size_t bytes;\n  if (__builtin_mul_overflow(num, size, &bytes)) return 0;"],
      ),
  ],
  ["/clocks/clock.c", (text) => swap(text, IN_MICROSECONDS, ["return now - start;", "return (now - start) / 1000;"])],
  // In ticks, of which a second has 100.
  [
    "/clocks/times.c",
    (text) =>
      swap(
        text,
        IN_MICROSECONDS,
        ["= __clock();", "= __clock() / 10000;"],
        ["return realtime;", "return realtime / 10000000;"],
      ),
  ],
  // Calls of the system take pointers as int32_t.
  [
    "/libc-bottom-half/sources/__wasilibc_real.c",
    (text) => `#include <wasi/api.h>\n#include <string.h>\n#define int32_t int64_t\n${text}`,
  ],
];

function edited(bytes: Uint8Array, edit: Edit | undefined): Uint8Array {
  return edit === undefined ? bytes : new TextEncoder().encode(edit(new TextDecoder().decode(bytes)));
}

/** @param name of a file in the compiler's package. Null: not a header of its C library. */
export function wideHeader(name: string, bytes: Uint8Array): { name: string; bytes: Uint8Array } | null {
  if (!name.startsWith(FROM) || name.includes("/c++/")) return null;
  const short = name.slice(FROM.length);
  const edit = HEADER_EDITS.find(([pattern]) => pattern.test(short))?.[1];
  return { name: `include/${LP64_FOLDER}/${short}`, bytes: edited(bytes, edit) };
}

/** @param name below libcxx/include/ of the sources. */
export function cppHeader(name: string, bytes: Uint8Array): { name: string; bytes: Uint8Array } {
  return {
    name: `include/${LP64_FOLDER}/c++/v1/${name}`,
    bytes: edited(bytes, CPP_EDITS.find(([file]) => file === name)?.[1]),
  };
}

export function editedSource(path: string, bytes: Uint8Array): Uint8Array {
  return edited(bytes, SOURCE_EDITS.find(([end]) => path.endsWith(end))?.[1]);
}
