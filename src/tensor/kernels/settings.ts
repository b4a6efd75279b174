/** How kernels compute, where there is a choice. */
export interface KernelSettings {
  /** Products of float32 matrices round their operands to 10 bits (TF32) on a GPU. */
  tf32Products: boolean;
  /**
   * Convolutions of float32 round their operands to 10 bits (TF32), as PyTorch's do on a GPU unless it is told not to.
   */
  tf32Convolutions: boolean;
  /** Products on a GPU: by cuBLAS where it is there, or by kernels that Heddle generates. */
  products: "cublas" | "heddle";
  /** No sums whose order the hardware decides: what has no other kernel is computed by the host. */
  isDeterministic: boolean;
}

export const settings: KernelSettings = {
  tf32Products: false,
  tf32Convolutions: false,
  products: "cublas",
  isDeterministic: false,
};
