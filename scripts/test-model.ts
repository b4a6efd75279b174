/**
 * The data model of the programs that tests compile: HEDDLE_MODEL, else 64 bits where their C library is built, as for
 * everybody.
 */
import { nodeClangResources } from "../src/frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../src/frontend/clang/lp64/library-place-node.ts";

export default async function setup(): Promise<void> {
  if (process.env["HEDDLE_MODEL"]) return;
  const isBuilt = builtLibrary(await nodeClangResources().libraryPlace()) !== null;
  process.env["HEDDLE_MODEL"] = isBuilt ? "lp64" : "ilp32";
}
