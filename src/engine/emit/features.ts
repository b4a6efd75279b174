/** What the host's WebAssembly can do, probed once. */
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import { ModuleBuilder } from "../../wasm/module-builder.ts";

export interface Features {
  /** f32x4/f64x2.relaxed_madd and relaxed_nmadd exist here and round once. */
  readonly fusedMultiplyAdd: boolean;
  /** The relaxed SIMD instructions exist. */
  readonly relaxedSimd: boolean;
}

/** (a, b, c) → what the instruction makes of them, in each lane the same. */
function addProbe(
  module: ModuleBuilder,
  name: string,
  type: "f32" | "f64",
  instruction: (code: FunctionBuilder) => FunctionBuilder,
): void {
  const code = module.function(name, [type, type, type], [type]);
  for (const parameter of [0, 1, 2]) {
    code.localGet(parameter);
    if (type === "f32") code.f32x4Splat();
    else code.f64x2Splat();
  }
  instruction(code);
  module.exportFunction(name, code);
}

/** Products that differ between one rounding and two, in single and double precision; relaxed_madd may do either. */
function probe(): Features {
  const module = new ModuleBuilder();
  addProbe(module, "single", "f32", (code) => code.f32x4RelaxedMadd().f32x4ExtractLane(0));
  addProbe(module, "double", "f64", (code) => code.f64x2RelaxedMadd().f64x2ExtractLane(0));
  addProbe(module, "negative", "f32", (code) => code.f32x4RelaxedNmadd().f32x4ExtractLane(0));
  addProbe(module, "negativeDouble", "f64", (code) => code.f64x2RelaxedNmadd().f64x2ExtractLane(0));
  const wasm = module.finish();
  if (!WebAssembly.validate(wasm)) return { fusedMultiplyAdd: false, relaxedSimd: false };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  type Ternary = (a: number, b: number, c: number) => number;
  const e = 2 ** -12;
  const d = 2 ** -27;
  // (1 + e)² = 1 + 2e + e²: the last term is lost when the product is rounded.
  const fusedMultiplyAdd =
    (exports["single"] as Ternary)(1 + e, 1 + e, -(1 + 2 * e)) === e * e &&
    (exports["negative"] as Ternary)(1 + e, 1 + e, 1 + 2 * e) === -e * e &&
    (exports["double"] as Ternary)(1 + d, 1 + d, -(1 + 2 * d)) === d * d &&
    (exports["negativeDouble"] as Ternary)(1 + d, 1 + d, 1 + 2 * d) === -d * d;
  return { fusedMultiplyAdd, relaxedSimd: true };
}

let probed: Features | undefined;

/** On Node.js 20 call enableWasmFeatures() (v8-flags-node.ts) before the first use. */
export function hostFeatures(): Features {
  return (probed ??= probe());
}
