/**
 * The caches of Node.js: what came with the package or was made when it was installed, then the user's cache directory.
 */
import { join } from "node:path";
import { cacheDirectory, nodeStore, type NodeStoreOptions } from "../../store/disk-store-node.ts";
import { packageRoot } from "./clang-loader-node.ts";
import type { BlobStore } from "../../store/store.ts";
import { storeOver } from "./prebuilt.ts";

export function prebuiltDirectory(): string {
  return join(packageRoot(), "dist", "prebuilt");
}

/** V8's code of the compiler, as the V8 that ran scripts/prebuild.mjs made it: not part of a published package. */
export function codeDirectory(): string {
  return join(packageRoot(), "dist", "code");
}

/** See nodeStore. */
export function openCodeStore(options: NodeStoreOptions = {}): BlobStore {
  return storeOver(nodeStore(codeDirectory(), options), nodeStore(cacheDirectory(), options));
}

/** See nodeStore. */
export function openNodeStore(options: NodeStoreOptions = {}): BlobStore {
  return storeOver(nodeStore(prebuiltDirectory(), options), nodeStore(cacheDirectory(), options));
}
