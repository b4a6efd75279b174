/**
 * What the command line says to the user on stderr: errors with notes, hints; colour where it is wanted
 * (https://no-color.org).
 */
import type { ErrorCode } from "../base/diagnostics.ts";
import type { ErrorReport } from "../session/error-report.ts";
import { ExitCode } from "./exit-codes.ts";

const EXIT_CODES: Readonly<Record<ErrorCode | "bug", number>> = {
  "bad-arguments": ExitCode.usage,
  "file-not-found": ExitCode.fileNotFound,
  "compile-error": ExitCode.compileError,
  "link-error": ExitCode.compileError,
  unsupported: ExitCode.unsupported,
  "invalid-ir": ExitCode.ourBug,
  "invalid-launch": ExitCode.deviceFault,
  "unknown-kernel": ExitCode.usage,
  "out-of-memory": ExitCode.deviceFault,
  "no-device": ExitCode.unsupported,
  unreachable: ExitCode.unreachable,
  "driver-error": ExitCode.deviceFault,
  "device-fault": ExitCode.deviceFault,
  timeout: ExitCode.timeout,
  "host-trap": 134,
  "io-error": ExitCode.ioError,
  bug: ExitCode.ourBug,
};

export function useColor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

/** Prints the error on stderr and returns the exit code that stands for it. */
export function printError(report: ErrorReport): number {
  const red = useColor(process.stderr)
    ? (text: string): string => `\u001b[1;31m${text}\u001b[0m`
    : (text: string): string => text;
  const lines: string[] = [];
  if ((report.code === "compile-error" || report.code === "link-error") && report.place === null) {
    // Clang's own report is complete; ours is a last line.
    lines.push(...report.notes, `${red("heddle:")} ${report.message}`);
  } else if (report.code === "bug" || report.code === "invalid-ir") {
    lines.push(`${red("heddle: this is a bug in Heddle:")} ${report.message}`);
    if (report.place !== null) lines.push(`  at ${report.place}`);
    if (report.stack !== null) lines.push(report.stack.split("\n").slice(1, 9).join("\n"));
    lines.push("  please report it with the program and this text");
  } else if (report.code === "compile-error" || (report.code === "unsupported" && report.place !== null)) {
    // As Triton does: the caret stands under the line.
    const notes = [`at ${report.place}`, ...report.notes];
    lines.push(`${red("heddle:")} ${report.message}`, ...notes.map((note) => `  ${note}`));
  } else {
    lines.push(
      `${red("heddle:")} ${report.place === null ? "" : `${report.place}: `}${report.message}`,
      ...report.notes.map((note) => `  ${note}`),
    );
  }
  process.stderr.write(`${lines.join("\n")}\n`);
  return EXIT_CODES[report.code];
}

/** Ends as the signal does where nobody listens: an orderly end would wait for a launch that may take for ever. */
export function endByInterrupt(): void {
  process.removeAllListeners("SIGINT");
  process.kill(process.pid, "SIGINT");
}
