/** Extensions on Node.js. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeContentCache } from "../frontend/clang/content-cache-node.ts";
import { nodeSourceReader, packageRoot } from "../frontend/clang/clang-loader-node.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import type { Gpu } from "../library/gpu.ts";
import { openGpu } from "../library/open-gpu.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import type { LibraryEnvironment } from "../library/environment.ts";
import { folderSources } from "./folder-sources-node.ts";
import { extensionDevice, extensionModel } from "./extension-device-node.ts";
import { createExtensions, sharedDevice, type ExtensionEnvironment, type Extensions } from "./extensions.ts";

/**
 * @param environment where devices and the compiler come from
 * @param openShared the device of extensions that name none; default: one that is opened when it is first needed
 */
export function nodeExtensions(
  environment: LibraryEnvironment = nodeEnvironment(),
  openShared: (() => Promise<Gpu>) | null = null,
): Extensions {
  const own: ExtensionEnvironment = {
    // On Node.js the library's compiler is all of Clang.
    compiler: () => environment.compiler() as Promise<Compiler>,
    library: (path) => readFile(join(packageRoot(), path), "utf8"),
    sharedDevice: openShared ?? sharedDevice(() => openGpu(environment, { onPrint: writeOutput })),
    includes: nodeSourceReader,
    programs: nodeContentCache(),
    model: extensionModel,
    extensionDevice,
    folderSources,
    writeError: (text) => void process.stderr.write(text),
  };
  return createExtensions(own);
}

function writeOutput(text: string): void {
  process.stdout.write(text);
}
