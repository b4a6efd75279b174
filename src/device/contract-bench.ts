/** What the cases of device.contract.ts work with: kernels as CUDA C++ and as IR, and a device that runs them. */
import { bug } from "../base/diagnostics.ts";
import { dim3, type Dim3Like } from "../base/dim3.ts";
import type { LaunchOutcome } from "../machine/launch.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import type { Device, GpuKernel, GpuModule } from "./device.ts";

/** CUDA C++; the names are extern "C" so that they are the names in the IR. */
export const CONTRACT_SOURCE = `
__constant__ float factor = 3.0f;
__device__ int counter = 5;
struct Pair { int x; float* where; };
extern "C" {
__global__ void add(float* out, const float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void copyOut(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void useConstant(float* out) { out[threadIdx.x] = factor * threadIdx.x; }
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void reverse(int* x) {
  extern __shared__ int tile[];
  __shared__ int offset;
  if (threadIdx.x == 0) offset = blockDim.x + 4;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + offset;
}
__global__ void shape(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 10000 + thread;
}
__global__ void scalars(double* out, char c, short s, int i, long long l, float f, double d, Pair p) {
  out[0] = c; out[1] = s; out[2] = i; out[3] = (double)l; out[4] = f; out[5] = d; out[6] = p.x;
  *p.where = 7.0f;
}
__global__ void hello() { printf("hello from block %d\\n", blockIdx.x); }
__global__ void wild(int* p) { p[threadIdx.x] = 1; }
__global__ void stop() { __trap(); }
}`;

/** `y[i] = x[i] * 2 + 3` through shared memory, with a constant, and a counter of the threads that did so. */
export function moduleIr(pointerBits: 32 | 64): string {
  return `target datalayout = "e-${pointerBits === 32 ? "p:32:32-" : ""}i64:64-i128:128-i256:256-v16:16-v32:32"
target triple = "nvptx${pointerBits === 32 ? "" : "64"}-nvidia-cuda"
@seen = addrspace(1) externally_initialized global i32 0, align 4
@pair = addrspace(4) externally_initialized global [2 x float] [float 2.0, float 3.0], align 4
@tile = internal addrspace(3) global [32 x float] undef, align 4
@link = addrspace(1) externally_initialized global ptr addrspacecast (ptr addrspace(1) @seen to ptr), align 8
define ptx_kernel void @scale(ptr %x, ptr %y, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %b, 32
  %i = add i32 %start, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %then, label %end
then:
  %wide = sext i32 %i to i64
  %from = getelementptr inbounds float, ptr %x, i64 %wide
  %v = load float, ptr %from, align 4
  %slot = getelementptr inbounds [32 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %v, ptr addrspace(3) %slot, align 4
  %again = load float, ptr addrspace(3) %slot, align 4
  %factor = load float, ptr addrspace(4) @pair, align 4
  %offset = load float, ptr addrspace(4) getelementptr ([2 x float], ptr addrspace(4) @pair, i32 0, i32 1), align 4
  %product = fmul float %again, %factor
  %sum = fadd float %product, %offset
  %to = getelementptr inbounds float, ptr %y, i32 %i
  store float %sum, ptr %to, align 4
  %counter = load ptr, ptr addrspace(1) @link, align 8
  %old = atomicrmw add ptr %counter, i32 1 monotonic
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
`;
}

/** A device with the contract's program loaded when first needed. */
export class ContractBench {
  readonly device: Device;
  readonly #program: DeviceProgram | null;
  #module: GpuModule | null = null;

  constructor(device: Device, program: DeviceProgram | null) {
    this.device = device;
    this.#program = program;
  }

  get module(): GpuModule {
    return (this.#module ??= this.load());
  }

  load(): GpuModule {
    this.#module =
      this.#program === null
        ? (this.device.sourceCompiler?.compileSource({ path: "contract.cu", text: CONTRACT_SOURCE, options: {} }, [])
            .module ?? bug("the device takes neither IR nor source"))
        : this.device.loadModule(this.#program);
    return this.#module;
  }

  floats(values: ArrayLike<number>): number {
    const pointer = this.device.allocate(values.length * 4);
    this.device.write(pointer, new Uint8Array(Float32Array.from(values).buffer));
    return pointer;
  }

  readFloats(pointer: number, count: number): number[] {
    const values = new Float32Array(count);
    this.device.read(pointer, new Uint8Array(values.buffer));
    return [...values];
  }

  readInts(pointer: number, count: number): number[] {
    const values = new Int32Array(count);
    this.device.read(pointer, new Uint8Array(values.buffer));
    return [...values];
  }

  /** Parameters by their declared kinds; a Uint8Array for a struct. */
  params(kernel: GpuKernel, args: readonly (number | bigint | Uint8Array)[]): Uint8Array {
    const bytes = new Uint8Array(kernel.paramBytes);
    const view = new DataView(bytes.buffer);
    kernel.params.forEach((param, i) => {
      const value = args[i];
      if (value instanceof Uint8Array) bytes.set(value, param.offset);
      else if (param.kind === "f32") view.setFloat32(param.offset, Number(value), true);
      else if (param.kind === "f64") view.setFloat64(param.offset, Number(value), true);
      else {
        let rest = BigInt.asUintN(64, BigInt(value as number | bigint));
        for (let k = 0; k < param.size; k++, rest >>= 8n) bytes[param.offset + k] = Number(rest & 0xffn);
      }
    });
    return bytes;
  }

  launch(
    name: string,
    grid: Dim3Like,
    block: Dim3Like,
    args: readonly (number | bigint | Uint8Array)[] = [],
    sharedBytes = 0,
  ): LaunchOutcome {
    const kernel = this.module.kernel(name);
    return this.device.launchBlocking(
      kernel,
      { grid: dim3(grid), block: dim3(block), sharedBytes },
      this.params(kernel, args),
    );
  }

  launchLater(
    name: string,
    grid: Dim3Like,
    block: Dim3Like,
    args: readonly (number | bigint | Uint8Array)[] = [],
  ): Promise<LaunchOutcome> {
    const kernel = this.module.kernel(name);
    return this.device.launch(
      kernel,
      { grid: dim3(grid), block: dim3(block), sharedBytes: 0 },
      this.params(kernel, args),
    );
  }
}

export const ramp = (n: number, from = 0): number[] => Array.from({ length: n }, (_, i) => from + i);
