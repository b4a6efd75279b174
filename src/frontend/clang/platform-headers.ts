/**
 * Programs see the macros by which gcc says that it compiles for Linux: what they choose by them (POSIX names, timers)
 * exists here. The C++ library was built for WASI. Its headers must not see these macros, or their types differ from
 * the library's. So the few headers that ask for them read names that are never defined.
 */

/**
 * The headers of the package that ask for the platform, except for processors that Heddle never compiles for. A test
 * finds others.
 */
export const PLATFORM_HEADERS: ReadonlySet<string> = new Set(
  [
    "__config",
    "__configuration/platform.h",
    "cxxabi.h",
    "__atomic/atomic_waitable_traits.h",
    "__atomic/contention_t.h",
    "__locale_dir/locale_base_api.h",
    "__locale_dir/messages.h",
  ].map((name) => `include/c++/v1/${name}`),
);

/** A file of the package as the compiler reads it. */
export function asBuilt(name: string, bytes: Uint8Array): Uint8Array {
  if (!PLATFORM_HEADERS.has(name.replace(/^\.\//, ""))) return bytes;
  return new TextEncoder().encode(
    new TextDecoder().decode(bytes.slice()).replace(/\b__(linux|unix)__\b/g, "__heddle_no_$1"),
  );
}
