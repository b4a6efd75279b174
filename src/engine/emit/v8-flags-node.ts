/**
 * Switches on what V8 has but keeps behind flags: relaxed SIMD (Node.js 20; from 22 on it is on), and branch hints (off
 * up to Node.js 24, on in 26), which keep the code of failing address tests out of the way of register allocation:
 * inner loops get up to three times faster. Flags are the process's. Call before hostFeatures(), and before any kernel
 * is compiled.
 */
import { setFlagsFromString } from "node:v8";

export function enableWasmFeatures(): void {
  const major = Number(process.versions.node.split(".")[0]);
  // A flag that V8 does not know any more is an error on stderr: none is set where it is on anyway.
  if (major < 22) setFlagsFromString("--experimental-wasm-relaxed-simd");
  if (major < 26) setFlagsFromString("--experimental-wasm-branch-hinting");
}
