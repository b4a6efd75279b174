/**
 * What a profile says should change. The order is by what each change would gain, by the model of time; where that says
 * nothing, by how much of the kernel's work of that kind would go away.
 */
import type { DeviceProperties } from "../../device/device.ts";
import { constantHints } from "./constant-hints.ts";
import { GainModel } from "./gain.ts";
import { isWorthALine, type Finding, type Hint, type HintInput } from "./hint.ts";
import { launchHints } from "./launch-hints.ts";
import {
  bankConflictHints,
  localMemoryHints,
  redundantLoadHints,
  registerTileHints,
  uncoalescedHints,
  vectorHints,
} from "./memory-hints.ts";
import { atomicsHints, atomicsLoad, barrierHints, divergenceHints, doubleHints, tensorHints } from "./work-hints.ts";

const DOCS = "docs/profiling.md";

export function hintsFor(launch: HintInput["launch"], gpu: DeviceProperties): Hint[] {
  const metrics = { ...launch.metrics, ...launch.facts.metrics };
  const model = new GainModel(launch, metrics, gpu, atomicsLoad({ launch, metrics }));
  const input: HintInput = { launch, metrics, gpu, model };
  const found: Finding[] = [
    ...uncoalescedHints(input),
    ...vectorHints(input),
    ...redundantLoadHints(input),
    ...localMemoryHints(input),
    ...bankConflictHints(input).filter(isWorthALine),
    ...constantHints(input),
    ...registerTileHints(input),
    ...atomicsHints(input),
    ...divergenceHints(input).filter(isWorthALine),
    ...doubleHints(input),
    ...tensorHints(input),
    ...barrierHints(input),
    ...launchHints(input),
  ];
  return found
    .map((hint) => ({ ...hint, link: `${DOCS}#${hint.kind}` }))
    .sort((a, b) => b.gain - a.gain || b.waste - a.waste);
}
