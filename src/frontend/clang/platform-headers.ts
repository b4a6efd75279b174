/**
 * Programs are told that they run on Linux, by the macros that gcc has there: what they choose by them (POSIX names,
 * timers) is here, what they would choose else is not. The C++ library was built for WASI, and its headers must go on
 * saying so, or types differ between them and the library: these few read the macros under names that nobody defines.
 */

/**
 * The headers of the package that ask for the platform, but for those of processors that we never compile for. A test
 * looks for others.
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
  return new TextEncoder().encode(new TextDecoder().decode(bytes).replace(/\b__(linux|unix)__\b/g, "__heddle_no_$1"));
}
