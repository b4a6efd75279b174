/** What PyTorch has and Heddle has not: asking for it says so. Types leave it out. */
import { HeddleError } from "../../base/diagnostics.ts";
import { Tensors } from "./tensors.ts";

const COMPLEX = ["fft", "complex", "polar", "view_as_complex", "viewAsComplex", "view_as_real", "viewAsReal", "stft"];

function noComplex(name: string): HeddleError {
  return new HeddleError("unsupported", `torch.${name} is not there: Heddle's tensors have no complex numbers yet`, {
    notes: ["CUDA programs may call cuFFT, on the emulated device, too: docs/libraries.md"],
  });
}

for (const name of COMPLEX)
  Object.defineProperty(Tensors.prototype, name, {
    get(): never {
      throw noComplex(name);
    },
    configurable: true,
  });
