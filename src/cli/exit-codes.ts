/**
 * The command line's own exit codes; a program that ends by itself keeps its own. Numbers follow BSD's sysexits where
 * they fit.
 */
export const ExitCode: {
  readonly usage: 64;
  readonly compileError: 65;
  readonly fileNotFound: 66;
  readonly unreachable: 68;
  readonly unsupported: 69;
  readonly ourBug: 70;
  readonly deviceFault: 71;
  readonly found: 72;
  readonly ioError: 74;
  readonly timeout: 124;
  readonly interrupted: 130;
  readonly memory: 137;
  readonly brokenPipe: 141;
  readonly terminated: 143;
  readonly output: 153;
} = {
  /** The command line cannot be understood. */
  usage: 64,
  /** The source does not compile or link. */
  compileError: 65,
  fileNotFound: 66,
  /** Another machine, by ssh or Slurm. */
  unreachable: 68,
  /** The program needs something that Heddle does not have. */
  unsupported: 69,
  /** Heddle made a mistake. */
  ourBug: 70,
  /** A kernel failed or a launch was refused, and the program ended with 0. */
  deviceFault: 71,
  /** heddle check has found something. */
  found: 72,
  ioError: 74,
  /** --timeout, as timeout(1). */
  timeout: 124,
  /** Ctrl-C: 128 + SIGINT. */
  interrupted: 130,
  /** --memory of an isolated run: 128 + SIGKILL, as where a system ends a process for its memory. */
  memory: 137,
  /** Nobody reads our output any more: 128 + SIGPIPE. */
  brokenPipe: 141,
  /** 128 + SIGTERM. */
  terminated: 143,
  /** --max-output of an isolated run: 128 + SIGXFSZ. */
  output: 153,
};
