/** Each version of Node.js gets the flags that it has and does not set by itself. */
import { expect, test } from "vitest";
import { wasmFlags } from "./v8-flags-node.ts";

test.each([
  [20, ["--experimental-wasm-relaxed-simd", "--experimental-wasm-memory64", "--experimental-wasm-branch-hinting"]],
  [21, ["--experimental-wasm-relaxed-simd", "--experimental-wasm-memory64", "--experimental-wasm-branch-hinting"]],
  [22, ["--experimental-wasm-memory64", "--experimental-wasm-branch-hinting"]],
  [24, ["--experimental-wasm-branch-hinting"]],
  [25, ["--experimental-wasm-branch-hinting"]],
  [26, []],
] as const)("Node.js %i", (major, flags) => expect(wasmFlags(major)).toEqual(flags));
