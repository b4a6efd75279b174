/** The line of the program or test that called the library, on Node.js. */
import type { Place } from "../base/source-places.ts";
import { fileURLToPath } from "node:url";

/** Where Heddle's own modules lie: src/ or dist/. Its tests are callers as any. */
const OWN = fileURLToPath(new URL("..", import.meta.url));
const FRAMES = 30;

/** The innermost frame outside of Heddle and of Node.js; the stack is taken now and read when it is asked for. */
export function callerPlace(): Place {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const here = new Error("here");
  Error.stackTraceLimit = limit;
  return () => {
    for (const line of (here.stack ?? "").split("\n").slice(1)) {
      const match = /^\s*at (?:async )?(?:(.*?) \()?((?:file:\/\/)?[^()]*?):(\d+):(\d+)\)?$/.exec(line);
      if (match === null) continue;
      const [, functionName, source, row, column] = match as unknown as [
        string,
        string | undefined,
        string,
        string,
        string,
      ];
      if (source.startsWith("node:") || source.startsWith("wasm:")) continue;
      const file = source.startsWith("file:") ? fileURLToPath(source) : source;
      if (file.startsWith(OWN) && !/\.test\.[cm]?[jt]s$/.test(file)) continue;
      return {
        file,
        line: Number(row),
        column: Number(column),
        ...(functionName === undefined || functionName === "<anonymous>" ? {} : { functionName }),
      };
    }
    return null;
  };
}
