/** How operations compute on a GPU, where there is a choice. */
import { settings } from "../kernels/settings.ts";

export interface Backends {
  readonly cuda: {
    readonly matmul: {
      /** Products of float32 take factors of 11 bits (TF32): faster, less exact. Default: false. */
      allowTf32: boolean;
    };
    /**
     * What computes products of matrices: "cublas", the default, which stands for "heddle" where that library is not
     * found, or "heddle", kernels that Heddle generates. Without an argument it says which one is chosen.
     */
    preferredBlasLibrary(library?: "cublas" | "heddle"): "cublas" | "heddle";
  };
  readonly cudnn: {
    /** Convolutions of float32 take factors of 11 bits (TF32). Default: false. */
    allowTf32: boolean;
  };
}

export const backends: Backends = {
  cuda: {
    matmul: {
      get allowTf32() {
        return settings.tf32Products;
      },
      set allowTf32(allowed) {
        settings.tf32Products = allowed;
      },
    },
    preferredBlasLibrary(library) {
      if (library !== undefined) settings.products = library;
      return settings.products;
    },
  },
  cudnn: {
    get allowTf32() {
      return settings.tf32Convolutions;
    },
    set allowTf32(allowed) {
      settings.tf32Convolutions = allowed;
    },
  },
};
