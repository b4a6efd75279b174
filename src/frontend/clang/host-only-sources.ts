/**
 * CUDA sources without device code: programs that call libraries alone. Their device pass would read all headers for an
 * empty module.
 *
 * This reads the source, and the files of the user's that it includes. What it cannot follow counts as device code. Our
 * headers may have kernels that host code asks for: the host pass's object then registers them.
 */
import { libraryOfHeader } from "../../libraries/libraries.ts";
import type { CompileOptions, SourceFile } from "../../program/compiled-program.ts";
import type { SourceReader } from "../../store/source-reader.ts";
import { mentions } from "./object-files.ts";

/** What only device code is written with, and what reads otherwise in the device pass. */
const OF_DEVICE_CODE = new RegExp(
  "__(?:global|device|constant|managed|shared|grid_constant|launch_bounds)__|__CUDA_|<<<|" +
    "__attribute|\\[\\[|\\bpragma[ \\t]+clang\\b|_Pragma|\\basm\\b|__asm",
);
const INCLUDE = /^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>)?/gm;
/** Headers with kernels, or with macros that mean `__device__`. */
const HAVE_DEVICE_CODE = /^(?:cooperative_groups|cub|cuda|cutlass|cute|heddle|nv|thrust|torch|ATen|c10)\b[/.]/;

/** Whether neither the source nor what it includes has device code, as far as their text tells. */
export function seemsHostOnly(source: SourceFile, options: CompileOptions, reader: SourceReader | null): boolean {
  // Libraries of ours are `.cu` where they have kernels. The two passes' warnings are not quite the same.
  if (source.path.startsWith("/heddle/") || options.warnings.length > 0 || options.forcedIncludes.length > 0)
    return false;
  if (options.defines.some((define) => OF_DEVICE_CODE.test(define))) return false;
  const seen = new Set<string>();
  const isHostCode = (path: string, text: string): boolean => {
    seen.add(path);
    if (OF_DEVICE_CODE.test(text)) return false;
    const folders = [path.replace(/[^/]*$/, ""), ...options.includePaths.map((folder) => `${folder}/`)];
    for (const [, quoted, angled] of text.matchAll(INCLUDE)) {
      const name = quoted ?? angled;
      if (name === undefined) return false; // a macro's
      const places = name.startsWith("/") ? [name] : folders.map((folder) => folder + name);
      const found = places.find((place) => seen.has(place) || (reader?.readFile(place) ?? null) !== null);
      if (found === undefined) {
        if (HAVE_DEVICE_CODE.test(name) || (libraryOfHeader(name)?.namespaces.length ?? 0) > 0) return false;
      } else if (!seen.has(found)) {
        const bytes = reader?.readFile(found) ?? null;
        if (bytes === null || !isHostCode(found, new TextDecoder().decode(bytes))) return false;
      }
    }
    return true;
  };
  return isHostCode(source.path, source.text);
}

/** Whether a host pass has met kernels or variables of devices. */
export function registersDeviceCode(object: Uint8Array): boolean {
  return mentions(object, "__cudaRegisterFatBinary");
}
