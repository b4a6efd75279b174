/** What the host's WebAssembly can do, probed once. */
import { ModuleBuilder } from "../../wasm/module-builder.ts";

export interface Features {
  /** f32x4/f64x2.relaxed_madd exists here and rounds once. */
  readonly fusedMultiplyAdd: boolean;
  /** The relaxed SIMD instructions exist. */
  readonly relaxedSimd: boolean;
}

/** Products that differ between one rounding and two, in single and double precision; relaxed_madd may do either. */
function probe(): Features {
  const module = new ModuleBuilder();
  const single = module.function("single", ["f32", "f32", "f32"], ["f32"]);
  single
    .localGet(0)
    .f32x4Splat()
    .localGet(1)
    .f32x4Splat()
    .localGet(2)
    .f32x4Splat()
    .f32x4RelaxedMadd()
    .f32x4ExtractLane(0);
  const double = module.function("double", ["f64", "f64", "f64"], ["f64"]);
  double
    .localGet(0)
    .f64x2Splat()
    .localGet(1)
    .f64x2Splat()
    .localGet(2)
    .f64x2Splat()
    .f64x2RelaxedMadd()
    .f64x2ExtractLane(0);
  module.exportFunction("single", single);
  module.exportFunction("double", double);
  const wasm = module.finish();
  if (!WebAssembly.validate(wasm)) return { fusedMultiplyAdd: false, relaxedSimd: false };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  type Ternary = (a: number, b: number, c: number) => number;
  const e = 2 ** -12;
  const d = 2 ** -27;
  // (1 + e)² = 1 + 2e + e²: the last term is lost when the product is rounded.
  const fusedMultiplyAdd =
    (exports["single"] as Ternary)(1 + e, 1 + e, -(1 + 2 * e)) === e * e &&
    (exports["double"] as Ternary)(1 + d, 1 + d, -(1 + 2 * d)) === d * d;
  return { fusedMultiplyAdd, relaxedSimd: true };
}

let probed: Features | undefined;

/** On Node.js 20 call enableWasmFeatures() (v8-flags-node.ts) before the first use. */
export function hostFeatures(): Features {
  return (probed ??= probe());
}
