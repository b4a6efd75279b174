/**
 * What a profile says should change. The order is by what each change would gain, by the model of time; where that says
 * nothing, by how much of the kernel's work of that kind would go away.
 */
import type { DeviceProperties } from "../../device/device.ts";
import { constantHints } from "./constant-hints.ts";
import { GainModel } from "./gain.ts";
import { isWorthALine, type Finding, type Hint, type HintInput } from "./hint.ts";
import type { Metrics } from "../line-profile.ts";
import { launchHints } from "./launch-hints.ts";
import { bankConflictHints, uncoalescedHints, vectorHints } from "./memory-hints.ts";
import { localMemoryHints, redundantLoadHints, registerTileHints } from "./reuse-hints.ts";
import { cacheHints, repeatedPassHints, separateKernelHints } from "./pass-hints.ts";
import {
  atomicsHints,
  atomicsLoad,
  barrierHints,
  copyWaitHints,
  divergenceHints,
  divisionHints,
  doubleHints,
  tensorHints,
} from "./work-hints.ts";

const DRAM_READ = "dram__bytes_read.sum";
const DOCS = "docs/hints.md";

/** Microseconds of a launch by the model that the gains are of; without its start. */
export function hintedTime(launch: HintInput["launch"], gpu: DeviceProperties): number {
  const metrics = { ...launch.metrics, ...launch.facts.metrics };
  return new GainModel(launch, metrics, gpu, atomicsLoad({ launch })).microseconds;
}

/** @param caches what the model of the caches says, under NVIDIA's metric names; empty: nobody asked it */
export function hintsFor(launch: HintInput["launch"], gpu: DeviceProperties, caches: Metrics = {}): Hint[] {
  const metrics = { ...launch.metrics, ...launch.facts.metrics };
  const read = caches[DRAM_READ] ?? null;
  const model = new GainModel(launch, metrics, gpu, atomicsLoad({ launch }), read);
  const input: HintInput = { launch, metrics, gpu, model };
  const found: Finding[] = [
    ...uncoalescedHints(input),
    ...vectorHints(input),
    ...redundantLoadHints(input),
    ...repeatedPassHints(input),
    ...separateKernelHints(input),
    ...cacheHints(input, read),
    ...copyWaitHints(input),
    ...divisionHints(input),
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
  return withoutOpposites(found, input)
    .map((hint) => ({ ...hint, link: `${DOCS}#${hint.kind}` }))
    .sort((a, b) => b.gain - a.gain || b.waste - a.waste);
}

/** Tiles take registers: with the next one asked for ahead, more warps are not needed. */
function withoutOpposites(found: readonly Finding[], { launch }: HintInput): readonly Finding[] {
  const isTiled = found.some(({ kind }) => kind === "copy-waits") && launch.facts.occupancy.limit === "registers";
  return isTiled ? found.filter(({ kind }) => kind !== "occupancy") : found;
}
