/** What PyTorch has and Heddle has not: asking for it says so. Types leave it out. */
import { HeddleError } from "../../base/diagnostics.ts";
import { Tensors } from "./tensors.ts";

/** Names of PyTorch's that need complex numbers. */
export const ABSENT: readonly string[] = ["fft", "complex", "polar", "viewAsComplex", "viewAsReal", "stft", "istft"];

function noComplex(name: string): HeddleError {
  return new HeddleError("unsupported", `torch.${name} is not there: Heddle's tensors have no complex numbers yet`, {
    notes: ["CUDA programs may call cuFFT, on the emulated device, too: docs/libraries.md"],
  });
}

for (const name of ABSENT)
  Object.defineProperty(Tensors.prototype, name, {
    get(): never {
      throw noComplex(name);
    },
    configurable: true,
  });
