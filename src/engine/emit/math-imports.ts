/** The functions of JavaScript that emitted code imports. */
import type { FunctionRef } from "../../wasm/types.ts";

/**
 * JavaScript functions that emitted code may call; import module "math". Always declared, so that indices are stable.
 */
export interface MathImports {
  readonly fma64: FunctionRef;
  readonly fmod: FunctionRef;
  readonly exp2: FunctionRef;
  readonly log2: FunctionRef;
  readonly sin: FunctionRef;
  readonly cos: FunctionRef;
  readonly tanh: FunctionRef;
}
