/**
 * Switches on what V8 has but keeps behind flags: relaxed SIMD (Node.js 20; from 22 on it is on), memories with 64-bit
 * addresses (up to Node.js 22; for the programs of `--model lp64`), and branch hints (off
 * up to Node.js 24, on in 26), which keep the code of failing address tests out of the way of register allocation:
 * inner loops get up to three times faster. Flags are the process's. Call before hostFeatures(), and before any kernel
 * is compiled.
 */
import { setFlagsFromString } from "node:v8";

export function enableWasmFeatures(): void {
  for (const flag of wasmFlags(Number(process.versions.node.split(".")[0]))) setFlagsFromString(flag);
}

/** A flag that V8 does not know any more is an error on stderr: none is set where it is on anyway. */
export function wasmFlags(nodeMajor: number): string[] {
  return [
    ...(nodeMajor < 22 ? ["--experimental-wasm-relaxed-simd"] : []),
    ...(nodeMajor < 24 ? ["--experimental-wasm-memory64"] : []),
    ...(nodeMajor < 26 ? ["--experimental-wasm-branch-hinting"] : []),
  ];
}
