#!/usr/bin/env node
/** The command `heddle`. Commands load only what they need, so that help and errors come at once. */
import { ExitCode } from "./exit-codes.ts";

type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./commands/run.ts")).runCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  profile: async () => (await import("./commands/profile.ts")).profileCommand,
  bench: async () => (await import("./commands/bench.ts")).benchCommand,
  example: async () => (await import("./commands/example.ts")).exampleCommand,
  new: async () => (await import("./commands/new.ts")).newCommand,
  nvcc: async () => (await import("./commands/nvcc.ts")).nvccCommand,
  debug: async () => (await import("./commands/debug.ts")).debugCommand,
  compile: async () => (await import("./commands/compile.ts")).compileCommand,
  devices: async () => (await import("./commands/devices.ts")).devicesCommand,
  python: async () => (await import("./commands/python.ts")).pythonCommand,
  setup: async () => (await import("./commands/setup.ts")).setupCommand,
  studio: async () => (await import("./commands/studio.ts")).studioCommand,
  exec: async () => (await import("./commands/exec.ts")).execCommand,
  "bench-job": async () => (await import("./commands/bench-job.ts")).benchJobCommand,
  "session-job": async () => (await import("./commands/session-job.ts")).sessionJobCommand,
};
/** Commands that start no program with arguments of its own: what follows a name is theirs. */
const WITHOUT_PROGRAM: ReadonlySet<string> = new Set(["bench", "example", "new", "devices", "setup", "studio"]);
/** Called by what Heddle has written itself. */
const INTERNAL = ["exec", "bench-job", "session-job"];

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const { helpText } = await import("./help.ts");
    process.stdout.write(helpText(rest[0] ?? null));
    return name === undefined ? ExitCode.usage : 0;
  }
  if (name === "--version" || name === "-V") {
    const { version } = await import("./version.ts");
    process.stdout.write(`heddle ${version()}\n`);
    return 0;
  }
  try {
    const load = COMMANDS[name];
    if (load === undefined) {
      // `heddle vector-add.cu` means run.
      if (/\.cu$/.test(name) || name.startsWith("-")) return await (await import("./commands/run.ts")).runCommand(args);
      const { HeddleError } = await import("../base/diagnostics.ts");
      throw new HeddleError("bad-arguments", `there is no command "${name}"`, {
        notes: [
          `commands: ${Object.keys(COMMANDS)
            .filter((command) => !INTERNAL.includes(command))
            .join(", ")}; heddle --help explains them`,
        ],
      });
    }
    // nvcc's own --help lists what it takes; after `--` or a file, --help belongs to the program.
    if (rest[0] === "--help" || rest[0] === "-h" || (WITHOUT_PROGRAM.has(name) && rest.includes("--help"))) {
      const { helpText } = await import("./help.ts");
      process.stdout.write(helpText(name));
      return 0;
    }
    return await (
      await load()
    )(rest);
  } catch (error) {
    const [{ printError }, { reportOf }] = await Promise.all([
      import("./terminal.ts"),
      import("../session/error-report.ts"),
    ]);
    return printError(reportOf(error));
  }
}

// A reader that closes our output early (head, less) is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.stderr.write(`heddle: stdout cannot be written: ${error.message}\n`);
  process.exit(error.code === "EPIPE" ? ExitCode.brokenPipe : ExitCode.ioError);
});
const exitCode = await main(process.argv.slice(2));
// What was written to a pipe may still be on its way, and so may the news that a disk is full.
process.stdout.write("", () => process.stderr.write("", () => setImmediate(() => process.exit(exitCode))));
