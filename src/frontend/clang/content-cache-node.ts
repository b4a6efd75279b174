/** Where Heddle's own compilers keep their results: the user's cache directory (Node.js only). */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syncNodeStore } from "../../store/disk-store-node.ts";
import type { ContentCache } from "../../store/store.ts";
import { packageRoot } from "./clang-loader-node.ts";

let opened: ContentCache | null | undefined;

/** null: this is not a built package, and nothing says which compilers it has. */
export function nodeContentCache(): ContentCache | null {
  if (opened === undefined) {
    // Written by scripts/bundle.mjs; sources that run as they are may differ from it.
    const path = join(packageRoot(), "dist", "fingerprint");
    opened =
      import.meta.url.endsWith(".ts") || !existsSync(path)
        ? null
        : {
            store: syncNodeStore(),
            hash: (bytes) => createHash("sha256").update(bytes).digest("hex"),
            version: readFileSync(path, "utf8"),
          };
  }
  return opened;
}
