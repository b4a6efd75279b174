/**
 * Which undefined names of host objects belong to the platform: CUDA, its libraries, the C++ library, MPI, threads.
 * Heddle lacks such a name, and a program that calls it ends there. Any other name is the user's: a program that leaves
 * it undefined does not link.
 */
import { isLibrarySymbol } from "../../libraries/libraries.ts";

const OWN_NAMES: readonly RegExp[] = [
  /^(?:__)?heddle/,
  // Namespace std, and what the C++ ABI makes of it (Itanium C++ ABI, "Compression").
  /^_ZN?[VK]*(?:St|Sa|Ss|Sb|Si|So|Sd)/,
  /^_ZT[ISV]N?[VK]*St/,
  // operator new and delete
  /^_Z(?:nw|na|dl|da)/,
  /^(?:__cxa_|_Unwind_|__wasi_|__clang_)/,
];

/** Whether an undefined symbol of a host object names something of the platform. */
export function isPlatformName(symbol: string): boolean {
  return isLibrarySymbol(symbol) || OWN_NAMES.some((pattern) => pattern.test(symbol));
}
