/**
 * What the C and C++ library of 64-bit programs is made of: the C library of WASI (musl, with a bottom half for WASI),
 * libc++ and libc++abi, as Zig's package has them (library-place-node.ts), and a few files of our own in
 * hostlib/wasm64/.
 *
 * The C library has the parts that the compiler's package has in its library for 32-bit programs: members of that
 * archive are looked for by name. Its headers are those of the package, too, with what must differ (headers.ts); the
 * C++ library's headers are those of its sources.
 */
import { bug } from "../../../base/diagnostics.ts";
import { LP64_FOLDER } from "../targets.ts";

/** Folders of the package that are read. */
export const SOURCE_FOLDERS: readonly string[] = [
  "package/lib/libc/musl/include/",
  "package/lib/libc/musl/src/",
  "package/lib/libc/musl/arch/generic/",
  "package/lib/libc/wasi/",
  "package/lib/libcxx/",
  "package/lib/libcxxabi/",
];

/** Where the sources lie among the compiler's files, and the files of our own. */
export const SOURCE_ROOT = "/heddle/usr/lp64";
const OWN_ROOT = "/heddle/hostlib/wasm64";
const HEADERS = `/heddle/usr/include/${LP64_FOLDER}`;
const USR = "/heddle/usr";

/** A file to be compiled. */
export interface LibraryUnit {
  /** The archive that gets the object. */
  readonly archive: string;
  readonly path: string;
  readonly flags: readonly string[];
}

const MUSL = `${SOURCE_ROOT}/libc/musl`;
const TOP = `${SOURCE_ROOT}/libc/wasi/libc-top-half`;
const BOTTOM = `${SOURCE_ROOT}/libc/wasi/libc-bottom-half`;
const TOP_INCLUDES = [
  `${TOP}/musl/src/include`,
  `${TOP}/musl/src/internal`,
  `${TOP}/musl/arch/wasm32`,
  `${TOP}/musl/arch/generic`,
  `${MUSL}/src/include`,
  `${MUSL}/src/internal`,
  `${MUSL}/arch/generic`,
  `${TOP}/headers/private`,
];
const BOTTOM_INCLUDES = [
  `${BOTTOM}/headers/private`,
  `${BOTTOM}/cloudlibc/src/include`,
  `${BOTTOM}/cloudlibc/src`,
  `${TOP}/musl/src/include`,
  `${MUSL}/src/include`,
  `${TOP}/musl/src/internal`,
  `${MUSL}/src/internal`,
];

/** Members of the 32-bit library that have another name in these sources; null: ours, or not needed. */
const OTHER_NAMES: Readonly<Record<string, string | null>> = {
  "accept-wasip1.c": "accept.c",
  "dlmalloc.c": null, // emmalloc instead
  "strspn_simd.c": null,
  "fts.c": null, // not in the sources
  "__wasilibc_random.c": null,
  "__init_tls.c": null, // of programs with several threads
};

/** POSIX threads that hostlib/threads.cpp and hostlib/wasm64/threads.c have instead, or that need a kernel. */
const OWN_THREADS = new RegExp(
  `^pthread_(${[
    "create|join|detach|cancel|once|self|equal|key_create|getspecific|setspecific|getattr_np",
    "mutex_(lock|trylock|timedlock|unlock|destroy|consistent)|mutexattr_set(protocol|robust)",
    "rwlock_(rd|wr|tryrd|trywr|timedrd|timedwr|un)lock|spin_(lock|trylock|unlock)",
    "cond_(wait|timedwait|signal|broadcast|destroy)|condattr_setclock|barrier_(init|wait|destroy)",
  ].join("|")})\\.c$`,
);

/** Further parts: the allocator, and what the package has in libraries of their own. */
const FURTHER_UNITS: readonly (readonly [path: string, includes: readonly string[]])[] = [
  [`${SOURCE_ROOT}/libc/wasi/emmalloc/emmalloc.c`, TOP_INCLUDES],
  [`${BOTTOM}/clocks/clock.c`, BOTTOM_INCLUDES],
  [`${BOTTOM}/clocks/getrusage.c`, BOTTOM_INCLUDES],
  [`${BOTTOM}/clocks/times.c`, BOTTOM_INCLUDES],
  [`${BOTTOM}/getpid/getpid.c`, BOTTOM_INCLUDES],
  [`${BOTTOM}/mman/mman.c`, BOTTOM_INCLUDES],
  [`${BOTTOM}/signal/signal.c`, []],
  [`${MUSL}/src/signal/psignal.c`, TOP_INCLUDES],
  [`${MUSL}/src/string/strsignal.c`, TOP_INCLUDES],
];

/** Numbers as text: once without `long double`, whose arithmetic of 128 bits makes every `%f` slower, once with it. */
const PRINT_AND_SCAN = /^(floatscan|vfprintf|vfscanf|vfwprintf|strtod|wcstod)\.c$/;

const WITHOUT_LONG_DOUBLE = [
  "-D__wasilibc_printscan_no_long_double",
  // What the message says that such a printf writes for %Lf; the linker has taken the other one then.
  '-D__wasilibc_printscan_full_support_option="name the type long double"',
];

const EMULATED = ["SIGNAL", "PROCESS_CLOCKS", "MMAN", "GETPID"].map((name) => `-D_WASI_EMULATED_${name}`);
const COMMON: readonly string[] = [
  "clang",
  "-cc1",
  "-triple",
  LP64_FOLDER,
  "-O2",
  "-w",
  "-fgnuc-version=4.2.1",
  "-disable-free",
  "-disable-llvm-verifier",
  "-mrelocation-model",
  "static",
  "-mconstructor-aliases",
  ...["exception-handling", "bulk-memory", "sign-ext", "nontrapping-fptoint", "mutable-globals"].flatMap((feature) => [
    "-target-feature",
    `+${feature}`,
  ]),
  "-ffp-contract=off",
  "-resource-dir",
  USR,
];

const C_FLAGS: readonly string[] = [
  ...COMMON,
  "-x",
  "c",
  "-std=gnu17",
  "-relaxed-aliasing",
  // As older compilers took them.
  "-Wno-error=implicit-function-declaration",
  "-Wno-int-conversion",
  "-DBULK_MEMORY_THRESHOLD=32",
];

const CPP_FLAGS: readonly string[] = [
  ...COMMON,
  "-x",
  "c++",
  "-std=c++23",
  "-fno-threadsafe-statics",
  "-fvisibility-inlines-hidden",
  "-DNDEBUG",
  "-D_LIBCPP_BUILDING_LIBRARY",
  "-D_LIBCPP_HAS_NO_PRAGMA_SYSTEM_HEADER",
  "-D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES",
  "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
  "-DLIBCXX_BUILDING_LIBCXXABI",
  "-D_LIBCXXABI_BUILDING_LIBRARY",
  ...EMULATED,
  ...[`libcxx/src`, `libcxxabi/src`, `libcxxabi/include`, `libcxx`].flatMap((folder) => [
    "-I",
    `${SOURCE_ROOT}/${folder}`,
  ]),
  ...[`${HEADERS}/c++/v1`, `${USR}/include`, HEADERS].flatMap((folder) => ["-internal-isystem", folder]),
];

/** libc++abi is built without: what throws and catches is in hostlib/exceptions.cpp. */
const EXCEPTIONS: readonly string[] = [
  "-fcxx-exceptions",
  "-fexceptions",
  "-exception-model=wasm",
  "-mllvm",
  "-wasm-enable-eh",
  "-mllvm",
  "-wasm-enable-sjlj",
];

function cUnit(
  archive: string,
  path: string,
  includes: readonly string[],
  further: readonly string[] = [],
): LibraryUnit {
  return {
    archive,
    path,
    flags: [
      ...C_FLAGS,
      ...further,
      ...includes.flatMap((folder) => ["-I", folder]),
      ...[HEADERS, `${USR}/include`].flatMap((folder) => ["-internal-isystem", folder]),
    ],
  };
}

/**
 * @param paths of the sources, below SOURCE_ROOT.
 * @param members of the 32-bit C library.
 */
export function libraryUnits(paths: readonly string[], members: readonly string[]): LibraryUnit[] {
  const own = ["threads.c", "files.c"].map((name) => cUnit("libc.a", `${OWN_ROOT}/${name}`, [], EMULATED));
  return [
    ...cLibraryUnits(paths, members),
    ...FURTHER_UNITS.map(([path, includes]) => cUnit("libc.a", path, includes, EMULATED)),
    ...own,
    cUnit("libclang_rt.builtins.a", `${OWN_ROOT}/builtins.c`, []),
    ...cppUnits(paths),
  ];
}

function cLibraryUnits(paths: readonly string[], members: readonly string[]): LibraryUnit[] {
  const byName = new Map<string, string[]>();
  const adapted = new Set(
    paths.filter((path) => path.startsWith(`${TOP}/musl/`)).map((path) => path.slice(TOP.length)),
  );
  for (const path of paths) {
    const isBottom = path.startsWith(`${BOTTOM}/sources/`) || path.startsWith(`${BOTTOM}/cloudlibc/src/`);
    const isTop = path.startsWith(`${TOP}/sources/`) || path.startsWith(`${TOP}/musl/src/`);
    // musl's own file, where WASI has not changed it; not those in assembly or for one machine.
    const isPlain = /^\/src\/\w+\/[^/]+$/.test(path.slice(MUSL.length)) && path.startsWith(MUSL);
    if (!path.endsWith(".c") || !(isBottom || isTop || (isPlain && !adapted.has(path.slice(MUSL.length - 5)))))
      continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const units: LibraryUnit[] = [];
  for (const name of new Set(members)) {
    const known = name in OTHER_NAMES ? OTHER_NAMES[name] : name;
    if (known === null || known === undefined || OWN_THREADS.test(name)) continue;
    const found = byName.get(known) ?? bug(`the sources of the C library lack ${known}`);
    const count = members.filter((member) => member === name).length;
    const bottom = found.filter((path) => path.startsWith(BOTTOM));
    const chosen = count >= found.length || bottom.length === 0 ? found : bottom;
    for (const path of chosen) {
      const includes = path.startsWith(BOTTOM) ? BOTTOM_INCLUDES : TOP_INCLUDES;
      const isNumeric = PRINT_AND_SCAN.test(known);
      units.push(cUnit("libc.a", path, includes, isNumeric ? WITHOUT_LONG_DOUBLE : []));
      if (isNumeric) units.push(cUnit("libc-printscan-long-double.a", path, includes));
    }
  }
  return units;
}

/** Parts for other systems, and the exceptions, which are ours (hostlib/exceptions.cpp). */
const NOT_FOR_US = new RegExp(
  [
    "/(win32|solaris|ibm|pstl|experimental|support)/",
    "/(cxa_(exception|noexception|personality|thread_atexit)|int128_builtins)\\.cpp$",
    "tzdb|time_zone",
  ].join("|"),
);

function cppUnits(paths: readonly string[]): LibraryUnit[] {
  const units: LibraryUnit[] = [];
  for (const path of paths) {
    const [, folder] = /\/(libcxx|libcxxabi)\/src\/.*\.cpp$/.exec(path) ?? [];
    if (folder === undefined || NOT_FOR_US.test(path)) continue;
    units.push(
      folder === "libcxx"
        ? { archive: "libc++.a", path, flags: [...CPP_FLAGS, ...EXCEPTIONS] }
        : { archive: "libc++abi.a", path, flags: CPP_FLAGS },
    );
  }
  return units;
}
