/** Lowered kernels for GPUs: with the 64-bit pointers that these have. */
import type { IrModule } from "../ir/model/ir.ts";
import { printModule } from "../ir/text/print.ts";

/** The text says the width of pointers in its head alone. */
export function wideIr(module: IrModule): string {
  return printModule({
    ...module,
    triple: "nvptx64-nvidia-cuda",
    dataLayout: "e-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
  });
}
