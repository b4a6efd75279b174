/** One line at the bottom of a terminal that says how far something is; nothing where stderr is no terminal. */

export interface ProgressBar {
  /** @param part from 0 to 1. */
  show(part: number, what: string): void;
  /** Takes the line away, so that other text can be written. */
  clear(): void;
}

const CELLS = 24;

export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  if (stream.isTTY !== true || process.env["TERM"] === "dumb") return { show: () => undefined, clear: () => undefined };
  let shown = "";
  return {
    show: (part, what) => {
      const done = Math.round(Math.min(1, part) * CELLS);
      const bar = `[${"#".repeat(done)}${".".repeat(CELLS - done)}]`;
      const whole = `${bar} ${String(Math.floor(part * 100)).padStart(3)} % ${what}`;
      const line = whole.slice(0, Math.max(20, (stream.columns ?? 80) - 1));
      if (line === shown) return;
      shown = line;
      stream.write(`\r\u001b[K${line}`);
    },
    clear: () => {
      if (shown !== "") stream.write("\r\u001b[K");
      shown = "";
    },
  };
}
