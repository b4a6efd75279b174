/** Names and shapes of operations in profiles. Without a profiler this costs a comparison. */
import { inOperation, isRecording } from "../library/recording.ts";

/** The shapes of the tensors among arguments, in lists and in options. */
function shapesOf(args: readonly unknown[]): string {
  return args
    .map((arg) => {
      if (arg === null || typeof arg !== "object") return "";
      if (Array.isArray(arg)) return shapesOf(arg);
      const { shape } = arg as { readonly shape?: unknown };
      if (Array.isArray(shape)) return `[${shape.join(", ")}]`;
      return Object.getPrototypeOf(arg) === Object.prototype ? shapesOf(Object.values(arg)) : "";
    })
    .filter((shapes) => shapes !== "")
    .join(" ");
}

/** Does `work` as the operation of this name on these arguments. */
export function asOperation<T>(name: string, args: readonly unknown[], work: () => T): T {
  return isRecording() ? inOperation(name, () => shapesOf(args), work) : work();
}
