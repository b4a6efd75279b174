/** What the editor says of CUDA's words: built-ins with their form, and a sentence for functions of the runtime API. */

export interface Word {
  readonly kind: "keyword" | "variable" | "function";
  readonly form: string;
  readonly about: string;
}

type Row = readonly [name: string, form: string, about: string];

const QUALIFIERS: readonly Row[] = [
  ["__global__", "__global__ void kernel(…)", "A kernel: it runs on the GPU, and is launched with <<<grid, block>>>."],
  ["__device__", "__device__ …", "A function or variable of the GPU. Kernels call it; the host cannot."],
  ["__host__", "__host__ …", "A function of the host. With __device__ it is compiled for both."],
  [
    "__shared__",
    "__shared__ float tile[256];",
    "Memory of a block, on the chip. All its threads see the same variable.",
  ],
  [
    "__constant__",
    "__constant__ float table[64];",
    "Memory that kernels only read. It is fast where all lanes read the same element.",
  ],
  ["__managed__", "__managed__ int counter;", "A variable that host and GPU both use."],
  ["__restrict__", "const float* __restrict__ x", "Promises that no other pointer leads to the same memory."],
  [
    "__launch_bounds__",
    "__launch_bounds__(threads, blocks)",
    "The most threads a block may have: the compiler chooses registers by it.",
  ],
  ["__forceinline__", "__forceinline__ …", "The function is always inlined."],
  ["__noinline__", "__noinline__ …", "The function is never inlined."],
];

const VARIABLES: readonly Row[] = [
  ["threadIdx", "uint3 threadIdx", "The thread's place in its block, from 0."],
  ["blockIdx", "uint3 blockIdx", "The block's place in the grid, from 0."],
  ["blockDim", "dim3 blockDim", "How many threads a block has, in each direction."],
  ["gridDim", "dim3 gridDim", "How many blocks the grid has, in each direction."],
  ["warpSize", "int warpSize", "Threads of a warp: 32."],
];

const MASK = "The mask names the lanes that take part: all of them must reach the call.";

const FUNCTIONS: readonly Row[] = [
  ["__syncthreads", "void __syncthreads()", "Waits until all threads of the block are here, and sees what they wrote."],
  ["__syncthreads_count", "int __syncthreads_count(int p)", "A barrier that returns for how many threads p is not 0."],
  ["__syncthreads_and", "int __syncthreads_and(int p)", "A barrier that returns whether p is not 0 for all threads."],
  ["__syncthreads_or", "int __syncthreads_or(int p)", "A barrier that returns whether p is not 0 for any thread."],
  ["__syncwarp", "void __syncwarp(unsigned mask = 0xffffffff)", `Waits for lanes of the warp. ${MASK}`],
  ["__threadfence", "void __threadfence()", "Writes before it are seen by the whole GPU before writes after it."],
  [
    "__threadfence_block",
    "void __threadfence_block()",
    "Writes before it are seen by the block before writes after it.",
  ],
  [
    "__threadfence_system",
    "void __threadfence_system()",
    "Writes before it are seen by all GPUs and the host before writes after it.",
  ],
  ["__shfl_sync", "T __shfl_sync(unsigned mask, T value, int lane, int width = 32)", `The value of one lane. ${MASK}`],
  [
    "__shfl_up_sync",
    "T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)",
    `The value of the lane that is delta lower. ${MASK}`,
  ],
  [
    "__shfl_down_sync",
    "T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)",
    `The value of the lane that is delta higher. ${MASK}`,
  ],
  [
    "__shfl_xor_sync",
    "T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)",
    `The value of the lane whose number differs in these bits. ${MASK}`,
  ],
  [
    "__ballot_sync",
    "unsigned __ballot_sync(unsigned mask, int p)",
    `A bit for each lane: whether its p is not 0. ${MASK}`,
  ],
  ["__any_sync", "int __any_sync(unsigned mask, int p)", `Whether p is not 0 in any lane. ${MASK}`],
  ["__all_sync", "int __all_sync(unsigned mask, int p)", `Whether p is not 0 in all lanes. ${MASK}`],
  [
    "__match_any_sync",
    "unsigned __match_any_sync(unsigned mask, T value)",
    `The lanes that have the same value. ${MASK}`,
  ],
  [
    "__activemask",
    "unsigned __activemask()",
    "The lanes that run this instruction now. It is no promise about the next one.",
  ],
  ["__reduce_add_sync", "unsigned __reduce_add_sync(unsigned mask, unsigned value)", `The sum over the lanes. ${MASK}`],
  [
    "__reduce_max_sync",
    "unsigned __reduce_max_sync(unsigned mask, unsigned value)",
    `The greatest value of the lanes. ${MASK}`,
  ],
  [
    "__reduce_min_sync",
    "unsigned __reduce_min_sync(unsigned mask, unsigned value)",
    `The least value of the lanes. ${MASK}`,
  ],
  [
    "atomicAdd",
    "T atomicAdd(T* address, T value)",
    "Adds in one step that no other thread can break. Returns what was there before.",
  ],
  ["atomicSub", "int atomicSub(int* address, int value)", "Subtracts in one step. Returns what was there before."],
  [
    "atomicMax",
    "int atomicMax(int* address, int value)",
    "Keeps the greater value, in one step. Returns what was there before.",
  ],
  [
    "atomicMin",
    "int atomicMin(int* address, int value)",
    "Keeps the lesser value, in one step. Returns what was there before.",
  ],
  ["atomicExch", "T atomicExch(T* address, T value)", "Writes in one step. Returns what was there before."],
  [
    "atomicCAS",
    "int atomicCAS(int* address, int expected, int value)",
    "Writes the value if the expected one is there. Returns what was there before.",
  ],
  [
    "atomicInc",
    "unsigned atomicInc(unsigned* address, unsigned last)",
    "Adds 1, and goes from last to 0. Returns what was there before.",
  ],
  [
    "atomicDec",
    "unsigned atomicDec(unsigned* address, unsigned last)",
    "Subtracts 1, and goes from 0 to last. Returns what was there before.",
  ],
  ["atomicAnd", "int atomicAnd(int* address, int value)", "Bitwise and, in one step. Returns what was there before."],
  ["atomicOr", "int atomicOr(int* address, int value)", "Bitwise or, in one step. Returns what was there before."],
  [
    "atomicXor",
    "int atomicXor(int* address, int value)",
    "Bitwise exclusive or, in one step. Returns what was there before.",
  ],
  ["__ldg", "T __ldg(const T* address)", "Reads memory that nothing writes while the kernel runs."],
  ["__ldcs", "T __ldcs(const T* address)", "Reads what is not needed again: caches may drop it first."],
  ["__stcs", "void __stcs(T* address, T value)", "Writes what is not needed again soon: caches may drop it first."],
  ["__fmaf_rn", "float __fmaf_rn(float a, float b, float c)", "a · b + c, rounded once, to the nearest."],
  ["__fadd_rn", "float __fadd_rn(float a, float b)", "A sum that the compiler never fuses with a product."],
  ["__fmul_rn", "float __fmul_rn(float a, float b)", "A product that the compiler never fuses with a sum."],
  ["__fdividef", "float __fdividef(float a, float b)", "A fast quotient, with an error of 2 ulp."],
  ["__expf", "float __expf(float x)", "A fast e^x, less exact than expf."],
  ["__logf", "float __logf(float x)", "A fast natural logarithm, less exact than logf."],
  ["__sinf", "float __sinf(float x)", "A fast sine, less exact than sinf."],
  ["__cosf", "float __cosf(float x)", "A fast cosine, less exact than cosf."],
  ["__powf", "float __powf(float x, float y)", "A fast x^y, less exact than powf."],
  ["__saturatef", "float __saturatef(float x)", "x, but at least 0 and at most 1."],
  ["rsqrtf", "float rsqrtf(float x)", "1 / √x."],
  ["__popc", "int __popc(unsigned x)", "How many bits are set."],
  ["__clz", "int __clz(int x)", "How many zeros stand before the highest set bit."],
  ["__ffs", "int __ffs(int x)", "The place of the lowest set bit, from 1; 0: none is set."],
  ["__brev", "unsigned __brev(unsigned x)", "The bits in reverse order."],
  [
    "__byte_perm",
    "unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)",
    "Four of the eight bytes of x and y.",
  ],
  ["__mul24", "int __mul24(int x, int y)", "The product of the lower 24 bits."],
  ["__umulhi", "unsigned __umulhi(unsigned x, unsigned y)", "The upper 32 bits of the product."],
  ["__float_as_int", "int __float_as_int(float x)", "The same bits as an integer."],
  ["__int_as_float", "float __int_as_float(int x)", "The same bits as a float."],
  ["__float2half", "__half __float2half(float x)", "Rounds to half precision."],
  ["__half2float", "float __half2float(__half x)", "Exactly the same value as a float."],
  ["__float2bfloat16", "__nv_bfloat16 __float2bfloat16(float x)", "Rounds to bfloat16."],
  ["__bfloat162float", "float __bfloat162float(__nv_bfloat16 x)", "Exactly the same value as a float."],
  ["make_float2", "float2 make_float2(float x, float y)", "Two floats that are loaded and stored together."],
  [
    "make_float4",
    "float4 make_float4(float x, float y, float z, float w)",
    "Four floats that are loaded and stored together.",
  ],
  ["make_int4", "int4 make_int4(int x, int y, int z, int w)", "Four integers that are loaded and stored together."],
  ["clock64", "long long clock64()", "A counter of the multiprocessor's clock."],
  ["__nanosleep", "void __nanosleep(unsigned ns)", "The thread waits for about so many nanoseconds."],
  ["__trap", "void __trap()", "Ends the kernel with an error."],
  ["__isShared", "unsigned __isShared(const void* p)", "Whether the pointer leads to shared memory."],
];

const words = (kind: Word["kind"], rows: readonly Row[]): [string, Word][] =>
  rows.map(([name, form, about]) => [name, { kind, form, about }]);

export const BUILT_INS: ReadonlyMap<string, Word> = new Map([
  ...words("keyword", QUALIFIERS),
  ...words("variable", VARIABLES),
  ...words("function", FUNCTIONS),
]);

const ASYNC = "It returns at once; the stream does it in its turn.";

/** By name. A function without a sentence is shown by its signature alone. */
export const RUNTIME_SENTENCES: Readonly<Record<string, string>> = {
  cudaArrayGetInfo: "The format and extent of a CUDA array.",
  cudaCreateTextureObject: "Makes a texture, through which kernels read an array or linear memory.",
  cudaCreateSurfaceObject: "Makes a surface, through which kernels read and write an array.",
  cudaDestroyTextureObject: "Frees a texture. Its memory stays.",
  cudaDestroySurfaceObject: "Frees a surface. Its memory stays.",
  cudaDeviceCanAccessPeer: "Whether a GPU can read the memory of another one.",
  cudaDeviceEnablePeerAccess: "Lets the current GPU use the memory of another one.",
  cudaDeviceGetAttribute: "One property of a GPU, such as its number of multiprocessors.",
  cudaDeviceGetLimit: "A limit of the GPU, such as the size of its heap.",
  cudaDeviceSetLimit: "Sets a limit of the GPU, such as the size of its heap.",
  cudaDeviceReset: "Frees everything that the process has on the GPU.",
  cudaDeviceSynchronize: "Waits until the GPU has done everything. Returns an error of a kernel, if there was one.",
  cudaDriverGetVersion: "The version of CUDA that the driver supports.",
  cudaRuntimeGetVersion: "The version of the CUDA runtime.",
  cudaEventCreate: "Makes an event: a mark in a stream, which may have a time.",
  cudaEventCreateWithFlags: "Makes an event; flags say whether it has a time.",
  cudaEventDestroy: "Frees an event.",
  cudaEventElapsedTime: "Milliseconds between two events that the GPU has reached.",
  cudaEventQuery: "Whether the GPU has reached the event: cudaErrorNotReady if it has not.",
  cudaEventRecord: "Puts an event into a stream, behind what is there.",
  cudaEventSynchronize: "Waits until the GPU has reached the event.",
  cudaFree: "Frees memory of cudaMalloc.",
  cudaFreeAsync: `Frees memory of a pool. ${ASYNC}`,
  cudaFreeHost: "Frees memory of cudaMallocHost or cudaHostAlloc.",
  cudaFreeArray: "Frees a CUDA array.",
  cudaFuncGetAttributes: "What a kernel needs: registers, shared memory, the most threads of a block.",
  cudaFuncSetAttribute: "Sets an attribute of a kernel, such as how much dynamic shared memory it may have.",
  cudaGetDevice: "The number of the GPU that this thread uses.",
  cudaGetDeviceCount: "How many GPUs there are.",
  cudaGetDeviceProperties: "Everything about a GPU: its name, memory, multiprocessors and limits.",
  cudaGetErrorName: "An error's name, such as cudaErrorInvalidValue.",
  cudaGetErrorString: "An error in words.",
  cudaGetLastError: "The last error, which is cleared. Call it after a launch.",
  cudaPeekAtLastError: "The last error, which stays.",
  cudaGetSymbolAddress: "The address of a __device__ variable, for the host.",
  cudaGetSymbolSize: "Bytes of a __device__ variable.",
  cudaGraphCreate: "Makes a graph without nodes.",
  cudaGraphDestroy: "Frees a graph.",
  cudaGraphExecDestroy: "Frees a graph that can be launched.",
  cudaGraphInstantiate: "Makes a graph that can be launched.",
  cudaGraphLaunch: `Launches all work of a graph. ${ASYNC}`,
  cudaGraphAddKernelNode: "Adds a kernel to a graph.",
  cudaGraphAddMemcpyNode: "Adds a copy to a graph.",
  cudaGraphAddMemsetNode: "Adds a fill of memory to a graph.",
  cudaGraphAddDependencies: "Says which nodes of a graph wait for which.",
  cudaHostAlloc: "Memory of the host that the GPU can reach directly.",
  cudaHostGetDevicePointer: "The GPU's address of memory of the host.",
  cudaHostRegister: "Pins memory of the host that is there already: copies are faster.",
  cudaHostUnregister: "Undoes cudaHostRegister.",
  cudaLaunchCooperativeKernel: "Launches a kernel whose blocks can wait for one another: all of them run at once.",
  cudaLaunchHostFunc: "Calls a function of the host when the stream comes to it.",
  cudaLaunchKernel: "Launches a kernel, as <<<grid, block, shared, stream>>> does.",
  cudaLaunchKernelExC: "Launches a kernel with attributes, such as the size of clusters.",
  cudaMalloc: "Memory of the GPU, of so many bytes. Kernels use it; the host copies to it and from it.",
  cudaMallocAsync: `Memory from the stream's pool. ${ASYNC}`,
  cudaMallocHost: "Pinned memory of the host: copies are faster, and can run beside kernels.",
  cudaMallocManaged: "Memory that host and GPU both use, by the same pointer.",
  cudaMallocPitch: "Memory for rows, each of which begins at a good address.",
  cudaMallocArray: "A CUDA array, for textures and surfaces.",
  cudaMalloc3D: "Memory for a box of rows, each of which begins at a good address.",
  cudaMemAdvise: "Says how managed memory will be used.",
  cudaMemGetInfo: "Bytes of the GPU's memory: free, and all.",
  cudaMemPoolCreate: "Makes a pool of memory.",
  cudaMemPoolDestroy: "Frees a pool of memory.",
  cudaMemPoolSetAttribute: "Sets how much a pool of memory keeps.",
  cudaMemPrefetchAsync: `Moves managed memory to a GPU or to the host. ${ASYNC}`,
  cudaMemcpy: "Copies bytes between host and GPU. It waits for kernels before it.",
  cudaMemcpyAsync: `Copies bytes between host and GPU. ${ASYNC}`,
  cudaMemcpy2D: "Copies rows of a matrix.",
  cudaMemcpy2DAsync: `Copies rows of a matrix. ${ASYNC}`,
  cudaMemcpy3D: "Copies a box of elements.",
  cudaMemcpyFromSymbol: "Copies from a __device__ or __constant__ variable.",
  cudaMemcpyToSymbol: "Copies to a __device__ or __constant__ variable.",
  cudaMemcpyPeer: "Copies between two GPUs.",
  cudaMemset: "Sets each byte of the GPU's memory to the value.",
  cudaMemsetAsync: `Sets each byte of the GPU's memory to the value. ${ASYNC}`,
  cudaMemset2D: "Sets each byte of rows to the value.",
  cudaOccupancyMaxActiveBlocksPerMultiprocessor: "How many blocks of a kernel fit onto a multiprocessor at once.",
  cudaOccupancyMaxPotentialBlockSize: "The size of blocks that fills a multiprocessor best.",
  cudaPointerGetAttributes: "What a pointer leads to: memory of the host, of a GPU, or managed memory.",
  cudaProfilerStart: "A profile begins here.",
  cudaProfilerStop: "A profile ends here.",
  cudaSetDevice: "The GPU that this thread uses from now on.",
  cudaSetDeviceFlags: "How the host waits for the GPU.",
  cudaStreamAddCallback: "Calls a function of the host when the stream comes to it.",
  cudaStreamAttachMemAsync: "Says which stream uses managed memory.",
  cudaStreamBeginCapture: "What is put into the stream from now on becomes a graph.",
  cudaStreamEndCapture: "Ends a capture: returns the graph.",
  cudaStreamCreate: "Makes a stream: work in it goes in order, beside that of other streams.",
  cudaStreamCreateWithFlags: "Makes a stream; with cudaStreamNonBlocking it does not wait for the default stream.",
  cudaStreamCreateWithPriority: "Makes a stream with a priority.",
  cudaStreamDestroy: "Frees a stream, when its work is done.",
  cudaStreamIsCapturing: "Whether the stream's work becomes a graph.",
  cudaStreamQuery: "Whether the stream has done everything: cudaErrorNotReady if it has not.",
  cudaStreamSynchronize: "Waits until the stream has done everything.",
  cudaStreamWaitEvent: "The stream's later work waits for an event.",
};

/** @param signatures of the runtime API, by name. */
export function cudaWord(name: string, signatures: Readonly<Record<string, string>>): Word | null {
  const builtIn = BUILT_INS.get(name);
  if (builtIn !== undefined) return builtIn;
  if (!Object.hasOwn(signatures, name)) return null;
  return { kind: "function", form: signatures[name] as string, about: RUNTIME_SENTENCES[name] ?? "" };
}
