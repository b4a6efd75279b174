/**
 * Switches on what V8 has but keeps behind flags: relaxed SIMD (Node.js 20; from 22 on it is on), and branch hints (still off in
 * Node.js 24), which keep the code of failing address tests out of the way of register allocation: inner loops get up to three
 * times faster. Flags are the process's. Call before hostFeatures(), and before any kernel is compiled.
 */
import { setFlagsFromString } from "node:v8";

export function enableWasmFeatures(): void {
  if (Number(process.versions.node.split(".")[0]) < 22) setFlagsFromString("--experimental-wasm-relaxed-simd");
  setFlagsFromString("--experimental-wasm-branch-hinting");
}
