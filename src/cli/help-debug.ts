/** The help of `heddle debug`. */
export const DEBUG: string = `heddle debug [--kernel NAME] [--launch N] [--block X,Y,Z] [--json] FILE.cu [ARGUMENTS]
heddle debug --launch LAUNCH [--program X,Y,Z] [--steps N] [--json[=FILE]] FILE.py

FILE.cu: records one block of a launch of the program, on the emulated device, and replays it, forwards
and backwards, by source line. Options of the compiler are those of heddle run.

  heddle debug sum.cu             block 0 of the first launch. Commands, also from standard input:
                                  b LINE, c continue, rc backwards, s step of this warp, n next line,
                                  back, warp N, p NAME [LANE], locals, mem, shared, warps, where, l, q
  heddle debug --kernel scale --launch 2 --block 3,1 a.cu
                                  another block: of the second launch of kernels named so
  heddle debug --json sum.cu      the steps as a line of JSON, then one for the answer to each command
  heddle debug --steps 100000     the recording ends after so many steps (2 million)
  heddle debug --dap              for editors: the Debug Adapter Protocol over standard input and output

The block runs alone, on a copy of the device's memory as it was before the launch; device code is not
optimized. What other blocks write is not there: a block that waits for them ends waiting.

FILE.py: records one program of a Triton kernel, statement by statement: the values of names, loads and stores
with addresses and masks. Then it is replayed, forwards and backwards.

  heddle debug softmax.py --launch 'softmax[2](float32[2, 4], float32[2, 4], 4, 2, 4, BLOCK=4)'
                                  keys: n next, p previous, g goes to a line, v prints a variable,
                                  q quits. Without a terminal the steps are printed, up to 200
  heddle debug --program 1,0,0    another program than the first
  heddle debug --json=trace.json  all steps as data; --json prints them
  heddle debug --steps 100000     the recording ends after so many steps (10000)

Other programs do not run, and arrays stay as they are: a program that waits for another one ends
at the limit of steps.
`;
