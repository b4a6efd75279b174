/** The compile cache of Node.js: what came with the package, then the user's cache directory. */
import { join } from "node:path";
import { cacheDirectory, nodeStore, type NodeStoreOptions } from "./cache-node.ts";
import { packageRoot } from "./clang-loader-node.ts";
import type { BlobStore } from "./compile-cache.ts";
import { storeOver } from "./prebuilt.ts";

export function prebuiltDirectory(): string {
  return join(packageRoot(), "dist", "prebuilt");
}

/** See nodeStore. */
export function openNodeStore(options: NodeStoreOptions = {}): BlobStore {
  return storeOver(nodeStore(prebuiltDirectory(), options), nodeStore(cacheDirectory(), options));
}
