/**
 * The compiler, as tests load it: with the code that V8 has of it since the installation (code-cache-node.ts). A test
 * changes nothing there.
 */
import { enableWasmFeatures } from "../../engine/emit/v8-flags-node.ts";
import { nodeClangResources, type NodeClangResources } from "./clang-loader-node.ts";
import { openCodeStore } from "./prebuilt-node.ts";

// V8 takes code only where its flags are those of the process that made the code.
enableWasmFeatures();

let resources: NodeClangResources | null = null;

/** One for a process, whatever number of files it runs. */
export function clangForTests(): NodeClangResources {
  return (resources ??= nodeClangResources(openCodeStore({ readOnly: true })));
}
