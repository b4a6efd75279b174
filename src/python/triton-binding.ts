/** What Python's module `triton` calls: kernels of the files that Python runs, compiled and launched at once. */
import { HeddleError } from "../base/diagnostics.ts";
import { openModule } from "../frontend/triton/evaluate/module.ts";
import { DTYPE_NAMES, FP8E4NV, FP8E5, INT1, type Dtype as TritonDtype } from "../frontend/triton/language/dtypes.ts";
import { languageNames } from "../frontend/triton/language/modules.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import {
  TensorDescriptorArgument,
  TypedArgument,
  dtype,
  float,
  type TritonArgument,
} from "../library/triton-arguments.ts";
import { importFromDisk } from "../library/triton-files-node.ts";
import { TritonProgram, type ReadyKernel } from "../library/triton.ts";
import type { Dtype } from "../base/dtypes.ts";
import type { TensorDtype } from "../tensor/dtypes.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { bound, type Bound } from "./bound.ts";

/** An argument: what it is, and its value. */
type PythonArgument =
  | readonly ["tensor", Tensor]
  | readonly ["int", number | bigint]
  | readonly ["float", number]
  | readonly ["bool", boolean]
  | readonly ["str", string]
  | readonly ["none"]
  | readonly ["dtype", string]
  | readonly ["function", string, string]
  | readonly ["tuple", readonly PythonArgument[]]
  | readonly ["descriptor", Tensor, readonly number[], readonly number[], readonly number[]];

const AS_BYTES: Readonly<Partial<Record<TensorDtype, TritonDtype>>> = {
  bool: INT1,
  float8_e4m3fn: FP8E4NV,
  float8_e5m2: FP8E5,
};

/** A file's text and what its module level has, as Python sees it. */
interface FileContent {
  readonly text: string;
  readonly environment: readonly (readonly [string, string])[];
  /** Python expressions of names at module level. */
  readonly globals: readonly (readonly [string, string])[];
}

export interface TritonBinding {
  /** For Python. */
  readonly functions: Bound;
  /** Kernels launched so far. */
  readonly launches: () => number;
}

export function tritonBinding(gpu: Gpu): TritonBinding {
  let launches = 0;
  const programs = new Map<string, TritonProgram>();

  const pointerTo = (tensor: Tensor): DeviceArray | TypedArgument => {
    if (tensor.place === null)
      throw new HeddleError("bad-arguments", "Pointer argument cannot be accessed from Triton (cpu tensor?)");
    const as = AS_BYTES[tensor.dtype];
    const stored = as === undefined ? (tensor.dtype as Dtype) : "uint8";
    const array = DeviceArray.at(gpu.raw, stored, tensor.length, tensor.pointer);
    return as === undefined ? array : new TypedArgument(array, as);
  };

  const argument = (value: PythonArgument): TritonArgument => {
    switch (value[0]) {
      case "tensor":
        return pointerTo(value[1]);
      case "float":
        return float(value[1]);
      case "none":
        return null;
      case "dtype":
        return dtype(value[1]);
      case "function": {
        const program = programs.get(value[1]);
        if (program === undefined) throw new HeddleError("bad-arguments", `${value[1]} is not open`);
        return program.kernel(value[2]);
      }
      case "tuple":
        return value[1].map(argument);
      case "descriptor":
        return new TensorDescriptorArgument(pointerTo(value[1]), value[2], value[3], value[4]);
      default:
        return value[1];
    }
  };

  const functions: Bound = {
    ...bound({
      open: (file: string, { text, environment, globals }: FileContent) => {
        const source = new SourceText(file, text);
        const module = openModule(source, importFromDisk, {
          environment: Object.fromEntries(environment),
          globals: Object.fromEntries(globals),
        });
        programs.set(file, new TritonProgram(gpu, module));
      },
      isOpen: (file: string) => programs.has(file),
      compile: (
        file: string,
        name: string,
        args: readonly (readonly [string, PythonArgument])[],
        numWarps: number,
      ): ReadyKernel => {
        const keywords = Object.fromEntries(args.map(([parameter, value]) => [parameter, argument(value)]));
        const program = programs.get(file);
        if (program === undefined) throw new HeddleError("bad-arguments", `${file} is not open`);
        return program.kernel(name).compileBlocking({ numWarps }, [keywords]);
      },
      launch: (ready: ReadyKernel, grid: readonly number[]) => {
        launches++;
        ready.launch(grid);
      },
      registers: (ready: ReadyKernel) => ready.kernel.info.registers ?? null,
      sharedBytes: (ready: ReadyKernel) => ready.sharedBytes + ready.kernel.info.staticSharedBytes,
    }),
    languageNames: () => languageNames(),
    dtypeNames: () => Object.keys(DTYPE_NAMES),
  };
  return { functions, launches: () => launches };
}
