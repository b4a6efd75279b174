/** Calls from Python: errors as Python sees them, and tensors that Python owns. */
import { HeddleError } from "../base/diagnostics.ts";
import { Tensor, scoped } from "../tensor/tensor.ts";

/** What Python calls. Arguments and results are numbers, texts, lists of these, and tensors. */
export type Bound = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The result has a reference of its own for each tensor in it: Python releases it when its object goes. */
function owned<T>(work: () => T): T {
  return scoped(() => {
    const result = work();
    for (const tensor of Array.isArray(result) ? result : [result]) if (tensor instanceof Tensor) tensor.retain();
    return { result };
  }).result;
}

/** @param table functions that may make tensors on their way. */
export function bound<T extends Bound>(table: T): T {
  const entries = Object.entries(table).map(([name, fn]) => [
    name,
    (...args: never[]) => {
      try {
        // Python's None is undefined here; null would be an object of its own.
        return owned(() => fn(...args)) ?? undefined;
      } catch (error) {
        throw forPython(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as T;
}

/** An error whose message begins with its code: all that Python sees of an error is its text. */
export function forPython(error: unknown): unknown {
  if (!(error instanceof HeddleError)) return error;
  // What a TypeScript program would do next is no help in Python.
  const text = error.message.replace(/\n *device\.reset\(\) .*/, "");
  return Object.assign(new Error(`${error.code}\n${text}`), { name: "HeddleError" });
}
