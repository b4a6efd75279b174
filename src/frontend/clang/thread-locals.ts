/**
 * `thread_local` variables. Clang makes them variables of the program where the machine has no atomic operations. Then
 * it makes plain operations of a program's atomic ones, too, which are faster, and right: one host thread runs at a
 * time. So only units that have variables of a thread get atomic operations.
 */
import type { ToolResult } from "./clang.ts";
import { mentions, rename } from "./object-files.ts";

/** Flags of the front end for a unit of hostlib/ whose `thread_local` variables stay each thread's own. */
export const THREAD_LOCALS: readonly string[] = ["-target-feature", "+atomics"];

const VARIABLE = /^@(?:"[^"\n]*"|\S+) = [^"\n]*\bthread_local\b/m;
const FEATURES = '"target-features"="';
/** What landing pads use: a variable of the thread in these units, one of the program in others (landing_pads.cpp). */
const LANDING_PADS: readonly (readonly [string, string])[] = [
  ["__wasm_lpad_context", "__heddle_lpad_local"],
  ["_Unwind_CallPersonality", "__heddle_personality_of"],
];

/** A host program's IR becomes an object in which `thread_local` variables are each thread's own. */
export function withThreadLocals(ir: string, toObject: (ir: string) => ToolResult): ToolResult {
  if (!VARIABLE.test(ir)) return toObject(ir);
  const result = toObject(ir.replaceAll(FEATURES, `${FEATURES}+atomics,`));
  return {
    ...result,
    output: (path) => {
      const object = result.output(path);
      for (const [from, to] of LANDING_PADS) if (object !== null) rename(object, from, to);
      return object;
    },
  };
}

/**
 * Whether Clang has made variables of the program of `thread_local` ones, or plain operations of atomic ones: then the
 * object notes that its memory cannot be shared.
 */
export function isForOneThread(object: Uint8Array): boolean {
  return mentions(object, "-\nshared-mem");
}
