/** Where the files of the studio lie in a clone, or in the installed package. */
import { join } from "node:path";
import { clangDirectory, packageRoot } from "../../frontend/clang/clang-loader-node.ts";
import { pyodideFolder } from "../../python/pyodide-folder-node.ts";
import type { StudioFolders } from "./studio-server.ts";

export function studioFolders(): StudioFolders {
  return { site: join(packageRoot(), "dist", "studio"), clang: clangDirectory(), pyodide: pyodideFolder() };
}
