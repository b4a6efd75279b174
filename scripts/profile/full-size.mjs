// Launches at the size that a GPU is timed at, from launches at one that can be counted: counters grow as the declared
// work does, or as the grid does where threads go through no array in a loop. Grids are those of the ladder there.
import { launchFacts } from "../../dist/profile/launch-facts.js";

const MOST_BYTES = 64e6;
const MOST_OPERATIONS = 1e9;
/** A size that blocks share is not made smaller than this, so that blocks do what they do at full size. */
const LEAST_SIZE = 256;
/** A size that is as small may become 1: so many batches, heads, images. */
const COUNT = 64;
/** Bytes that all blocks share, such as a result, stay as many. */
const OF_ALL_BLOCKS = 2e4;

const volume = (size) => [size].flat().reduce((product, one) => product * one, 1);
const threadsOf = (launches) => launches.reduce((sum, { grid, block }) => sum + volume(grid) * volume(block), 0);

/** The shape with sizes halved until it can be counted, where possible such that there are fewer blocks like these. */
export function countableShape(ladder, version, shape, configuration) {
  for (let smaller = shape; ;) {
    const { bytes, operations } = ladder.work(smaller);
    if (bytes <= MOST_BYTES && operations <= MOST_OPERATIONS) return smaller;
    const threads = threadsOf(version.declaration.launch(smaller, configuration));
    const choices = Object.entries(smaller)
      .map(([size, value]) => ({ size, value, next: { ...smaller, [size]: Math.ceil(value / 2) } }))
      .filter(
        ({ value, next }) => value > 1 && ladder.work(next).bytes + ladder.work(next).operations < bytes + operations,
      )
      .map((choice) => ({
        ...choice,
        isShared:
          (choice.value <= COUNT || choice.value / 2 >= LEAST_SIZE) &&
          threadsOf(version.declaration.launch(choice.next, configuration)) <= 0.55 * threads,
        isLarge: choice.value <= COUNT || choice.value / 2 >= LEAST_SIZE,
      }))
      .sort((a, b) => b.isShared - a.isShared || b.isLarge - a.isLarge || b.value - a.value);
    if (choices.length === 0) return smaller;
    smaller = choices[0].next;
  }
}

/** Counted by an older program, a launch has no bytes of spilled registers. */
function kernelFactsOf({ registersPerThread, registersFrom, staticSharedBytes, spillBytes = null }) {
  return { registersPerThread, registersFrom, staticSharedBytes, spillBytes };
}

/** @param full grids of the launches at the full size, in their order */
export function atFullSize(launches, { ladder, shape, fullShape, full, gpu }) {
  const [work, fullWork] = [ladder.work(shape), ladder.work(fullShape)];
  const bytes = fullWork.bytes / work.bytes;
  const more = work.operations > 0 ? fullWork.operations / work.operations : bytes;
  const moved = (value) => value * (value < OF_ALL_BLOCKS ? 1 : bytes);
  const scaled = (name, value, factor) => {
    if (typeof value !== "number" || /^launch__|pct$|^(?:line|bytes|column)$/.test(name)) return value;
    return name.startsWith("dram__") ? moved(value) : value * factor;
  };
  return launches.map((launch, n) => {
    const [x = 1, y = 1, z = 1] = [full[n]?.grid ?? [launch.grid.x, launch.grid.y, launch.grid.z]].flat();
    const grid = { x, y, z };
    const facts = launchFacts({ ...launch, grid }, kernelFactsOf(launch.facts), gpu);
    const warps = x * y * z * Math.ceil((launch.block.x * launch.block.y * launch.block.z) / 32);
    const { atomicBytes, fromLaunchBefore } = launch.touched;
    const hasLoop = launch.loops.some(({ isLoop }) => isLoop);
    const growth = hasLoop ? more : warps / launch.metrics["smsp__warps_launched.sum"];
    const times = (object) =>
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, scaled(name, value, growth)]));
    return {
      ...launch,
      grid,
      facts,
      metrics: { ...times(launch.metrics), ...facts.metrics, "smsp__warps_launched.sum": warps },
      lines: launch.lines.map((line) => ({
        ...line,
        metrics: times(line.metrics),
        accesses: line.accesses.map((access) => times(access)),
      })),
      waits: times(launch.waits),
      widenedHalves: (launch.widenedHalves ?? 0) * growth,
      loops: launch.loops.map((loop) => times(loop)),
      divisions: launch.divisions.map((line) => times(line)),
      needlessBarriers: launch.needlessBarriers.map((line) => times(line)),
      touched: { atomicBytes: moved(atomicBytes), fromLaunchBefore: moved(fromLaunchBefore) },
    };
  });
}
