/** Stacks of the public API's errors: they begin at the line of the user's program that made the call. */
import { HeddleError } from "./diagnostics.ts";

/** Makes a stack of the callers of `entry`; engines that cannot make one keep the stack of the error. */
type Capture = (target: object, entry: (...args: never[]) => unknown) => void;

/**
 * Runs `work`, whose HeddleErrors get the stack of the call: after an `await` the engine's own stack no longer has the
 * line that called, unless that line awaits as well.
 *
 * @param entry the function of the public API; its own frames, and those that it called, are left out.
 */
export async function fromCallSite<T>(entry: (...args: never[]) => unknown, work: () => Promise<T>): Promise<T> {
  const site: { stack?: string } = {};
  (Error as { readonly captureStackTrace?: Capture }).captureStackTrace?.(site, entry);
  try {
    return await work();
  } catch (error) {
    if (error instanceof HeddleError && site.stack !== undefined) error.stack = stackAt(error, site.stack);
    throw error;
  }
}

/** @param stack of another object: its first line is replaced. */
function stackAt(error: Error, stack: string): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames].join("\n");
}
