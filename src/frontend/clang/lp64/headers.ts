/**
 * Headers of the C library for 64-bit programs, made of those of the package for 32-bit ones: types of 64 bits are
 * `long`, as on other 64-bit systems. And the few places of the sources that count on pointers of 32 bits, or on
 * headers of another version.
 */
import { LP64_FOLDER } from "../targets.ts";

type Edit = (text: string) => string;

const FROM = "include/wasm32-wasip1/";

const HEADER_EDITS: readonly (readonly [name: RegExp, edit: Edit])[] = [
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

/** By the path's end. */
const SOURCE_EDITS: readonly (readonly [path: string, edit: Edit])[] = [
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
  // The beginning of a region's list is read as a region, whose size is a size_t.
  [
    "/wasi/emmalloc/emmalloc.c",
    (text) => text.replace(/(typedef struct RootRegion\s*\{\s*)uint32_t size;/, "$1size_t size;"),
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
