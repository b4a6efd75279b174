/** Switches on relaxed SIMD where V8 still has it behind a flag (Node.js 20; from 22 on it is on). Call before hostFeatures(). */
import { setFlagsFromString } from "node:v8";

export function enableRelaxedSimd(): void {
  if (Number(process.versions.node.split(".")[0]) < 22) setFlagsFromString("--experimental-wasm-relaxed-simd");
}
