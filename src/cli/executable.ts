/**
 * The executable file that `heddle nvcc` writes: a shell script whose first lines start Heddle on the file itself, with
 * the host module (WebAssembly, which carries its device code) behind them. The shell never reads past `exec`.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HeddleError } from "../base/diagnostics.ts";
import { writeOutput } from "./write-output.ts";

/**
 * Changes with what programs and the runtime ask of each other (docs/host-abi.md): the message for an older
 * program asks to build it again.
 */
const FORMAT = 2;
const MARKER = `#heddle-program-${FORMAT}\n`;

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function writeExecutable(path: string, wasm: Uint8Array): void {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const script = [
    "#!/bin/sh",
    "# A CUDA program built by heddle nvcc. It runs on an emulated GPU; HEDDLE_OPTIONS holds options (heddle run " +
      "--help), such as",
    '# HEDDLE_OPTIONS="--gpu h100 --summary". HEDDLE_MAIN names another installation of Heddle.',
    `main=\${HEDDLE_MAIN:-${shellQuote(main)}}`,
    `if [ -f "$main" ]; then exec "\${HEDDLE_NODE:-node}" "$main" exec "$0" "$@"; fi`,
    `exec npx heddle exec "$0" "$@"`,
    MARKER,
  ].join("\n");
  const header = new TextEncoder().encode(script);
  const bytes = new Uint8Array(header.length + wasm.length);
  bytes.set(header);
  bytes.set(wasm, header.length);
  writeOutput(path, bytes, "-o", { mode: 0o755 });
}

/** The host module of an executable, or of a bare .wasm file. */
export function readExecutable(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new HeddleError("file-not-found", `${path} cannot be read: ${(error as Error).message}`);
  }
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return bytes;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  const at = head.indexOf(MARKER);
  const other = /^#heddle-program-(\d+)$/m.exec(head)?.[1];
  if (at < 0 && other !== undefined) {
    throw new HeddleError(
      "bad-arguments",
      `${path} was built by another version of Heddle: it has program format ${other}, this version runs format ` +
        `${FORMAT}`,
      { notes: ["build it again with heddle nvcc"] },
    );
  }
  if (!head.startsWith("#!/bin/sh\n") || at < 0)
    throw new HeddleError("bad-arguments", `${path} is not a program that heddle nvcc made`);
  return bytes.subarray(at + MARKER.length);
}
