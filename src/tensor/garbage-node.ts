/** V8's garbage collector, for memory of devices that it does not see. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

/** Collects all garbage now. Finalisers are called when the event loop turns. */
export function collectGarbage(): void {
  if (collect === null) {
    // Contexts that are made while the flag is set have the function; the flag changes nothing else.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collect();
}
