/** What needs files or threads of Node.js, in a page: refused by name, with what a page does instead. */
import { HeddleError } from "../../base/diagnostics.ts";

function refuse(name: string, why: string, instead: string): never {
  throw new HeddleError("unsupported", `${name} ${why}`, { notes: [instead] });
}

const BYTES = "keep the bytes of encodeSafetensors, for example in IndexedDB";

/** Not in a page. @throws HeddleError "unsupported" */
export function save(_value: unknown, _path: string): never {
  return refuse("save", "writes a file, and a page has none", BYTES);
}

/** Not in a page. @throws HeddleError "unsupported" */
export function load(_path: string): never {
  return refuse("load", "reads a file, and a page has none", "decodeSafetensors takes the bytes that fetch has got");
}

/** Not in a page. @throws HeddleError "unsupported" */
export function saveSafetensors(_tensors: unknown, _path: string): never {
  return refuse("saveSafetensors", "writes a file, and a page has none", BYTES);
}

/** Not in a page. @throws HeddleError "unsupported" */
export function loadSafetensors(_path: string): never {
  return refuse(
    "loadSafetensors",
    "reads a file, and a page has none",
    "decodeSafetensors takes the bytes that fetch has got",
  );
}

/** Not in a page. @throws HeddleError "unsupported" */
export function workers(_module: unknown): never {
  return refuse("workers", "starts threads of Node.js", "a DataLoader without workers makes examples itself");
}
