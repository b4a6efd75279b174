/** Which tiers of the engine run kernels. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { KernelBackend } from "../../engine/backend.ts";
import type { MemoryKind } from "../../engine/emit/environment.ts";
import type { Executor } from "../../engine/executor.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { threadBackend } from "../../engine/thread-tier/compile.ts";
import { warpBackend } from "../../engine/warp-tier/compile.ts";

/**
 * auto: the fastest tier that can run the kernel · warp, thread: that compiled tier or an error ·
 * interpreter: the slow definition, on one thread.
 */
export const ENGINE_CHOICES = ["auto", "warp", "thread", "interpreter"] as const;
export type EngineChoice = (typeof ENGINE_CHOICES)[number];

export interface EngineTiers {
  readonly backends: readonly KernelBackend[];
  readonly fallback: Executor | null;
}

export function engineTiers(choice: EngineChoice, memory: MemoryKind): EngineTiers {
  switch (choice) {
    case "auto":
      return { backends: [warpBackend(memory), threadBackend(memory)], fallback: null };
    case "interpreter":
      return { backends: [], fallback: createInterpreter() };
    case "warp":
      return { backends: [warpBackend(memory)], fallback: null };
    case "thread":
      return { backends: [threadBackend(memory)], fallback: null };
  }
}

/** @throws HeddleError "bad-arguments" that lists the choices. */
export function parseEngineChoice(text: string): EngineChoice {
  const choice = ENGINE_CHOICES.find((known) => known === text);
  if (choice === undefined)
    throw new HeddleError("bad-arguments", `there is no engine "${text}"`, {
      notes: [`known: ${ENGINE_CHOICES.join(", ")}`],
    });
  return choice;
}
