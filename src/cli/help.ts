/** Help that teaches: what each command is for, examples first, then the options. */
const GENERAL = `heddle: run CUDA programs on a machine that has no GPU

  heddle run vector-add.cu             compile and run a program
  heddle run -O3 --use_fast_math -lcublas matmul.cu 2
                                       the line that stands at the top of the file, with "nvcc" left out; "2" goes to the program
  heddle check vector-add.cu           run it, and report every access outside of its memory
  heddle bench kernels/softmax         versions of a kernel: checked, swept, timed and compared
  heddle devices                       the GPU that programs see, as deviceQuery prints it
  make NVCC="npx heddle nvcc"          build a project with its own Makefile; the programs it makes run here
  heddle compile --emit ir kernel.cu   what the compiler makes of the device code

Commands: run, check, bench, new, nvcc, compile, devices. "heddle run --help" and so on explain them.
Kernels run on an emulated GPU, on all cores of this machine; nothing of NVIDIA's is needed. With --device cuda they run on a real one.
`;

const RUN = `heddle run [options] FILE.cu [arguments for the program]
heddle run [options and several files, in any order] -- [arguments for the program]

Compiles the program and runs it. Its exit code is heddle's.

  heddle run softmax.cu                     run with the default GPU (an A100)
  heddle run --gpu rtx4090 softmax.cu       limits and properties of another GPU
  heddle run --summary softmax.cu           afterwards, how often each kernel was launched and how long it took
  heddle run --timeout 60 softmax.cu        stop after a minute
  heddle run --device cuda softmax.cu       run on this machine's NVIDIA GPU; "auto": if there is one
  heddle run --watch softmax.cu             run again whenever the file, or one that it includes, is saved; Ctrl-C ends
  heddle run -DN=1024 -Iinclude a.cu b.cpp -- --size 5
                                            what nvcc takes works as it does there

Options
  --device NAME      emulated (the default), cuda (this machine's GPUs) or auto
  --gpu NAME         the GPU to follow: h200, h100, a100, l4, rtx4090, t4, … ("heddle devices --list")
  --devices N        so many GPUs
  --workers N        threads that run blocks (default: HEDDLE_WORKERS, or one for each core)
  --timeout SECONDS  stop the program then, with exit code 124
  --dir DIRECTORY    let the program use files there too; it may use those below its working directory and in /tmp
  --summary          times and counts, on stderr, when the program has ended
  --json[=FILE]      the same as JSON
  --verbose          the summary, and which options have no effect here
  --engine NAME      auto, warp, thread (compiled tiers) or interpreter (slow: the definition of what a kernel means)
  --no-reuse         run every launch again, also one whose result is already in memory
  --no-cache         compile anew
  --trace            with --device cuda: wait for every launch, so that a fault names its launch
  --watch            stay, and compile and run again on every save; a program that still runs then is stopped
nvcc's options are taken as they are: -O -std -arch -gencode -I -D -U -include -L -l -use_fast_math -fmad=false -Xcompiler -g -G -lineinfo …

When something goes wrong
  A kernel that reads or writes outside the memory in use is stopped, with a report of kernel, source line, block, thread and the nearest
  allocation; the program's next CUDA call returns cudaErrorIllegalAddress, as on a GPU. Barriers that can never be passed are reported.

Exit codes: the program's own; 64 the command line, 65 the source does not compile, 66 no such file, 69 something is not supported yet,
70 a bug in Heddle, 71 a kernel failed and the program ended with 0 without asking, 74 reading or writing failed, 124 --timeout, 130 Ctrl-C,
134 the program aborted.
Environment: HEDDLE_DEVICE, HEDDLE_GPU, HEDDLE_WORKERS, HEDDLE_ENGINE, HEDDLE_REUSE=0, HEDDLE_CACHE_DIR, NO_COLOR.
`;

const CHECK = `heddle check [options] FILE.cu [arguments for the program]

Runs the program as "heddle run" does, with the same options, and checks every access of its kernels to memory against the object that
the pointer belongs to: allocations, __shared__ and local arrays, dynamic shared memory, __device__ and __constant__ variables.

  heddle check softmax.cu          reports on stderr: what, which line, which thread, which allocation, how often
  heddle check --tool memcheck,api softmax.cu
                                   only these checkers; without it, all that need not be asked for
  heddle check --sarif out.sarif --suppressions known.txt softmax.cu
                                   for code scanning, without what is known

Options, besides those of "heddle run"
  --tool LIST          memcheck, api, …
  --json[=FILE]        findings as JSON (docs/checking.md has the shape)
  --sarif FILE         findings as SARIF 2.1.0
  --annotations NAME   github (by itself in GitHub Actions) or none
  --suppressions FILE  lines "CHECKER KIND [in FUNCTION] [at FILE[:LINE]]  # why" are not told
  --max-reports N      so many reports (100); the others are counted

Found are accesses past the end or before the start of the object (also those that land in another allocation, which a GPU lets pass),
through freed memory, null and host pointers, and misaligned ones. The program goes on after a report, where a GPU would.
Calls of the CUDA API are checked, too: errors that nobody looks at, copies of the wrong size or direction, double frees, destroyed streams,
host accesses while the device works. Memory that was never freed is told in the last lines.

Exit codes: as heddle run; 72 when something was found and the program ended with 0.
`;

const NVCC = `heddle nvcc [nvcc's options] FILES

Stands in for nvcc: compiles and links CUDA, C++ and C files, and writes a program that can be started.

  make NVCC="npx heddle nvcc"                a project's Makefile, as it is
  make NVCC="npx heddle nvcc" CXX="npx heddle nvcc"
                                             where host files are compiled by themselves: their objects must be ours, too
  heddle nvcc -O3 -o matmul matmul.cu && ./matmul
  heddle nvcc -dc a.cu b.cu && heddle nvcc -o program a.o b.o
  HEDDLE_OPTIONS="--gpu h100 --summary" ./matmul
                                             options of "heddle run" for a program that is already built

Options with an effect: -o -c -dc -E -M -MM -MD -MMD -MF -MT -MP -lib -run -I -D -U -include -x -std -O -arch -gencode -use_fast_math -fmad -L -l
-Xcompiler (its -D, -U, -I, -W and -std) -g -w -v --version. -G, -lineinfo, -rdc, -maxrregcount, -Xptxas and the rest are accepted.
-ptx, -cubin and -fatbin are refused: there is no GPU machine code here.
`;

const COMPILE = `heddle compile [--emit ir|wasm] [nvcc's options] FILE.cu

Shows what the front end makes of a file.

  heddle compile --emit ir kernel.cu | less     the device code as LLVM IR
  heddle compile --emit wasm -o p.wasm a.cu     the host program, a WebAssembly module that carries its device code
`;

const DEVICES = `heddle devices [--device KIND] [--gpu NAME] [--devices N] [--list] [--json]

Prints what deviceQuery prints, for the GPU that the emulated device follows.

  heddle devices                  the default GPU
  heddle devices --gpu h200       another one
  heddle devices --device cuda    the GPUs of this machine
  heddle devices --list           all that are known; numbers are from public data sheets, named at the end
  heddle devices --json           for programs
`;

const BENCH = `heddle bench [options] [PATH…]

Makes a kernel fast, step by step. A ladder is a folder: 1-naive.cu, 2-….cu …, each with a comment on top that says what it changes and why, and
NAME.ladder.ts, which declares data, reference, tolerance, work, launches and what to sweep. PATH is such a folder, or one above; default: kernels.

  heddle bench kernels/softmax              check every version, sweep its parameters, time it, print the table
  heddle bench --check                      only check: every version of every ladder, at small and odd shapes
  heddle bench --device cuda -o report.html all ladders on this machine's NVIDIA GPU, with plots
  heddle bench --shape rows=4096,columns=777 kernels/softmax
                                            another problem
  heddle bench --baseline kernels/matmul    and say what has become slower or faster since the last time
  heddle bench --history                    all results that were kept
  heddle bench --on ssh://me@gpubox kernels/softmax
                                            on the GPU of another machine; results come here
  heddle new ladder gelu                    a folder to begin with, that runs

Options
  --device NAME      emulated (the default), cuda (a GPU of this machine) or auto
  --gpu NAME, --workers N   as in heddle run; emulated devices
  --shape A=N,B=N    sizes, instead of the ladder's own
  --only TEXT        versions with TEXT in their names
  --no-rivals        without what else a ladder names for comparison: cuBLAS, cuBLASLt, PyTorch and Triton on a GPU, C by this machine's compiler beside an emulated
                     device; HEDDLE_PYTHON names the Python
  --no-sweep         the first value of every parameter
  --sweep-again      sweep also what was swept before (a kernel that has not changed is not)
  --check            no times
  --seed N           inputs of timed launches: as in the run that printed N, instead of new ones
  -o FILE.html       the report as a page
  --json[=FILE]      the results as JSON; the table then goes to stderr
  --results FILE     where results are kept, a line each, only ever added to (.heddle/bench.jsonl); --no-keep: nowhere
  --baseline[=COMMIT]   compare with the latest result (of the commit), of the same ladder, shape, device and machine
  --history          show what was kept
  --on PLACE         measure on another machine, with its GPU (or --device emulated): ssh://[user@]host[:port][/folder], by the system's ssh, without passwords; or
                     "slurm:OPTIONS", by srun with its options ("slurm:--partition=gpu --gres=gpu:1"). What is needed is carried there once (Node.js too, where there is
                     none). A lost connection is taken up again; the same command fetches what was measured meanwhile. Ctrl-C stops it there, too
  --promote          write the fastest version and its configuration, for this device and shape, into promoted.json beside the ladder, which openKernels of the
                     library follows; with --history from what was kept, without a run

How it is measured: every timed launch has other inputs, written outputs are spoiled before it and verified after it; on a GPU the L2 cache is
flushed (cold), or has the inputs (hot). Shown are the median and half the distance of the quartiles; launches go on until the 95 % interval of the
median is 1 % to either side, 3 s have passed, or there are 200. What is faster than the hardware can be, or keeps state between launches, is refused.

Exit codes: 0 all is right; 72 a version or a rival is wrong, refused or failed, or a version slower than the baseline; 64 the command line or a ladder's declaration;
66 no such ladder; 68 another machine cannot be reached; 69 no GPU; 130 Ctrl-C (what is finished is kept).
`;

const NEW = `heddle new ladder NAME [FOLDER]

Writes a ladder that runs into FOLDER/NAME (default: kernels/NAME): two versions of y = a x, to be changed into what you need.

  heddle new ladder gelu && heddle bench kernels/gelu
`;

const TOPICS: Readonly<Record<string, string>> = {
  run: RUN,
  check: CHECK,
  bench: BENCH,
  new: NEW,
  nvcc: NVCC,
  compile: COMPILE,
  devices: DEVICES,
};

/** @param topic a command, or null for the overview. */
export function helpText(topic: string | null): string {
  return (topic === null ? undefined : TOPICS[topic]) ?? GENERAL;
}
